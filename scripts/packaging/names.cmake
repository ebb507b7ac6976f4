# What both archives have in common.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../../src/finesync/version.hpp numbers REGEX "define FINESYNC_VERSION_")
list(TRANSFORM numbers REPLACE "[^0-9]" "")
list(JOIN numbers . CPACK_PACKAGE_VERSION)
set(CPACK_PACKAGE_VENDOR finesync)
set(CPACK_PACKAGE_DESCRIPTION "Fine-grained synchronization on GPUs")
set(CPACK_PACKAGE_FILE_NAME ${CPACK_PACKAGE_NAME}-${CPACK_PACKAGE_VERSION})
set(CPACK_GENERATOR TXZ)
set(CPACK_INSTALL_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/archive.cmake)
