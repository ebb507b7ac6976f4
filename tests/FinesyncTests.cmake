# How tests are built. Every test case is an entry of ctest.
include(GoogleTest)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH FINESYNC_ROOT)

# finesync_test(<name> <source>...): a GoogleTest executable; .cu sources are kernels. Files that share
# local names have a namespace with the file's name, so that several may be compiled as one source. With
# FINESYNC_QUICK_KERNELS, kernels are only compiled.
function(finesync_test name)
  set(plain ${ARGN})
  set(kernels ${ARGN})
  list(FILTER plain EXCLUDE REGEX "\\.cu$")
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  if(kernels AND FINESYNC_QUICK_KERNELS)
    finesync_kernels_alone(${name})
  else()
    add_executable(${name} ${plain})
  endif()
  if(kernels)
    finesync_kernels_together(${name} ${kernels})
  endif()
  target_include_directories(${name} PRIVATE ${FINESYNC_ROOT} ${PROJECT_BINARY_DIR}/generated)
  target_link_libraries(${name} PRIVATE finesync_machine finesync_warnings GTest::gtest_main)
  finesync_quick_to_compile(${name})
  if(NOT FINESYNC_CUDA)
    if(TARGET finesync_search)
      target_link_libraries(${name} PRIVATE finesync_search)
    endif()
    target_precompile_headers(${name} REUSE_FROM finesync_test_headers)
  endif()
  get_target_property(type ${name} TYPE)
  if(type STREQUAL EXECUTABLE)
    # A GPU takes turns between processes, and a block that waits would wait for several turns.
    set(one_at_a_time)
    if(FINESYNC_CUDA AND kernels)
      set(one_at_a_time RESOURCE_LOCK gpu)
    endif()
    gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT 300 ${one_at_a_time})
  endif()
endfunction()

# finesync_plain_test(<name> <source>...): a GoogleTest executable of plain C++, without the host
# executor's options.
function(finesync_plain_test name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE finesync_warnings GTest::gtest_main)
  finesync_quick_to_compile(${name})
  target_precompile_headers(${name} REUSE_FROM finesync_plain_test_headers)
  # Hostile inputs have numbers: their contents are not valid names.
  gtest_discover_tests(${name} TEST_PREFIX ${name}. NO_PRETTY_VALUES PROPERTIES TIMEOUT 300)
endfunction()

# add_test_headers(<target> <library>...): those and GoogleTest's, for tests that link these libraries.
function(add_test_headers target)
  finesync_precompiled(${target} ${ARGN} GTest::gtest)
  target_precompile_headers(${target} PRIVATE <gtest/gtest.h>)
endfunction()
