#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "domain/module_state.hpp"
#include "domain/record.hpp"
#include "domain/rows.hpp"
#include "domain/rules.hpp"
#include "store/kept_rules.hpp"
#include "store/row_lists.hpp"
#include "store/views.hpp"

/// What the two database engines have in common, and what each has to provide: SQL, and nothing
/// else. Everything that decides or remembers is on this side of the line.
namespace holdfast::shared {

/// What went wrong, in the terms that matter to a caller.
enum class Trouble : std::uint8_t {
  again,    ///< somebody else was at it: nothing happened, and deciding anew will tell
  lost,     ///< no connection, or a server that cannot work now: nothing happened
  unknown,  ///< the connection went while committing: it happened, or it did not
  refused,  ///< will not work however often it is tried: privileges, a schema, a password
};

struct Fault {
  Trouble trouble = Trouble::lost;
  std::string message;
};

template <typename T>
using Expected = tl::expected<T, Fault>;

/// The only row of its table: where the journal ends. Whoever changes anything locks it, last of
/// all locks, so that the order of the journal is the order of commits.
struct Head {
  std::uint64_t seq = 0;
  std::uint64_t chain = 0;  ///< checksum of the last record
  Instant now;              ///< the database's clock, but never before what was acted upon
  Counts counts{};          ///< its `records` and `holds` are the last numbers given out
};

/// Which time is meant: the database's, unless a clock was injected.
struct Time {
  std::optional<Instant> clock{};
  Instant floor = Instant::min();  ///< it does not run back to before this
};

/// What a batch names, each key once and in byte order, so that locks have one order everywhere.
struct Wanted {
  std::vector<ScopedName> tokens;
  std::vector<ScopedName> nonces;
  std::vector<ScopedName> resources;
  std::vector<std::uint64_t> holds;
  std::vector<std::uint64_t> groups;  ///< each by its first hold
  std::vector<OwnedRowName> rows;     ///< of modules
  std::vector<WantedList> lists;      ///< of their rows
  std::int64_t lapsed_quantity = 0;   ///< how much lapsed quantity may be needed of any resource
  bool lapsed_all = false;            ///< a capacity changes: all of it
  std::size_t due_max = 0;
  Time time{};
};

/// A token or nonce that was found, and the record of its outcome.
struct OutcomeFound {
  std::size_t wanted = 0;  ///< which one, in `Wanted`
  Record record;
};

struct ResourceFound {
  std::size_t wanted = 0;  ///< which one, in `Wanted`
  std::uint64_t id = 0;    ///< the record that named it first
  std::int64_t capacity = 1;
  std::int64_t occupied = 0;
};

struct HoldFound {
  HoldId id;
  std::string tenant;
  std::string resource;
  std::string requester;
  std::uint64_t resource_id = 0;
  std::int64_t quantity = 0;
  HoldState state = HoldState::held;
  Instant placed_at;
  Instant expires_at;
  Instant resolved_at{};
  std::int64_t confirmed = 0;
  std::int64_t cancelled = 0;
  Instant first_expires_at{};
  std::uint64_t changed_seq = 0;
  HoldId group{};
  std::uint32_t group_size = 0;
  std::string token{};  ///< that placed it; only where it was asked for

  /// Its names are this one's.
  [[nodiscard]] HoldRow row() const;
  /// With names of its own.
  [[nodiscard]] static HoldFound of(const HoldRow& row);
};

/// A row of a module, as it is kept in `module_rows`.
struct KeptRow {
  OwnedRowName name;
  ModuleRow row;  ///< its value is null if it is not what its module wrote
  std::int64_t position = 0;
  std::optional<Instant> due{};
};
[[nodiscard]] KeptRow kept_row(const RowName& name, std::uint64_t version, std::string_view value);

/// A row of a list that is ready.
struct ListedRow {
  std::size_t wanted = 0;  ///< which list, in `Wanted`
  KeptRow kept;
};

/// The rows a batch named. All but the tokens and nonces are read under the lock of the head.
struct Loaded {
  Head head;
  std::vector<OutcomeFound> tokens;
  std::vector<OutcomeFound> nonces;
  std::vector<ResourceFound> resources;
  /// Those named, those the tokens' outcomes speak of, enough lapsed ones, those due.
  std::vector<HoldFound> holds;
  std::vector<std::uint64_t> due;  ///< earliest first
  std::vector<KeptRow> rows;
  std::vector<ListedRow> listed;  ///< those of one list in its order
  std::vector<KeptRow> due_rows;  ///< of each kind earliest first, at most `due_max`
  bool half_copied = false;       ///< see `Description`
  std::uint64_t window_seq = 0;   ///< the record that changed the store's window last
};

/// What a batch does to the tables. Numbers it gives are what must be there afterwards; an engine
/// changes exactly as many rows as are listed, or none of the batch.
struct Changes {
  struct Outcome {
    const Record* record = nullptr;
    std::uint64_t replaces = 0;  ///< the record whose window is over; 0: there was no row
    Instant forgotten_at;        ///< `never` included
  };
  struct NewResource {
    std::uint64_t id = 0;
    std::string_view tenant;
    std::string_view name;
    std::int64_t capacity = 1;
    std::int64_t occupied = 0;
    bool declared = false;
  };
  struct ChangedResource {
    std::uint64_t id = 0;
    std::int64_t occupied_by = 0;            ///< added to what is occupied
    std::optional<std::int64_t> capacity{};  ///< declared, if set
  };
  struct NewHold {
    const Record* placed = nullptr;
    std::uint64_t resource_id = 0;
    const Record* group = nullptr;  ///< the record that made it one of a group; null: it is in none
  };
  /// A hold that is there already, or was placed in this very batch: what it is to be, if it still
  /// is what it was.
  struct ChangedHold {
    HoldRow hold;
    HoldState was = HoldState::held;
    std::uint64_t was_changed_seq = 0;
  };

