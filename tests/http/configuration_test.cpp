#include "settings/configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "settings/nearest_name.hpp"
#include "settings/setting_values.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::http {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Configuration good(const std::string& toml, const NamedValues& environment = {},
                   const NamedValues& flags = {}) {
  auto configuration = configure_from(toml, "h.toml", {.environment = environment, .flags = flags});
  if (configuration) return *configuration;
  for (const std::string& each : configuration.error()) ADD_FAILURE() << each;
  return {};
}

Errors bad(const std::string& toml, const NamedValues& environment = {},
           const NamedValues& flags = {}) {
  const auto configuration =
      configure_from(toml, "h.toml", {.environment = environment, .flags = flags});
  return configuration ? Errors{} : configuration.error();
}

const Effective& effective(const Configuration& configuration, const std::string& name) {
  for (const Effective& each : configuration.effective) {
    if (each.setting->name == name) return each;
  }
  ADD_FAILURE() << name;
  return configuration.effective.front();
}

/// A value that is allowed and not the default.
std::string other_value(const Setting& setting) {
  const std::string usual = setting.show(Settings());
  for (const char* each : {"[::1]:1", "other.file", "false", "true", "7", "2KiB", "90s", "422",
                           "info", "strict", "windowed", "release", "derived", "required"}) {
    Settings scratch;
    if (setting.set(scratch, each) && setting.show(scratch) != usual) return each;
  }
  ADD_FAILURE() << "no example for " << setting.name;
  return {};
}

/// What else must be set, so that nothing contradicts it.
NamedValues company_of(const std::string& name) {
  if (name == "tls.certificate") return {{"tls.key", "k"}};
  if (name == "tls.key") return {{"tls.certificate", "c"}};
  if (name == "tls.client_ca") return {{"tls.certificate", "c"}, {"tls.key", "k"}};
  if (name == "log.requests") return {{"log.level", "info"}};
  constexpr std::string_view window = ".window";
  if (name.starts_with("policies.") && name.ends_with(window)) {
    const std::string kept = name.substr(0, name.size() - window.size()) + ".class";
    if (setting_named(kept)->show(Settings()) == "strict") return {{kept, "windowed"}};
  }
  return {};
}

std::string as_toml(const Setting& setting, const std::string& value) {
  const bool bare = setting.kind == Kind::count || setting.kind == Kind::boolean;
  return setting.name + " = " + (bare ? value : "\"" + value + "\"") + "\n";
}

TEST(Configuration, EverySettingCanBeSetFromEverywhere) {
  for (const Setting& each : setting_table()) {
    SCOPED_TRACE(each.name);
    const std::string value = other_value(each);
    std::string toml = as_toml(each, value);
    NamedValues environment{{each.variable(), value}};
    NamedValues flags{{each.name, value}};
    for (const auto& [name, companion] : company_of(each.name)) {
      toml += as_toml(*setting_named(name), companion);
      environment.emplace_back(setting_named(name)->variable(), companion);
      flags.emplace_back(name, companion);
    }
    for (const Configuration& configuration :
         {good(toml), good("", environment), good("", {}, flags)}) {
      EXPECT_EQ(effective(configuration, each.name).value, value);
      EXPECT_EQ(each.show(configuration.settings), value);
      EXPECT_NE(effective(configuration, each.name).from, "default");
    }
  }
}

TEST(Configuration, DefaultsAreTheSettingsOwn) {
  const Configuration configuration = good("");
  for (const Effective& each : configuration.effective) {
    EXPECT_EQ(each.from, "default");
    EXPECT_EQ(each.value, each.setting->show(Settings()));
    EXPECT_TRUE(!each.value.empty() || !each.setting->unset.empty()) << each.setting->name;
  }
  EXPECT_EQ(configuration.effective.size(), setting_table().size());
}

TEST(Configuration, EveryValueShownCanBeSetAgain) {
  for (const Setting& each : setting_table()) {
    Settings settings;
    const std::string usual = each.show(settings);
    EXPECT_TRUE(usual.empty() || each.set(settings, usual)) << each.name << " " << usual;
  }
}

