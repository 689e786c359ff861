# Third-party libraries of the product; those of tests, fuzzers and benchmarks are found where they are used.

find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto SSL)
find_package(SQLite3 3.40 REQUIRED)
find_package(PostgreSQL 15 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(MARIADB REQUIRED IMPORTED_TARGET GLOBAL libmariadb)
find_package(simdjson REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
find_package(spdlog REQUIRED)
find_package(tomlplusplus REQUIRED)
if(HOLDFAST_BUILD_CLI OR HOLDFAST_BENCH)
  find_package(CLI11 REQUIRED)
endif()

# Linked. Each also stands in holdfastConfig.cmake.in: whoever links the archive needs it too.
set(HOLDFAST_LIBRARIES OpenSSL::Crypto SQLite::SQLite3 PostgreSQL::PostgreSQL PkgConfig::MARIADB
  simdjson::simdjson fmt::fmt Threads::Threads)

# Header-only and invisible to users of the installed package.
add_library(holdfast_headers INTERFACE)
target_link_libraries(holdfast_headers INTERFACE Boost::headers)
