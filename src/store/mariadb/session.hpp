#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/mariadb/connection.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::mariadb {

/// One connection to a store in a database.
///
/// How a batch stays exactly once here: its tokens are claimed by inserting their rows, which makes
/// everybody else who wants one of them wait for the end of the transaction; then the only row of
/// `head` is locked, and under that lock all else is read and written. Locks are always taken in
/// this order, tokens in order of their bytes. What is read to decide is read with locks, because
/// a snapshot may be older than they are; what is written counts the rows it changes.
///
/// A transaction that the server took back must not be gone on with unawares. So none of its
/// statements would commit by itself, and it ends with a savepoint that it began with: if that is
/// missing, this is another transaction.
class MariadbSession final : public shared::Session {
 public:
  explicit MariadbSession(Connection connection) : connection_(std::move(connection)) {}
  ~MariadbSession() override = default;
  MariadbSession(const MariadbSession&) = delete;
  MariadbSession& operator=(const MariadbSession&) = delete;

  shared::Expected<shared::Loaded> load(const shared::Wanted& wanted) override;
  shared::Expected<void> write(const shared::Changes& changes) override;
  shared::Expected<void> commit_nothing() override;
  void abandon() override;

  bool broken() const override { return connection_.broken(); }
  shared::Expected<void> ready() override;

  shared::Expected<shared::Head> head(const shared::Time& time) override;
  shared::Expected<shared::HoldsRead> holds(const shared::Time& time,
                                            const shared::HoldFilter& filter) override;
  shared::Expected<shared::OutcomeRead> outcome(const shared::Time& time, std::string_view tenant,
                                                std::string_view token) override;
  shared::Expected<std::vector<shared::ResourceRead>> resources(
      const shared::Time& time, const shared::ResourceFilter& filter) override;
  shared::Expected<std::optional<Availability>> availability(const shared::Time& time,
                                                             std::string_view tenant,
                                                             std::string_view name) override;
  shared::Expected<std::vector<shared::KeptRow>> rows(const shared::RowFilter& filter) override;
  shared::Expected<ListSizes> list_sizes(std::string_view tenant, RowSpace space) override;
  shared::Expected<std::vector<shared::StoredRecord>> records(std::uint64_t after,
                                                              std::size_t limit) override;

  shared::Expected<std::size_t> forget(const shared::Time& time, std::size_t limit) override;

  shared::Expected<shared::Description> describe() override;
  shared::Expected<int> make(const Rules& rules) override;
  shared::Expected<Upgraded> upgrade(const StepObserver& before_step) override;
  [[nodiscard]] Dialect dialect() const override { return Dialect::mariadb; }
  shared::Expected<void> alone(std::string_view why) override;
  shared::Expected<std::vector<shared::TokensFound>> count_tokens(Instant now,
                                                                  Instant up_to) override;
  shared::Expected<std::uint64_t> change_window(const shared::WindowEffect& effect,
                                                const StepObserver& before_step) override;
  [[nodiscard]] shared::Expected<void> mark_copy(bool under_way) override;
  shared::Expected<void> grant(const std::string& service, const std::string& auditor) override;

 private:
  /// A token whose row was inserted by the last `load`: nobody has an outcome for it.
  struct Claim {
    std::string tenant;
    std::string token;
    friend auto operator<=>(const Claim&, const Claim&) = default;
  };

  void begin(Script& script);
  /// Runs what is left to do and commits, if this is still the transaction that was begun.
  shared::Expected<void> finish(Script script);
  /// Runs what only reads, outside of any transaction.
  shared::Expected<void> look(const Script& script);
  shared::Expected<void> look(std::string sql, Script::Take take);
  void claim_tokens(Script& script, const shared::Wanted& wanted, shared::Loaded& loaded);
  shared::Expected<void> check_claims(const shared::Wanted& wanted,
                                      const shared::Loaded& loaded) const;
  shared::Expected<void> load_holds(const shared::Wanted& wanted, shared::Loaded& loaded);
  void write_tokens(Script& script, const shared::Changes& changes) const;
  shared::Expected<std::size_t> forget_all(const shared::Time& time, std::size_t limit);
  shared::Expected<std::uint64_t> first_placed_after(Instant instant);
  /// Under the lock of whoever changes the schema.
  template <typename Work>
  auto under_lock(Work work) -> decltype(work());
  shared::Expected<int> make_alone(const Rules& rules);
  shared::Expected<Upgraded> upgrade_alone(const StepObserver& before_step);
  shared::Expected<void> check_tables();
  shared::Expected<void> run_steps(const std::vector<std::string>& steps,
                                   const StepObserver& before_step);
  shared::Expected<std::string> give_rights_to_modules();
  shared::Expected<void> until_written(const std::function<shared::Expected<void>()>& write);
  shared::Expected<void> write_rules(const Rules& rules);

  Connection connection_;
  bool in_transaction_ = false;
  bool by_hand_ = false;       ///< nothing is committed unless we say so
  std::vector<Claim> claims_;  ///< in byte order
};

}  // namespace holdfast::mariadb
