#pragma once

#include <functional>
#include <list>
#include <memory>

#include "effects/job.hpp"
#include "effects/mailbox.hpp"
#include "engine/service.hpp"

namespace holdfast::effects {

/// An answer of the service, and the instant since which it may hold: what was leased then for so
/// long is ours at least until so long after it.
struct Told {
  Answer answer;
  Time since{};
};

/// Asks the service, with the same token again and again until there is an answer. A store that is
/// not there, or does not say what became of a commit, is not one. One thread, the mailbox's.
class Asking {
 public:
  using Then = std::function<void(const Told&)>;

  Asking(Service& service, std::shared_ptr<Mailbox> mailbox)
      : service_(service), mailbox_(std::move(mailbox)) {}

  /// Calls `then` with a letter.
  void ask(Call call, Then then);
  /// Asks again what is due.
  void ask_again(Time now);
  [[nodiscard]] std::size_t under_way() const { return questions_.size(); }

 private:
  struct Question {
    Call call;
    Then then;
    Time since{};
    Time again_at = Time::max();
    int tries = 0;
    bool may_be_done = false;  ///< an earlier try
  };
  using Place = std::list<Question>::iterator;

  void submit(Place question);
  void answered(Place question, Answer answer);

  Service& service_;
  const std::shared_ptr<Mailbox> mailbox_;
  std::list<Question> questions_;
};

}  // namespace holdfast::effects