TEST(Configuration, NamesAreUniqueAlsoAsVariables) {
  std::set<std::string> names;
  std::set<std::string> variables{"HOLDFAST_CONFIG", "HOLDFAST_SERVER", "HOLDFAST_KEY",
                                  "HOLDFAST_IDEMPOTENCY_TTL_HOURS"};
  for (const Setting& each : setting_table()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_TRUE(variables.insert(each.variable()).second) << each.variable();
  }
  EXPECT_EQ(setting_named("limits.header_bytes_max")->variable(),
            "HOLDFAST_LIMITS_HEADER_BYTES_MAX");
}

TEST(Configuration, FlagsWinOverTheEnvironmentAndThatOverTheFile) {
  const std::string toml = "listen = \"a:1\"\n[limits]\njson_depth_max = 5\n";
  const NamedValues environment{{"HOLDFAST_LISTEN", "b:2"}};
  const Configuration file = good(toml);
  EXPECT_EQ(file.settings.listen, "a:1");
  EXPECT_EQ(effective(file, "listen").from, "h.toml:1:10");
  EXPECT_EQ(effective(file, "limits.json_depth_max").from, "h.toml:3:18");
  EXPECT_EQ(good(toml, environment).settings.listen, "b:2");
  EXPECT_EQ(effective(good(toml, environment), "listen").from, "HOLDFAST_LISTEN");
  const Configuration all = good(toml, environment, {{"listen", "c:3"}, {"listen", "d:4"}});
  EXPECT_EQ(all.settings.listen, "d:4");
  EXPECT_EQ(effective(all, "listen").from, "--listen");
  EXPECT_EQ(all.settings.limits.json_depth_max, 5U);
}

TEST(Configuration, TheWindowHasTwoVariables) {
  using std::chrono::hours;
  using std::chrono::minutes;
  const std::pair<std::string, std::string> ttl{"HOLDFAST_IDEMPOTENCY_TTL_HOURS", "0.5"};
  const std::pair<std::string, std::string> window{"HOLDFAST_WINDOW", "2h"};
  EXPECT_EQ(good("").settings.window, std::nullopt);
  EXPECT_EQ(good("window = \"PT1H\"").settings.window, hours(1));
  EXPECT_EQ(good("window = \"1h\"", {ttl}).settings.window, minutes(30));
  EXPECT_EQ(effective(good("", {ttl}), "window").from, ttl.first);
  EXPECT_EQ(good("", {ttl, window}).settings.window, hours(2));
  EXPECT_EQ(good("", {window, ttl}).settings.window, hours(2));
  EXPECT_EQ(good("", {ttl}, {{"window", "3h"}}).settings.window, hours(3));
  EXPECT_EQ(good("", {{ttl.first, "24"}}).settings.window, hours(24));
  for (const char* wrong : {"0", "-1", "24h", "1e3", "nan", "inf", "1e999", " 1", "0.0000000001",
                            "99999999999999999999", "878401"}) {
    EXPECT_THAT(bad("", {{ttl.first, wrong}}),
                ElementsAre(AllOf(HasSubstr(ttl.first), HasSubstr(wrong), HasSubstr("hours"),
                                  HasSubstr("36600d"))));
  }
}

