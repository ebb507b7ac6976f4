# What every target of the project shares: warnings as errors, and how a kernel file is compiled.

# Not exported: users of the library keep their own warnings. They are errors for those who build
# the tests; who only wants to measure is not held up by what a newer compiler has to say.
add_library(finesync_warnings INTERFACE)
target_compile_options(finesync_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion>
  # What nvcc writes for the host casts kernels, at times between types that it names in two ways.
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-cast-function-type>)
if(FINESYNC_BUILD_TESTS)
  target_compile_options(finesync_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
endif()

# Most of what a compiler does for a source it does for the headers, again for each: several files in one
# source take a third of the time. A change then compiles all of them, and a machine with many processors
# has less to share out, so it is for who builds once, on few, and measures nothing: the code around
# kernels is then hardly optimized.
set(FINESYNC_FILES_PER_SOURCE 1 CACHE STRING "Files of a target that are compiled as one source")
if(FINESYNC_FILES_PER_SOURCE GREATER 1)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${FINESYNC_FILES_PER_SOURCE})
  # A local name may be one of another file's, and what is local to a file is in no file of its own.
  target_compile_options(finesync_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wshadow=local;-Wno-subobject-linkage>)
else()
  target_compile_options(finesync_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>)
endif()

# Adds kernel files (.cu) to a target. With nvcc they are CUDA; for the host executor the same files
# are C++.
function(finesync_kernels target)
  target_sources(${target} PRIVATE ${ARGN})
  if(FINESYNC_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  endif()
endfunction()

# The same where nvcc, too, may take several as one source, as no two of them have names in common: all
# that a target is given in a folder. CMake itself knows how from 3.31 on.
function(finesync_kernels_together target)
  if(NOT FINESYNC_CUDA OR NOT FINESYNC_FILES_PER_SOURCE GREATER 1)
    finesync_kernels(${target} ${ARGN})
    return()
  endif()
  get_property(begun TARGET ${target} PROPERTY finesync_kernels SET)
  foreach(file IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH file)
    set_property(TARGET ${target} APPEND PROPERTY finesync_kernels ${file})
  endforeach()
  if(NOT begun)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL finesync_join_kernels ${target})")
  endif()
endfunction()

# Sources of about the same number of files.
function(finesync_join_kernels target)
  get_property(files TARGET ${target} PROPERTY finesync_kernels)
  list(LENGTH files left)
  math(EXPR sources "(${left} + ${FINESYNC_FILES_PER_SOURCE} - 1) / ${FINESYNC_FILES_PER_SOURCE}")
  foreach(number RANGE 1 ${sources})
    math(EXPR several "(${left} + ${sources} - ${number}) / (${sources} - ${number} + 1)")
    list(SUBLIST files 0 ${several} together)
    list(REMOVE_ITEM files ${together})
    list(LENGTH files left)
    list(TRANSFORM together REPLACE ".+" "#include \"\\0\"\n")
    list(JOIN together "" text)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}_${number}.cu)
    file(CONFIGURE OUTPUT ${source} CONTENT "${text}" @ONLY)
    finesync_kernels(${target} ${source})
  endforeach()
endfunction()

# finesync_plain_library(<name> <source>...): plain C++, the same whatever runs the kernels. It takes the
# names that the host executor has for headers which kernels share with it, in builds for a GPU, too: so a
# compiler cache knows it from one preset in the other. It takes none of the executor's options: a call
# at every basic block, as kernels have there, is of no use here.
function(finesync_plain_library name)
  add_library(${name} STATIC ${ARGN})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE FINESYNC_HOST_EXECUTOR)
  target_link_libraries(${name} PRIVATE finesync_warnings)
endfunction()

# For code whose speed does not matter: host code, which takes half the time to compile so, and with
# FINESYNC_QUICK_KERNELS also kernels.
function(finesync_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Og>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${FINESYNC_QUICK_KERNELS}>>:-Ofc=max>)
endfunction()

# Sets a variable to the architectures of this machine's GPUs, which are none where it has no GPU.
function(finesync_local_architectures variable)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed OR NOT found MATCHES "^[0-9.\n]+$")
    set(found "")
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${found}")
  list(TRANSFORM found REPLACE "\\." "")
  list(REMOVE_DUPLICATES found)
  list(SORT found COMPARE NATURAL)
  set(${variable} ${found} PARENT_SCOPE)
endfunction()
