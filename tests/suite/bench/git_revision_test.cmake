# Checks that the header of the revision follows a repository: SCRIPT writes it, WORK is scratch.
cmake_minimum_required(VERSION 3.22)
find_package(Git REQUIRED)
set(repository "${WORK}/repository")
set(header "${WORK}/git_revision.hpp")
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${repository}/src")
# The build itself may lie inside a repository.
set(ENV{GIT_CEILING_DIRECTORIES} "${WORK}")

function(git)
  execute_process(COMMAND "${GIT_EXECUTABLE}" -c user.name=nobody -c user.email=nobody@localhost
      -c commit.gpgsign=false ${ARGN}
    WORKING_DIRECTORY "${repository}" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  string(STRIP "${output}" output)
  set(git_output "${output}" PARENT_SCOPE)
endfunction()

function(expect_header revision dirty)
  execute_process(COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${repository}" "-DOUTPUT=${header}"
    -P "${SCRIPT}" COMMAND_ERROR_IS_FATAL ANY)
  file(READ "${header}" text)
  foreach(part "git_revision = \"${revision}\"" "git_dirty = ${dirty}")
    string(FIND "${text}" "${part}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "'${part}' is not in\n${text}")
    endif()
  endforeach()
endfunction()

expect_header(unknown false)
git(init --quiet)
file(WRITE "${repository}/src/code.cpp" "int one;\n")
git(add .)
git(commit --quiet -m first)
git(rev-parse HEAD)
set(first "${git_output}")
expect_header(${first} false)
file(TIMESTAMP "${header}" before "%s.%f")
expect_header(${first} false)
file(TIMESTAMP "${header}" after "%s.%f")
if(NOT before STREQUAL after)
  message(FATAL_ERROR "an unchanged header was written again, and would be compiled again")
endif()

file(WRITE "${repository}/results.json" "{}\n")
expect_header(${first} false)
file(WRITE "${repository}/src/code.cpp" "int two;\n")
expect_header(${first} true)
git(commit --quiet -am second)
git(rev-parse HEAD)
expect_header(${git_output} false)

# A copy inside another repository is not that repository.
set(repository "${repository}/vendored")
file(MAKE_DIRECTORY "${repository}/src")
expect_header(unknown false)
