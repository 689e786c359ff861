# bench/engine becomes holdfast_bench, bench/http becomes holdfast_http_bench.

foreach(bench IN ITEMS engine http)
  file(GLOB sources CONFIGURE_DEPENDS bench/${bench}/*.cpp)
  set(program holdfast_bench)
  if(NOT bench STREQUAL engine)
    set(program holdfast_${bench}_bench)
  endif()
  add_executable(${program} ${sources})
  target_include_directories(${program} PRIVATE bench/${bench})
  target_link_libraries(${program} PRIVATE holdfast_internals CLI11::CLI11)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endforeach()
