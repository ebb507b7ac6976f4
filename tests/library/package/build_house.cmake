# Configures FOLDER with SETTINGS, with what is installed in HOUSES, and builds TARGET; "install" into HOUSES.
set(build ${HOUSES}/build_${NAME})
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND ${CMAKE_COMMAND} --fresh -G ${GENERATOR} -S ${FOLDER} -B ${build} ${SETTINGS}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${HOUSES} -DCMAKE_INSTALL_PREFIX=${HOUSES})
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${CMAKE_COMMAND} --build ${build} --target ${TARGET})
