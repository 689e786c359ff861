#include "golden/recorded_run.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "domain/request.hpp"
#include "engine/admit.hpp"
#include "engine/execute.hpp"
#include "evidence/leaves.hpp"
#include "evidence/merkle.hpp"
#include "golden/journal_text.hpp"
#include "golden/step_random.hpp"
#include "store/open.hpp"
#include "support/call_mix.hpp"
#include "support/calls.hpp"
#include "wire/body.hpp"

namespace holdfast::test {
namespace {

/// What the store could not do is said, and ends the test.
template <typename T>
T must(tl::expected<T, StoreError> expected) {
  if (!expected) throw std::runtime_error(expected.error().message);
  if constexpr (!std::is_void_v<T>) return std::move(*expected);
}

/// An open store, and a way to ask it.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::vector<Answer> submit(std::vector<Call> calls) = 0;
  virtual std::size_t sweep() = 0;
  /// Null where it cannot be seen.
  [[nodiscard]] virtual const Store* store() const { return nullptr; }
};

struct Place {
  std::string store;
  Policies policies;
  std::shared_ptr<SettableClock> clock;
  std::shared_ptr<StepRandom> random;
};

Holdfast open_publicly(Options options) {
  auto opened = open(std::move(options));
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

/// The public interface. Calls with more than one in them must not need ids: how they are cut into
/// batches is not known.
class PublicSubject final : public Subject {
 public:
  explicit PublicSubject(const Place& place)
      : holdfast_(open_publicly({.store = place.store,
                                 .window = std::chrono::minutes(10),
                                 .policies = place.policies,
                                 .sweep_every = Duration::zero(),
                                 .clock = place.clock,
                                 .random = place.random})) {}
  std::vector<Answer> submit(std::vector<Call> calls) override {
    return holdfast_.submit(std::move(calls));
  }
  std::size_t sweep() override { return holdfast_.sweep(); }

 private:
  Holdfast holdfast_;
};

/// The main path on one thread, a batch as it is given.
class BatchSubject final : public Subject {
 public:
  explicit BatchSubject(const Place& place) : random_(place.random) {
    StoreOptions options;
    options.store = place.store;
    options.rules.policies = place.policies;
    options.rules.confirmation_secret = {17, 4};
    options.window = std::chrono::minutes(10);
    options.clock = place.clock;
    store_ = must(open_store(std::move(options)));
    engine_ = std::make_unique<Engine>(*store_, *random_, StageObserver{});
  }
  std::vector<Answer> submit(std::vector<Call> calls) override {
    std::vector<Answer> answers(calls.size());
    std::vector<std::size_t> admitted;
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
    if (!batch.work.empty()) execute(batch);
    for (std::size_t i = 0; i < admitted.size(); ++i)
      answers[admitted[i]] = std::move(batch.work[i].answer);
    return answers;
  }
  std::size_t sweep() override {
    Batch batch;
    batch.sweep_max = 1'000;
    execute(batch);
    while (store_->forget_expired(1'000)) {
    }
    return batch.swept;
  }
  [[nodiscard]] const Store* store() const override { return store_.get(); }

 private:
  void execute(Batch& batch) {
    must(engine_->execute(batch));
    must(store_->sync(batch.seq));
  }

  std::shared_ptr<Random> random_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
};

/// Every record as a leaf, with the root over all so far now and then and at the end.
std::string leaves_text(const evidence::Fetch& fetch) {
  evidence::Leaves leaves(fetch);
  evidence::Frontier tree;
  std::string text;
  const auto note_root = [&] {
    text += fmt::format("root over {}: {}\n", tree.size(), tree.root().hex());
  };
  for (std::uint64_t seq = 0;;) {
    const std::vector<Record> records = must(fetch(seq, 100));
    if (records.empty()) break;
    for (const Record& record : records) {
      must(leaves.write(text, record));
      text += '\n';
      tree.append(must(leaves.hash(record)));
    }
    note_root();
    seq = records.back().seq;
  }
  note_root();
  return text;
}

std::string leaves_of_closed(const std::string& store) {
  const auto reader = must(read_records(store));
  const auto fetch = [&](std::uint64_t after, std::size_t limit) {
    std::vector<Record> found;
    return reader->read(after, limit, found).map([&] { return std::move(found); });
  };
  return leaves_text(fetch);
}

std::string_view outcome(const Answer& answer) {
  if (answer.replayed) return "repeated";
  return answer.recorded ? "recorded" : "not recorded";
}

/// One play of a run.
class Playing {
 public:
  Playing(const RecordedRun& run, const std::string& store)
      : run_(run),
        place_{store, run.policies, std::make_shared<SettableClock>(start),
               std::make_shared<StepRandom>()},
        mix_({.seed = run.seed,
              .start = start,
              .policies = run.policies,
              .pace = run.batch_max > 0 ? 5 : 1,
              .changes = run.changes}) {
    reopen();
  }

  Played play() {
    if (run_.flood > 0) play_flood();
    for (step_ = 1; step_ <= run_.steps; ++step_) {
      if (step_ % (run_.steps / 3) == 0) begin_anew();
      step();
    }
    sweep();
    if (const Store* open = subject_->store()) {
      played_.leaves = leaves_text(
          [open](std::uint64_t after, std::size_t limit) { return open->records(after, limit); });
    }
    subject_.reset();
    return std::move(played_);
  }

 private:
  void reopen() {
    subject_.reset();
    place_.random->begin(0);
    if (run_.batch_max > 0) {
      subject_ = std::make_unique<BatchSubject>(place_);
    } else {
      subject_ = std::make_unique<PublicSubject>(place_);
    }
  }

  /// What is kept is closed and opened again; that must make no difference.
  void begin_anew() {
    mix_.pause_for_good();
    sweep();
    if (place_.store != ":memory:") reopen();
    played_.calls += "opened again\n";
  }

  void sweep() {
    place_.clock->set(mix_.now());
    place_.random->begin(step_);
    note("swept {}", subject_->sweep());
  }

  void step() {
    mix_.pause();
    if (dice_.chance(4)) sweep();
    place_.clock->set(mix_.now());
    place_.random->begin(run_.seed * 1'000'000 + step_);
    const std::size_t size = run_.batch_max == 0 ? 1 : 1 + dice_.below(run_.batch_max);
    ask(mix_.calls(size));
  }

  void ask(const std::vector<PlainCall>& plain) {
    std::vector<Call> calls;
    for (const PlainCall& each : plain) calls.push_back(call_of(each));
    const std::vector<Answer> answers = subject_->submit(calls);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      note("{}", line_of(plain[i], calls[i], answers[i]));
      mix_.learn(plain[i], answers[i]);
    }
  }

  static std::string line_of(const PlainCall& plain, const Call& call, const Answer& answer) {
    const std::int64_t forgotten_us = answer.token_expires.time_since_epoch().count();
    return fmt::format("{} | canonical {} | digest {} | {} {} until {} | {}", json_of(plain),
                       canonical_parameters(call.command), make_request(call).digest.hex(),
                       http_status(answer), outcome(answer),
                       answer.token_expires == never ? "never" : fmt::to_string(forgotten_us),
                       answer_body(answer));
  }

  template <typename... Values>
  void note(fmt::format_string<Values...> format, Values&&... values) {
    const std::int64_t at_us = place_.clock->now().time_since_epoch().count();
    played_.calls += fmt::format("{} at {}: ", ++lines_, at_us) +
                     fmt::format(format, std::forward<Values>(values)...) + "\n";
  }

  /// More tokens are repeated than are told apart.
  void play_flood() {
    std::vector<PlainCall> calls;
    for (std::size_t i = 0; i < run_.flood; ++i) {
      calls.push_back({.operation = Operation::resource_declare,
                       .resource = fmt::format("r{}", i),
                       .capacity = 2,
                       .token = fmt::format("f{}", i)});
    }
    ask(calls);
    place_.clock->advance(1s);
    for (const PlainCall& each : calls) {
      place_.clock->advance(1ms);
      ask({each});
    }
    const std::vector<PlainCall> one(1, calls.front());
    for (int i = 0; i < 3; ++i) ask(one);
    mix_.pause_for_good();
    place_.clock->advance(1s);
    note("swept {}", subject_->sweep());
  }

  const RecordedRun& run_;
  const Place place_;
  CallMix mix_;
  Dice dice_{run_.seed + 1};
  std::unique_ptr<Subject> subject_;
  std::size_t step_ = 0;
  std::size_t lines_ = 0;
  Played played_;
};

}  // namespace

std::string every_refusal() {
  std::string text;
  for (const OperationRow& operation : operations()) {
    for (const RejectionRow& rejection : rejection_table) {
      for (const ReasonRow& reason : reason_table) {
        const bool invalid = rejection.id == Rejection::invalid_request;
        if (reason.id != Reason::none && !invalid) continue;
        Answer answer;
        answer.operation = operation.id;
        answer.rejection = rejection.id;
        answer.reason = reason.id;
        answer.token = "token-1";
        for (const bool recorded : {false, true}) {
          answer.recorded = recorded;
          text += fmt::format("{} {} {} {} exit {} {} {}\n", operation.name, rejection.name,
                              static_cast<int>(reason.id), recorded ? "recorded" : "not recorded",
                              exit_code(rejection.id), http_status(answer), answer_body(answer));
        }
      }
    }
  }
  return text;
}

Played play(const RecordedRun& run, const std::string& store) {
  Played played = Playing(run, store).play();
  if (store == ":memory:") return played;
  played.journal = journal_text(store);
  if (run.flood > 0) return played;  // their leaves are like any others
  std::string leaves = leaves_of_closed(store);
  if (!played.leaves.empty() && played.leaves != leaves)
    throw std::runtime_error("the leaves are other ones once the store is closed");
  played.leaves = std::move(leaves);
  return played;
}

}  // namespace holdfast::test
