#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "domain/operation.hpp"
#include "leased_work/details.hpp"
#include "leased_work/lease_state.hpp"

/// What is decided about leased work, whatever the work: who may have it, who may speak of it, and
/// when it is tried again. Modules ask here, and say what the answer means for what is theirs.
namespace holdfast::leased_work {

// Leasing.

/// What a lease asks for.
struct Asked {
  std::vector<std::string> queues;  ///< in this order; one that is named twice counts once
  std::int64_t max = 1;
  Duration lease{};
};

/// Needs the work of such rows that is ready in these queues.
void need_queues(const Asked& asked, RowSpace space, Needs& needs);
/// Why nothing is leased, or renewed, for that long; nothing if it may be.
[[nodiscard]] Refused not_a_lease(Duration lease);
/// Whether nobody is at work on it, and it need not wait any longer.
[[nodiscard]] bool may_be_leased(const LeaseState& lease, Instant now);
/// Nothing yet, for the caller, until its lease ends.
[[nodiscard]] Leased lease_of(const Asked& asked, const Deciding& deciding);
/// Gives a piece of work away, with the next fence. `attempt` is what its attempts are then.
void give(Leased& said, std::string_view id, const LeaseState& lease, std::uint64_t attempt);
/// Records that it was given away. Where nothing was, nothing was done: then the detail is the
/// answer, and the token is unused.
void note(const Leased& said, std::string detail, RecordKind kind, Deciding& deciding);

// Speaking of it.

/// What a module refuses with whose work it is.
struct Refusals {
  Rejection not_known;
  Rejection not_open;  ///< nothing is left to do; or for an operator: somebody is at work on it

  // What the operations of each can be refused for, in order of precedence.
  [[nodiscard]] constexpr std::array<Rejection, 4> of_holders() const {
    return {Rejection::invalid_request, not_known, not_open, Rejection::stale_fence};
  }
  [[nodiscard]] constexpr std::array<Rejection, 3> of_operators() const {
    return {Rejection::invalid_request, not_known, not_open};
  }
};

/// Who speaks of leased work: the caller's principal, and the fence that the lease came with.
struct Speaker {
  std::string_view principal;
  std::int64_t fence = 0;
};

/// Why somebody may not speak of the work; nothing if they may. A fence alone is a small number
/// that can be guessed, so it has to be the principal who holds the lease. `known` is whether there
/// is anything of its id; `lease` is null where nothing is left to do.
[[nodiscard]] Refused not_the_holder(bool known, const LeaseState* lease, const Speaker& speaker,
                                     const Refusals& refusals);
/// Why an operator may not change what becomes of the work now. That nothing is left to do is no
/// reason.
[[nodiscard]] Refused not_at_rest(bool known, const LeaseState* lease, const Refusals& refusals);

/// The lease ends that long after now, if that is later.
void renew(LeaseState& lease, Duration length, Instant now);

// Trying again.

/// It waits until then, and nobody is at work on it.
void rest_until(LeaseState& lease, Instant ready_at);
/// It waits as long as its attempts so far say.
void back_off(LeaseState& lease, std::string_view id, Instant now);
/// The same after an attempt that came to nothing. False where that was the last one: then it rests
/// as it is, and its module says what becomes of it.
[[nodiscard]] bool try_again(LeaseState& lease, std::string_view id, Instant now);

/// Whether its lease has ended without a word.
[[nodiscard]] bool is_lost(const LeaseState& lease, Instant now);
/// What such an attempt ended in.
inline constexpr std::string_view without_a_word = "the lease ended without a word";

}  // namespace holdfast::leased_work
