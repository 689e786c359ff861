#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "domain/module_state.hpp"
#include "domain/record.hpp"
#include "domain/request.hpp"
#include "domain/rows.hpp"
#include "domain/rules.hpp"

/// The store port: all the engine knows of a store.
namespace holdfast {

/// The machine failing. Never an outcome, never recorded. `effect` says what to assume of the
/// commit that failed; `unknown` is resolved by looking its tokens up again.
struct StoreError {
  Effect effect = Effect::none;
  std::string message;
  bool bad_cursor = false;  ///< nothing failed: the caller made up a cursor
  /// The batch is worth deciding anew at once: somebody else was at the same rows, or the tokens
  /// will tell what became of a commit.
  bool again = false;
};

template <typename T>
using StoreResult = tl::expected<T, StoreError>;

/// What a batch names: the rows to load.
struct Keys {
  std::vector<const Request*> requests;
  /// Records that come from elsewhere and are to be committed as they are: what they change.
  std::vector<const Record*> records{};
  /// Rows of modules to load as well: those that the last sweep was missing.
  std::span<const OwnedRowName> rows{};
  /// How many lapsed holds to load as well, whatever their resource, and how many rows of modules
  /// that are due: the sweeper's work.
  std::size_t due_max = 0;
};

/// One transaction. Dropping it without commit changes nothing.
class Unit {
 public:
  virtual ~Unit() = default;

  WorkingSet rows;
  Instant now;                     ///< the store's, never earlier than its last record
  std::uint64_t next_seq = 0;      ///< of the first record
  std::uint64_t next_ordinal = 0;  ///< of the first new hold
  std::vector<std::uint64_t> due;  ///< lapsed holds, earliest first, loaded into `rows`
  std::vector<RowName> due_rows;   ///< rows that are due, likewise
  /// Records that were seen here are gone: a standby without them took over, or a backup was
  /// restored. Nothing known from before holds.
  bool history_lost = false;

  /// Commits, all or nothing. The next unit sees it; it is durable, and may be told to anybody,
  /// once `Store::sync` has returned. Records are numbered from `next_seq` without a gap.
  [[nodiscard]] virtual StoreResult<void> commit(const Records& records) = 0;
  /// Instead of a commit, where there is nothing to record: returns once what was found is as safe
  /// as a commit of one's own would be.
  [[nodiscard]] virtual StoreResult<void> commit_nothing() { return {}; }
};

/// Memory in use, by kind of thing; names are counted apart.
struct Footprint {
  std::uint64_t token_bytes = 0;
  std::uint64_t hold_bytes = 0;       ///< every hold, resolved or not
  std::uint64_t live_hold_bytes = 0;  ///< what held ones need besides
  std::uint64_t resource_bytes = 0;
  std::uint64_t name_bytes = 0;
  std::uint64_t module_bytes = 0;  ///< rows of modules
};

/// Which rows of a module to read: one by its key, or those of a parent, page by page, in order of
/// their positions.
struct RowQuery {
  RowSpace space{};
  std::optional<std::string> key{};
  std::string parent{};
  std::string cursor{};
  std::size_t limit = page_items_default;
};

/// What a page of rows that ends there has as `next`: it goes on behind that place in any list of
/// their kind.
[[nodiscard]] std::string cursor_at(const RowPlace& place);

/// `begin`, `commit` and `forget_expired` are called by one thread, the writer's; everything else
/// by any thread at any time, and sees only what is durable.
class Store {
 public:
  virtual ~Store() = default;

  /// Loads every row the keys name. On a shared store they stay locked until the unit ends.
  [[nodiscard]] virtual StoreResult<std::unique_ptr<Unit>> begin(const Keys& keys) = 0;

  /// Returns once every record up to that sequence number is durable. Apart from committing so that
  /// the next batch can be decided while this one is on its way to the disk.
  [[nodiscard]] virtual StoreResult<void> sync(std::uint64_t seq) = 0;

  /// Forgets tokens that are past their window: at most so many. True if there may be more.
  virtual bool forget_expired(std::size_t limit) = 0;

  /// Whether changes can be made now; the error says why not.
  [[nodiscard]] virtual StoreResult<void> ready() const = 0;

  /// The store's instant: the clock, but never before the last record.
  [[nodiscard]] virtual Instant now() const = 0;

  /// How many calls are worth a batch of their own. It is given more only when many are on their
  /// way.
  [[nodiscard]] virtual std::size_t batch_wanted() const { return 100; }
  /// How many calls, or records, a batch can have.
  [[nodiscard]] virtual std::size_t batch_max() const { return SIZE_MAX; }

  /// The outcome of the request's token, if it has one within its window and is this request's. A
  /// shared store may not know without asking its database: then the main path will.
  [[nodiscard]] virtual std::optional<Answer> replay(const Request& request,
                                                     std::uint64_t* seq) const = 0;
  /// Whether a token that `replay` does not find, and that is in no batch on its way, has no
  /// outcome.
  [[nodiscard]] virtual bool knows_every_outcome() const { return true; }

  [[nodiscard]] virtual StoreResult<std::optional<HoldDetails>> hold(std::string_view tenant,
                                                                     HoldId id) const = 0;
  [[nodiscard]] virtual StoreResult<Page<HoldDetails>> holds(std::string_view tenant,
                                                             const HoldQuery& query) const = 0;
  [[nodiscard]] virtual StoreResult<std::optional<TokenResult>> token(
      std::string_view tenant, std::string_view token) const = 0;
  [[nodiscard]] virtual StoreResult<Resource> resource(std::string_view tenant,
                                                       std::string_view name) const = 0;
  [[nodiscard]] virtual StoreResult<Availability> availability(std::string_view tenant,
                                                               std::string_view name) const = 0;
  [[nodiscard]] virtual StoreResult<Page<Resource>> resources(std::string_view tenant,
                                                              const ResourceQuery& query) const = 0;
  [[nodiscard]] virtual StoreResult<Page<RowFound>> rows(std::string_view tenant,
                                                         const RowQuery& query) const = 0;
  /// How long lists are. A database counts every row for it: not to be asked all the time.
  [[nodiscard]] virtual StoreResult<ListSizes> list_sizes(std::string_view tenant,
                                                          RowSpace space) const = 0;
  /// Records after that sequence number, in order, at most so many. Fails rather than pass on one
  /// that does not follow from the one before it: somebody has altered the journal.
  [[nodiscard]] virtual StoreResult<std::vector<Record>> records(std::uint64_t after,
                                                                 std::size_t limit) const = 0;
  /// As of the last durable commit that is known of. Holds no batch up, since whoever watches a
  /// service asks for them all the time.
  [[nodiscard]] virtual Counts counts() const = 0;
  [[nodiscard]] virtual Footprint footprint() const = 0;

  /// Of what is kept elsewhere: why it may not be as safe as it should be. Empty: it is.
  [[nodiscard]] virtual std::string caution() const { return {}; }

  /// What decides here: bounds, policies, and the window this store was made with.
  [[nodiscard]] virtual const Rules& rules() const = 0;
};

}  // namespace holdfast
