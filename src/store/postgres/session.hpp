#pragma once

#include "store/postgres/connection.hpp"
#include "store/shared/driver.hpp"

namespace holdfast::postgres {

using shared::Changes;
using shared::Description;
using shared::Head;
using shared::HoldFilter;
using shared::HoldFound;
using shared::HoldsRead;
using shared::Loaded;
using shared::OutcomeRead;
using shared::ResourceFilter;
using shared::ResourceRead;
using shared::StoredRecord;
using shared::Time;
using shared::Wanted;

inline const Statement commit{"hf_commit", "COMMIT"};

class PostgresSession final : public shared::Session {
 public:
  explicit PostgresSession(Connection connection) : connection_(std::move(connection)) {}

  Expected<Loaded> load(const Wanted& wanted) override;
  Expected<void> write(const Changes& changes) override;
  Expected<void> commit_nothing() override;
  void abandon() override;
  bool broken() const override { return connection_.broken(); }
  Expected<void> ready() override;
  Expected<Head> head(const Time& time) override;
  Expected<HoldsRead> holds(const Time& time, const HoldFilter& filter) override;
  Expected<OutcomeRead> outcome(const Time& time, std::string_view tenant,
                                std::string_view token) override;
  Expected<std::vector<ResourceRead>> resources(const Time& time,
                                                const ResourceFilter& filter) override;
  Expected<std::optional<Availability>> availability(const Time& time, std::string_view tenant,
                                                     std::string_view name) override;
  Expected<std::vector<shared::KeptRow>> rows(const shared::RowFilter& filter) override;
  Expected<ListSizes> list_sizes(std::string_view tenant, RowSpace space) override;
  Expected<std::vector<StoredRecord>> records(std::uint64_t after, std::size_t limit) override;
  Expected<std::size_t> forget(const Time& time, std::size_t limit) override;
  Expected<Description> describe() override;
  Expected<int> make(const Rules& rules) override;
  Expected<Upgraded> upgrade(const StepObserver& before_step) override;
  Dialect dialect() const override { return Dialect::postgres; }
  Expected<void> alone(std::string_view why) override;
  Expected<std::vector<shared::TokensFound>> count_tokens(Instant now, Instant up_to) override;
  Expected<std::uint64_t> change_window(const shared::WindowEffect& effect,
                                        const StepObserver& before_step) override;
  Expected<void> mark_copy(bool under_way) override;
  Expected<void> grant(const std::string& service, const std::string& auditor) override;

 private:
  Expected<Result> ask(const Statement& statement, Parameters parameters = {});
  Expected<int> make_locked(const Rules& rules);
  Expected<void> keep(std::string_view name, std::optional<std::int64_t> number,
                      const std::optional<std::string>& text = {});
  Expected<Upgraded> upgrade_locked(const StepObserver& before_step);
  Expected<void> work_as_owner();
  Expected<void> wait_until_gone(const Statement& others, std::string_view why);
  Expected<std::vector<std::string>> rights_to_give_again();

  Connection connection_;
};

}  // namespace holdfast::postgres
