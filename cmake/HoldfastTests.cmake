# tests/<folder>/*.cpp becomes the executable <folder>_tests, its suites named <folder>.Suite and labelled
# <folder>, so `ctest -L crash` runs one folder. New folders need no mention here, unless they need servers.
#
# tests/<folder>/<name>_worker.cpp becomes an executable of its own, <name>_worker, for tests that start
# and kill processes. "support/paths.hpp", made here, says where all of that is.

find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

file(GLOB_RECURSE support_sources CONFIGURE_DEPENDS tests/support/*.cpp)
set(kind INTERFACE)
set(usage INTERFACE)
if(support_sources)
  set(kind STATIC)
  set(usage PUBLIC)
endif()
add_library(holdfast_test_support ${kind} ${support_sources})
target_include_directories(holdfast_test_support ${usage} tests)
target_link_libraries(holdfast_test_support
  ${usage} holdfast_http holdfast_client holdfast_effects holdfast_internals
  GTest::gtest GTest::gmock rapidcheck rapidcheck_gtest rapidcheck_gmock)
if(support_sources)
  set_target_properties(holdfast_test_support PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
endif()
if(HOLDFAST_SANITIZE)
  target_compile_options(holdfast_test_support PRIVATE -O0)  # else benchmarks use it, too
endif()
if(TARGET holdfast_cli)
  set(HOLDFAST_CLI ${PROJECT_BINARY_DIR}/holdfast)
endif()
configure_file(tests/support/paths.hpp.in generated_tests/support/paths.hpp @ONLY)
target_include_directories(holdfast_test_support ${usage} ${PROJECT_BINARY_DIR}/generated_tests)

# One PostgreSQL and one MariaDB for all tests of a run, started if it has tests of these folders; whoever runs
# a test by hand gets servers of that test's own. A folder that is missing here fails and says so.
set(folders_with_servers cli conformance crash deliveries effects golden inbox modules nodes properties scenarios)
set(test_servers ${PROJECT_BINARY_DIR}/tests/running_servers)
add_executable(database_servers tests/servers/main.cpp)
target_link_libraries(database_servers PRIVATE holdfast_test_support)
set_target_properties(database_servers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
add_test(NAME servers.start COMMAND database_servers start ${test_servers} --with-parent)
add_test(NAME servers.stop COMMAND database_servers stop ${test_servers})
set_tests_properties(servers.start PROPERTIES FIXTURES_SETUP servers TIMEOUT 120)
set_tests_properties(servers.stop PROPERTIES FIXTURES_CLEANUP servers TIMEOUT 120)

# Makes the stores in tests/fixtures that later versions have to go on with; run by hand.
if(TARGET holdfast_cli AND NOT HOLDFAST_SANITIZE)
  add_executable(old_store_maker tests/fixtures/main.cpp)
  target_link_libraries(old_store_maker PRIVATE holdfast_test_support)
  target_compile_options(old_store_maker PRIVATE -O0)
  set_target_properties(old_store_maker PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_dependencies(old_store_maker holdfast_cli)
endif()

# Modules to try modules with, and a list that has them beside ours: what is linked with these objects,
# tests/modules and a program like holdfast, has no need of the library's list.
file(GLOB module_sources CONFIGURE_DEPENDS tests/modules/*/*.cpp)
add_library(test_modules OBJECT EXCLUDE_FROM_ALL ${module_sources})
target_link_libraries(test_modules PRIVATE holdfast_test_support)
target_compile_options(test_modules PRIVATE -O0)
if(TARGET holdfast_cli)
  add_executable(holdfast_with_modules EXCLUDE_FROM_ALL ${serving_sources} $<TARGET_OBJECTS:test_modules>)
  target_link_libraries(holdfast_with_modules PRIVATE holdfast_commands holdfast_http)
  set_target_properties(holdfast_with_modules PROPERTIES
    UNITY_BUILD OFF RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endif()

function(holdfast_add_worker source)
  cmake_path(GET source STEM worker)
  add_executable(${worker} ${source})
  target_link_libraries(${worker} PRIVATE holdfast_test_support)
  set_target_properties(${worker} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

function(holdfast_add_tests folder)
  file(GLOB sources CONFIGURE_DEPENDS tests/${folder}/*.cpp)
  set(workers ${sources})
  list(FILTER workers INCLUDE REGEX "_worker\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_worker\\.cpp$")
  if(NOT sources)
    return()
  endif()
  set(tests ${folder}_tests)
  add_executable(${tests} ${sources})
  target_link_libraries(${tests} PRIVATE holdfast_test_support GTest::gtest_main)
  if(folder STREQUAL modules)
    target_sources(${tests} PRIVATE $<TARGET_OBJECTS:test_modules>)
    if(TARGET holdfast_with_modules)
      add_dependencies(${tests} holdfast_with_modules)
    endif()
  endif()
  # Tests are many and run once: optimizing them takes longer than it saves.
  target_compile_options(${tests} PRIVATE -O0)
  # Nor are they compiled one by one: most of that time would go into the headers they share.
  set_target_properties(${tests} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12 RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  if(TARGET holdfast_cli)
    add_dependencies(${tests} holdfast_cli)
  endif()
  foreach(source IN LISTS workers)
    cmake_path(GET source STEM worker)
    holdfast_add_worker(${source})
    if(folder STREQUAL modules)
      target_sources(${worker} PRIVATE $<TARGET_OBJECTS:test_modules>)
    endif()
    add_dependencies(${tests} ${worker})
  endforeach()
  set(fixtures "")
  set(environment TEST_DATABASE_SERVERS=none_for_${folder})
  if(folder IN_LIST folders_with_servers)
    set(fixtures servers)
    set(environment TEST_DATABASE_SERVERS=${test_servers})
  endif()
  set(suites ${PROJECT_BINARY_DIR}/tests/${folder}_suites.cmake)
  file(CONFIGURE OUTPUT ${suites} @ONLY CONTENT [[
set(folder @folder@)
set(program @PROJECT_BINARY_DIR@/tests/@tests@)
set(environment @environment@)
set(fixtures @fixtures@)
include(@PROJECT_SOURCE_DIR@/cmake/HoldfastSuites.cmake)
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${suites})
endfunction()

file(GLOB folders LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/tests CONFIGURE_DEPENDS tests/*)
list(REMOVE_ITEM folders support servers fixtures fuzz package clients)
if(HOLDFAST_TEST_FOLDERS)
  set(folders ${HOLDFAST_TEST_FOLDERS})
endif()
foreach(folder IN LISTS folders)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/${folder})
    holdfast_add_tests(${folder})
  endif()
endforeach()

# Every header compiles alone. One that some source includes before anything else does so in that source, as
# long as sources are compiled one by one; the others have sources made for them, which include them twice.
if(TARGET holdfast_cli AND NOT CMAKE_UNITY_BUILD)
  file(GLOB_RECURSE sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS src/*.cpp)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS include/*.hpp src/*.hpp)
  list(TRANSFORM headers REPLACE "^(include|src)/" "")
  foreach(source IN LISTS sources)
    file(STRINGS ${source} first LIMIT_COUNT 1 REGEX "^#include")
    string(REGEX REPLACE "^#include [\"<](.*)[\">]$" "\\1" first "${first}")
    list(REMOVE_ITEM headers "${first}")
  endforeach()
  set(header_sources)
  foreach(header IN LISTS headers)
    set(source ${PROJECT_BINARY_DIR}/header_check/${header}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n#include \"${header}\"\n" @ONLY)
    list(APPEND header_sources ${source})
  endforeach()
  add_library(header_check OBJECT ${header_sources})
  target_link_libraries(header_check PRIVATE holdfast_http holdfast_effects CLI11::CLI11)
  target_compile_options(header_check PRIVATE -O0 -g0)
endif()

# The fuzzers, over the inputs that were kept; `./dev fuzz` looks for new ones.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cpp)
foreach(source IN LISTS fuzz_sources)
  cmake_path(GET source STEM fuzzer)
  string(REGEX REPLACE "_fuzz$" "" name ${fuzzer})
  set(corpus ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  add_executable(${name}_kept_inputs ${source} tests/fuzz/kept_inputs.cpp)
  target_include_directories(${name}_kept_inputs PRIVATE tests)
  target_link_libraries(${name}_kept_inputs PRIVATE holdfast_http)
  target_compile_options(${name}_kept_inputs PRIVATE -O0)
  set_target_properties(${name}_kept_inputs PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME fuzz.${name} COMMAND ${name}_kept_inputs ${corpus})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endforeach()

# Real clients that retry by themselves, most of them from npm; skipped where they cannot be had.
if(TARGET holdfast_cli AND NOT HOLDFAST_SANITIZE)
  file(GLOB client_workers CONFIGURE_DEPENDS tests/clients/*_worker.cpp)
  foreach(source IN LISTS client_workers)
    holdfast_add_worker(${source})
  endforeach()
  add_test(NAME clients.npm
    COMMAND ${PROJECT_SOURCE_DIR}/tests/clients/run $<TARGET_FILE:holdfast_cli> ${PROJECT_BINARY_DIR})
  set_tests_properties(clients.npm PROPERTIES LABELS clients TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# The README's first command; it builds what `./dev build` does, so only there.
if(PROJECT_BINARY_DIR STREQUAL "${PROJECT_SOURCE_DIR}/build/release")
  add_test(NAME docs.dev_serve
    COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/dev_serve.sh ${PROJECT_SOURCE_DIR}/dev)
  set_tests_properties(docs.dev_serve PROPERTIES LABELS docs TIMEOUT 300 RUN_SERIAL ON)
endif()

# Two commits compared, on a repository that the test makes; nothing of this build is in it.
if(NOT HOLDFAST_SANITIZE)
  add_test(NAME docs.bench_compare
    COMMAND ${PROJECT_SOURCE_DIR}/tests/docs/bench_compare.sh ${PROJECT_SOURCE_DIR}/bench/compare)
  set_tests_properties(docs.bench_compare PROPERTIES LABELS docs TIMEOUT 300)
endif()

# The installed package serves somebody else's build.
if(EXISTS ${PROJECT_SOURCE_DIR}/examples/embed/main.cpp AND NOT HOLDFAST_SANITIZE)
  add_test(NAME package.embed
    COMMAND ${CMAKE_COMMAND}
      -D BUILD_DIR=${PROJECT_BINARY_DIR}
      -D EXAMPLE_DIR=${PROJECT_SOURCE_DIR}/examples/embed
      -D CXX_COMPILER=${CMAKE_CXX_COMPILER}
      -P ${PROJECT_SOURCE_DIR}/tests/package/embed.cmake)
  set_tests_properties(package.embed PROPERTIES LABELS package TIMEOUT 600)
endif()
