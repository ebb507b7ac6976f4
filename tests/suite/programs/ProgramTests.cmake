# What every program does in the same way, as a user sees it.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
set(checks_of_programs ${CMAKE_CURRENT_LIST_DIR})

# finesync_lost_output_test(<program> <option>...): options of a run, after --results if it writes them.
function(finesync_lost_output_test program)
  add_test(NAME lost_output.${program}
           COMMAND Python3::Interpreter -B ${checks_of_programs}/check_lost_output.py
                   $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(lost_output.${program} PROPERTIES TIMEOUT 300)
endfunction()

# finesync_small_default(<program> <part of a point's name>): by default it has a load that the host executor runs in
# seconds.
function(finesync_small_default program part)
  add_test(NAME small_default.${program} COMMAND ${program} --benchmark_list_tests)
  set_tests_properties(small_default.${program} PROPERTIES PASS_REGULAR_EXPRESSION ${part} TIMEOUT 60)
endfunction()

# finesync_program_tests(<program> <option>...): of the benchmark, with options for a small load, which
# leave the launch configuration to it.
function(finesync_program_tests program)
  finesync_lost_output_test(${program} --results --benchmark_repetitions=1 ${ARGN})
  foreach(gpu IN ITEMS small gtx1080ti titanv rtx2080ti h200)
    set(when "")
    if(NOT gpu STREQUAL "small")
      set(when CONFIGURATIONS nightly)  # so many threads take half a minute to minutes
    endif()
    add_test(NAME defaults.${program}_on_${gpu} ${when}
             COMMAND Python3::Interpreter -B ${checks_of_programs}/check_defaults.py
                     $<TARGET_FILE:${program}> ${gpu} ${ARGN})
    if(NOT when)
      set_tests_properties(defaults.${program}_on_${gpu} PROPERTIES TIMEOUT 600)
    endif()
  endforeach()
endfunction()
