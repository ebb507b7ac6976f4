# What lets programs run on several GPUs in more processes than one; all of it optional.
# FINESYNC_LACKS_NCCL is empty, or says in a few words why programs have no --engine nccl.
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
find_package(NCCL 2.28 QUIET)  # the first with functions for kernels

set(FINESYNC_LACKS_NCCL "")
if(NOT FINESYNC_CUDA)
  set(FINESYNC_LACKS_NCCL "it runs kernels on the host")
elseif(NOT MPI_CXX_FOUND)
  set(FINESYNC_LACKS_NCCL "CMake found no MPI")
elseif(NOT NCCL_FOUND AND NCCL_VERSION)
  set(FINESYNC_LACKS_NCCL "CMake found NCCL ${NCCL_VERSION}, which is older than 2.28")
elseif(NOT NCCL_FOUND)
  set(FINESYNC_LACKS_NCCL "CMake found no NCCL")
endif()
