# The same of the executor alone, with finesync-check:
#   cpack --config scripts/packaging/executor.cmake
set(CPACK_PACKAGE_NAME finesync-executor)
include(${CMAKE_CURRENT_LIST_DIR}/names.cmake)
