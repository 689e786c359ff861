#include "properties/random_history.hpp"

#include <fmt/format.h>

#include <random>

#include "properties/model.hpp"
#include "support/calls.hpp"
#include "support/journals/audit.hpp"
#include "support/stores/harness.hpp"

namespace holdfast::test {
namespace {

using Kind = Deed::Kind;

const std::vector<std::string> resources{"room", "Room", "seats", " "};
const std::vector<std::string> requesters{"g", "h", ""};
const std::vector<Caller> callers{{"default", "alice"}, {"default", "bob"}, {"acme", "alice"}};
const std::vector<Duration> durations{1s, 10s, 60s, 1h, 0s};
const std::vector<std::int64_t> quantities{1, 1, 1, 2, 3, 5, 0, quantity_max};
const std::vector<Duration> steps{1us, 1s, 10s, 59s, 60s, 10min, -1us, -7s, -1h};

template <typename T>
const T& pick(const std::vector<T>& from, std::uint32_t number) {
  return from[number % from.size()];
}

std::string token_text(std::uint32_t number) {
  if (number % 97 == 0) return "";                     // malformed
  if (number % 97 == 1) return std::string(257, 'x');  // malformed too
  return fmt::format("t{}", number % 16);
}

/// Plays a history; stops at the first difference.
class Run {
 public:
  Run(const std::string& engine, const Rules& rules) : on_(engine, rules), model_(rules, start) {}

  std::optional<std::string> play(const std::vector<Deed>& deeds) {
    for (const Deed& deed : deeds) {
      if (!deed.same_batch || !is_call(deed)) flush();
      if (difference_) return difference_;
      if (is_call(deed)) {
        batch_.push_back(call_of(deed));
      } else {
        do_other(deed);
        compare_state();
      }
    }
    flush();
    if (!difference_) audit();
    return difference_;
  }

 private:
  static bool is_call(const Deed& deed) { return deed.kind <= Kind::retry; }

  Call call_of(const Deed& deed) {
    if (deed.kind == Kind::retry && !made_.empty()) return pick(made_, deed.hold);
    const Caller& caller = pick(callers, deed.caller);
    const std::string token = token_text(deed.token);
    Call call = confirm(id_of(deed), token, caller);
    if (deed.kind == Kind::place) {
      call = place({.resource = pick(resources, deed.resource),
                    .requester = pick(requesters, deed.requester),
                    .duration = pick(durations, deed.duration),
                    .quantity = pick(quantities, deed.quantity)},
                   token, caller);
    } else if (deed.kind == Kind::declare) {
      call =
          declare(pick(resources, deed.resource), pick(quantities, deed.quantity), token, caller);
    } else if (deed.kind == Kind::release) {
      call.command = Command::release(id_of(deed));
    } else if (deed.kind == Kind::expire) {
      call.command = Command::expire(id_of(deed));
    } else if (auto newer = newer_command(deed)) {
      call.command = std::move(*newer);
    }
    made_.push_back(call);
    return call;
  }

  /// Now and then all of it.
  static std::optional<std::int64_t> part_of(const Deed& deed) {
    if (deed.requester % 4 == 0) return std::nullopt;
    return pick(quantities, deed.quantity);
  }

  static Grouping group_of(const Deed& deed) {
    Grouping what{.requester = pick(requesters, deed.requester),
                  .duration = pick(durations, deed.duration),
                  .holds = {}};
    const std::uint32_t size = deed.quantity % 16 == 0 ? 0 : 1 + deed.hold % 3;
    for (std::uint32_t i = 0; i < size; ++i) {
      what.holds.push_back(
          {pick(resources, deed.resource + i * deed.hold), pick(quantities, deed.quantity + i)});
    }
    return what;
  }

  /// The group of a hold; of one that is in none, its own id as if it were.
  GroupId group_id_of(const Deed& deed) const {
    const HoldId id = id_of(deed);
    if (id.ordinal < 1 || id.ordinal > model_.holds().size()) return {id};
    const Hold hold = model_.salted(model_.holds()[id.ordinal - 1].hold);
    return hold.id == id && hold.group ? *hold.group : GroupId{id};
  }

