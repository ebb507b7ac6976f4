# What every target of the project shares: warnings as errors, and how a kernel file is compiled.

# Not exported: users of the library keep their own warnings. They are errors for those who build
# the tests; who only wants to measure is not held up by what a newer compiler has to say.
add_library(finesync_warnings INTERFACE)
target_compile_options(finesync_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall;-Xcompiler=-Wextra>)
if(FINESYNC_BUILD_TESTS)
  target_compile_options(finesync_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
endif()

# Adds kernel files (.cu) to a target. With nvcc they are CUDA; for the host executor the same files
# are C++.
function(finesync_kernels target)
  target_sources(${target} PRIVATE ${ARGN})
  if(NOT FINESYNC_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  endif()
endfunction()

# For host code whose speed does not matter, which takes half the time to compile so.
function(finesync_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O1>)
endfunction()

# Sets a variable to the architectures of this machine's GPUs; without one, to that of Hopper.
function(finesync_local_architectures variable)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT found MATCHES "^[0-9.\n]+$")
    set(found 9.0)
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${found}")
  list(TRANSFORM found REPLACE "\\." "")
  list(REMOVE_DUPLICATES found)
  list(SORT found COMPARE NATURAL)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
