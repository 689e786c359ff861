// The file of commands: what is taken, what is refused and where, and what is published.

#include "registry/registry.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "domain/canonical.hpp"
#include "domain/digest.hpp"
#include "domain/module.hpp"
#include "modules/commands/template.hpp"
#include "support/json.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::registry {
namespace {

using namespace std::chrono_literals;
using commands::Declaration;
using testing::ElementsAre;
using testing::HasSubstr;

std::string source_text(const std::string& path) {
  std::ifstream file(HOLDFAST_SOURCE_DIR "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::shared_ptr<const commands::Registry> good(const std::string& toml) {
  auto read = read_registry_text(toml, "r.toml");
  if (read) return *read;
  ADD_FAILURE() << read.error().message();
  return std::make_shared<commands::Registry>();
}

Declaration only(const std::string& toml) {
  const auto registry = good(toml);
  return registry->commands.empty() ? Declaration{} : *registry->commands.begin()->second;
}

/// `7: text`, by line.
std::string refusal(const std::string& toml) {
  const auto read = read_registry_text(toml, "r.toml");
  return read ? "accepted" : fmt::format("{}: {}", read.error().line, read.error().text);
}

/// A command of three lines; what is added begins on the fourth.
std::string command(const std::string& more) {
  return "[[command]]\nentity = \"payment\"\naction = \"charge\"\n" + more;
}

/// A push effect with shield S1 of nine lines; what is added begins on the tenth.
std::string push(const std::string& more, const std::string& shield = "S1") {
  return command("class = \"I3\"\n[command.effect]\nkind = \"push\"\nshield = \"" + shield +
                 "\"\nprovider = \"bank\"\nurl = \"http://h/\"\n" + more);
}

/// The name of the module that has the operation.
std::string module_of(Operation operation) {
  for (const Module* each : modules()) {
    for (const OperationSpec& spec : each->operations) {
      if (spec.row.id == operation) return std::string(each->name);
    }
  }
  return "none";
}

TEST(Registry, a_file_without_commands_has_the_operations) {
  const auto registry = good("");
  EXPECT_TRUE(registry->commands.empty());
  const test::Json published(registry->published);
  ASSERT_EQ(published.size("/commands"), operations().size());
  for (std::size_t i = 0; i < operations().size(); ++i) {
    const std::string at = "/commands/" + std::to_string(i);
    EXPECT_EQ(published.text(at + "/entity") + "." + published.text(at + "/action"),
              operations()[i].name);
    EXPECT_EQ(published.text(at + "/class"),
              operations()[i].policy.token_class == TokenClass::i1_strict ? "I1" : "I2");
    EXPECT_EQ(published.text(at + "/declared_by"), module_of(operations()[i].id));
  }
}

TEST(Registry, a_command_has_the_defaults_of_its_declaration) {
  const Declaration made = only(command(""));
  EXPECT_EQ(made.name(), "payment.charge");
  EXPECT_EQ(made.command_class, commands::CommandClass::i1);
  EXPECT_EQ(made.window, std::nullopt);
  EXPECT_FALSE(made.critical);
  EXPECT_EQ(made.on_reject, OnReject::record);
  EXPECT_EQ(made.on_overlap, 10s);
  EXPECT_EQ(made.key, commands::KeyOrigin::client);
  EXPECT_EQ(made.principal, commands::BindingPrincipal::actor);
  EXPECT_EQ(made.confirm_by, commands::ConfirmBy::nobody);
  EXPECT_EQ(made.confirmation_lifetime, 5min);
  EXPECT_EQ(made.args, nullptr);
  EXPECT_EQ(made.effect.kind, commands::EffectKind::none);
  EXPECT_FALSE(made.compensation);
}

TEST(Registry, windows_are_24_hours_unless_they_are_given) {
  EXPECT_EQ(only(command("class = \"I2\"\njustification = \"x\"\n")).window, 24h);
  EXPECT_EQ(only(push("")).window, 24h);
  EXPECT_EQ(only(command("window = \"PT36H\"\nclass = \"I2\"\njustification = \"x\"\n")).window,
            36h);
  EXPECT_EQ(only(command("window = \"15m\"\nclass = \"I2\"\njustification = \"x\"\n")).window,
            15min);
}

TEST(Registry, everything_of_a_command_is_taken) {
  const Declaration made = only(command(
      "summary = \"Charges.\"\nclass = \"I2\"\njustification = \"It may.\"\nwindow = \"7d\"\n"
      "critical = true\non_reject = \"release\"\non_overlap = \"0s\"\nkey_mode = \"both\"\n"
      "principal = \"effective_actor_id\"\nconfirmation = \"required\"\nconfirm_by = \"other\"\n"
      "confirmation_lifetime = \"90s\"\n"));
  EXPECT_EQ(made.summary, "Charges.");
  EXPECT_EQ(made.justification, "It may.");
  EXPECT_EQ(made.window, 168h);
  EXPECT_TRUE(made.critical);
  EXPECT_EQ(made.on_reject, OnReject::release);
  EXPECT_EQ(made.on_overlap, 0s);
  EXPECT_EQ(made.key, commands::KeyOrigin::both);
  EXPECT_EQ(made.principal, commands::BindingPrincipal::effective_actor);
  EXPECT_EQ(made.confirm_by, commands::ConfirmBy::other);
  EXPECT_EQ(made.confirmation_lifetime, 90s);
}

TEST(Registry, an_effect_has_the_defaults_of_its_declaration) {
  const commands::Effect made = only(push("")).effect;
  EXPECT_EQ(made.kind, commands::EffectKind::push);
  EXPECT_EQ(made.shield, commands::Shield::s1);
  EXPECT_EQ(made.provider, "bank");
  EXPECT_EQ(made.request.method, "POST");
  EXPECT_EQ(made.request.url, "http://h/");
  EXPECT_NE(made.request.parsed, nullptr);
  EXPECT_EQ(made.key_header, "Idempotency-Key");
  EXPECT_EQ(made.timeout, 10s);
  EXPECT_EQ(made.lease, 30s);
  EXPECT_EQ(made.attempts_max, 10U);
  EXPECT_EQ(made.backoff, 1s);
  EXPECT_EQ(made.backoff_max, 5min);
  EXPECT_TRUE(made.answers.done.empty());
  EXPECT_FALSE(made.probe);
}

TEST(Registry, the_key_header_is_in_the_request_of_shield_s1_alone) {
  const commands::Envelope envelope{
      .actor = "a", .effective_actor = "a", .entity = "e", .action = "a"};
  const auto headers = [&](const std::string& toml) {
    const auto made = only(toml).effect.request.parsed->render(
        {.envelope = envelope, .tenant = "t", .key = "k1", .command_id = "c"}, {});
    return made->headers;
  };
  using testing::Pair;
  EXPECT_THAT(headers(push("key_header = \"X-Key\"\n")),
              ElementsAre(Pair("X-Key", "k1"), Pair("Content-Type", "application/json")));
  EXPECT_THAT(headers(push("", "S2")), ElementsAre(Pair("Content-Type", "application/json")));
}

TEST(Registry, providers_are_taken) {
  const auto registry =
      good(push("[[provider]]\nname = \"bank\"\nconcurrency = 3\ncircuit_failures = "
                "4\ncircuit_pause = \"5s\"\n"));
  const commands::Provider& bank = registry->providers.at("bank");
  EXPECT_EQ(bank.concurrency_max, 3U);
  EXPECT_EQ(bank.circuit_failures, 4U);
  EXPECT_EQ(bank.circuit_pause, 5s);
  EXPECT_EQ(good(push("[[provider]]\nname = \"bank\"\n"))->providers.at("bank").concurrency_max,
            64U);
}

struct Refused {
  std::string toml;
  std::string says;
};

void expect_refused(const std::vector<Refused>& cases) {
  for (const Refused& each : cases)
    EXPECT_THAT(refusal(each.toml), HasSubstr(each.says)) << each.toml;
}

TEST(Registry, unknown_members_are_refused_with_the_nearest) {
  expect_refused({
      {"[[comand]]\n", "1: comand is not a member of a registry; did you mean command?"},
      {command("clas = \"I1\"\n"), "4: clas is not a member of a command; did you mean class?"},
      {push("sheild = 1\n"), "10: sheild is not a member of an effect; did you mean shield?"},
      {push("[command.effect.probe]\nlst = 1\n"), "10: shield S1 never asks a probe"},
      {push("[command.effect.probe]\nlst = 1\n", "S3"),
       "11: lst is not a member of a probe; did you mean list?"},
      {push("[[provider]]\nnam = \"bank\"\n"),
       "11: nam is not a member of a provider; did you mean name?"},
      {command("\"a\\nb\" = 1\n"), "4: \"a\\nb\" is not a member of a command"},
      {command("z = 1\nb = 1\n"), "4: z is not"},
  });
}

TEST(Registry, values_out_of_bounds_are_refused_where_they_stand) {
  expect_refused({
      {"[[command]]\naction = \"a\"\n", "1: a command needs entity; write a name"},
      {"[[command]]\nentity = \"a\"\n", "1: a command needs action; write a name"},
      {"[[command]]\nentity = \"Payment\"\naction = \"a\"\n",
       "2: entity cannot be \"Payment\"; write"},
      {"[[command]]\nentity = \"1a\"\naction = \"a\"\n", "2: entity cannot be"},
      {"[[command]]\nentity = \"a.b\"\naction = \"a\"\n", "2: entity cannot be"},
      {"[[command]]\nentity = \"" + std::string(65, 'a') + "\"\naction = \"a\"\n",
       "2: entity cannot be"},
      {command("summary = \"a\\nb\"\n"), "4: summary cannot be \"a\\nb\"; write a line"},
      {command("summary = \"" + std::string(201, 'a') + "\"\n"), "4: summary cannot be"},
      {command("class = \"I4\"\n"), "4: class cannot be \"I4\"; write \"I0\", \"I1\""},
      {command("class = 1\n"), "4: class cannot be 1;"},
      {command("justification = \" \"\n"), "4: justification cannot be"},
      {command("window = \"1h\"\n"), "4: class I1 keeps its keys"},
      {command("window = \"0s\"\n"), "4: window cannot be \"0s\"; write a duration"},
      {command("window = 24\n"), "4: window cannot be 24;"},
      {command("critical = \"yes\"\n"), "4: critical cannot be \"yes\"; write true or false"},
      {command("on_reject = \"keep\"\n"), "4: on_reject cannot be"},
      {command("on_overlap = \"2h\"\n"), "4: on_overlap cannot be"},
      {command("key_mode = \"server\"\n"), "4: key_mode cannot be"},
      {command("principal = \"actor\"\n"), "4: principal cannot be"},
      {command("confirmation = true\n"), "4: confirmation cannot be true;"},
      {command("confirm_by = \"nobody\"\n"), "4: confirm_by cannot be"},
      {command("confirmation_lifetime = \"25h\"\n"), "4: confirmation_lifetime cannot be"},
      {command("args = 1\n"), "4: args cannot be 1;"},
      {command("compensation = []\n"), "4: compensation cannot be that array;"},
      {command("effect = 1\n"), "4: effect cannot be 1; write a table, [command.effect]"},
  });
}

TEST(Registry, values_of_effects_out_of_bounds_are_refused) {
  const std::string no_kind = command("class = \"I3\"\n[command.effect]\n");
  expect_refused({
      {no_kind, "5: an effect needs kind; write \"push\""},
      {no_kind + "kind = \"push\"\n", "5: an effect needs shield; write \"S1\""},
      {no_kind + "kind = \"push\"\nshield = \"S5\"\n", "7: shield cannot be \"S5\""},
      {no_kind + "kind = \"none\"\n", "6: kind cannot be \"none\""},
      {no_kind + "kind = \"push\"\nshield = \"S1\"\n", "5: an effect needs provider"},
      {no_kind + "kind = \"push\"\nshield = \"S1\"\nprovider = \"p\"\n",
       "5: an effect of kind push needs a url"},
      {push("timeout = \"1ms\"\n"), "10: timeout cannot be"},
      {push("timeout = \"11m\"\n"), "10: timeout cannot be"},
      {push("lease = \"0s\"\n"), "10: lease cannot be"},
      {push("attempts = 0\n"), "10: attempts cannot be 0; write a whole number from 1 to 10000"},
      {push("attempts = -1\n"), "10: attempts cannot be -1;"},
      {push("attempts = 1.5\n"), "10: attempts cannot be 1.5;"},
      {push("backoff = \"2h\"\n"), "10: backoff cannot be"},
      {push("backoff_max = \"8d\"\n"), "10: backoff_max cannot be"},
      {push("done = []\n"), "10: done cannot be that array; write a list of statuses"},
      {push("done = [99]\n"), "10: done cannot be"},
      {push("refused = [400, 400]\n"), "10: refused cannot be"},
      {push("not_done = [99]\n"), "10: not_done cannot be"},
      {push("headers = { A = 1 }\n"), "10: headers cannot be that table; write a table"},
      {push("key_header = \"Host\"\n"), "10: key_header cannot be that"},
      {push("[[provider]]\n"), "10: a provider needs name"},
      {push("[[provider]]\nname = \"bank\"\nconcurrency = 0\n"), "12: concurrency cannot be 0"},
      {push("[[provider]]\nname = \"bank\"\ncircuit_failures = 0\n"),
       "12: circuit_failures cannot"},
      {push("[[provider]]\nname = \"bank\"\ncircuit_pause = \"1ms\"\n"),
       "12: circuit_pause cannot"},
      {push("[command.effect.probe]\n", "S3"), "10: a probe needs url; write http://"},
      {push("[command.effect.probe]\nurl = \"http://h/\"\nlist = \"a\"\n", "S4"),
       "12: list cannot be \"a\"; write a JSON pointer"},
      {push("[command.effect.probe]\nurl = \"http://h/\"\nid = \"/~2\"\n", "S4"),
       "12: id cannot be"},
  });
}

TEST(Registry, what_does_not_go_together_is_refused) {
  const std::string i2 = "class = \"I2\"\njustification = \"x\"\n";
  expect_refused({
      {command("class = \"I0\"\n"), "4: class I0 is weaker than I1; write why"},
      {command("class = \"I2\"\n"), "4: class I2 is weaker than I1; write why"},
      {command("class = \"I3\"\n"), "4: class I3 needs an effect"},
      {command("[command.effect]\nkind = \"push\"\n"), "4: class I1 has no effect outside"},
      {command("class = \"I0\"\njustification = \"x\"\nwindow = \"24h\"\n"),
       "6: class I0 has no key"},
      {command("class = \"I0\"\njustification = \"x\"\nconfirmation = \"required\"\n"),
       "6: class I0 changes nothing that could be confirmed"},
      {command("class = \"I0\"\njustification = \"x\"\ncompensation = \"a.b\"\n"),
       "6: class I0 changes nothing that could be undone"},
      {command(i2 + "critical = true\nwindow = \"23h59m\"\n"), "7: window cannot be"},
      {command(i2 + "critical = true\nwindow = \"86399s\"\n"),
       "7: a critical command keeps its key for 24h at least"},
      {command(i2 + "critical = true\nwindow = \"24h\"\n"), "accepted"},
      {command("confirm_by = \"other\"\n"), "4: confirm_by needs confirmation = \"required\""},
      {command("confirmation_lifetime = \"1m\"\n"),
       "4: confirmation_lifetime needs confirmation = \"required\""},
      {command("args = {}\nargs_schema = \"a.json\"\n"), "5: args and args_schema are both there"},
  });
}

TEST(Registry, what_does_not_go_together_in_an_effect_is_refused) {
  const std::string pull = command(
      "class = \"I3\"\n[command.effect]\nkind = \"pull\"\nshield = \"S2\"\nprovider = \"p\"\n");
  const std::string probe = "[command.effect.probe]\nurl = \"http://h/\"\n";
  const auto s4 = [&](const std::string& more) { return push(probe + more, "S4"); };
  expect_refused({
      {push("timeout = \"30s\"\n"), "5: lease must be longer than timeout"},
      {push("timeout = \"30s\"\nlease = \"30s\"\n"), "11: lease must be longer than timeout"},
      {push("timeout = \"30s\"\nlease = \"31s\"\n"), "accepted"},
      {push("backoff = \"10m\"\n"), "5: backoff_max must be no shorter than backoff"},
      {push("done = [200, 409]\nrefused = [409]\n"), "11: 409 is in done and in refused"},
      {push("done = [409]\nnot_done = [409]\n"), "11: 409 is in done and in not_done"},
      {push("refused = [503]\nnot_done = [503]\n"), "11: 503 is in refused and in not_done"},
      {push("method = \"HEAD\"\n"), "10: an effect cannot use HEAD"},
      {push("key_header = \"X-Key\"\n", "S2"), "10: key_header belongs to shield S1"},
      {push("", "S3"), "7: shield S3 needs a probe"},
      {push("", "S4"), "7: shield S4 needs a probe"},
      {push(probe, "S2"), "10: shield S2 never asks a probe"},
      {push(probe + "list = \"/a\"\n", "S3"), "12: list belongs to shield S4"},
      {push(probe + "found = [200]\nabsent = [200]\n", "S3"), "13: 200 is in found and in absent"},
      {push(probe + "method = \"PUT\"\n", "S3"), "12: a probe cannot use \"PUT\""},
      {push(probe + "method = \"HEAD\"\n", "S3"), "accepted"},
      {s4("id = \"/id\"\n"), "10: the probe of shield S4 needs list"},
      {s4("list = \"\"\n"), "10: the probe of shield S4 needs id"},
      {s4("list = \"\"\nid = \"/id\"\n"), "1: shield S4 needs a compensation"},
      {s4("list = \"\"\nid = \"/id\"\nmethod = \"HEAD\"\n"), "14: a probe cannot use \"HEAD\""},
      {pull, "accepted"},
      {pull + "url = \"http://h/\"\n", "9: url belongs to kind push; leave it out of kind pull"},
      {pull + "timeout = \"1s\"\n", "9: timeout belongs to kind push"},
      {pull + "done = [200]\n", "9: done belongs to kind push"},
      {pull + "body = '{\"a\":{target}}'\n",
       "9: body belongs to kind push; leave it out of kind pull"},
      {pull + "lease = \"2m\"\n",
       "9: workers say how long they lease an effect; leave it out of kind pull"},
  });
}

TEST(Registry, templates_are_checked_when_they_are_read) {
  const std::string probe = "[command.effect.probe]\n";
  expect_refused({
      {push("body = '{\"a\":}'\n"), "10: body is not JSON"},
      {push("method = \"get\"\n"), "10: method must be one of"},
      {push("method = \"GET\"\nbody = '{}'\n"), "11: body cannot be sent with GET"},
      {push("[command.effect.headers]\nX-A = \"{nothing}\"\n"),
       "11: header \"X-A\" has a placeholder that is none: {nothing} stands for nothing"},
      {push("headers = { Host = \"h\" }\n"), "10: header \"Host\" cannot be set"},
      {push("headers = { X-A = \"a\\r\\nX-B: c\" }\n"),
       "10: header \"X-A\" has a control character"},
      {push(probe + "url = \"http://{args.host}/\"\n", "S3"),
       "11: url has a placeholder in its host"},
      {push(probe + "url = \"http://h/{a\\nb}\"\n", "S3"),
       "11: url has a placeholder that is none: {a?b}"},
      {command("class = \"I3\"\n[command.effect]\nkind = \"push\"\nshield = \"S1\"\n"
               "provider = \"p\"\nurl = \"http://{secret.HOST}/\"\n"),
       "9: url has a placeholder in its host"},
  });
}

TEST(Registry, compensations_are_commands_that_can_run_by_themselves) {
  const std::string other = "[[command]]\nentity = \"payment\"\naction = \"refund\"\n";
  const std::string wanted = "compensation = \"payment.refund\"\n";
  EXPECT_EQ(good(command(wanted) + other)->find("payment", "charge")->compensation->action,
            "refund");
  expect_refused({
      {command("compensation = \"payment.refnd\"\n") + other,
       "4: compensation \"payment.refnd\" is no command of this file; did you mean "
       "payment.refund?"},
      {command("compensation = \"payment.charge\"\n"), "4: a command cannot undo itself"},
      {command("compensation = \"hold.release\"\n"),
       "4: compensation \"hold.release\" is no command"},
      {command(wanted) + other + "class = \"I0\"\njustification = \"x\"\n",
       "4: compensation payment.refund is a question"},
      {command(wanted) + other + "confirmation = \"required\"\n",
       "4: compensation payment.refund is a question, or waits"},
  });
}

TEST(Registry, names_are_declared_once) {
  expect_refused({
      {command("") + command(""), "5: payment.charge is declared twice"},
      {"[[command]]\nentity = \"hold\"\naction = \"place\"\n",
       "2: hold.place is an operation of holdfast itself"},
      {push("[[provider]]\nname = \"bank\"\n[[provider]]\nname = \"bank\"\n"),
       "13: bank is declared twice"},
      {push("[[provider]]\nname = \"bnak\"\n"), "11: no effect names the provider bnak"},
      {"[command]\nentity = \"a\"\n", "1: command must be a list of tables; write [[command]]"},
      {"command = [1]\n", "1: command must be a list of tables"},
  });
}

TEST(Registry, arguments_are_json_wherever_they_stand) {
  expect_refused({
      {command("args = '{\"type\":}'\n"), "4: args is no schema"},
      {command("args = '{\"a\":1,\"a\":2}'\n"), "4: args is no schema at \"/a\""},
      {command("[command.args]\ntype = \"object\"\n[command.args.properties.a]\n"
               "maximum = 9223372036854775807\n"),
       "7: args is no schema at \"/properties/a/maximum\""},
      {command("[command.args]\nconst = 2026-01-01\n"), "5: JSON has no dates and times"},
      {command("[command.args]\nconst = nan\n"), "5: JSON has no nan and no inf"},
  });
}

TEST(Registry, schemas_of_arguments_are_compiled) {
  EXPECT_NE(only(command("args = { type = \"object\" }\n")).args, nullptr);
  EXPECT_NE(only(command("args = '{\"type\": \"object\"}'\n")).args, nullptr);
  expect_refused({
      {command("[command.args]\ntype = \"objct\"\n"), "5: args is no schema at \"/type\""},
      {command("[command.args]\n[command.args.properties.a]\ntpye = \"string\"\n"),
       ": args is no schema at \"/properties/a"},
  });
}
TEST(Registry, a_schema_may_be_in_a_file_of_the_registrys_folder) {
  const test::TempDir folder;
  std::ofstream(folder.file("a.json")) << R"({"type": "object", "required": ["x"]})";
  std::ofstream(folder.file("bad.json")) << "{";
  const auto read = [&](const std::string& name) {
    std::ofstream(folder.file("r.toml")) << command("args_schema = \"" + name + "\"\n");
    return read_registry(folder.file("r.toml"));
  };
  const auto taken = read("a.json");
  ASSERT_TRUE(taken) << taken.error().message();
  EXPECT_THAT((*taken)->published, HasSubstr(R"("args":{"required":["x"],"type":"object"})"));
  EXPECT_NE((*taken)->find("payment", "charge")->args, nullptr);
  EXPECT_THAT(read("bad.json").error().message(),
              HasSubstr("r.toml:4:15: args_schema is no schema"));
  EXPECT_THAT(read("b.json").error().text,
              HasSubstr("args_schema cannot be read: there is no file"));
  for (const char* name : {"../a.json", "/etc/passwd", "x/../../a.json"})
    EXPECT_THAT(read(name).error().text, HasSubstr("must be in the registry's folder")) << name;
  EXPECT_THAT(refusal(command("args_schema = \"a.json\"\n")),
              HasSubstr("which this registry cannot"));
}

TEST(Registry, what_is_no_toml_is_refused_with_its_place) {
  const auto read = read_registry_text("[[command]]\nentity = \n", "dir/r.toml");
  EXPECT_THAT(read.error().message(), HasSubstr("dir/r.toml:2:"));
  EXPECT_THAT(read.error().text, HasSubstr("this is not TOML: "));
  EXPECT_THAT(refusal("a = 1\na = 2\n"), HasSubstr("2: this is not TOML"));
  EXPECT_THAT(read_registry("/nowhere/r.toml").error().message(),
              HasSubstr("/nowhere/r.toml:1:1: there is no file"));
}

TEST(Registry, what_is_too_large_or_too_deep_is_refused) {
  EXPECT_THAT(refusal(std::string(registry_bytes_max + 1, '\n')),
              HasSubstr("1: the file is larger"));
  const std::string deep = "1: this is nested too deep";
  std::string dotted = "a";
  for (int i = 0; i < 100'000; ++i) dotted += ".a";
  EXPECT_THAT(refusal(dotted + " = 1\n"), HasSubstr(deep));
  EXPECT_THAT(refusal("[" + dotted + "]\n"), HasSubstr(deep));
  EXPECT_THAT(refusal("x = " + std::string(100'000, '[')), HasSubstr(deep));
  EXPECT_THAT(refusal("x = '''\n'''\ny = " + std::string(100, '[')),
              HasSubstr("3: this is nested"));
  std::string quoted = "\"a\"";
  for (int i = 0; i < 1000; ++i) quoted += " . \"\\u0061\"";
  EXPECT_THAT(refusal(quoted + " = 1\n"), HasSubstr(deep));
  // Dots and brackets in strings and comments nest nothing.
  const std::string dots(1000, '.');
  const std::string brackets(1000, '[');
  EXPECT_EQ(refusal("# " + dots + brackets + "\n" +
                    command("summary = \"" + dots.substr(0, 100) + "\"\n")),
            "accepted");
  EXPECT_EQ(refusal(push("body = '''\"" + brackets + dots + "\"'''\n")), "accepted");
  EXPECT_EQ(refusal(push("body = \"\"\"\\\"" + brackets + dots + "\\\"\"\"\"\n")), "accepted");
  std::string many;
  for (int i = 0; i <= 1000; ++i)
    many += fmt::format("[[command]]\nentity = \"e\"\naction = \"a{}\"\n", i);
  EXPECT_THAT(refusal(many), HasSubstr("3001: a registry has at most 1000 of [[command]]"));
}

TEST(Registry, publication_has_the_defaults_and_no_secrets) {
  const auto registry = good(push("headers = { Authorization = \"Bearer {secret.API}\" }\n"));
  EXPECT_EQ(canonicalize(registry->published), registry->published);
  EXPECT_EQ(sha256(registry->published).hex(), registry->digest);
  const test::Json published(registry->published);
  const std::string at = "/commands/" + std::to_string(operations().size());
  EXPECT_EQ(published.raw(at),
            R"({"action":"charge","class":"I3","confirmation":"none","critical":false,)"
            R"("declared_by":"registry","effect":{"attempts":10,"backoff":"1s","backoff_max":"5m",)"
            R"("headers":{"Authorization":"Bearer {secret.API}"},"key_header":"Idempotency-Key",)"
            R"("kind":"push","lease":"30s","method":"POST","provider":"bank","shield":"S1",)"
            R"("timeout":"10s","url":"http://h/"},"entity":"payment","key_mode":"client",)"
            R"("on_overlap":"10s","on_reject":"record","principal":"actor_id","window":"1d"})");
}

TEST(Registry, the_digest_is_that_of_what_is_said_and_not_of_how) {
  const std::string digest = good(push(""))->digest;
  EXPECT_EQ(good(push(""))->digest, digest);
  EXPECT_EQ(good("# A comment.\n" + push("attempts = 10\ntimeout = \"PT10S\"\n"))->digest, digest);
  EXPECT_NE(good(push("attempts = 11\n"))->digest, digest);
  EXPECT_NE(good(push("[[provider]]\nname = \"bank\"\n"))->digest, digest);
  EXPECT_NE(good(command("args = { type = \"object\" }\n"))->digest, good(command(""))->digest);
  EXPECT_EQ(good(command("args = { type = \"object\" }\n"))->digest,
            good(command("args = '{\"type\": \"\\u006fbject\"}'\n"))->digest);
}

TEST(Registry, examples_are_right_and_stay_what_they_are) {
  for (const char* name : {"charge", "shop"}) {
    const std::string path =
        std::string(HOLDFAST_SOURCE_DIR "/docs/examples/") + name + ".registry.toml";
    const auto read = read_registry(path);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ((*read_registry(path))->digest, (*read)->digest);
  }
  const auto charge = *read_registry(HOLDFAST_SOURCE_DIR "/docs/examples/charge.registry.toml");
  const auto command = charge->find("payment", "charge");
  ASSERT_NE(command, nullptr);
  const commands::Envelope envelope{
      .actor = "a",
      .effective_actor = "a",
      .entity = "payment",
      .action = "charge",
      .args = R"({"amount":1250,"card":"4242424242424242","currency":"EUR"})"};
  const auto made = command->effect.request.parsed->render(
      {.envelope = envelope, .tenant = "t", .key = "k1", .command_id = "c"}, {});
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->method + " " + made->url, "POST http://127.0.0.1:9999/charges");
  EXPECT_EQ(made->headers.front().second, "k1");
  EXPECT_EQ(made->body, R"({"amount":1250,"card":"4242424242424242","currency":"EUR"})");
}

TEST(Registry, secrets_are_listed_once) {
  const std::string with = "headers = { A = \"{secret.B}\", C = \"{secret.A}{secret.B}\" }\n";
  const std::string probe = "[command.effect.probe]\nurl = \"http://h/{secret.C}\"\n";
  EXPECT_THAT(secrets_named(*good(push(with + probe, "S3"))), ElementsAre("A", "B", "C"));
  EXPECT_TRUE(secrets_named(*good("")).empty());
}

TEST(Registry, its_reference_has_every_member) {
  EXPECT_THAT(source_text("docs/registry.md"), HasSubstr("\n" + registry_reference()))
      << "the tables in docs/registry.md should be:\n"
      << registry_reference();
}

}  // namespace
}  // namespace holdfast::registry