  /// What the operations that came later are asked; nothing for the others.
  std::optional<Command> newer_command(const Deed& deed) const {
    const Duration duration = pick(durations, deed.duration);
    switch (deed.kind) {
      case Kind::confirm_part:
        return Command(Confirming{
            .hold = id_of(deed), .quantity = part_of(deed), .final = deed.duration % 4 == 0});
      case Kind::extend:
        return Command(Extending{.hold = id_of(deed), .duration = duration});
      case Kind::cancel:
        return Command(Cancelling{.hold = id_of(deed), .quantity = part_of(deed)});
      case Kind::place_group:
        return Command(group_of(deed));
      case Kind::confirm_group:
        return Command(GroupConfirming{group_id_of(deed)});
      case Kind::release_group:
        return Command(GroupReleasing{group_id_of(deed)});
      case Kind::extend_group:
        return Command(GroupExtending{.group = group_id_of(deed), .duration = duration});
      default:
        return std::nullopt;
    }
  }

  /// Mostly an id that was given out; sometimes one that was not, or a salt that is not its own.
  HoldId id_of(const Deed& deed) const {
    const std::size_t known = model_.holds().size();
    if (known == 0 || deed.requester % 16 == 0) return {known + 1, 1};
    const std::uint64_t ordinal = known - deed.hold % std::min<std::size_t>(known, 4);
    const auto salt = model_.salts.find(ordinal);
    const std::uint64_t known_salt = salt == model_.salts.end() ? 0 : salt->second;
    return {ordinal, known_salt ^ (deed.requester % 16 == 1 ? 1U : 0U)};
  }

  void flush() {
    if (batch_.empty() || difference_) return;
    const std::vector<Call> calls = std::exchange(batch_, {});
    const std::vector<Answer> answers = on_.submit(calls);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      // The engine has chosen the salts of new holds; the model has to be told first.
      learn_salts(answers[i]);
      Answer expected = model_.submit(calls[i], clock_);
      if (expected.hold) expected.hold = model_.salted(*expected.hold);
      Answer said = answers[i];
      if (const auto group = group_in(said)) said.document = in_words(*group);
      compare(said, expected);
    }
    compare_state();
  }

  void learn_salts(const Answer& answer) {
    if (answer.replayed) return;
    const auto& hold = answer.hold;
    if (hold) model_.salts[hold->id.ordinal] = hold->id.salt;
    if (const auto group = group_in(answer)) {
      for (const Hold& each : group->holds) model_.salts[each.id.ordinal] = each.id.salt;
    }
  }

  static std::string in_words(const Group& group) {
    std::string text;
    for (const Hold& each : group.holds) text += words(each) + "; ";
    return text;
  }

  void compare(const Answer& said, const Answer& expected) {
    const auto line = [](const Answer& answer) {
      return words(answer) + (answer.replayed ? " (a replay)" : "");
    };
    if (line(said) != line(expected)) differ(line(said), line(expected));
  }

  void do_other(const Deed& deed) {
    const Duration nearly = Duration(static_cast<std::int64_t>(deed.duration % 3) - 1);
    switch (deed.kind) {
      case Kind::step:
        return set_clock(clock_ + pick(steps, deed.duration));
      case Kind::jump_to_expiry:
        if (model_.holds().empty()) return;
        return set_clock(pick(model_.holds(), deed.hold).hold.expires_at + nearly);
      case Kind::jump_to_window:
        if (model_.window_ends().empty()) return;
        return set_clock(pick(model_.window_ends(), deed.hold) + nearly);
      case Kind::sweep: {
        const std::size_t most = 1 + deed.hold % 3;
        const std::size_t swept = on_.sweep(most);
        const std::size_t expected = model_.sweep(clock_, most);
        if (swept != expected) differ(fmt::format("swept {}", swept), fmt::to_string(expected));
        return;
      }
      case Kind::forget:
        (void)on_.store().forget_expired(1 + deed.hold % 3);
        (void)model_.act_at(clock_);
        return;
      default:
        if (!on_.persistent()) return;
        on_.reopen();
        model_.restart(clock_);
    }
  }

  void set_clock(Instant to) {
    clock_ = to;
    on_.at(to);
  }