TEST(Configuration, UnknownNamesGetTheNearestKnownOne) {
  EXPECT_THAT(bad("lisen = \"a:1\""),
              ElementsAre("h.toml:1:1: lisen is not a setting; did you mean listen?"));
  EXPECT_THAT(bad("[limits]\n\nheader_byte_max = 1"),
              ElementsAre("h.toml:3:1: limits.header_byte_max is not a setting; did you mean "
                          "limits.header_bytes_max?"));
  EXPECT_THAT(bad("[limts]\njson_depth_max = 5"),
              ElementsAre("h.toml:1:2: limts is not a setting; did you mean limits?"));
  EXPECT_THAT(bad("limits = 5"), ElementsAre(HasSubstr("h.toml:1:1: limits is a section")));
  EXPECT_THAT(bad("certificate = \"x\""), ElementsAre(HasSubstr("did you mean tls.certificate?")));
  EXPECT_THAT(bad("[policies.hold_plaec]\nclass = \"strict\""),
              ElementsAre(HasSubstr("did you mean policies.hold_place?")));
  EXPECT_THAT(bad("\"limits.json_depth_max\" = 5"), ElementsAre(HasSubstr("is not a setting")));
  EXPECT_THAT(bad("", {{"HOLDFAST_IDEMPOTENCY_TTL_HOUR", "x-secret"}}),
              ElementsAre(AllOf(HasSubstr("did you mean HOLDFAST_IDEMPOTENCY_TTL_HOURS?"),
                                Not(HasSubstr("x-secret")))));
  EXPECT_THAT(bad("", {{"HOLDFAST_log_level", "info"}}),
              ElementsAre(HasSubstr("did you mean HOLDFAST_LOG_LEVEL?")));
  EXPECT_THAT(bad("", {}, {{"lsiten", ""}}),
              ElementsAre("--lsiten is not a flag; did you mean --listen?"));
  EXPECT_THAT(bad("", {}, {{"confg", ""}}), ElementsAre(HasSubstr("did you mean --config?")));
}

/// Keys and confirmations of commands are the registry's to say. Of what the service calls itself,
/// with keys that it makes, another mode would refuse every call.
TEST(Configuration, PoliciesThatMakeNoSenseAreNoSettings) {
  for (const char* value : {"key_mode = \"derived\"", "key_mode = \"client\"",
                            "confirmation = \"required\"", "confirmation = \"none\""}) {
    const std::string text(value);
    const std::string name = "policies.command_submit." + text.substr(0, text.find(' '));
    EXPECT_THAT(bad("[policies.command_submit]\n" + text),
                ElementsAre("h.toml:2:1: " + name +
                            " is not a setting: the registry says for each command whose key it "
                            "has and whether it is confirmed"));
  }
  EXPECT_THAT(bad("", {{"HOLDFAST_POLICIES_COMMAND_SUBMIT_KEY_MODE", "derived"}}),
              ElementsAre(AllOf(HasSubstr("HOLDFAST_POLICIES_COMMAND_SUBMIT_KEY_MODE is not a"),
                                HasSubstr("the registry says"))));
  EXPECT_THAT(bad("", {}, {{"policies.command_submit.confirmation", "required"}}),
              ElementsAre(HasSubstr("--policies.command_submit.confirmation is not a flag: the "
                                    "registry says")));
  for (const char* operation : {"effect_lease", "effect_renew", "effect_complete", "effect_fail",
                                "inbox_lease", "inbox_complete", "inbox_fail", "webhook_receive",
                                "registry_adopt", "subscription_serve", "subscription_advance"}) {
    const std::string section = std::string("policies.") + operation;
    EXPECT_THAT(bad(section + ".key_mode = \"derived\""),
                ElementsAre(AllOf(HasSubstr(section + ".key_mode is not a setting"),
                                  HasSubstr("the service calls this operation itself"))));
    EXPECT_THAT(bad(section + ".confirmation = \"required\""),
                ElementsAre(HasSubstr(section + ".confirmation is not a setting")));
    (void)good(section + ".overlap_wait = \"1s\"");
  }
  (void)good("policies.effect_cancel.confirmation = \"required\"");
}

TEST(Configuration, VariablesOfOthersAreLeftAlone) {
  const Configuration configuration = good("", {{"HOLDFAST_SERVER", "http://h"},
                                                {"HOLDFAST_KEY", "hf_x"},
                                                {"PATH", "/bin"},
                                                {"HOLDFASTER", "1"},
                                                {"HOLDFAST_LISTEN", ""}});
  EXPECT_EQ(effective(configuration, "listen").from, "default");
}

