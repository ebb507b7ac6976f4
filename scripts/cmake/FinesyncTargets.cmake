# How kernel files, and plain C++, are compiled; what all targets share is in the executor's project.
include(${PROJECT_SOURCE_DIR}/src/executor/cmake/FinesyncWarnings.cmake)

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

# The same, but nvcc may also compile several files as one source, as no two of them share names: all files
# that a folder adds to a target. CMake supports this itself from 3.31 on.
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

# Joins the files into sources of about equal size.
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

# finesync_plain_library(<name> <source>...): plain C++, independent of the machine that runs the kernels.
# Builds for a GPU also define FINESYNC_HOST_EXECUTOR, so that a compiler cache shares its objects between
# presets. It has none of the executor's options, as it needs no call at every basic block.
function(finesync_plain_library name)
  add_library(${name} STATIC ${ARGN})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/executor)
  target_compile_definitions(${name} PRIVATE FINESYNC_HOST_EXECUTOR)
  target_link_libraries(${name} PRIVATE finesync_warnings)
  if(FINESYNC_FILES_PER_SOURCE GREATER 1)
    finesync_quick_to_compile(${name})
  endif()
endfunction()

# An object library for a machine that cannot run kernels: they are compiled without the code around them,
# which takes more than half of the time.
function(finesync_kernels_alone target)
  add_library(${target} OBJECT)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-fatbin>)
endfunction()

# Sets a variable to the architectures of this machine's GPUs; empty without a GPU.
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
