# Installs the build in BUILD to PREFIX, where nothing is left of the last time.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --config ${CONFIG}
  COMMAND_ERROR_IS_FATAL ANY)
