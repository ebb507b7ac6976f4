# What lets programs run on several GPUs in more processes than one; all of it optional.
# FINESYNC_LACKS_NCCL is empty, or says in a few words why programs have no --engine nccl;
# FINESYNC_LACKS_NVSHMEM the same of --engine nvshmem.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
set(oldest_NCCL 2.28)    # the first with functions for kernels
set(oldest_NVSHMEM 3.8)  # its functions for kernels can be inlined

foreach(library IN ITEMS NCCL NVSHMEM)
  find_package(${library} ${oldest_${library}} QUIET)
  set(FINESYNC_LACKS_${library} "")
  if(NOT FINESYNC_CUDA)
    set(FINESYNC_LACKS_${library} "it runs kernels on the host")
  elseif(NOT MPI_CXX_FOUND)
    set(FINESYNC_LACKS_${library} "CMake found no MPI")
  elseif(NOT ${library}_FOUND AND ${library}_VERSION)
    set(FINESYNC_LACKS_${library}
      "CMake found ${library} ${${library}_VERSION}, which is older than ${oldest_${library}}")
  elseif(NOT ${library}_FOUND)
    set(FINESYNC_LACKS_${library} "CMake found no ${library}")
  endif()
endforeach()
