#include "support/store_under_test.hpp"

#include "base/assert.hpp"

namespace holdfast::test {

const std::vector<std::string>& embedded_engines() {
  static const std::vector<std::string> names{"memory", "sqlite"};
  return names;
}

StoreUnderTest::StoreUnderTest(std::string engine, Rules rules)
    : engine_(std::move(engine)),
      rules_(std::move(rules)),
      dir_(persistent() ? std::make_unique<TempDir>() : nullptr) {}

std::string StoreUnderTest::name() const {
  if (engine_ == "memory") return ":memory:";
  HOLDFAST_ASSERT(engine_ == "sqlite");
  return dir_->file("store.db");
}

std::unique_ptr<Store> StoreUnderTest::open() const {
  StoreOptions options;
  options.store = name();
  options.rules = rules_;
  options.window = rules_.window;
  options.clock = clock_;
  auto opened = open_store(std::move(options));
  if (!opened) {
    ADD_FAILURE() << "cannot open " << name() << ": " << opened.error().message;
    std::abort();
  }
  return std::move(*opened);
}

}  // namespace holdfast::test
