#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.hpp"
#include "cli/listing.hpp"
#include "store/store.hpp"

/// What the commands that look at commands, effects and the inbox have in common: a server answers
/// them as JSON, a store is made to answer the same.
namespace holdfast::cli {

/// What a store says of a tenant: a JSON document. Empty: there is no such thing.
using AskStore =
    std::function<StoreResult<std::string>(const Store& store, const std::string& tenant)>;

/// The document at that address of the server, or what the store says; `missing` is what a store
/// refuses with that has no such thing.
[[nodiscard]] Fallible<std::string> ask(Context& context, const std::string& address,
                                        const AskStore& store,
                                        Rejection missing = Rejection::command_not_known);

/// Prints one document: as facts, or as JSON.
int show_document(Context& context, const Fallible<std::string>& document);

/// A list as `GET` answers it; the columns are pointers into its items.
struct DocumentList {
  std::string_view one;  ///< what an item is called
  std::string address;   ///< of the server, with its query; ends with `?` or `&`
  std::vector<std::pair<std::string_view, std::string_view>> columns;  ///< title, pointer
  /// The page of a store.
  std::function<StoreResult<std::string>(const Store&, const std::string& tenant,
                                         const std::string& cursor, std::size_t limit)>
      store;
};
int list_documents(Context& context, const ListOptions& options, const DocumentList& list);

/// `{"items":[…],"next":…}`
template <typename Item, typename Write>
[[nodiscard]] std::string page_text(const Page<Item>& page, const Write& write) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("items");
  json.begin_array();
  for (const Item& each : page.items) write(each, json);
  json.end_array();
  json.key("next");
  page.next.empty() ? json.null() : json.string(page.next);
  json.end_object();
  return text;
}

}  // namespace holdfast::cli
