#include "store/postgres/postgres_driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "store/postgres/schema.hpp"
#include "store/postgres/session.hpp"

namespace holdfast {
namespace postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

using Settings = std::map<std::string, std::string>;

std::string quoted(const std::string& value) {
  std::string out = "'";
  for (const char each : value) {
    if (each == '\'' || each == '\\') out += '\\';
    out += each;
  }
  return out + "'";
}

std::string joined(const Settings& settings) {
  std::string out;
  for (const auto& [name, value] : settings) out += fmt::format("{}={} ", name, quoted(value));
  return out;
}

std::string shown(const Settings& settings) {
  const auto get = [&](const char* name, const char* otherwise) -> std::string {
    const auto found = settings.find(name);
    return found == settings.end() ? otherwise : found->second;
  };
  const std::string user = get("user", "");
  const std::string port = get("port", "");
  return fmt::format("postgres://{}{}{}{}{}/{}", user, user.empty() ? "" : "@",
                     get("host", "localhost"), port.empty() ? "" : ":", port,
                     get("dbname", user.c_str()));
}

class PostgresDriver final : public shared::Driver {
 public:
  explicit PostgresDriver(const Settings& settings)
      : settings_(joined(settings)), name_(shown(settings)) {}

  Expected<std::unique_ptr<shared::Session>> connect() override {
    auto connection = Connection::open(settings_);
    if (!connection) return tl::unexpected(connection.error());
    return std::make_unique<PostgresSession>(std::move(*connection));
  }
  const std::string& name() const override { return name_; }
  /// Each token of a batch is a lock, and the server has room for some thousands in all.
  std::size_t batch_max() const override { return 1024; }
  /// An index entry has room for so much, the tenant's name included.
  std::size_t token_bytes_max() const override { return 1024; }

 private:
  const std::string settings_;
  const std::string name_;
};

/// Whether a password may go beyond what libpq takes for one; the rest would be shown as a host.
bool is_ambiguous(std::string_view url) {
  const std::string_view rest = url.substr(std::min(url.find("://") + 3, url.size()));
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  const auto signs = std::count(authority.begin(), authority.end(), '@');
  const bool at_later = rest.find('@', authority.size()) != std::string_view::npos;
  return signs > 1 || (signs == 0 && at_later && authority.find(':') != std::string_view::npos);
}

}  // namespace
}  // namespace postgres

tl::expected<std::unique_ptr<shared::Driver>, std::string> make_postgres_driver(
    const std::string& url, bool read_only) {
  if (postgres::is_ambiguous(url)) {
    return tl::unexpected(std::string(
        "it cannot be told where a password ends here. Write every special character of it as "
        "%XX: / as %2F, @ as %40, ? as %3F."));
  }
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, postgres::FreeOptions> options(
      PQconninfoParse(url.c_str(), &message));
  if (options == nullptr) {
    PQfreemem(message);  // it may quote a password
    return tl::unexpected(std::string(
        "this is not an address PostgreSQL understands. Write "
        "postgres://USER@HOST:PORT/DATABASE?SETTING=VALUE, with libpq's settings, and every "
        "special "
        "character of a password as %XX."));
  }
  // A server that does not answer is noticed, and one that takes no writes is passed over.
  postgres::Settings settings{{"application_name", postgres::session_name()},
                              {"connect_timeout", "5"},
                              {"keepalives_idle", "10"},
                              {"keepalives_interval", "5"},
                              {"keepalives_count", "3"},
                              {"tcp_user_timeout", "20000"},
                              {"client_encoding", "UTF8"}};
  if (!read_only) settings["target_session_attrs"] = "read-write";
  for (const PQconninfoOption* each = options.get(); each->keyword != nullptr; ++each) {
    if (each->val != nullptr && *each->val != '\0') settings[each->keyword] = each->val;
  }
  return std::make_unique<postgres::PostgresDriver>(settings);
}

}  // namespace holdfast
