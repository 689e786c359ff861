#include "crash/witness.hpp"

#include <algorithm>
#include <map>

#include "domain/request.hpp"
#include "support/journals/audit.hpp"

namespace holdfast::test {
namespace {

std::string body_of(std::string_view token, Operation operation, std::string_view principal,
                    const std::string& digest) {
  return fmt::format("{}\t{}\t{}\t{}", token, name(operation), principal, digest);
}

std::string body_of(const Call& call) {
  return body_of(call.token.bytes(), call.command.operation(), call.caller.principal,
                 make_request(call).digest.hex());
}

}  // namespace

Witness::Witness(const Witness& other)
    : Listener(),
      calls_(other.calls_),
      judged_(other.judged_),
      bodies_(other.bodies_),
      tokens_(other.tokens_) {}

std::uint64_t Witness::sent(const Call& call) {
  std::string body = body_of(call);
  const std::lock_guard lock(mutex_);
  ++bodies_[std::move(body)];
  tokens_.insert(call.token.bytes());
  calls_.push_back({call});
  return calls_.size() - 1;
}

void Witness::told(std::uint64_t number, const Answer& answer) {
  const std::lock_guard lock(mutex_);
  calls_.at(number).told = told_of(answer);
}

void Witness::hear(const std::string& line) {
  const auto fields = wire::fields_of(line);
  const auto number = wire::number_in<std::uint64_t>(fields.at(1));
  if (fields.front() == "sent") {
    heard_[number] = sent(wire::call_in(fields));
  } else {
    calls_.at(heard_.at(number)).told = wire::told_in(fields);
  }
}

std::size_t Witness::acknowledged() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(calls_.begin(), calls_.end(),
                    [](const Known& each) { return each.told && each.told->acknowledged(); }));
}

std::vector<std::string> Witness::judge(Service& service, std::size_t earlier_max,
                                        std::uint64_t seed) {
  std::vector<std::string> complaints = violations(service.store());
  check_records(service.store(), complaints);
  for (const std::size_t i : chosen(earlier_max, seed)) ask_again(service, calls_[i], complaints);
  for (std::string& each : violations(service.store())) {
    complaints.push_back("after asking again: " + std::move(each));
  }
  judged_ = calls_.size();
  return complaints;
}

std::vector<std::size_t> Witness::chosen(std::size_t earlier_max, std::uint64_t seed) const {
  std::vector<std::size_t> all(judged_);
  for (std::size_t i = 0; i < judged_; ++i) all[i] = i;
  std::vector<std::size_t> some;
  std::sample(all.begin(), all.end(), std::back_inserter(some), earlier_max, std::mt19937_64(seed));
  for (std::size_t i = judged_; i < calls_.size(); ++i) some.push_back(i);
  return some;
}

/// Nobody but the clients and the sweeper may have caused a record.
void Witness::check_records(const Store& store, std::vector<std::string>& complaints) const {
  std::map<std::string, std::uint64_t> placed;  // by token; with what outcome
  for (const Record& record : all_records(store)) {
    if (record.token.empty()) {
      const bool engine = record.kind == RecordKind::expired || record.kind == RecordKind::replayed;
      if (!engine) complaints.push_back(fmt::format("record {} has no token", record.seq));
      continue;
    }
    if (!tokens_.contains(record.token)) {
      complaints.push_back(
          fmt::format("record {} has token {}, which nobody sent", record.seq, record.token));
    } else if (!bodies_.contains(body_of(record.token, record.operation, record.principal,
                                         record.digest.hex()))) {
      complaints.push_back(
          fmt::format("record {} is not what was sent with token {}", record.seq, record.token));
    }
    if (record.kind != RecordKind::placed) continue;
    const std::uint64_t outcome = std::max(record.seq, record.ref);
    if (placed.try_emplace(record.token, outcome).first->second != outcome)
      complaints.push_back(fmt::format("token {} placed twice", record.token));
  }
}

void Witness::ask_again(Service& service, Known& known,
                        std::vector<std::string>& complaints) const {
  const auto complain = [&](std::string_view what, std::string_view instead) {
    complaints.push_back(fmt::format("{} token {}: {}; told before: {}; now: {}",
                                     name(known.call.command.operation()), known.call.token.bytes(),
                                     what, known.told ? known.told->words : "nothing", instead));
  };
  const auto found = service.store().token("default", known.call.token.bytes());
  if (!found) return complain("its token cannot be looked up", found.error().message);
  const bool bound = found->has_value();
  const bool ours = bound && (*found)->principal == known.call.caller.principal &&
                    (*found)->answer.operation == known.call.command.operation() &&
                    (*found)->digest == make_request(known.call).digest.hex();
  const bool denied = known.told && !known.told->acknowledged() &&
                      known.told->effect == Effect::none && bodies_.at(body_of(known.call)) == 1;
  if (denied && ours) complain("it had an effect", words((*found)->answer));
  const Answer answer = submit(service, known.call);
  const Told now = told_of(answer);
  if (!now.acknowledged()) return complain("it gets no answer", now.words);
  if (known.told && known.told->acknowledged()) {
    if (!bound) complain("it was acknowledged and is gone", now.words);
    if (now.words != known.told->words) complain("the answer is another", now.words);
    if (now.replayed != known.told->recorded) complain("it is no replay", now.words);
  }
  if (ours && !(now.replayed && now.words == words((*found)->answer))) {
    complain("it happened, but its replay is wrong", now.words);
  }
  if (bound && !ours && now.rejection != Rejection::token_collision) {
    complain("it should collide", now.words);
  }
  if (!bound && (now.replayed || !now.recorded)) complain("it should run now", now.words);
  known.told = now;
  check_effect(service.store(), answer, complaints);
}

/// What was answered is what is there.
void Witness::check_effect(const Store& store, const Answer& answer,
                           std::vector<std::string>& complaints) const {
  if (answer.ok() && answer.operation == Operation::group_place) {
    const Group group = group_in(answer).value_or(Group{});
    for (const Hold& each : group.holds) {
      const auto member = store.hold("default", each.id);
      if (!member || !*member || (*member)->token != answer.token)
        complaints.push_back("its token did not place " + words(each));
    }
  }
  if (!answer.ok() || !answer.hold) return;
  const auto shown = store.hold("default", answer.hold->id);
  if (!shown || !*shown) {
    complaints.push_back("there is no hold " + words(*answer.hold));
    return;
  }
  const HoldDetails& details = **shown;
  const bool placing = answer.operation == Operation::hold_place;
  if (placing && details.token != answer.token) {
    complaints.push_back("another token placed " + words(*answer.hold));
  }
  if (answer.hold->state == HoldState::held) return;  // it may have changed since
  Hold then = details.hold;                           // which can only have been cancelled since
  then.quantity_cancelled = answer.hold->quantity_cancelled;
  if (words(then) != words(*answer.hold)) {
    complaints.push_back("shown is " + words(details.hold) + ", told " + words(*answer.hold));
  }
}

}  // namespace holdfast::test
