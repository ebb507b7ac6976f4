# Generates C++ from the catalogue of primitives, the only place of their names, help lines and types.
# scripts/finesync_catalogue reads it; docs/suite/extending.md describes its entries.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)

file(GLOB_RECURSE finesync_catalogue CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/catalogue/*.json ${PROJECT_SOURCE_DIR}/workloads/variants.json
  ${PROJECT_SOURCE_DIR}/workloads/*.cu.in ${PROJECT_SOURCE_DIR}/scripts/finesync_catalogue/*.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${finesync_catalogue})

# Sets <sources> to the files that scripts/finesync_catalogue/generate.py prints.
function(finesync_generate sources)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B -m finesync_catalogue.generate ${ARGN}
      --into ${PROJECT_BINARY_DIR}/generated
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/scripts
    OUTPUT_VARIABLE written ERROR_VARIABLE problem RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${problem}")
  endif()
  set(${sources} ${written} PARENT_SCOPE)
endfunction()

# finesync_primitives(<program> <family> TYPE <use> HEADERS <file>... EXPERIMENT <C++> [NAMESPACE <name>]
# [AXES <axis>...] [EXCEPT <key>...]): the primitives of a family that a program runs. Each primitive with
# a type for that use gets a source, workloads/common/primitive.cu.in, which includes the HEADERS of workloads/
# and calls EXPERIMENT with a run_config; its entry may have another experiment. Hand-written ones have a
# source in the program. An experiment may use @NAME@, @OWNS_DATA@, @TYPE@, @WITHOUT_BACKOFF@ (void if there
# is none), and each key of the entry's types. Where a call is not enough, TEMPLATE or an entry's "template"
# names another template in the program's folder. On the host executor,
# "cuda_only" primitives have no source, nor have those that need a library that is not there. EXCEPT leaves
# out primitives for which such a key is true.
# <family>.hpp declares the list of all, with the axes of their entries. Primitives from a template also
# have the AXES and, with a choice of back-off, "backoff". <family>_makers.hpp declares the maker of each.
function(finesync_primitives program family)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "TYPE;TEMPLATE;EXPERIMENT;NAMESPACE" "HEADERS;AXES;EXCEPT")
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(NOT arg_NAMESPACE)
    set(arg_NAMESPACE ${folder})
  endif()
  set(cuda "")
  if(FINESYNC_CUDA)
    set(cuda --cuda)
  endif()
  set(lacks "")
  foreach(library IN ITEMS nccl nvshmem)
    string(TOUPPER ${library} name)
    if(FINESYNC_LACKS_${name})
      list(APPEND lacks ${library})
    endif()
  endforeach()
  finesync_generate(sources primitives --program ${program} --folder ${folder} --family ${family}
    --namespace ${arg_NAMESPACE} --use ${arg_TYPE}
    "--template=${arg_TEMPLATE}" "--experiment=${arg_EXPERIMENT}" --headers ${arg_HEADERS}
    --axes ${arg_AXES} --without ${arg_EXCEPT} --lacks ${lacks} ${cuda})
  # A separate source: if a line of help changes, only this one is compiled.
  list(POP_FRONT sources list_of_all)
  target_sources(${program}_workload PRIVATE ${list_of_all})
  set_source_files_properties(${list_of_all} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  finesync_kernels_together(${program}_workload ${sources})
  target_include_directories(${program}_workload PUBLIC ${PROJECT_BINARY_DIR}/generated)
endfunction()

# Writes generated/tests/catalogue/<family>.hpp: a type list <key>_<family>, with names, for each key of the
# entries that begins with "test_types". tests/<family>/test_types.hpp may have code that only these types
# need. Of locks, types_by_name_locks has X_lock<scope::device> of each.
function(finesync_tested_primitives family)
  finesync_generate(sources tested --family ${family})
endfunction()
