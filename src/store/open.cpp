#include "store/open.hpp"

#include "store/memory/memory_store.hpp"
#include "store/sqlite/sqlite_store.hpp"

namespace holdfast {

StoreResult<std::unique_ptr<Store>> open_store(StoreOptions options) {
  if (options.store.empty()) {
    return tl::unexpected(StoreError{Effect::none, "no store was named: give a file, or :memory:"});
  }
  if (options.store == ":memory:") {
    if (options.window) options.rules.window = *options.window;
    return open_memory_store(options.rules, options.clock);
  }
  return open_sqlite_store(options);
}

StoreResult<std::unique_ptr<RecordReader>> read_records(const std::string& store) {
  return read_sqlite_records(store);
}

}  // namespace holdfast