TEST(Configuration, WrongValuesSayWhereWhatAndWhatIsAllowed) {
  EXPECT_THAT(bad("threads = 65"),
              ElementsAre("h.toml:1:11: threads cannot be 65; write a whole number from 1 to 64"));
  EXPECT_THAT(bad("threads = \"2\""), ElementsAre(HasSubstr("threads cannot be \"2\"")));
  EXPECT_THAT(bad("threads = -1"), ElementsAre(HasSubstr("threads cannot be -1")));
  EXPECT_THAT(bad("threads = 1.5"), ElementsAre(HasSubstr("cannot be a number with a point")));
  EXPECT_THAT(bad("threads = [1]"), ElementsAre(HasSubstr("cannot be an array")));
  EXPECT_THAT(bad("[listen]\nhost = 1"), ElementsAre(HasSubstr("listen cannot be a table")));
  EXPECT_THAT(bad("window = 15"), ElementsAre(HasSubstr("such as 15m or PT15M")));
  EXPECT_THAT(bad("window = \"0s\""), ElementsAre(HasSubstr("window cannot be \"0s\"")));
  EXPECT_THAT(bad("log.requests = \"true\""), ElementsAre(HasSubstr("write true or false")));
  EXPECT_THAT(bad("conflict_status = 400"), ElementsAre(HasSubstr("write 409 or 422")));
  EXPECT_THAT(bad("store = \"\""), ElementsAre(HasSubstr("store cannot be \"\"")));
  EXPECT_THAT(bad("", {{"HOLDFAST_THREADS", "many"}}),
              ElementsAre(HasSubstr("HOLDFAST_THREADS: threads cannot be many")));
  EXPECT_THAT(bad("", {}, {{"log.level", "loud"}}),
              ElementsAre("--log.level: log.level cannot be loud; write off, error, warning, info "
                          "or debug"));
  EXPECT_THAT(bad("listen = "), ElementsAre(HasSubstr("h.toml:1:")));
}

TEST(Configuration, EveryErrorIsReportedAndEachIsOneLine) {
  const Errors errors =
      bad("lisen = 1\nthreads = 0\nlog.level = \"a\\nb\"\n[tls]\nkey = \"k\"\n",
          {{"HOLDFAST_X\nY", "1"}, {"HOLDFAST_QUEUE_MAX", "a\nb"}}, {{"batch_max", "0"}});
  EXPECT_EQ(errors.size(), 7U) << testing::PrintToString(errors);
  for (const std::string& each : errors) EXPECT_EQ(each.find('\n'), std::string::npos) << each;
}

TEST(Configuration, ContradictionsAreErrors) {
  EXPECT_THAT(bad("tls.key = \"k\""), ElementsAre(HasSubstr("needs tls.certificate")));
  EXPECT_THAT(bad("tls.certificate = \"c\""), ElementsAre(HasSubstr("needs tls.key")));
  EXPECT_THAT(bad("tls.client_ca = \"c\""), ElementsAre(HasSubstr("needs tls.certificate")));
  EXPECT_THAT(bad("duration_min = \"2h\"", {{"HOLDFAST_DURATION_MAX", "1h"}}),
              ElementsAre("duration_min = 2h (h.toml:1:16) is longer than duration_max = 1h "
                          "(HOLDFAST_DURATION_MAX)"));
  EXPECT_THAT(bad("log.requests = true"), ElementsAre(HasSubstr("log.level = warning (default)")));
  EXPECT_THAT(bad("policies.resource_declare.window = \"1h\""),
              ElementsAre(HasSubstr("has no effect")));
  EXPECT_THAT(bad("duration_min = \"2h\"\nduration_max = 1"),
              ElementsAre(HasSubstr("duration_max cannot be 1")));
}

TEST(Configuration, PasswordsAreNotShown) {
  const Configuration configuration = good("store = \"postgres://u:pw@h/db\"");
  EXPECT_EQ(configuration.settings.store, "postgres://u:pw@h/db");
  EXPECT_EQ(effective(configuration, "store").value, "postgres://u@h/db");
  EXPECT_THAT(bad("", {{"HOLDFAST_THREADS", "postgres://u:pw@h/db"}}),
              ElementsAre(Not(HasSubstr("pw"))));
}

