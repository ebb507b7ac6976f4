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
