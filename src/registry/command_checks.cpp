#include <fmt/format.h>

#include "registry/drafts.hpp"

namespace holdfast::registry {
namespace {

using commands::CommandClass;
using commands::ConfirmBy;

constexpr Duration day = std::chrono::hours(24);

void check_class(const toml::table& table, const CommandDraft& draft, Problems& problems) {
  const CommandClass value = draft.declaration.command_class;
  const bool weaker = value == CommandClass::i0 || value == CommandClass::i2;
  if (weaker && draft.declaration.justification.empty())
    problems.note(table, "class",
                  fmt::format("class {} is weaker than I1; write why that will do as justification",
                              name(value)));
  if (value == CommandClass::i3 && draft.effect == nullptr)
    problems.note(table, "class",
                  "class I3 needs an effect; write it below as [command.effect], or choose I1");
  if (value != CommandClass::i3 && draft.effect != nullptr)
    problems.note(table, "effect",
                  fmt::format("class {} has no effect outside; write class = \"I3\", or leave the "
                              "effect out",
                              name(value)));
  if (value == CommandClass::i0 && !draft.compensation.empty())
    problems.note(table, "compensation",
                  "class I0 changes nothing that could be undone; leave compensation out");
}

void check_window(const toml::table& table, CommandDraft& draft, Problems& problems) {
  const CommandClass value = draft.declaration.command_class;
  const bool windowed = value == CommandClass::i2 || value == CommandClass::i3;
  if (draft.window && value == CommandClass::i0)
    problems.note(table, "window", "class I0 has no key, and so no window; leave window out");
  if (draft.window && value == CommandClass::i1)
    problems.note(table, "window",
                  "class I1 keeps its keys for as long as the store exists; leave window out, or "
                  "write class = \"I2\" and a justification");
  if (windowed) draft.declaration.window = draft.window.value_or(day);
  if (draft.declaration.critical && windowed && *draft.declaration.window < day)
    problems.note(table, "window",
                  "a critical command keeps its key for 24h at least; write a longer window, or "
                  "leave critical out");
}

void check_confirmation(const toml::table& table, CommandDraft& draft, Problems& problems) {
  draft.declaration.confirm_by = draft.confirmed ? draft.confirm_by : ConfirmBy::nobody;
  if (draft.confirmed && draft.declaration.command_class == CommandClass::i0)
    problems.note(table, "confirmation",
                  "class I0 changes nothing that could be confirmed; leave confirmation out");
  for (const char* member : {"confirm_by", "confirmation_lifetime"}) {
    if (!draft.confirmed && table.contains(member))
      problems.note(table, member,
                    fmt::format("{} needs confirmation = \"required\"; write that, or leave {} out",
                                member, member));
  }
}

}  // namespace

void check_command(const toml::table& table, CommandDraft& draft, Problems& problems) {
  check_class(table, draft, problems);
  check_window(table, draft, problems);
  check_confirmation(table, draft, problems);
}

}  // namespace holdfast::registry
