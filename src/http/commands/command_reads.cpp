// Looking at commands.

#include "command_views/command_lists.hpp"
#include "http/commands/waits.hpp"
#include "http/handlers/changes.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

using commands::CommandRow;
using commands::CommandsAsked;
using commands::Status;

Response response_of(const CommandRow& row) {
  Response response;
  JsonWriter json(response.body);
  commands::write_command(row, json);
  if (row.open()) add_header(response.headers, "Retry-After", "1");
  return response;
}

/// What a list of commands asks for, besides its page.
struct Filter {
  std::optional<Status> status{};
  std::optional<std::string> key{};
  std::optional<std::string> entity{};
  std::optional<std::string> action{};

  [[nodiscard]] bool takes(const CommandRow& row) const {
    return (!status || row.status == *status) && (!entity || row.entity == *entity) &&
           (!action || row.action == *action);
  }
  [[nodiscard]] std::span<const Status> statuses() const {
    if (status) return {&*status, 1};
    return commands::statuses;
  }
};

/// There is at most one of a key.
StoreResult<Page<CommandRow>> page_of(const Store& store, const CommandsAsked& asked,
                                      const Filter& filter) {
  const auto takes = [&](const CommandRow& row) { return filter.takes(row); };
  if (!filter.key) return list_commands_of(store, asked, takes);
  auto found = commands::find_command_by_key(store, asked.tenant, *filter.key);
  if (!found) return tl::unexpected(found.error());
  Page<CommandRow> page;
  if (*found && takes(**found)) page.items.push_back(std::move(**found));
  return page;
}

}  // namespace

void show_command(Context& context) {
  QueryReader reader(context);
  const Duration wait = reader.wait();
  if (reader.refused()) return;
  auto id = name_in_path(context, 2, "command");
  if (!id) return;
  context.application.run([&application = context.application, reply = context.reply, wait,
                           id = std::move(*id), tenant = context.exchange.identity.caller.tenant] {
    const auto row = commands::find_command(application.store(), tenant, id);
    if (!row) return reply.send_from_anywhere(store_problem(row.error()));
    if (!*row)
      return reply.send_from_anywhere(problem_response(problem_for(Rejection::command_not_known)));
    if (wait == Duration::zero() || !(*row)->open())
      return reply.send_from_anywhere(response_of(**row));
    application.waits().add(tenant, id, wait, [reply, before = **row](const CommandRow* now) {
      reply.send_from_anywhere(response_of(now == nullptr ? before : *now));
    });
  });
}

void list_commands(Context& context) {
  Filter filter;
  QueryReader reader(context);
  filter.key = reader.text("key");
  filter.entity = reader.text("entity");
  filter.action = reader.text("action");
  if (const auto given = reader.text("status")) {
    filter.status = commands::status_named(*given);
    if (!filter.status)
      reader.wrong("status", "A status is in_progress, executed, failed, rejected or compensated.");
  }
  std::string cursor = reader.text("cursor").value_or("");
  const std::size_t limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(
      context.reply,
      [&application = context.application, filter, cursor = std::move(cursor), limit,
       address = list_address(context, limit), tenant = context.exchange.identity.caller.tenant] {
        const CommandsAsked asked{tenant, filter.statuses(), cursor, limit};
        const auto page = page_of(application.store(), asked, filter);
        if (!page) return list_problem(page.error());
        return page_response(*page, address, [](JsonWriter& json, const CommandRow& row) {
          commands::write_command(row, json);
        });
      });
}

}  // namespace holdfast::http
