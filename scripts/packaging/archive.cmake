# Fills an archive with one house: cpack runs it for library.cmake and executor.cmake.
cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
if(CPACK_PACKAGE_NAME STREQUAL "finesync-executor")
  file(INSTALL ${root}/src/executor/ ${root}/LICENSE DESTINATION ${CMAKE_INSTALL_PREFIX})
else()
  file(INSTALL ${root}/CMakeLists.txt ${root}/LICENSE DESTINATION ${CMAKE_INSTALL_PREFIX})
  file(INSTALL ${root}/scripts/cmake DESTINATION ${CMAKE_INSTALL_PREFIX}/scripts)
  file(INSTALL ${root}/src DESTINATION ${CMAKE_INSTALL_PREFIX} REGEX "/src/(bench|catalogue)$" EXCLUDE)
endif()
