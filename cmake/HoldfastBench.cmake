# bench/*.cpp becomes the executable holdfast_bench.


file(GLOB bench_sources CONFIGURE_DEPENDS bench/*.cpp)
if(bench_sources)
  add_executable(holdfast_bench ${bench_sources})
  target_include_directories(holdfast_bench PRIVATE bench)
  target_link_libraries(holdfast_bench PRIVATE holdfast_internals CLI11::CLI11)
  set_target_properties(holdfast_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
