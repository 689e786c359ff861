#include "store/kept_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/time_text.hpp"
#include "domain/digest.hpp"

namespace holdfast {
namespace {

StoreError error(const std::string& store, std::string_view text) {
  return {.message = fmt::format("{}: {}", store, text)};
}

std::string in_words(std::optional<Duration> window) {
  return window ? "for " + to_short_text(*window) : std::string("for ever");
}

std::string own_window_name(Operation operation) {
  return fmt::format("own_window.{}", name(operation));
}

void keep_history(WindowHistory& history, std::string_view name, std::int64_t number) {
  if (name == made_window_name) history.made = Duration(number);
  if (name == forgotten_name) history.forgotten_to = Instant(Duration(number));
  if (name == change_name) history.seq = static_cast<std::uint64_t>(number);
  for (const OperationRow& operation : operations()) {
    if (name == own_window_name(operation.id))
      history.own |= std::uint64_t{1} << static_cast<unsigned>(operation.id);
  }
}

}  // namespace

std::string window_name(Operation operation) {
  return fmt::format("window_us.{}", name(operation));
}

void keep_number(KeptRules& kept, std::string_view name, std::optional<std::int64_t> number) {
  for (std::size_t i = 0; i < secret_names.size(); ++i) {
    if (name != secret_names[i] || !number) continue;
    if (!kept.confirmation_secret) kept.confirmation_secret.emplace();
    (*kept.confirmation_secret)[i] = std::bit_cast<std::uint64_t>(*number);
  }
  if (name == plain_name) kept.plain_until = static_cast<std::uint64_t>(number.value_or(0));
  if (number) keep_history(kept.history, name, *number);
  std::optional<Duration> window;
  if (number) window = Duration(*number);
  if (name == "window_us") kept.window = window;
  for (const OperationRow& operation : operations()) {
    if (name != window_name(operation.id)) continue;
    kept.operations.push_back(operation.id);
    Policy& policy = kept.policies[operation.id];
    policy.token_class = window ? TokenClass::i2_windowed : TokenClass::i1_strict;
    if (window) policy.window = window;
  }
}

StoreResult<void> check_kept(const std::string& store, const KeptRules& kept) {
  if (kept.digest_function != digest_function) {
    return tl::unexpected(
        error(store,
              fmt::format("the store's digests are {}, this program's are {}: it would take honest "
                          "retries for collisions. Use the version of Holdfast that made it.",
                          kept.digest_function, digest_function)));
  }
  if (!kept.window)
    return tl::unexpected(error(store, "the store does not say its window: it is damaged."));
  return {};
}

StoreResult<void> check_operations(const std::string& store, const KeptRules& kept) {
  const std::vector<KeptNumber> missing = new_windows(kept);
  if (missing.empty()) return {};
  return tl::unexpected(error(
      store, fmt::format("the store was made before there were all the operations of this program: "
                         "it has no {}. Make a backup, and run `holdfast store upgrade`.",
                         missing.front().name)));
}

namespace {

KeptNumber window_number(const Rules& rules, Operation operation) {
  KeptNumber kept{.name = window_name(operation), .number = {}};
  if (const auto window = rules.window_of(operation)) kept.number = window->count();
  return kept;
}

}  // namespace

std::vector<KeptNumber> kept_numbers(const Rules& rules) {
  std::vector<KeptNumber> all{{"window_us", rules.window.count()}};
  if (rules.plain_until != 0)
    all.push_back({std::string(plain_name), static_cast<std::int64_t>(rules.plain_until)});
  for (const OperationRow& each : operations()) all.push_back(window_number(rules, each.id));
  const WindowHistory& history = rules.history;
  if (!history.made) return all;
  all.push_back({std::string(made_window_name), history.made->count()});
  all.push_back({std::string(forgotten_name), history.forgotten_to.time_since_epoch().count()});
  all.push_back({std::string(change_name), static_cast<std::int64_t>(history.seq)});
  for (const OperationRow& each : operations()) {
    if (history.is_own(each.id)) all.push_back({own_window_name(each.id), 1});
  }
  return all;
}

std::vector<KeptNumber> new_windows(const KeptRules& kept) {
  Rules rules;
  adopt(kept, rules);
  std::vector<KeptNumber> all;
  for (const OperationRow& operation : operations()) {
    if (std::find(kept.operations.begin(), kept.operations.end(), operation.id) !=
        kept.operations.end())
      continue;
    all.push_back(window_number(rules, operation.id));
  }
  return all;
}

StoreResult<void> reconcile(const StoreOptions& options, const KeptRules& kept, Rules& rules) {
  if (options.window && *options.window != *kept.window) {
    return tl::unexpected(error(
        options.store,
        fmt::format("the store has a window of {}, and {} was asked for. Leave the window unset to "
                    "open the store as it is, or change it with `holdfast store window`.",
                    to_short_text(*kept.window), to_short_text(*options.window))));
  }
  rules.window = *kept.window;
  rules.plain_until = kept.plain_until;
  rules.history = kept.history;
  if (kept.confirmation_secret) rules.confirmation_secret = *kept.confirmation_secret;
  for (const OperationRow& operation : operations()) {
    const Policy& policy = kept.policies[operation.id];
    const auto asked = rules.window_of(operation.id);
    const auto has = policy.token_class == TokenClass::i1_strict ? std::nullopt : policy.window;
    if (asked == has) continue;
    return tl::unexpected(error(
        options.store,
        fmt::format(
            "the store keeps tokens of {} {}, and they were to be kept {}. A store keeps this "
            "for life: open it with the policy it was made with, or make a new store.",
            operation.name, in_words(has), in_words(asked))));
  }
  return {};
}

std::vector<KeptNumber> secret_numbers(const HashKey& secret) {
  std::vector<KeptNumber> both;
  for (std::size_t i = 0; i < secret_names.size(); ++i)
    both.push_back({std::string(secret_names[i]), std::bit_cast<std::int64_t>(secret[i])});
  return both;
}

bool keeps(const KeptRules& kept, const Rules& rules) {
  Rules there = rules;
  if (kept.window) adopt(kept, there);
  const auto same = [&](const OperationRow& each) {
    return there.window_of(each.id) == rules.window_of(each.id);
  };
  return there.window == rules.window && kept.confirmation_secret == rules.confirmation_secret &&
         std::all_of(operations().begin(), operations().end(), same);
}

void adopt(const KeptRules& kept, Rules& rules) {
  rules.window = *kept.window;
  if (kept.confirmation_secret) rules.confirmation_secret = *kept.confirmation_secret;
  rules.plain_until = kept.plain_until;
  rules.history = kept.history;
  for (const OperationRow& operation : operations()) {
    rules.policies[operation.id].token_class = kept.policies[operation.id].token_class;
    rules.policies[operation.id].window = kept.policies[operation.id].window;
  }
}

}  // namespace holdfast
