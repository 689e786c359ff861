#include "cli/commands/asking.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include "base/json_pointer.hpp"
#include "base/percent.hpp"
#include "cli/backend.hpp"
#include "cli/document.hpp"
#include "cli/reply.hpp"
#include "store/open.hpp"

namespace holdfast::cli {
namespace {

constexpr Duration usual_patience = std::chrono::seconds(10);

Fallible<std::string> ask_store(Context& context, const AskStore& ask, Rejection missing) {
  const std::string path = context.store_path();
  if (const auto error = context.missing_store(path)) return tl::unexpected(store_failure(*error));
  const auto failed = [](const StoreError& error) {
    return tl::unexpected(store_failure({error.message, error.effect, error.bad_cursor}));
  };
  const auto store = open_store({.store = path, .read_only = true, .clock = context.clock});
  if (!store) return failed(store.error());
  auto document = ask(**store, context.settings.tenant);
  if (!document) return failed(document.error());
  if (document->empty()) return tl::unexpected(refusal(missing, std::string(row(missing).text)));
  return std::move(*document);
}

/// The items of a page as JSON, and the cursor of the next.
Page<std::string> items_of(const std::string& text) {
  Page<std::string> page;
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  simdjson::dom::array items;
  std::string_view next;
  if (parser.parse(text).get(root) != simdjson::SUCCESS) return page;
  if (root["items"].get(items) == simdjson::SUCCESS) {
    for (const auto& each : items) page.items.push_back(simdjson::minify(each));
  }
  if (root["next"].get(next) == simdjson::SUCCESS) page.next = next;
  return page;
}

}  // namespace

Fallible<std::string> ask(Context& context, const std::string& address, const AskStore& store,
                          Rejection missing) {
  if (!context.server().empty()) return ask_server(context, address, usual_patience);
  return ask_store(context, store, missing);
}

int show_document(Context& context, const Fallible<std::string>& document) {
  if (!document) return report(context, document.error());
  if (context.settings.json) {
    print_json(context.out, {.body = *document});
    return 0;
  }
  Table table = facts();
  add_members(table, *document);
  table.print(context.out);
  return 0;
}

int list_documents(Context& context, const ListOptions& options, const DocumentList& list) {
  Listing<std::string> listing;
  listing.one = list.one;
  for (const auto& [title, pointer] : list.columns) listing.columns.push_back({title});
  listing.fetch = [&](const std::string& cursor, std::size_t limit) -> Fallible<Page<std::string>> {
    std::string address = fmt::format("{}limit={}", list.address, limit);
    if (!cursor.empty()) address += "&cursor=" + percent_encoded(cursor);
    auto page = ask(context, address, [&](const Store& store, const std::string& tenant) {
      return list.store(store, tenant, cursor, limit);
    });
    if (!page) return tl::unexpected(page.error());
    return items_of(*page);
  };
  listing.cells = [&](const std::string& item) {
    std::vector<Cell> cells;
    for (const auto& [title, pointer] : list.columns)
      cells.push_back({scalar_at(item, pointer).value_or("")});
    return cells;
  };
  listing.write = [](JsonWriter& json, const std::string& item) { json.raw(item); };
  const auto limit = parse_limit_argument(options.limit);
  if (!limit) return report(context, limit.error());
  return ListPrinter<std::string>(context, listing, options, *limit).run();
}

}  // namespace holdfast::cli
