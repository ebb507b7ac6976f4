# Installs the build in BUILD, or its COMPONENT, to PREFIX, where nothing is left of the last time.
if(COMPONENT)
  set(only --component ${COMPONENT})
endif()
file(REMOVE_RECURSE ${PREFIX})
execute_process(
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} --config ${CONFIG} ${only}
  COMMAND_ERROR_IS_FATAL ANY)
