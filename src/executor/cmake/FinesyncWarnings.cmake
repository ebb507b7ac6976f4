# Settings of all targets: warnings, and files that are compiled as one source.
include_guard(GLOBAL)

# Not exported: users of the library keep their own warnings. Warnings are errors only in a build of the
# tests, so that a newer compiler's warnings do not stop a build for measurements.
add_library(finesync_warnings INTERFACE)
target_compile_options(finesync_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion>
  # nvcc's host code casts kernels, sometimes between two names of one type.
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-cast-function-type>)
if(FINESYNC_BUILD_TESTS)
  target_compile_options(finesync_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror> $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings>)
endif()

# A compiler spends most of its time on headers, for each source again: several files in one source take a
# third of the time. But a change compiles all of them, many processors have less to do in parallel, and
# the code around kernels is hardly optimized. So this is for a single build on few processors, without
# measurements.
set(FINESYNC_FILES_PER_SOURCE 1 CACHE STRING "Files of a target that are compiled as one source")
if(FINESYNC_FILES_PER_SOURCE GREATER 1)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE ${FINESYNC_FILES_PER_SOURCE})
  # A local name may shadow one of another file, and internal linkage spans several files.
  target_compile_options(finesync_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wshadow=local;-Wno-subobject-linkage>)
else()
  target_compile_options(finesync_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wshadow>)
endif()

# For code whose speed does not matter: host code, which then compiles in half the time, and with
# FINESYNC_QUICK_KERNELS also kernels.
function(finesync_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Og>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${FINESYNC_QUICK_KERNELS}>>:-Ofc=max>)
endfunction()

# finesync_precompiled(<target> <library>...): headers that nearly every file includes, precompiled for
# targets that link these libraries. None is of the project, so that faults of scripts/dev/mutate.py are compiled.
set(finesync_empty_source ${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp CACHE INTERNAL "")
function(finesync_precompiled target)
  add_library(${target} OBJECT ${finesync_empty_source})
  target_link_libraries(${target} PRIVATE ${ARGN} finesync_warnings)
  finesync_quick_to_compile(${target})
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <filesystem> <fstream> <functional>
    <future> <map> <memory> <mutex> <optional> <random> <span> <sstream> <stdexcept> <string> <vector>)
endfunction()
