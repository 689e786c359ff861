#include "tidy/rules.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>
#include <string_view>

namespace holdfast::tidy {
namespace {

constexpr std::size_t lines_max = 600;

bool starts_with_any(std::string_view path, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return path.starts_with(prefix); });
}

/// Who may include whom; a layer may always include itself and the public headers.
const std::map<std::string, std::set<std::string>>& layer_table() {
  static const std::map<std::string, std::set<std::string>> table{
      {"base", {}},
      {"signatures", {"base"}},  // and OpenSSL, nothing else
      {"schema", {"base"}},
      {"domain", {"base"}},
      {"leased_work", {"domain", "base"}},  // what modules share that have work leased
      {"modules",
       {"leased_work", "schema", "signatures", "domain",
        "base"}},  // nobody includes a module: they are found by their list
      {"port", {"domain", "base"}},
      {"store", {"port", "domain", "base"}},  // what stores share; a store's own folder adds it
      {"evidence", {"port", "domain", "base"}},
      {"engine", {"evidence", "port", "domain", "base"}},
      {"wire", {"domain", "base"}},
      {"keys", {"port", "domain", "base"}},
      {"settings", {"base"}},
      {"registry",
       {"modules", "schema", "signatures", "outbound", "settings", "domain",
        "base"}},  // makes declarations
      {"routes", {"keys", "domain"}},
      {"openapi", {"routes", "keys", "evidence", "domain", "base"}},
      {"http/monitoring", {"wire", "routes", "settings", "engine", "port", "domain", "base"}},
      {"http/transport",
       {"http", "http/monitoring", "wire", "routes", "keys", "settings", "engine", "domain",
        "base"}},
      {"http/handlers",
       {"http", "http/commands", "http/monitoring", "http/transport", "wire", "openapi", "routes",
        "keys", "settings", "engine", "evidence", "port", "domain", "base"}},
      {"http/commands",  // the one room of the service that knows a module, and the registry
       {"http", "http/handlers", "http/monitoring", "http/transport", "command_views", "modules",
        "registry", "wire", "settings", "effects", "outbound", "engine", "port", "domain", "base"}},
      {"http/webhooks",  // and the one that knows webhooks
       {"http", "http/commands", "http/handlers", "http/monitoring", "http/transport",
        "command_views", "modules", "signatures", "settings", "effects", "inbox", "outbound",
        "engine", "port", "domain", "base"}},
      {"http",
       {"http/webhooks", "http/commands", "http/monitoring", "http/transport", "http/handlers",
        "deliveries", "outbound", "wire", "routes", "keys", "settings", "engine", "evidence",
        "port", "domain", "base"}},
      {"outbound", {"base"}},
      {"command_views",
       {"modules", "port", "domain", "base"}},  // what people see of commands and webhooks
      {"effects",                               // of commands
       {"registry", "outbound", "engine", "modules", "port", "domain", "base"}},
      {"inbox",  // of webhooks that were taken in
       {"effects", "outbound", "engine", "modules", "port", "domain", "base"}},
      {"deliveries",  // of subscriptions
       {"outbound", "signatures", "wire", "engine", "modules", "port", "domain", "base"}},
      {"http/subscriptions",
       {"http", "http/handlers", "http/transport", "deliveries", "modules", "signatures", "wire",
        "port", "domain", "base"}},
      {"client", {"wire", "domain", "base"}},
      {"cli",
       {"wire", "keys", "settings", "client", "engine", "evidence", "port", "domain", "base"}},
      {"cli/commands",
       {"cli", "command_views", "modules", "registry", "wire", "client", "engine", "port", "domain",
        "base"}},
      {"serve", {"cli", "http", "wire", "settings", "domain", "base"}},
  };
  return table;
}

/// "domain", "engine", …; "port" for what everyone may know of stores, "store/sqlite" for one of
/// them, "store" for what they share ("store/shared" for what the shared ones do), "open" for the
/// one place that knows them all; "http/handlers" for a room of the service, "serve" for the one
/// command that contains it; empty outside src/.
std::string layer_of(std::string_view path) {
  constexpr std::string_view root = "src/";
  if (!path.starts_with(root)) return {};
  path.remove_prefix(root.size());
  if (path == "store/store.hpp" || path == "store/open.hpp") return "port";
  if (path == "store/open.cpp") return "open";
  if (path == "cli/serve.cpp") return "serve";
  const std::size_t first = path.find('/');
  if (first == std::string_view::npos) return std::string(path);
  const std::string_view layer = path.substr(0, first);
  const std::size_t second = path.find('/', first + 1);
  if ((layer == "store" || layer == "http" || layer == "cli") && second != std::string_view::npos)
    return std::string(path.substr(0, second));
  return std::string(layer);
}

