# Installs the build tree under a fresh prefix, then configures, builds and runs examples/embed against it.
# Usage: cmake -D BUILD_DIR=… -D EXAMPLE_DIR=… -D CXX_COMPILER=… -P embed.cmake

set(scratch ${BUILD_DIR}/package_test)
set(prefix ${scratch}/prefix)
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch}/run)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${scratch}/run COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${EXAMPLE_DIR} -B ${scratch}/build -G Ninja
  -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_BUILD_TYPE=Release)

# An installation of the same name elsewhere on the machine must not have been picked up.
load_cache(${scratch}/build READ_WITH_PREFIX found_ holdfast_DIR)
cmake_path(IS_PREFIX prefix "${found_holdfast_DIR}" NORMALIZE inside)
if(NOT inside)
  message(FATAL_ERROR "the example found holdfast in ${found_holdfast_DIR}, not under ${prefix}")
endif()

run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/embed)
if(EXISTS ${prefix}/bin/holdfast)
  run(${prefix}/bin/holdfast --version)
endif()