  /// Every hold and every resource, as they can be looked up.
  void compare_state() {
    for (const Model::HoldSeen& each : model_.holds()) {
      const Hold expected = model_.salted(each.hold);
      const auto shown = on_.store().hold(each.tenant, expected.id);
      if (!shown || !*shown) return differ("no hold", words(expected));
      if ((*shown)->hold != expected) differ(words((*shown)->hold), words(expected));
      if ((*shown)->token != each.token) differ((*shown)->token, each.token);
    }
    for (const std::string tenant : {"default", "acme"}) {
      for (const std::string& name : resources) {
        const Resource shown = *on_.store().resource(tenant, name);
        const auto expected =
            std::pair(model_.in_use(tenant, name, clock_), model_.capacity(tenant, name));
        if (std::pair(shown.in_use, shown.capacity) == expected) continue;
        differ(words(shown), fmt::format("in use {} of {}", expected.first, expected.second));
      }
    }
  }

  void audit() {
    const auto found = on_.violations();
    if (!found.empty()) differ(found.front(), "a clean audit");
  }

  void differ(const std::string& said, const std::string& expected) {
    if (!difference_) difference_ = fmt::format("   said: {}\nexpected: {}", said, expected);
  }

  Harness on_;
  Model model_;
  Instant clock_ = start;
  std::vector<Call> batch_;
  std::vector<Call> made_;
  std::optional<std::string> difference_;
};

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, 19> names{
      "place",         "confirm",      "release", "expire",      "declare",
      "part",          "extend",       "cancel",  "place_group", "confirm_group",
      "release_group", "extend_group", "retry",   "step",        "jump_expiry",
      "jump_window",   "sweep",        "forget",  "reopen"};
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace

std::vector<Deed> random_deeds(std::uint64_t seed) {
  // How often each kind comes up, in the order of their declaration.
  constexpr std::array<double, 19> weights{30, 8, 6,  6, 9, 10, 10, 10, 8, 4,
                                           3,  4, 20, 8, 8, 4,  4,  2,  2};
  std::mt19937_64 random(seed);
  std::discrete_distribution<int> kinds(weights.begin(), weights.end());
  std::vector<Deed> deeds(20 + random() % 60);
  const auto number = [&] { return static_cast<std::uint32_t>(random()); };
  for (Deed& deed : deeds) {
    deed = {.kind = static_cast<Kind>(kinds(random)),
            .same_batch = number() % 3 == 0,
            .token = number(),
            .hold = number(),
            .resource = number(),
            .requester = number(),
            .quantity = number(),
            .duration = number(),
            .caller = number()};
  }
  return deeds;
}

Rules random_rules(std::uint64_t seed) {
  std::mt19937_64 random(seed ^ 0x5eedULL);
  Rules rules;
  rules.window = random() % 2 == 0 ? Duration(10min) : Duration(60s);
  if (random() % 3 == 0) rules.lifetime_max = random() % 2 == 0 ? Duration(70s) : Duration(2h);
  for (const OperationRow& operation : operations()) {
    Policy& policy = rules.policies[operation.id];
    if (random() % 3 == 0) policy.on_reject = OnReject::release;
    if (random() % 4 == 0) policy.window = 10s;
    if (random() % 6 == 0) policy.token_class = TokenClass::i1_strict;
    if (random() % 6 == 0) policy.token_class = TokenClass::i2_windowed;
  }
  return rules;
}

std::optional<std::string> first_difference(const std::string& engine, const Rules& rules,
                                            const std::vector<Deed>& deeds) {
  return Run(engine, rules).play(deeds);
}

std::vector<Deed> cut_down(const std::string& engine, const Rules& rules, std::vector<Deed> deeds) {
  for (std::size_t length = deeds.size() / 2; length > 0; length /= 2) {
    for (std::size_t from = 0; from + length <= deeds.size();) {
      std::vector<Deed> fewer = deeds;
      const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(from);
      fewer.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
      if (first_difference(engine, rules, fewer)) {
        deeds = std::move(fewer);
      } else {
        from += length;
      }
    }
  }
  return deeds;
}

std::string in_words(const std::vector<Deed>& deeds) {
  std::string text;
  for (const Deed& deed : deeds) {
    text += fmt::format(
        "  {}{} token={} hold={} resource={} requester={} quantity={} duration={} caller={}\n",
        deed.same_batch ? "+ " : "  ", name_of(deed.kind),
        visible(token_text(deed.token).substr(0, 8)), deed.hold,
        visible(pick(resources, deed.resource)), deed.requester, pick(quantities, deed.quantity),
        deed.duration, pick(callers, deed.caller).principal);
  }
  return text;
}

}  // namespace holdfast::test
