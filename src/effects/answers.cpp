#include "effects/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.hpp"
#include "modules/commands/json.hpp"

namespace holdfast::effects {
namespace {

namespace dom = simdjson::dom;
using commands::Probe;
using commands::Shield;
using commands::Stage;

constexpr std::size_t body_bytes_max = std::size_t{16} << 10U;
constexpr Duration pause_max = std::chrono::minutes(5);
constexpr std::size_t ids_max = 1000;

bool lists(const std::vector<int>& statuses, int status) {
  return std::find(statuses.begin(), statuses.end(), status) != statuses.end();
}

bool is_success(int status) { return status >= 200 && status <= 299; }

/// Statuses that say by themselves that nothing was begun: too early (RFC 8470), too many requests
/// (RFC 6585).
bool is_turned_away(int status) { return status == 425 || status == 429; }

bool is_refusal(int status) {
  return status >= 400 && status <= 499 && status != 408 && status != 409 &&
         !is_turned_away(status);
}

/// Answers that say that the provider itself is in trouble, or wants to be left alone.
bool is_healthy(int status) { return status < 500 && status != 429; }

Finding judge_call(const Job& job, const outbound::Response& response, const Redaction& redaction) {
  Finding finding{.result = result_of(response, redaction),
                  .error = fmt::format("the provider answered {}", response.status),
                  .healthy = is_healthy(response.status),
                  .pause = pause_in(response)};
  switch (meaning_of(job.declaration->effect.answers, response.status)) {
    case Meaning::done:
      finding.verdict = Verdict::done;
      finding.healthy = true;
      finding.error.clear();
      break;
    case Meaning::refused:
      finding.verdict = Verdict::refused;
      finding.healthy = true;
      break;
    case Meaning::not_done:
      finding.verdict = Verdict::retry;
      break;
    case Meaning::unclear:
      finding.verdict = Verdict::unknown;
      break;
  }
  return finding;
}

bool is_found(const Probe& probe, int status) {
  return probe.found.empty() ? is_success(status) && !lists(probe.absent, status)
                             : lists(probe.found, status);
}

bool is_absent(const Probe& probe, int status) {
  return probe.absent.empty() ? status == 404 && !lists(probe.found, status)
                              : lists(probe.absent, status);
}

Finding no_answer_to_question(int status) {
  return {.verdict = Verdict::retry,
          .error = fmt::format("the provider answered {} when it was asked", status),
          .healthy = is_healthy(status)};
}

Finding absent() {
  return {.verdict = Verdict::absent, .error = "the provider says that it did not take place"};
}

Finding judge_probe(const Probe& probe, const outbound::Response& response,
                    const Redaction& redaction) {
  if (is_found(probe, response.status))
    return {.verdict = Verdict::done, .result = result_of(response, redaction)};
  if (is_absent(probe, response.status)) return absent();
  Finding finding = no_answer_to_question(response.status);
  finding.pause = pause_in(response);
  return finding;
}

Finding unreadable(std::string_view why) {
  return {.verdict = Verdict::retry, .error = fmt::format("the provider's list: {}", why)};
}

std::optional<std::string> id_of(const dom::element& item, const std::string& pointer) {
  dom::element id;
  std::string_view text;
  if (item.at_pointer(pointer).get(id) != simdjson::SUCCESS) return std::nullopt;
  if (id.get(text) == simdjson::SUCCESS) return std::string(text);
  if (id.is<std::int64_t>() || id.is<std::uint64_t>()) return simdjson::minify(id);
  return std::nullopt;
}

/// What is in the list. The ids are sorted: whichever comes first is kept, and that must be the
/// same one each time, however the provider orders its list.
Finding judge_items(const dom::array& list, const std::string& id, const Redaction& redaction) {
  Finding finding;
  for (const dom::element& item : list) {
    auto each = id_of(item, id);
    if (!each) return unreadable("an item has no id where the registry says");
    if (finding.ids.size() == ids_max) return unreadable("it is too long");
    finding.ids.push_back(std::move(*each));
  }
  if (finding.ids.empty()) return absent();
  std::sort(finding.ids.begin(), finding.ids.end());
  finding.ids.erase(std::unique(finding.ids.begin(), finding.ids.end()), finding.ids.end());
  finding.verdict = finding.ids.size() == 1 ? Verdict::done : Verdict::many;
  if (finding.verdict == Verdict::done) {
    JsonWriter json(finding.result);
    json.begin_object();
    text_member(json, "kept", redaction.in_text(finding.ids.front()));
    json.end_object();
  }
  return finding;
}

Finding judge_list(const Probe& probe, const outbound::Response& response,
                   const Redaction& redaction) {
  if (is_absent(probe, response.status)) return absent();
  if (!is_found(probe, response.status)) {
    Finding finding = no_answer_to_question(response.status);
    finding.pause = pause_in(response);
    return finding;
  }
  dom::parser parser;
  dom::element root;
  dom::element at;
  dom::array list;
  if (parser.parse(response.body).get(root) != simdjson::SUCCESS)
    return unreadable("the answer is no JSON");
  if (root.at_pointer(probe.list).get(at) != simdjson::SUCCESS || at.get(list) != simdjson::SUCCESS)
    return unreadable("there is none where the registry says");
  return judge_items(list, probe.id, redaction);
}

Finding judge_failure(const Job& job, const outbound::Failure& failure) {
  const bool asks = job.stage != Stage::call;
  const bool sent = failure.reached == outbound::Reached::maybe;
  const bool ours = failure.what == outbound::What::bad_call ||
                    failure.what == outbound::What::full || failure.what == outbound::What::closed;
  return {.verdict = sent && !asks ? Verdict::unknown : Verdict::retry,
          .error = fmt::format("{}: {}", name_of(failure.what), failure.text),
          .healthy = ours};
}

/// At most so many bytes, and no half of a character.
std::string cut(std::string_view body) {
  std::size_t size = body_bytes_max;
  while (size > 0 && (static_cast<unsigned char>(body[size]) & 0xC0U) == 0x80U) --size;
  return std::string(body.substr(0, size));
}

}  // namespace

Meaning meaning_of(const commands::AnswerRules& rules, int status) {
  if (lists(rules.done, status)) return Meaning::done;
  if (lists(rules.refused, status)) return Meaning::refused;
  if (lists(rules.not_done, status)) return Meaning::not_done;
  if (rules.done.empty() && is_success(status)) return Meaning::done;
  if (rules.refused.empty() && is_refusal(status)) return Meaning::refused;
  if (rules.not_done.empty() && is_turned_away(status)) return Meaning::not_done;
  return Meaning::unclear;
}

Finding judge(const Job& job, const outbound::Result& result, const Redaction& redaction) {
  if (!result) return judge_failure(job, result.error());
  if (job.stage == Stage::call) return judge_call(job, *result, redaction);
  const Probe& probe = *job.declaration->effect.probe;
  return job.stage == Stage::probe ? judge_probe(probe, *result, redaction)
                                   : judge_list(probe, *result, redaction);
}

std::string kept_text(std::string_view body, const Redaction& redaction, bool* truncated) {
  if (body.size() <= body_bytes_max) {
    if (const auto canonical = canonicalize(body)) return redaction.in_json(*canonical);
  }
  // What is secret may be where it is cut: it is looked for in the whole.
  const std::string whole = redaction.in_text(to_valid_utf8(body));
  const bool cuts = whole.size() > body_bytes_max;
  if (truncated != nullptr) *truncated = cuts;
  std::string text;
  JsonWriter(text).string(cuts ? cut(whole) : whole);
  return text;
}

std::string result_of(const outbound::Response& response, const Redaction& redaction) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  bool truncated = false;
  if (!response.body.empty()) {
    json.key("body");
    json.raw(kept_text(response.body, redaction, &truncated));
  }
  integer_member(json, "status", response.status);
  if (truncated) {
    json.key("truncated");
    json.boolean(true);
  }
  json.end_object();
  return text;
}

Duration pause_in(const outbound::Response& response) {
  const auto header = outbound::find_header(response.headers, "Retry-After");
  if (!header) return {};
  std::uint32_t seconds = 0;
  const char* const end = header->data() + header->size();
  const auto [at, error] = std::from_chars(header->data(), end, seconds);
  if (error != std::errc() || at != end) return {};
  return std::min<Duration>(std::chrono::seconds(seconds), pause_max);
}

}  // namespace holdfast::effects
