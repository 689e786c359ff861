# tests/fuzz/<name>_fuzz.cpp becomes the executable fuzz/<name>_fuzz.

file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/*_fuzz.cpp)
foreach(source IN LISTS fuzz_sources)
  cmake_path(GET source STEM fuzzer)
  add_executable(${fuzzer} ${source})
  target_include_directories(${fuzzer} PRIVATE tests)
  target_link_libraries(${fuzzer} PRIVATE holdfast_http)
  target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
  set_target_properties(${fuzzer} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endforeach()