bool may_include(const std::string& from, const std::string& to) {
  if (from == to) return true;
  const bool to_store = to == "store" || to.starts_with("store/");
  if (from == "open" && to_store) return true;
  if (from.starts_with("store/") && (to == "store" || to == "store/shared")) return true;
  const bool stores = from == "open" || from.starts_with("store/");
  return layer_table().at(stores ? "store" : from).contains(to);
}

bool known(const std::string& layer) {
  return layer == "open" || layer.starts_with("store/") || layer_table().contains(layer);
}

struct Ban {
  std::string_view word;  ///< looked for first, since a regular expression is slow
  const char* pattern;
  std::vector<std::string_view> allowed_in;
  const char* instead;
};

const std::vector<Ban>& bans() {
  constexpr const char* clock = "ask the injected holdfast::Clock";
  constexpr const char* random = "ask the injected holdfast::Random";
  constexpr const char* seed =
      "ask the injected holdfast::Random; in tests, seeded_random or RapidCheck";
  constexpr const char* print = "return the text, or write it in src/cli";
  const std::vector<std::string_view> clock_home{"src/base/clock.cpp"};
  const std::vector<std::string_view> random_home{"src/base/random.cpp"};
  const std::vector<std::string_view> engine_users{"src/base/random.cpp", "tests/", "bench/"};
  const std::vector<std::string_view> printers{"src/cli/", "tests/", "bench/", "examples/"};
  // The core walks the modules. What still knows holds by name is listed; the list only shrinks.
  const std::vector<std::string_view> knows_holds{"src/modules/",
                                                  "include/",
                                                  "tests/",
                                                  "bench/",
                                                  "examples/",
                                                  "src/cli/demo",
                                                  "src/cli/resource.cpp",
                                                  "src/domain/invariants_holds.cpp",
                                                  "src/domain/record.hpp",
                                                  "src/wire/event.cpp",
                                                  "src/routes/routes.cpp"};
  constexpr const char* modules = "walk operations() or kinds(), or say it in the module's tables";
  static const std::vector<Ban> table{
      {"Operation::", R"(\bOperation::(hold|group|resource)_\w+)", knows_holds, modules},
      {"RecordKind::",
       R"(\bRecordKind::(placed|confirmed|released|expired|declared|extended|partly_confirmed|)"
       R"(cancelled|grouped|group_\w+)\b)",
       knows_holds, modules},
      {"system_clock", R"(\bsystem_clock::now\b)", clock_home, clock},
      {"time", R"(\btime\s*\(\s*(nullptr|NULL|0)\s*\))", clock_home, clock},
      {"gettimeofday", R"(\bgettimeofday\s*\()", clock_home, clock},
      {"CLOCK_REALTIME", R"(\bCLOCK_REALTIME)", clock_home, clock},
      {"rand", R"(\bs?rand\s*\()", {}, random},
      {"random_device", R"(\brandom_device\b)", random_home, seed},
      {"mt19937", R"(\bmt19937(_64)?\b)", engine_users, random},
      {"cout", R"(\bstd::cout\b)", printers, print},
      {"printf", R"(\bprintf\s*\()", printers, print},
      {"puts", R"(\bputs\s*\()", printers, print},
      {"assert", R"(\bassert\s*\()", {}, "HOLDFAST_ASSERT, which is on in every build"},
      {"timed_mutex",
       R"(\b(recursive_|shared_)?timed_mutex\b)",
       {},
       "a mutex and a condition variable: the thread sanitizer does not see it locked"},
  };
  return table;
}

void apply_ban(const Ban& ban, const SourceFile& file, std::string_view code, Findings& findings) {
  if (code.find(ban.word) == std::string_view::npos) return;
  if (starts_with_any(file.path, ban.allowed_in)) return;
  const std::regex pattern(ban.pattern);
  std::size_t number = 0;
  for (std::string_view line : lines_of(code)) {
    ++number;
    std::match_results<std::string_view::const_iterator> match;
    if (!std::regex_search(line.begin(), line.end(), match, pattern)) continue;
    findings.push_back({file.path, number, match.str() + " is banned: " + ban.instead});
  }
}

}  // namespace

