#pragma once

#include <fmt/format.h>

#include <functional>

#include "support/stores/command_test.hpp"

/// Commands for a process that is killed, and for the one that judges what it left behind. A token
/// says what its call is.
namespace holdfast::test {

/// Prepares by the registry of these tests.
[[nodiscard]] inline std::function<void(Call&)> preparing_for_crashes() {
  std::vector<commands::Declaration> all{declared("do", "nothing")};
  for (const auto each :
       {commands::Shield::s1, commands::Shield::s2, commands::Shield::s3, commands::Shield::s4}) {
    all.push_back(pulled("do", std::string(commands::name(each)), each));
    all.back().effect.attempts_max = 1000;
    all.back().effect.backoff = 1ms;
    all.back().effect.backoff_max = 2ms;
  }
  const auto preparer = std::make_shared<commands::Preparer>(HashKey{1, 2});
  preparer->put_in_force(registry_of(std::move(all)));
  return [preparer](Call& call) { (*preparer)(call); };
}

/// `submit-…`, `lease-…`, `probe-…`, `complete-FENCE-ID` and `fail-FENCE-ID`.
[[nodiscard]] inline Call command_call_of(const std::string& token) {
  const std::size_t drawn = std::hash<std::string>()(token);
  Call call{.command = {}, .token = Token(token)};
  const std::size_t dash = token.find('-');
  const std::string what = token.substr(0, dash);
  const std::string rest = token.substr(dash + 1);
  if (what == "submit") {
    static constexpr const char* actions[] = {"nothing", "S1", "S2", "S3", "S4"};
    call.command = Command(Submitting{.entity = "do", .action = actions[drawn % 5]});
  } else if (what == "lease" || what == "probe") {
    call.command = Command(Leasing{.kinds = {"warehouse"},
                                   .max = 2,
                                   .lease = drawn % 4 == 0 ? Duration(1ms) : Duration(2s),
                                   .dispatches = what == "probe"});
  } else {
    const std::int64_t fence = std::stoll(rest);
    const std::string id = rest.substr(rest.find('-') + 1);
    static constexpr const char* verdicts[] = {"retry", "unknown", "absent"};
    if (what == "complete") call.command = Command(Completing{.id = id, .fence = fence});
    if (what == "fail")
      call.command = Command(Failing{.id = id, .fence = fence, .verdict = verdicts[drawn % 3]});
  }
  return call;
}

/// The tokens of what a worker says of the effects it was given: mostly that they took place.
[[nodiscard]] inline std::vector<std::string> words_on(const Answer& leased, bool always_good) {
  std::vector<std::string> tokens;
  const std::string& text = leased.document;
  const std::string head = R"("command_id":")";
  for (std::size_t at = text.find(head); at != std::string::npos; at = text.find(head, at + 1)) {
    const std::string rest = text.substr(at);
    const std::string id = text_in(rest, "command_id");
    const std::size_t fence = rest.find(R"("fence":)") + 8;
    const bool good = always_good || std::hash<std::string>()(id) % 3 != 0;
    tokens.push_back(
        fmt::format("{}-{}-{}", good ? "complete" : "fail", std::stoll(rest.substr(fence)), id));
  }
  return tokens;
}

}  // namespace holdfast::test