  /// A row of a module that is there afterwards, in place of the one with that version.
  struct Row {
    OwnedRowName name;
    std::uint64_t was = 0;  ///< 0: there was none
    std::uint64_t version = 0;
    RowIndex index;
    std::string value;
  };
  struct RemovedRow {
    OwnedRowName name;
    std::uint64_t was = 0;  ///< its version
  };

  const Records* records = nullptr;
  std::vector<std::uint64_t> checksums;  ///< one for each record
  std::vector<Outcome> tokens;
  std::vector<Outcome> nonces;
  std::vector<NewResource> new_resources;
  std::vector<ChangedResource> changed_resources;
  std::vector<NewHold> new_holds;
  std::vector<ChangedHold> changed_holds;
  std::vector<Row> new_rows;
  std::vector<Row> changed_rows;
  std::vector<RemovedRow> removed_rows;
  Head head;  ///< what the head says afterwards; its instant is the last record's
};

/// Tokens of an operation that are recognised, and of them those recorded up to an instant.
struct TokensFound {
  Operation operation = Operation::none;
  std::uint64_t live = 0;
  std::uint64_t up_to = 0;
};

/// What another window does to the tables, besides its record and the head.
struct WindowEffect {
  std::vector<Operation> follow;  ///< whose tokens it is about
  Duration window{};
  Instant forgotten_to;  ///< those recorded up to then go
  std::vector<KeptNumber> kept;
};

struct HoldFilter {
  std::string_view tenant;
  std::optional<std::uint64_t> ordinal{};  ///< this one only
  std::optional<std::string> resource{};
  std::optional<std::string> requester{};
  std::optional<HoldState> state{};
  std::optional<Instant> placed_after{};
  std::optional<std::string> prefix{};  ///< of the resource's name
  std::optional<GroupId> group{};
  std::uint64_t before = UINT64_MAX;  ///< ordinals below
  std::size_t limit = 1;
};

struct HoldsRead {
  Instant now;
  std::vector<HoldFound> holds;  ///< newest first, each with its token
};

struct OutcomeRead {
  Instant now;
  std::optional<Record> record{};
  std::optional<HoldFound> hold{};  ///< the one the outcome speaks of
};

struct ResourceFilter {
  std::string_view tenant;
  std::optional<std::string> name{};    ///< this one only
  std::optional<std::string> prefix{};  ///< of the name
  std::uint64_t before = UINT64_MAX;    ///< ids below
  std::size_t limit = 1;
};

struct ResourceRead {
  std::uint64_t id = 0;
  Resource resource;  ///< without what has lapsed
};

struct RowFilter {
  RowSpace space{};
  std::string_view tenant;
  std::optional<std::string_view> key{};  ///< this one only; else
  std::string_view parent{};              ///< those of this one
  RowPlace after{.position = INT64_MIN, .key = {}};
  std::size_t limit = 1;
};

struct StoredRecord {
  Record record;
  std::uint64_t checksum = 0;
  bool as_written = true;  ///< see `journal::read`
};

/// What the database says of the store in it.
struct Description {
  int schema_version = 0;  ///< 0: there is none
  KeptRules kept;
  bool half_copied = false;  ///< a copy into it has begun and not ended
  std::string views;         ///< the mark of its views, see `views_mark`
  std::string server;        ///< product and version
  std::string caution;       ///< a setting of the server that makes commits less safe; may be empty
};

/// One connection. Used by one thread at a time.
class Session {
 public:
  virtual ~Session() = default;

