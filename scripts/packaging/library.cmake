# The library with the executor below it as an archive, for those who need no more of the tree:
#   cpack --config scripts/packaging/library.cmake
# FetchContent takes it by its URL; built and installed, it is a package that find_package() finds.
set(CPACK_PACKAGE_NAME finesync)
include(${CMAKE_CURRENT_LIST_DIR}/names.cmake)
