#include "support/stores/store_under_test.hpp"

#include "support/rules.hpp"
#include "support/servers/mariadb_server.hpp"
#include "support/servers/postgres_server.hpp"

namespace holdfast::test {

const std::vector<std::string>& engines() {
  static const std::vector<std::string> names{"memory", "sqlite", "postgres", "mariadb"};
  return names;
}

bool is_embedded(std::string_view engine) { return engine == "memory" || engine == "sqlite"; }

namespace {

std::unique_ptr<TestDatabase> database_on(std::string_view engine) {
  if (is_embedded(engine)) return nullptr;
  DatabaseServer& server =
      engine == "postgres" ? PostgresServer::shared() : MariadbServer::shared();
  return std::make_unique<TestDatabase>(server.create_database());
}

}  // namespace

StoreUnderTest::StoreUnderTest(std::string engine, Rules rules)
    : engine_(std::move(engine)),
      rules_(short_rules(std::move(rules))),
      dir_(engine_ == "sqlite" ? std::make_unique<TempDir>() : nullptr),
      database_(database_on(engine_)) {}

std::string StoreUnderTest::name() const {
  if (database_ != nullptr) return database_->url();
  return dir_ == nullptr ? ":memory:" : dir_->file("store.db");
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