TEST(Configuration, TheFileIsOnlyTheOneThatIsNamed) {
  const test::TempDir folder;
  const std::string one = folder.file("one.toml");
  const std::string two = folder.file("two.toml");
  std::ofstream(one) << "threads = 3\n";
  std::ofstream(two) << "threads = 4\n";
  const NamedValues environment{{"HOLDFAST_CONFIG", two}};
  EXPECT_EQ(configure({})->settings.threads, 1U);
  EXPECT_EQ(configure({.file = one})->settings.threads, 3U);
  EXPECT_EQ(configure({.environment = environment})->settings.threads, 4U);
  EXPECT_EQ(configure({.file = one, .environment = environment})->settings.threads, 3U);
  EXPECT_THAT(configure({.file = folder.file("no.toml")}).error(),
              ElementsAre(HasSubstr("there is no file")));
  EXPECT_THAT(configure({.file = folder.path()}).error(), ElementsAre(HasSubstr("not a file")));
  std::ofstream(one) << std::string(toml_bytes_max + 1, '#');
  EXPECT_THAT(configure({.file = one}).error(), ElementsAre(HasSubstr("is larger than")));
}

TEST(Configuration, DeepTablesAreNoTrouble) {
  std::string name = "a";
  while (name.size() + 4 < toml_bytes_max) name += ".a";
  EXPECT_THAT(bad(name + "=1"), ElementsAre(HasSubstr("a is not a setting")));
  EXPECT_THAT(bad("[" + name + "]"), ElementsAre(HasSubstr("a is not a setting")));
}

TEST(SettingValues, Sizes) {
  EXPECT_EQ(parse_bytes("65536"), 65536U);
  EXPECT_EQ(parse_bytes("64KiB"), 65536U);
  EXPECT_EQ(parse_bytes("1MiB"), 1048576U);
  EXPECT_EQ(parse_bytes("2GiB"), 2147483648U);
  for (const char* wrong :
       {"", "KiB", "1kb", "1 KiB", "-1", "+1", "0x10", "1.5MiB", "99999999999999999GiB"}) {
    EXPECT_EQ(parse_bytes(wrong), std::nullopt) << wrong;
  }
  for (const std::uint64_t bytes : {0ULL, 1ULL, 1000ULL, 1024ULL, 1536ULL, 1048576ULL, ~0ULL}) {
    EXPECT_EQ(parse_bytes(bytes_text(bytes)), bytes);
  }
}

TEST(SettingValues, Addresses) {
  for (const char* right : {"127.0.0.1:8420", "localhost:0", "[::1]:8420", "[::]:65535",
                            "0.0.0.0:1", "my-host.example:80"}) {
    EXPECT_TRUE(is_listen_address(right)) << right;
  }
  for (const char* wrong : {"", ":8420", "8420", "127.0.0.1", "127.0.0.1:", "h:65536", "h:-1",
                            "::1:8420", "[::1]", "[]:1", "[x]:1", "[::1:1", "h h:1", "h:1 "}) {
    EXPECT_FALSE(is_listen_address(wrong)) << wrong;
  }
}

TEST(NearestName, CountsInsertionsDeletionsChangesAndSwaps) {
  const std::vector<std::string> known{"listen", "store", "window", "tls.key",
                                       "limits.tenant_rate"};
  EXPECT_EQ(nearest_name("lisetn", known), "listen");
  EXPECT_EQ(nearest_name("stor", known), "store");
  EXPECT_EQ(nearest_name("WINDOWS", known), "window");
  EXPECT_EQ(nearest_name("key", known), "tls.key");
  EXPECT_EQ(nearest_name("tenant_rat", known), "limits.tenant_rate");
  EXPECT_EQ(nearest_name("limit.tenant_rate", known), "limits.tenant_rate");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'w'), known), "window");
}

}  // namespace
}  // namespace holdfast::http
