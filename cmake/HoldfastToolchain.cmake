# How everything here is compiled: C++20, ccache when found, sanitizers, warnings.
#
# Without precompiled headers. Measured in seconds of CPU, g++ 12:
#   14 sources of src/http, -O2            26.3; 23.2 with fmt and simdjson, 24.1 with asio and beast besides
#   tests/conformance and tests/unit, -O0  43.7; 37.8 with gtest, gmock, fmt and simdjson
#   making them                            3.2, 8.6 and 4.8 for each set of flags; 160 to 390 MB, read by every compiler
# Compiling more sources together saves more: src/http under the address sanitizer takes 53.6 in batches of 6 and
# 40.7 in batches of 12. And a header that is always there hides that another does not compile alone.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(CCACHE ccache)
  if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Paths below the source tree count as relative ones: another clone finds what this one compiled.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  endif()
endif()

# Sanitizers apply to the whole build, or they report nonsense.
if(HOLDFAST_SANITIZE)
  add_compile_options(-fsanitize=${HOLDFAST_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${HOLDFAST_SANITIZE})
endif()
if(HOLDFAST_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HOLDFAST_FUZZ needs clang: libFuzzer is part of it")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_library(holdfast_warnings INTERFACE)
target_compile_options(holdfast_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  $<$<BOOL:${HOLDFAST_WERROR}>:-Werror>)
if(HOLDFAST_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Instrumented code defeats the flow analysis: it then reports std::regex and std::function.
  target_compile_options(holdfast_warnings INTERFACE -Wno-maybe-uninitialized)
  if(HOLDFAST_SANITIZE MATCHES thread)
    # Asio has fences besides its locks; the sanitizer sees only the locks, which are enough.
    target_compile_options(holdfast_warnings INTERFACE -Wno-tsan)
  endif()
endif()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Sources that are compiled together are all included by another one.
  target_compile_options(holdfast_warnings INTERFACE -Wno-subobject-linkage)
endif()