Findings layers(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const std::string from = layer_of(file.path);
    if (from.empty() || !is_code(file)) continue;
    if (!known(from)) {
      findings.push_back(
          {file.path, 1, "no layer '" + from + "': give it a row in tests/tidy/rules.cpp"});
      continue;
    }
    for (const Include& include : includes_of(file)) {
      const std::string to = layer_of(resolve(tree, file, include));
      if (to.empty() || may_include(from, to)) continue;
      findings.push_back(
          {file.path, include.line, from + " must not include " + to + " (" + include.name + ")"});
    }
  }
  return findings;
}

Findings public_headers(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!file.path.starts_with("include/")) continue;
    for (const Include& include : includes_of(file)) {
      const std::string& name = include.name;
      const bool standard = !include.quoted && name.find_first_of("/.") == std::string::npos;
      if (standard || name == "tl/expected.hpp" || name.starts_with("holdfast/")) continue;
      findings.push_back(
          {file.path, include.line,
           "public headers include only std, tl/expected.hpp and holdfast/…, not " + name});
    }
  }
  return findings;
}

Findings driver_headers(const SourceTree& tree) {
  struct Driver {
    std::string_view header;
    std::string_view home;
  };
  static constexpr std::array drivers{Driver{"sqlite3.h", "src/store/sqlite/"},
                                      Driver{"libpq-fe.h", "src/store/postgres/"},
                                      Driver{"mysql.h", "src/store/mariadb/"}};
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_code(file) || starts_with_any(file.path, {"tests/", "bench/"})) continue;
    for (const Include& include : includes_of(file)) {
      const std::string name = include.name.substr(include.name.rfind('/') + 1);
      for (const Driver& driver : drivers) {
        if (name != driver.header || file.path.starts_with(driver.home)) continue;
        findings.push_back(
            {file.path, include.line, name + " belongs in " + std::string(driver.home) + " alone"});
      }
    }
  }
  return findings;
}

Findings banned_calls(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_code(file)) continue;
    const std::string code = code_only(file.text);
    for (const Ban& ban : bans()) apply_ban(ban, file, code, findings);
  }
  return findings;
}

Findings pragma_once(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_header(file) || file.text.starts_with("#pragma once\n")) continue;
    findings.push_back({file.path, 1, "a header begins with #pragma once"});
  }
  return findings;
}

Findings homeless_todos(const SourceTree& tree) {
  // Spelt in pieces, so that this file passes its own rule.
  static const std::regex marker(R"(\b(TO)"
                                 R"(DO|FIX)"
                                 R"(ME)\b(?!\(#[0-9]+\)))");
  Findings findings;
  for (const SourceFile& file : tree) {
    if (file.path.ends_with(".md")) continue;
    std::size_t number = 0;
    for (std::string_view line : lines_of(file.text)) {
      ++number;
      if (!std::regex_search(line.begin(), line.end(), marker)) continue;
      findings.push_back(
          {file.path, number, "do it now, or name its issue after the word: (#123)"});
    }
  }
  return findings;
}

Findings white_space(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    std::size_t number = 0;
    for (std::string_view line : lines_of(file.text)) {
      ++number;
      if (line.find('\t') != std::string_view::npos)
        findings.push_back({file.path, number, "tab; use spaces"});
      if (line.ends_with(' ') || line.ends_with('\r')) {
        findings.push_back({file.path, number, "white space at the end of the line"});
      }
    }
    if (!file.text.empty() && !file.text.ends_with('\n')) {
      findings.push_back({file.path, number, "no newline at the end of the file"});
    }
  }
  return findings;
}

Findings long_files(const SourceTree& tree) {
  Findings findings;
  for (const SourceFile& file : tree) {
    const std::size_t count = lines_of(file.text).size();
    if (!is_code(file) || count <= lines_max) continue;
    findings.push_back(
        {file.path, count, "over " + std::to_string(lines_max) + " lines; split it by idea"});
  }
  return findings;
}

Findings dead_headers(const SourceTree& tree) {
  std::set<std::string> included;
  for (const SourceFile& file : tree) {
    if (!is_code(file)) continue;
    for (const Include& include : includes_of(file)) {
      const std::string path = resolve(tree, file, include);
      if (path != file.path) included.insert(path);
    }
  }
  Findings findings;
  for (const SourceFile& file : tree) {
    if (!is_header(file) || included.contains(file.path)) continue;
    findings.push_back({file.path, 1, "nobody includes this header"});
  }
  return findings;
}

}  // namespace holdfast::tidy
