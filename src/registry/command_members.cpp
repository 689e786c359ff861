#include <array>

#include "registry/drafts.hpp"
#include "registry/values.hpp"

namespace holdfast::registry {
namespace {

using commands::BindingPrincipal;
using commands::CommandClass;
using commands::ConfirmBy;
using commands::KeyOrigin;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using toml::node;

constexpr std::string_view a_name = "a name of small letters, digits and _, at most 64";

bool take_on_reject(const node& value, CommandDraft& into) {
  bool release = false;
  if (!take_either(value, "record", "release", release)) return false;
  into.declaration.on_reject = release ? OnReject::release : OnReject::record;
  return true;
}

bool take_window(const node& value, CommandDraft& into) {
  Duration window{};
  if (!take_duration(value, {seconds(1), hours(24 * 3660)}, window)) return false;
  into.window = window;
  return true;
}

bool take_args(const node& value, CommandDraft& into) {
  into.args = &value;
  return value.is_table() || value.is_string();
}

constexpr std::array command_table{
    Member<CommandDraft>{"entity", needed, a_name, "What is changed: `payment`.",
                         [](const node& value, CommandDraft& into) {
                           return take_name(value, into.declaration.entity);
                         }},
    Member<CommandDraft>{"action", needed, a_name, "What is done to it: `charge`.",
                         [](const node& value, CommandDraft& into) {
                           return take_name(value, into.declaration.action);
                         }},
    Member<CommandDraft>{"summary", "–", "a line of at most 200 bytes",
                         "What the command does, for people.",
                         [](const node& value, CommandDraft& into) {
                           return take_line(value, 200, into.declaration.summary);
                         }},
    Member<CommandDraft>{
        "class", "`\"I1\"`", "\"I0\", \"I1\", \"I2\" or \"I3\"",
        "The class of IDS: a question, strict, windowed, or with an effect outside.",
        [](const node& value, CommandDraft& into) {
          return take_choice(
              value, {CommandClass::i0, CommandClass::i1, CommandClass::i2, CommandClass::i3},
              into.declaration.command_class);
        }},
    Member<CommandDraft>{"justification", "–", "a line of at most 1000 bytes",
                         "Why a weaker class will do. `I0` and `I2` need it.",
                         [](const node& value, CommandDraft& into) {
                           return take_line(value, 1000, into.declaration.justification);
                         }},
    Member<CommandDraft>{"window", "`I1`: for as long as the store exists; `I2`, `I3`: `\"24h\"`",
                         "a duration from \"1s\" to \"3660d\", such as \"24h\" or \"PT24H\"",
                         "How long a key is recognised. `I0` and `I1` have none.", take_window},
    Member<CommandDraft>{"critical", "`false`", "true or false",
                         "A window below 24 hours is then refused.",
                         [](const node& value, CommandDraft& into) {
                           return take_truth(value, into.declaration.critical);
                         }},
    Member<CommandDraft>{
        "on_reject", "`\"record\"`", "\"record\" or \"release\"",
        "Whether a rejection is the key's outcome, or the same key may succeed later.",
        take_on_reject},
    Member<CommandDraft>{
        "on_overlap", "`\"10s\"`", "a duration from \"0s\" to \"1h\"",
        "How long a duplicate waits for the first submission before it is told *processing*.",
        [](const node& value, CommandDraft& into) {
          return take_duration(value, {seconds(0), hours(1)}, into.declaration.on_overlap);
        }},
    Member<CommandDraft>{
        "key_mode", "`\"client\"`", "\"client\", \"derived\" or \"both\"",
        "Who makes the key: the caller, always the envelope, or the caller if it sends one.",
        [](const node& value, CommandDraft& into) {
          return take_choice(value, {KeyOrigin::client, KeyOrigin::derived, KeyOrigin::both},
                             into.declaration.key);
        }},
    Member<CommandDraft>{"principal", "`\"actor_id\"`", "\"actor_id\" or \"effective_actor_id\"",
                         "Whose id is in a derived key.",
                         [](const node& value, CommandDraft& into) {
                           return take_choice(
                               value, {BindingPrincipal::actor, BindingPrincipal::effective_actor},
                               into.declaration.principal);
                         }},
    Member<CommandDraft>{"confirmation", "`\"none\"`", "\"none\" or \"required\"",
                         "Whether somebody has to confirm the command before it runs.",
                         [](const node& value, CommandDraft& into) {
                           return take_either(value, "none", "required", into.confirmed);
                         }},
    Member<CommandDraft>{
        "confirm_by", "`\"self\"`", "\"self\" or \"other\"",
        "Who confirms: the caller, or somebody else. Needs `confirmation = \"required\"`.",
        [](const node& value, CommandDraft& into) {
          return take_choice(value, {ConfirmBy::self, ConfirmBy::other}, into.confirm_by);
        }},
    Member<CommandDraft>{"confirmation_lifetime", "`\"5m\"`", "a duration from \"1s\" to \"24h\"",
                         "How long there is to confirm. Needs `confirmation = \"required\"`.",
                         [](const node& value, CommandDraft& into) {
                           return take_duration(value, {seconds(1), hours(24)},
                                                into.declaration.confirmation_lifetime);
                         }},
    Member<CommandDraft>{"args", "any object", "a JSON Schema, as a table or as JSON in quotes",
                         "The schema of the arguments, draft 2020-12.", take_args},
    Member<CommandDraft>{"args_schema", "–",
                         "the name of a file in the registry's folder, or below it",
                         "The same in a file of its own, instead of `args`.",
                         [](const node& value, CommandDraft& into) {
                           return take_line(value, 255, into.args_schema);
                         }},
    Member<CommandDraft>{"compensation", "–", "another command of this file, \"entity.action\"",
                         "What undoes it. Shield `S4` needs it.",
                         [](const node& value, CommandDraft& into) {
                           return take_line(value, 2 * name_bytes_max + 1, into.compensation);
                         }},
    Member<CommandDraft>{"effect", "–", "a table, [command.effect]",
                         "What happens outside. Class `I3` needs it, and only that has it.",
                         [](const node& value, CommandDraft& into) {
                           into.effect = value.as_table();
                           return into.effect != nullptr;
                         }}};

constexpr std::array provider_table{
    Member<commands::Provider>{
        "name", needed, a_name, "As effects name it in `provider`.",
        [](const node& value, commands::Provider& into) { return take_name(value, into.name); }},
    Member<commands::Provider>{"concurrency", "`64`", "a whole number from 1 to 10000",
                               "How many calls are made at once, at most.",
                               [](const node& value, commands::Provider& into) {
                                 return take_count(value, 1, 10'000, into.concurrency_max);
                               }},
    Member<commands::Provider>{
        "circuit_failures", "`10`", "a whole number from 1 to 1000000",
        "After so many failures in a row the circuit opens, and no call is made.",
        [](const node& value, commands::Provider& into) {
          return take_count(value, 1, 1'000'000, into.circuit_failures);
        }},
    Member<commands::Provider>{"circuit_pause", "`\"10s\"`", "a duration from \"100ms\" to \"1h\"",
                               "After that long one call is let through, to see.",
                               [](const node& value, commands::Provider& into) {
                                 return take_duration(value,
                                                      {std::chrono::milliseconds(100), hours(1)},
                                                      into.circuit_pause);
                               }}};

}  // namespace

std::span<const Member<CommandDraft>> command_members() { return command_table; }
std::span<const Member<commands::Provider>> provider_members() { return provider_table; }

}  // namespace holdfast::registry
