#include "store/mariadb/mariadb_driver.hpp"

#include "store/mariadb/address.hpp"
#include "store/mariadb/session.hpp"

namespace holdfast {
namespace mariadb {
namespace {

class MariadbDriver final : public shared::Driver {
 public:
  explicit MariadbDriver(Address address) : address_(std::move(address)), name_(address_.name()) {}

  shared::Expected<std::unique_ptr<shared::Session>> connect() override {
    return connect_to(address_);
  }
  /// A journal that is written anew is long in coming.
  shared::Expected<std::unique_ptr<shared::Session>> connect_for_upgrade() override {
    Address patient = address_;
    patient.read_timeout = std::chrono::hours(24 * 7);
    return connect_to(patient);
  }
  const std::string& name() const override { return name_; }
  std::size_t batch_max() const override { return 1'000; }
  std::size_t token_bytes_max() const override { return 1'024; }

 private:
  static shared::Expected<std::unique_ptr<shared::Session>> connect_to(const Address& address) {
    auto connection = Connection::open(address);
    if (!connection) return tl::unexpected(connection.error());
    return std::make_unique<MariadbSession>(std::move(*connection));
  }

  const Address address_;
  const std::string name_;
};

}  // namespace
}  // namespace mariadb

tl::expected<std::unique_ptr<shared::Driver>, std::string> make_mariadb_driver(
    const std::string& url) {
  auto address = mariadb::parse_address(url);
  if (!address) return tl::unexpected(address.error());
  return std::make_unique<mariadb::MariadbDriver>(std::move(*address));
}

}  // namespace holdfast
