#include "support/stores/harness.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "domain/operation.hpp"
#include "engine/admit.hpp"
#include "support/journals/audit.hpp"
#include "wire/body.hpp"

namespace holdfast::test {

Harness::Harness(std::string engine, Rules rules, std::uint64_t seed)
    : place_(std::move(engine), std::move(rules)),
      random_(seeded_random(seed)),
      store_(place_.open()),
      engine_(std::make_unique<Engine>(*store_, *random_, StageObserver{})) {}

Answer Harness::submit(Call call) {
  std::vector<Call> calls;
  calls.push_back(std::move(call));
  return std::move(submit(std::move(calls)).front());
}

std::vector<Answer> Harness::submit(std::vector<Call> calls) {
  std::vector<Answer> answers(calls.size());
  std::vector<std::size_t> admitted;  // the rest is answered without a batch
  Batch batch;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    Request request{.call = std::move(calls[i])};
    if (auto refused = admit(request, store_->rules())) {
      answers[i] = std::move(*refused);
      continue;
    }
    admitted.push_back(i);
    batch.work.push_back(Work{.request = std::move(request), .done = {}});
  }
  if (batch.work.empty()) return answers;
  const auto foretold = foretell(batch);
  execute(batch);
  // Of a large batch on a database, every fiftieth call is looked at: each costs round trips.
  const std::size_t step = place_.shared() && batch.work.size() > 100 ? 50 : 1;
  for (std::size_t i = 0; i < batch.work.size(); ++i) {
    if (i % step == 0) check_read_side(batch.work[i], foretold[i], batch.work.size() == 1);
    answers[admitted[i]] = std::move(batch.work[i].answer);
  }
  return answers;
}

void Harness::execute(Batch& batch) {
  const auto executed = engine_->execute(batch);
  EXPECT_TRUE(executed.has_value()) << executed.error().message;
  const auto durable = store_->sync(batch.seq);
  EXPECT_TRUE(durable.has_value()) << durable.error().message;
}

std::vector<std::optional<Answer>> Harness::foretell(const Batch& batch) const {
  std::vector<std::optional<Answer>> foretold;
  for (const Work& work : batch.work) {
    std::uint64_t seq = 0;
    foretold.push_back(store_->replay(work.request, &seq));
    if (!foretold.back()) continue;
    const auto first_record = store_->records(seq - 1, 1);
    EXPECT_TRUE(first_record && first_record->front().token == work.request.token())
        << "the record a replay refers to is the one that bound its token";
  }
  return foretold;
}

void Harness::check_read_side(const Work& work, const std::optional<Answer>& foretold,
                              bool alone) const {
  const Answer& answer = work.answer;
  if (foretold) {
    EXPECT_TRUE(answer.replayed && foretold->replayed);
    EXPECT_EQ(words(*foretold), words(answer));
    EXPECT_EQ(answer_body(*foretold), answer_body(answer));
  } else if (alone && !place_.shared()) {  // a shared store's node may have to ask
    // What settles later may be told again without a record.
    EXPECT_FALSE(answer.replayed && answer.recorded) << words(answer);
  }
  if (!answer.recorded) return;
  const auto found = store_->token(work.request.tenant(), answer.token);
  ASSERT_TRUE(found && *found) << "no such token: " << words(answer);
  const TokenResult& result = **found;
  EXPECT_EQ(words(result.answer), words(answer));
  EXPECT_EQ(answer_body(result.answer), answer_body(answer));
  EXPECT_FALSE(result.answer.replayed);
  EXPECT_EQ(result.principal, work.request.call.caller.principal);
  EXPECT_EQ(result.digest, work.request.digest.hex());
  EXPECT_EQ(result.answer.token_expires, answer.token_expires);
  if (spec_of(answer.operation).own_window) return;  // each says its own
  EXPECT_EQ(store_->rules().forgotten_at(answer.operation, result.recorded_at),
            answer.token_expires);
}

Hold Harness::must_place(Placing what, Caller caller) {
  const Answer answer = submit(place(std::move(what), next_token(), std::move(caller)));
  EXPECT_THAT(answer, done());
  return answer.hold.value_or(Hold{});
}

std::string Harness::next_token() { return fmt::format("token-{}", ++tokens_made_); }

std::size_t Harness::sweep(std::size_t holds_max) {
  Batch batch;
  batch.sweep_max = holds_max;
  execute(batch);
  if (batch.swept != 0 || !batch.more_due) return batch.swept;
  // What a module was missing is loaded with the next batch.
  Batch next;
  next.sweep_max = holds_max;
  execute(next);
  return next.swept;
}

void Harness::close() {
  engine_.reset();
  store_.reset();
}

void Harness::reopen() {
  if (!persistent()) return;
  engine_.reset();
  store_.reset();
  store_ = place_.open();
  engine_ = std::make_unique<Engine>(*store_, *random_, StageObserver{});
}

WindowChanged Harness::change_window(Duration window) {
  close();
  const auto changed =
      change_store_window({.store = name(), .window = window, .agreed = true, .clock = clock()});
  EXPECT_TRUE(changed) << changed.error().message;
  place_.expect_window(window);
  reopen();
  return changed.value_or(WindowChanged{});
}

Hold Harness::hold(HoldId id, std::string_view tenant) const {
  const auto found = store_->hold(tenant, id);
  if (found && *found) return (*found)->hold;
  ADD_FAILURE() << "no such hold: " << id.text();
  return {};
}

std::vector<std::string> Harness::violations() const { return test::violations(*store_); }

}  // namespace holdfast::test
