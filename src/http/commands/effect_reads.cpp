// Looking at effects: they are found by their commands, which are a tenant's.

#include "http/commands/command_lists.hpp"
#include "http/commands/effect_views.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

using commands::CommandRow;
using commands::EffectRow;
using commands::Status;

/// The effect of a command: in the queues while it is open, and with the command once it failed.
/// Nothing if it has none.
StoreResult<std::optional<EffectView>> effect_of(const Store& store, CommandRow command) {
  if (!command.open()) {
    auto left = EffectRow::read(command.effect);
    if (!left || command.status != Status::failed) return std::nullopt;
    return EffectView{std::move(command), std::move(*left)};
  }
  const auto page = store.rows(EffectRow::tenant_of_queues,
                               {.space = EffectRow::space,
                                .key = std::string(commands::row_key_in(command.id))});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return std::nullopt;
  const auto& effect = *row_of<EffectRow>(&page->items.front().row);
  if (effect.id != command.id || effect.tenant.empty()) return std::nullopt;
  return EffectView{std::move(command), effect};
}

/// Which commands may have an effect of that status.
std::vector<Status> statuses_of(std::optional<EffectStatus> status) {
  if (status == EffectStatus::waiting || status == EffectStatus::leased)
    return {Status::in_progress};
  if (status == EffectStatus::dead) return {Status::failed};
  return {Status::in_progress, Status::failed};
}

StoreResult<Page<EffectView>> list_effects_of(const Store& store, const CommandsAsked& asked,
                                              std::optional<EffectStatus> status) {
  Page<EffectView> page;
  StoreResult<void> trouble;
  const auto commands = list_commands_of(store, asked, [&](const CommandRow& row) {
    auto found = effect_of(store, row);
    if (!found) trouble = tl::unexpected(found.error());
    const bool takes = found && *found && (!status || (*found)->status() == *status);
    if (takes) page.items.push_back(std::move(**found));
    return takes;
  });
  if (!commands) return tl::unexpected(commands.error());
  if (!trouble) return tl::unexpected(trouble.error());
  page.next = commands->next;
  return page;
}

}  // namespace

void show_effect(Context& context) {
  if (!check_no_query(context)) return;
  auto id = name_in_path(context, 2, "effect");
  if (!id) return;
  context.application.read(context.reply, [&application = context.application,
                                           id = std::move(*id),
                                           tenant = context.exchange.identity.caller.tenant] {
    const Store& store = application.store();
    auto command = find_command(store, tenant, id);
    if (!command) return store_problem(command.error());
    if (!*command) return problem_response(problem_for(Rejection::command_not_known));
    const auto view = effect_of(store, std::move(**command));
    if (!view) return store_problem(view.error());
    if (!*view) {
      return problem_response(
          problem_for(Rejection::command_not_known, "This command has no effect that is open."));
    }
    Response response;
    JsonWriter json(response.body);
    (*view)->write(json, store.now());
    return response;
  });
}

void list_effects(Context& context) {
  QueryReader reader(context);
  std::optional<EffectStatus> status;
  if (const auto given = reader.text("status")) {
    status = effect_status_named(*given);
    if (!status) reader.wrong("status", "A status is waiting, leased, unknown or dead.");
  }
  std::string cursor = reader.text("cursor").value_or("");
  const std::size_t limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(context.reply, [&application = context.application, status,
                                           cursor = std::move(cursor), limit,
                                           address = list_address(context, limit),
                                           tenant = context.exchange.identity.caller.tenant] {
    const Store& store = application.store();
    const std::vector<Status> statuses = statuses_of(status);
    const auto page = list_effects_of(store, {tenant, statuses, cursor, limit}, status);
    if (!page) return list_problem(page.error());
    return page_response(*page, address,
                         [now = store.now()](JsonWriter& json, const EffectView& view) {
                           view.write(json, now);
                         });
  });
}

}  // namespace holdfast::http
