#include "store/mariadb/account.hpp"

#include <fmt/format.h>

#include <optional>

namespace holdfast::mariadb {
namespace {

/// Doubled where it stands inside, whatever the server thinks of backslashes.
std::string in_quotes(std::string_view text, char quote) {
  std::string sql(1, quote);
  for (const char each : text) {
    if (each == quote) sql += quote;
    sql += each;
  }
  return sql + quote;
}

bool is_quote(char c) { return c == '\'' || c == '`' || c == '"'; }

/// A name off the front, quoted or up to the next `@`. Names with backslashes or zero bytes are not
/// worth the doubt.
std::optional<std::string> take_name(std::string_view& text) {
  std::string name;
  if (!text.empty() && is_quote(text.front())) {
    const char quote = text.front();
    const std::size_t end = text.find(quote, 1);
    if (end == std::string_view::npos) return std::nullopt;
    name = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  } else {
    name = text.substr(0, text.rfind('@'));
    text.remove_prefix(name.size());
    if (name.find_first_of("'`\"") != std::string::npos) return std::nullopt;
  }
  if (name.find_first_of(std::string_view("\\\0", 2)) != std::string::npos) return std::nullopt;
  return name;
}

std::string table(std::string_view database, std::string_view name) {
  return fmt::format("{}.{}", in_quotes(database, '`'), name);
}

/// Where privileges are on a whole database, its name is a pattern.
std::string pattern(std::string_view database) {
  std::string text;
  for (const char each : database) {
    if (each == '_' || each == '%' || each == '\\') text += '\\';
    text += each;
  }
  return in_quotes(text, '`');
}

}  // namespace

shared::Expected<std::string> account_sql(std::string_view account) {
  const auto wrong = [&] {
    return tl::unexpected(shared::Fault{
        shared::Trouble::refused,
        fmt::format("{} is no account; write it as name, name@host or 'name'@'host'", account)});
  };
  std::string_view rest = account;
  const auto name = take_name(rest);
  if (!name || name->empty()) return wrong();
  if (rest.empty()) return in_quotes(*name, '\'');
  if (rest.front() != '@') return wrong();
  rest.remove_prefix(1);
  const auto host = take_name(rest);
  if (!host || host->empty() || !rest.empty()) return wrong();
  return fmt::format("{}@{}", in_quotes(*name, '\''), in_quotes(*host, '\''));
}

std::vector<std::string> service_grants(std::string_view database, const std::string& account) {
  std::vector<std::string> grants;
  const auto allow = [&](std::string_view what, std::string_view where) {
    grants.push_back(fmt::format("GRANT {} ON {} TO {}", what, table(database, where), account));
  };
  allow("SELECT", "meta");
  allow("SELECT,UPDATE", "head");
  allow("SELECT,INSERT", "journal");
  for (const std::string_view state :
       {"state_tokens", "state_nonces", "state_holds", "state_resources", "module_rows"}) {
    allow("SELECT,INSERT,UPDATE,DELETE", state);
  }
  return grants;
}

std::string auditor_grant(std::string_view database, const std::string& account) {
  return fmt::format("GRANT SELECT ON {}.* TO {}", pattern(database), account);
}

}  // namespace holdfast::mariadb
