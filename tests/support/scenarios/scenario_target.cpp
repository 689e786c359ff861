#include "support/scenarios/scenario_target.hpp"

#include <gtest/gtest.h>

#include <future>

#include "support/journals/audit.hpp"
#include "support/stores/service_test.hpp"

namespace holdfast::test {
namespace {

template <typename T>
T must(StoreResult<T> result) {
  if (result) return std::move(*result);
  ADD_FAILURE() << result.error().message;
  return {};
}

}  // namespace

void LibraryTarget::start(const Rules& rules) {
  place_.emplace(engine_, rules);
  open();
}

void LibraryTarget::open() {
  ServiceOptions options;
  options.sweep_every = Duration::zero();
  service_ = std::make_unique<Service>(place_->open(), random_, std::move(options));
}

void LibraryTarget::restart() {
  if (!place_->persistent()) return;
  service_.reset();
  open();
}

Answer LibraryTarget::submit(Call call) {
  std::promise<Answer> promise;
  service_->submit(std::move(call), [&](Answer answer) { promise.set_value(std::move(answer)); });
  return promise.get_future().get();
}

std::vector<Answer> LibraryTarget::submit_at_once(const Call& call, std::size_t count) {
  std::vector<Answer> answers(count);
  on_threads(count, [&](std::size_t i) { answers[i] = submit(call); });
  return answers;
}

std::optional<HoldDetails> LibraryTarget::hold(HoldId id, const std::string& tenant) {
  return must(service_->store().hold(tenant, id));
}

std::vector<HoldDetails> LibraryTarget::holds(const HoldQuery& query, const std::string& tenant) {
  return must(service_->store().holds(tenant, query)).items;
}

std::optional<TokenResult> LibraryTarget::token(const std::string& token,
                                                const std::string& tenant) {
  return must(service_->store().token(tenant, token));
}

Resource LibraryTarget::resource(const std::string& name, const std::string& tenant) {
  return must(service_->store().resource(tenant, name));
}

std::vector<std::string> LibraryTarget::violations() { return test::violations(service_->store()); }

}  // namespace holdfast::test
