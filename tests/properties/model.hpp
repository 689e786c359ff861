#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "domain/rules.hpp"
#include "holdfast/types.hpp"

namespace holdfast::test {

/// What semantics.md says, once more and on its own: written from the document, sharing no code
/// with the engine beyond its vocabulary. It keeps lists and walks through them; being right is
/// all it is for.
class Model {
 public:
  Model(const Rules& rules, Instant opened_at) : rules_(rules), time_(opened_at) {}

  /// What a call must be told at that reading of the clock, and what it does.
  [[nodiscard]] Answer submit(const Call& call, Instant clock);
  /// Expires at most so many lapsed holds, earliest first; how many.
  std::size_t sweep(Instant clock, std::size_t most);
  /// Something acted upon this reading of the clock: time does not run back behind it.
  Instant act_at(Instant clock);
  /// All that was not written down is forgotten.
  void restart(Instant clock) { time_ = std::max(last_written_, clock); }

  struct HoldSeen {
    std::string tenant;
    Hold hold;  ///< its id has no salt: that is the engine's to choose
    std::string token;
  };
  [[nodiscard]] const std::vector<HoldSeen>& holds() const { return holds_; }
  [[nodiscard]] std::int64_t in_use(const std::string& tenant, const std::string& resource,
                                    Instant clock) const;
  [[nodiscard]] std::int64_t capacity(const std::string& tenant, const std::string& resource) const;
  /// The ends of the windows of all tokens that were ever recorded.
  [[nodiscard]] const std::vector<Instant>& window_ends() const { return window_ends_; }
  /// The salts of the ids, once the engine has told them.
  std::map<std::uint64_t, std::uint64_t> salts;
  /// A hold with the salts that are known of its ids.
  [[nodiscard]] Hold salted(Hold hold) const;

 private:
  using Name = std::pair<std::string, std::string>;
  struct Recording {
    std::string request;
    Answer answer;
    Instant at;
    std::optional<Duration> window;
  };

  Answer run(const Call& call, Instant now);
  Answer place(const Call& call, Instant now);
  Answer declare(const Call& call, Instant now);
  Answer confirm(const Call& call, Instant now);
  Answer resolve(const Call& call, Instant now);
  Answer extend(const Call& call, Instant now);
  Answer cancel(const Call& call);
  Answer place_group(const Call& call, Instant now);
  Answer change_group(const Call& call, GroupId id, Instant now);
  /// Of a hold that was there: refused, or done.
  Answer about(const Call& call, const Hold& hold, std::optional<Rejection> rejection) const;
  std::string group_words(GroupId id) const;
  HoldSeen& add_hold(const Call& call, std::string resource, std::string requester,
                     std::int64_t quantity, Duration duration, Instant now);
  bool is_duration(Duration duration, Instant now) const;
  std::optional<Reason> reason_against(const Placing& what, const std::string& tenant,
                                       Instant now) const;
  std::vector<HoldSeen*> lapsed(Instant now);
  /// The lapsed holds to expire; nothing if even all of them are not enough.
  std::optional<std::vector<HoldSeen*>> room_for(const Name& resource, std::int64_t quantity,
                                                 std::int64_t capacity, Instant now);
  bool make_room(const Name& resource, std::int64_t quantity, std::int64_t capacity, Instant now);
  HoldSeen* find(const std::string& tenant, HoldId id);
  std::optional<Duration> window_of(Operation operation) const;

  const Rules rules_;
  Instant time_;
  Instant last_written_ = Instant::min();
  std::vector<HoldSeen> holds_;
  std::map<Name, Recording> tokens_;
  std::map<Name, std::int64_t> declared_;
  std::vector<Instant> window_ends_;
};

}  // namespace holdfast::test
