#include "store/open.hpp"

#include <array>

#include "store/memory/memory_store.hpp"
#include "store/postgres/postgres_driver.hpp"
#include "store/shared/shared_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace holdfast {
namespace {

using MadeDriver = tl::expected<std::unique_ptr<shared::Driver>, std::string>;

/// Which engine an address asks for; none for the name of a file.
struct Scheme {
  std::string_view prefix;
  MadeDriver (*make)(const std::string& url, bool read_only);
};

constexpr std::array schemes{Scheme{"postgres://", make_postgres_driver},
                             Scheme{"postgresql://", make_postgres_driver}};

const Scheme* scheme_of(std::string_view store) {
  for (const Scheme& each : schemes) {
    if (store.starts_with(each.prefix)) return &each;
  }
  return nullptr;
}

StoreResult<std::unique_ptr<shared::Driver>> make_driver(const std::string& store, bool read_only) {
  const Scheme* const scheme = scheme_of(store);
  if (scheme == nullptr)
    return tl::unexpected(StoreError{.message = store + ": this is not the address of a database"});
  auto driver = scheme->make(store, read_only);
  if (!driver) return tl::unexpected(StoreError{.message = driver.error()});
  return std::move(*driver);
}

}  // namespace

bool is_shared(std::string_view store) { return scheme_of(store) != nullptr; }

StoreResult<std::unique_ptr<Store>> open_store(StoreOptions options) {
  if (options.store.empty()) {
    return tl::unexpected(StoreError{
        Effect::none, "no store was named: give a file, the address of a database, or :memory:"});
  }
  if (options.store == ":memory:") {
    if (options.window) options.rules.window = *options.window;
    return open_memory_store(options.rules, options.clock);
  }
  if (!is_shared(options.store)) return open_sqlite_store(options);
  auto driver = make_driver(options.store, options.read_only);
  if (!driver) return tl::unexpected(driver.error());
  return shared::open_shared_store(std::move(*driver), options);
}

StoreResult<std::unique_ptr<RecordReader>> read_records(const std::string& store) {
  if (!is_shared(store)) return read_sqlite_records(store);
  auto driver = make_driver(store, true);
  if (!driver) return tl::unexpected(driver.error());
  return shared::read_shared_records(std::move(*driver));
}

}  // namespace holdfast
