#include <algorithm>

#include "client/core.hpp"
#include "client/judge.hpp"
#include "client/requests.hpp"
#include "client/sendable.hpp"

namespace holdfast {
namespace client {
namespace {

// What a server takes in one request, unless it was configured otherwise.
constexpr std::size_t operations_max = 10'000;
constexpr std::size_t batch_bytes_max = 1'000'000;

/// Calls sent together until each has its reply. What is open after a round goes into the next.
class Batch {
 public:
  Batch(Core& core, const std::vector<Call>& calls)
      : core_(core), calls_(calls), replies_(calls.size()), efforts_(calls.size()) {}

  std::vector<Reply> run() {
    for (std::size_t i = 0; i < calls_.size(); ++i) replies_[i] = refused_here(calls_[i]);
    const Patience patience(core_.options);
    std::vector<std::size_t> open = open_calls();
    while (!open.empty()) {
      asked_.reset();
      ++attempts_;
      send_all(open, patience);
      open = open_calls();
      if (open.empty() || patience.wait(attempts_, asked_)) continue;
      for (const std::size_t each : open) give_up(each, Effect::unknown);
      break;
    }
    std::vector<Reply> replies;
    replies.reserve(replies_.size());
    for (std::optional<Reply>& each : replies_) replies.push_back(std::move(*each));
    return replies;
  }

 private:
  /// What became of a call so far.
  struct Effort {
    Trouble trouble;
    Effect effect = Effect::none;
  };

  [[nodiscard]] std::vector<std::size_t> open_calls() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < replies_.size(); ++i) {
      if (!replies_[i]) open.push_back(i);
    }
    return open;
  }

  /// In as many requests as it takes.
  void send_all(std::span<const std::size_t> open, const Patience& patience) {
    std::vector<std::string> items;
    std::size_t bytes = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
      std::string item = batch_item(calls_[open[i]]);
      const bool fits = items.size() < operations_max && bytes + item.size() < batch_bytes_max;
      if (!fits && !items.empty()) {
        send(open.subspan(begin, items.size()), items, patience.left());
        begin = i;
        items.clear();
        bytes = 0;
      }
      bytes += item.size() + 1;
      items.push_back(std::move(item));
    }
    send(open.subspan(begin), items, patience.left());
  }

  void send(std::span<const std::size_t> sent, std::span<const std::string> items, Duration left) {
    const auto response = core_.exchange(batch_request(items), left);
    if (!response) return conclude_all(sent, setback_of(response.error()));
    const Document body(response->body);
    const Told told = told_by(*response, body, *core_.options.clock);
    if (!is_success(told)) return conclude_all(sent, setback_of(told));
    const auto results = told.body ? told.body->array("results") : std::nullopt;
    if (!results || results->size() != sent.size()) {
      return conclude_all(sent, garbled(told, "could not be understood"));
    }
    for (std::size_t i = 0; i < sent.size(); ++i) conclude(sent[i], judged(sent[i], (*results)[i]));
  }

  [[nodiscard]] Attempt<Answer> judged(std::size_t index, const Json& result) const {
    return judge(calls_[index], {.status = static_cast<int>(result.integer("status").value_or(0)),
                                 .body = result.member("body"),
                                 .replayed = result.truth("replayed").value_or(false)});
  }

  void conclude_all(std::span<const std::size_t> sent, const Setback& setback) {
    for (const std::size_t each : sent) conclude(each, tl::unexpected(setback));
  }

  void conclude(std::size_t index, Attempt<Answer> made) {
    if (made) {
      replies_[index] = std::move(*made);
      return;
    }
    Setback& setback = made.error();
    Effort& effort = efforts_[index];
    if (setback.effect == Effect::unknown) effort.effect = Effect::unknown;
    if (setback.asked) asked_ = std::max(asked_.value_or(Duration::zero()), *setback.asked);
    effort.trouble = std::move(setback.trouble);
    if (setback.final) give_up(index, effort.effect);
  }

  void give_up(std::size_t index, Effect effect) {
    replies_[index] = tl::unexpected(NoAnswer{.call = calls_[index],
                                              .effect = effect,
                                              .attempts = attempts_,
                                              .trouble = std::move(efforts_[index].trouble)});
  }

  Core& core_;
  const std::vector<Call>& calls_;
  std::vector<std::optional<Reply>> replies_;  ///< unset: open
  std::vector<Effort> efforts_;
  std::size_t attempts_ = 0;
  std::optional<Duration> asked_;  ///< by the server, in this round
};

}  // namespace
}  // namespace client

std::vector<Reply> Client::submit(const std::vector<Call>& calls) {
  return client::Batch(*impl_, calls).run();
}

}  // namespace holdfast
