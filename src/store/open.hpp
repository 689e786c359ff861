#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/stage.hpp"
#include "store/store.hpp"

/// Where stores are chosen by name: the one place that knows every engine.
namespace holdfast {

struct StoreOptions {
  std::string store;                 ///< a file, the address of a database, or `:memory:`
  Rules rules{};                     ///< its window is used for a new store only
  std::optional<Duration> window{};  ///< asked for: must be the store's
  bool read_only = false;
  std::shared_ptr<Clock> clock = system_clock();
  Progress progress{};         ///< of opening: records read, now and then
  StageObserver observer{};    ///< told when records are written and not yet durable
  bool receives_copy = false;  ///< a copy goes into it: it may be half of one
  std::string vfs{};           ///< SQLite's file layer; empty: the default one
  int log_pages = 4'096;       ///< SQLite's log is moved into the database at this length
};

[[nodiscard]] StoreResult<std::unique_ptr<Store>> open_store(StoreOptions options);

/// Whether this is the address of something that is no store we know: not a file, at any rate.
[[nodiscard]] bool is_foreign(std::string_view store);
/// What is said of one.
[[nodiscard]] std::string foreign_store(std::string_view store);

/// Whether this is the address of a database that several nodes may share.
[[nodiscard]] bool is_shared(std::string_view store);

/// What a store is, without opening it for work.
struct StoreStatus {
  std::string name;              ///< without a password
  std::string engine;            ///< what it is kept in, and the version of that
  int schema = 0;                ///< 0: there is no store yet
  int schema_newest = 0;         ///< what this program works with
  std::optional<Rules> rules{};  ///< class and window of each operation, as it was made with
  std::optional<Counts> counts{};
  std::string trouble{};  ///< why no changes can be made now; empty: they can
  std::string caution{};  ///< see `Store::caution`
};

[[nodiscard]] StoreResult<StoreStatus> store_status(const std::string& store);

/// Makes a store with these rules where there is none. Returns the schema found; 0: there was none.
/// One of another schema is refused. Several may try at once: one does it, the others find it done.
[[nodiscard]] StoreResult<int> make_store(const std::string& store, const Rules& rules);

/// Told of each step of an upgrade before it is done. What ends the process in it ends the upgrade
/// there.
using StepObserver = std::function<void(std::string_view step)>;

struct UpgradeOptions {
  std::string store;
  Progress progress{};  ///< of a file: records checked, now and then
  StepObserver before_step{};
  std::string vfs{};  ///< SQLite's file layer; empty: the default one
};

/// What an upgrade found, and did.
struct Upgraded {
  int schema_before = 0;
  int schema = 0;
  bool views_refreshed = false;  ///< at the same schema: another version had made them otherwise
  std::string caution{};         ///< what is left to do, by hand
};

/// Brings a store that is there to the schema of this program, its views included. Refused while
/// anybody of an older version works on it. Whatever ends it halfway, it can be done again, and
/// nothing that was recorded changes.
[[nodiscard]] StoreResult<Upgraded> upgrade_store(const UpgradeOptions& options);

/// The window of a store: how long it recognises tokens.
struct WindowInForce {
  std::string name;  ///< of the store, without a password
  Rules rules{};     ///< class and window of each operation
  /// The record that changed it last; none: it is what the store was made with.
  std::optional<Record> change{};
};
[[nodiscard]] StoreResult<WindowInForce> window_in_force(const std::string& store);

struct WindowOptions {
  std::string store;
  Duration window{};    ///< to have from now on
  bool agreed = false;  ///< to what a shorter one forgets
  std::shared_ptr<Clock> clock = system_clock();
  Progress progress{};  ///< of a file: records checked, now and then
  StepObserver before_step{};
  std::string vfs{};  ///< SQLite's file layer; empty: the default one
};

/// The tokens of an operation when the window is changed.
struct OperationTokens {
  Operation operation = Operation::none;
  std::optional<Duration> window{};  ///< before the change; unset: for ever
  bool follows = false;              ///< the store's window
  std::uint64_t live = 0;            ///< that are recognised until then
  std::uint64_t forgotten = 0;       ///< of them, those that are not recognised any more
};

/// What a change of the window came to, or would.
struct WindowChanged {
  std::string name;  ///< of the store, without a password
  Duration before{};
  Duration window{};
  Instant at{};
  std::uint64_t seq = 0;  ///< its record; 0: nothing was changed
  std::vector<OperationTokens> operations{};

  [[nodiscard]] bool shorter() const { return window < before; }
  [[nodiscard]] std::uint64_t forgotten() const;
};

/// Gives a store another window from now on, and records that, in one transaction. Tokens of
/// operations that follow the store's window are recognised afterwards if they were until then, and
/// are within the new one. Those that are not are forgotten for good. Refused while anybody is at
/// work on the store. Nothing is done, but counted, if the window is shorter and that was not
/// agreed to, or if it is the one in force.
[[nodiscard]] StoreResult<WindowChanged> change_store_window(const WindowOptions& options);

/// Lets one role of a database run the service on the store in it, and another only read it; empty:
/// none. Neither can change or remove a record.
[[nodiscard]] StoreResult<void> grant_store(const std::string& store, const std::string& service,
                                            const std::string& auditor);

/// Says of a store in a database that a copy into it has begun, or has ended. In between it cannot
/// be opened for anything else: tokens that are still to come would be taken for unused.
[[nodiscard]] StoreResult<void> mark_copy(const std::string& store, bool under_way);
/// Whether two addresses lead to one store in a database, or to one restored from the other.
[[nodiscard]] StoreResult<bool> same_store(const std::string& one, const std::string& other);

/// Refuses the name of a file for a new store if there is one already, or if something is beside it
/// that SQLite would take for its own: an older store's log.
[[nodiscard]] StoreResult<void> check_file_name(const std::string& to);
/// Gives a store's file, which nobody has open, another name, for good.
[[nodiscard]] StoreResult<void> give_file_name(const std::string& from, const std::string& to);

/// The journal of a store and nothing more: no lock is taken and no state is built. For the audit.
class RecordReader {
 public:
  virtual ~RecordReader() = default;
  /// Appends the records after that sequence number to `out` (cleared first), in order, at most so
  /// many. Records come as they are stored, however wrong they may be.
  [[nodiscard]] virtual StoreResult<void> read(std::uint64_t after, std::size_t limit,
                                               std::vector<Record>& out) = 0;
  /// Where the chain of checksums does not hold among what was read so far.
  [[nodiscard]] virtual const std::vector<std::uint64_t>& broken() const = 0;
  [[nodiscard]] virtual std::uint64_t last_seq() const = 0;
  /// Returns once everything up to `last_seq` is durable: whoever has a store open may see what is
  /// still on its way to the disk.
  [[nodiscard]] virtual StoreResult<void> sync() { return {}; }
  /// Class and window of each operation, as the store was made with.
  [[nodiscard]] virtual const Rules& rules() const = 0;
};

[[nodiscard]] StoreResult<std::unique_ptr<RecordReader>> read_records(const std::string& store);

}  // namespace holdfast
