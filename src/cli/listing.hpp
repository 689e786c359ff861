#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "cli/arguments.hpp"
#include "cli/backend.hpp"
#include "cli/options.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

/// Lists, page by page: however long one is, only a page of it is in memory.
namespace holdfast::cli {

struct ListOptions {
  std::string limit = "100";
  std::string cursor;
  bool all = false;
};

void add_list_options(Options& options, ListOptions& list);

/// How to get, show and write the items of one kind of list.
template <typename Item>
struct Listing {
  std::string_view one;  ///< what an item is called
  std::vector<Column> columns;
  std::function<Fallible<Page<Item>>(const std::string& cursor, std::size_t limit)> fetch;
  std::function<std::vector<Cell>(const Item&)> cells;
  std::function<void(JsonWriter&, const Item&)> write;
};

/// What ends a list in words: how many there are, and how to see the rest.
[[nodiscard]] std::string list_ending(std::string_view one, std::uint64_t shown,
                                      const ListOptions& options, const std::string& next);

/// Prints one list; a list being printed can still fail, and then its exit code says so.
template <typename Item>
class ListPrinter {
 public:
  /// `options.limit` was parsed, as `limit`, before the store was opened.
  ListPrinter(Context& context, const Listing<Item>& listing, const ListOptions& options,
              std::size_t limit)
      : context_(context),
        listing_(listing),
        options_(options),
        limit_(options.all ? std::numeric_limits<std::size_t>::max() : limit),
        table_(listing.columns) {}

  int run() {
    std::size_t left = limit_;
    std::string cursor = options_.cursor;
    do {
      auto page = listing_.fetch(cursor, std::min(left, page_items_max));
      if (!page) return fail(page.error());
      for (const Item& item : page->items) show(item);
      if (!context_.settings.json) table_.print(context_.out);
      left -= std::min(left, page->items.size());
      cursor = std::move(page->next);
      started_ = true;
    } while (left > 0 && !cursor.empty() && !context_.out.closed());
    end(cursor);
    return 0;
  }

 private:
  void show(const Item& item) {
    if (context_.settings.json) {
      std::string text = shown_ == 0 ? R"({"answer":{"items":[)" : ",";
      JsonWriter json(text);
      listing_.write(json, item);
      context_.out.write(text);
    } else {
      table_.add(listing_.cells(item));
    }
    ++shown_;
  }

  void end(const std::string& next) {
    if (!context_.settings.json) {
      if (shown_ > 0) context_.out.line();
      context_.out.line(list_ending(listing_.one, shown_, options_, next));
      return;
    }
    std::string text = shown_ == 0 ? R"({"answer":{"items":[],"next":)" : R"(],"next":)";
    JsonWriter json(text);
    if (next.empty()) {
      json.null();
    } else {
      json.string(next);
    }
    context_.out.line(text + R"(},"status":200,"replayed":false,"token":null})");
  }

  /// Half a JSON text cannot be mended; ending it would make it look whole.
  int fail(const Failure& failure) {
    if (!started_) return report(context_, failure);
    context_.err.line("holdfast: the list ends early: " + printable(failure.problem.detail));
    return failure.exit_code;
  }

  Context& context_;
  const Listing<Item>& listing_;
  const ListOptions& options_;
  const std::size_t limit_;
  Table table_;
  std::uint64_t shown_ = 0;
  bool started_ = false;
};

}  // namespace holdfast::cli
