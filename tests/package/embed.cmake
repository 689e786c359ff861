# Installs the build tree under a fresh prefix, then configures, builds and runs the examples against it:
# examples/embed and examples/effects by themselves, examples/client with the installed program serving.
# Usage: cmake -D BUILD_DIR=… -D EXAMPLE_DIR=…/examples/embed -D CXX_COMPILER=… -P embed.cmake

set(scratch ${BUILD_DIR}/package_test)
set(prefix ${scratch}/prefix)
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch}/run)

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${scratch}/run COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(build_example source)
  cmake_path(GET source FILENAME name)
  set(build ${scratch}/${name})
  run(${CMAKE_COMMAND} -S ${source} -B ${build} -G Ninja
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX_COMPILER} -D CMAKE_BUILD_TYPE=Release)

  # An installation of the same name elsewhere on the machine must not have been picked up.
  load_cache(${build} READ_WITH_PREFIX found_ holdfast_DIR)
  cmake_path(IS_PREFIX prefix "${found_holdfast_DIR}" NORMALIZE inside)
  if(NOT inside)
    message(FATAL_ERROR "the example found holdfast in ${found_holdfast_DIR}, not under ${prefix}")
  endif()
  run(${CMAKE_COMMAND} --build ${build})
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
build_example(${EXAMPLE_DIR})
run(${scratch}/embed/embed)

cmake_path(GET EXAMPLE_DIR PARENT_PATH examples)
build_example(${examples}/effects)
run(${scratch}/effects/effects ${examples}/effects/mail.registry.toml)
build_example(${examples}/client)
if(EXISTS ${prefix}/bin/holdfast)
  run(${prefix}/bin/holdfast --version)
  run(bash ${CMAKE_CURRENT_LIST_DIR}/with_server ${prefix}/bin/holdfast ${scratch}/client/client)
endif()
