# What every target of the project shares: warnings as errors, and how a kernel file is compiled.

# Not exported: users of the library keep their own warnings.
add_library(finesync_warnings INTERFACE)
target_compile_options(finesync_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:--Werror=all-warnings;-Xcompiler=-Wall;-Xcompiler=-Wextra>)

# Adds kernel files (.cu) to a target. With nvcc they are CUDA; for the host executor the same files
# are C++.
function(finesync_kernels target)
  target_sources(${target} PRIVATE ${ARGN})
  if(NOT FINESYNC_CUDA)
    set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  endif()
endfunction()
