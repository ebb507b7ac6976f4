# NVSHMEM: NVSHMEM_INCLUDE_DIR, NVSHMEM_LIBRARY (of the host) and NVSHMEM_VERSION. NVSHMEM_ROOT or
# CMAKE_PREFIX_PATH may name a folder with include and lib; that of a Python wheel, nvidia/nvshmem, will do.
find_path(NVSHMEM_INCLUDE_DIR nvshmem.h)
find_library(NVSHMEM_LIBRARY NAMES nvshmem_host libnvshmem_host.so.3)  # wheels have no libnvshmem_host.so
mark_as_advanced(NVSHMEM_INCLUDE_DIR NVSHMEM_LIBRARY)

unset(NVSHMEM_VERSION)
if(NVSHMEM_INCLUDE_DIR)
  set(said "^#define NVSHMEM_VENDOR_BASE_VERSION_STRING ")
  file(STRINGS ${NVSHMEM_INCLUDE_DIR}/non_abi/nvshmem_version.h line REGEX "${said}")
  string(REGEX MATCH "[0-9.]+" NVSHMEM_VERSION "${line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NVSHMEM REQUIRED_VARS NVSHMEM_LIBRARY NVSHMEM_INCLUDE_DIR
                                  VERSION_VAR NVSHMEM_VERSION)
