# Writes OUTPUT, a header that names the revision of the sources in SOURCE. It runs on every build, as
# the revision changes without any CMake file changing; an unchanged header is not written.
set(revision "unknown")
set(dirty "false")

find_package(Git QUIET)
if(Git_FOUND)
  # A copy of the sources inside some other repository must not report that repository's revision.
  execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --show-toplevel
    WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE toplevel RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE}" source)
  if(NOT failed AND toplevel STREQUAL source)
    execute_process(COMMAND "${GIT_EXECUTABLE}" rev-parse --verify HEAD
      WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE head RESULT_VARIABLE failed
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(NOT failed)
      set(revision "${head}")
    endif()
    # Only what goes into the programs: results that a sweep leaves in the tree are no change.
    execute_process(COMMAND "${GIT_EXECUTABLE}" --no-optional-locks status --porcelain --
        src workloads inputs CMakeLists.txt CMakePresets.json
      WORKING_DIRECTORY "${SOURCE}" OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(dirty "true")
    endif()
  endif()
endif()

set(text "// Generated on every build.
#pragma once

namespace finesync::bench {
constexpr const char* git_revision = \"${revision}\";
constexpr bool git_dirty = ${dirty};
}  // namespace finesync::bench
")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" previous)
endif()
if(NOT text STREQUAL "${previous}")
  file(WRITE "${OUTPUT}" "${text}")
endif()