  /// Begins a transaction, claims the tokens, locks the head and loads what is wanted.
  [[nodiscard]] virtual Expected<Loaded> load(const Wanted& wanted) = 0;
  /// Writes what was decided on what the last `load` gave, and commits.
  [[nodiscard]] virtual Expected<void> write(const Changes& changes) = 0;
  /// Commits although nothing is written, and waits for whatever a commit waits for.
  [[nodiscard]] virtual Expected<void> commit_nothing() = 0;
  /// Ends a transaction without a trace. The session may be `broken` afterwards.
  virtual void abandon() = 0;

  /// Whether the connection is beyond use: it is closed and another opened.
  [[nodiscard]] virtual bool broken() const = 0;
  /// Whether changes can be made here now.
  [[nodiscard]] virtual Expected<void> ready() = 0;

  [[nodiscard]] virtual Expected<Head> head(const Time& time) = 0;
  [[nodiscard]] virtual Expected<HoldsRead> holds(const Time& time, const HoldFilter& filter) = 0;
  [[nodiscard]] virtual Expected<OutcomeRead> outcome(const Time& time, std::string_view tenant,
                                                      std::string_view token) = 0;
  /// Newest first.
  [[nodiscard]] virtual Expected<std::vector<ResourceRead>> resources(
      const Time& time, const ResourceFilter& filter) = 0;
  /// Of a resource that was named before; nothing for one that was not.
  [[nodiscard]] virtual Expected<std::optional<Availability>> availability(
      const Time& time, std::string_view tenant, std::string_view name) = 0;
  /// In order of their places.
  [[nodiscard]] virtual Expected<std::vector<KeptRow>> rows(const RowFilter& filter) = 0;
  [[nodiscard]] virtual Expected<ListSizes> list_sizes(std::string_view tenant, RowSpace space) = 0;
  [[nodiscard]] virtual Expected<std::vector<StoredRecord>> records(std::uint64_t after,
                                                                    std::size_t limit) = 0;

  /// Forgets tokens and nonces past their window, at most so many of each. How many there were of
  /// the kind there were more of.
  [[nodiscard]] virtual Expected<std::size_t> forget(const Time& time, std::size_t limit) = 0;

  /// What is here, without changing anything.
  [[nodiscard]] virtual Expected<Description> describe() = 0;
  /// Makes a store with these rules where there is none, one node at a time. Returns the version
  /// found.
  [[nodiscard]] virtual Expected<int> make(const Rules& rules) = 0;
  /// Brings a store of an older schema to this one; see `upgrade_store`.
  [[nodiscard]] virtual Expected<Upgraded> upgrade(const StepObserver& before_step) = 0;
  /// How its views are spelt.
  [[nodiscard]] virtual Dialect dialect() const = 0;
  /// Refuses while anybody else is at work here, and says why they must not be.
  [[nodiscard]] virtual Expected<void> alone(std::string_view why) = 0;
  /// In the transaction that the last `load` began: all tokens that are recognised at `now`.
  [[nodiscard]] virtual Expected<std::vector<TokensFound>> count_tokens(Instant now,
                                                                        Instant up_to) = 0;
  /// In the same: forgets tokens and nonces, gives those that stay another end, and keeps what is
  /// to be kept. How many tokens have gone. `write` is what ends it.
  [[nodiscard]] virtual Expected<std::uint64_t> change_window(const WindowEffect& effect,
                                                              const StepObserver& before_step) = 0;
  /// Remembers that a copy into this store is under way, or forgets it.
  [[nodiscard]] virtual Expected<void> mark_copy(bool under_way) = 0;
  /// Allows one role to run the service, and another to read. Empty: no such role.
  [[nodiscard]] virtual Expected<void> grant(const std::string& service,
                                             const std::string& auditor) = 0;
};

/// An engine: how to connect.
class Driver {
 public:
  virtual ~Driver() = default;
  [[nodiscard]] virtual Expected<std::unique_ptr<Session>> connect() = 0;
  /// A session for statements that may take hours.
  [[nodiscard]] virtual Expected<std::unique_ptr<Session>> connect_for_upgrade() {
    return connect();
  }
  /// Its address for people, without a password.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// The longest batch it is good at.
  [[nodiscard]] virtual std::size_t batch_max() const = 0;
  /// The longest token its columns can take.
  [[nodiscard]] virtual std::size_t token_bytes_max() const = 0;
};

/// The name in `meta` of what `mark_copy` leaves there.
inline constexpr std::string_view copy_mark = "copy_under_way";

/// The name in `meta` of the mark of the views.
inline constexpr std::string_view views_name = "views";

/// The schema both engines are at, and the oldest that can be brought there.
inline constexpr int schema_version = 3;
inline constexpr int schema_oldest = 2;

}  // namespace holdfast::shared
