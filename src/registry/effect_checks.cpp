#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "modules/commands/template.hpp"
#include "registry/drafts.hpp"

namespace holdfast::registry {
namespace {

using commands::Effect;
using commands::EffectKind;
using commands::ParsedRequest;
using commands::RequestTemplate;
using commands::Shield;

constexpr std::array push_members{"method", "url",     "headers",  "body",   "key_header",
                                  "done",   "refused", "not_done", "timeout"};

/// Statuses that are in both lists; 0 if there are none.
int common(const std::vector<int>& a, const std::vector<int>& b) {
  const auto found = std::find_if(a.begin(), a.end(),
                                  [&](int each) { return std::count(b.begin(), b.end(), each); });
  return found == a.end() ? 0 : *found;
}

void check_lists(const toml::table& table, std::string_view first, const std::vector<int>& a,
                 std::string_view second, const std::vector<int>& b, Problems& problems) {
  if (const int status = common(a, b))
    problems.note(
        table, second,
        fmt::format("{} is in {} and in {}; keep it in one of them", status, first, second));
}

void check_kind(const toml::table& table, const Effect& effect, Problems& problems) {
  if (effect.kind == EffectKind::push) {
    if (effect.request.url.empty())
      problems.note(table, "url", "an effect of kind push needs a url; write where the call goes");
    if (effect.request.method == "HEAD")
      problems.note(table, "method", "an effect cannot use HEAD; write \"POST\"");
    if (effect.lease <= effect.timeout)
      problems.note(table, "lease",
                    "lease must be longer than timeout, or two dispatchers could call at once; "
                    "write a longer lease");
    const commands::AnswerRules& answers = effect.answers;
    check_lists(table, "done", answers.done, "refused", answers.refused, problems);
    check_lists(table, "done", answers.done, "not_done", answers.not_done, problems);
    check_lists(table, "refused", answers.refused, "not_done", answers.not_done, problems);
    return;
  }
  for (const char* member : push_members) {
    if (table.contains(member))
      problems.note(table, member,
                    fmt::format("{} belongs to kind push; leave it out of kind {}", member,
                                name(effect.kind)));
  }
  if (effect.kind == EffectKind::pull && table.contains("lease"))
    problems.note(table, "lease",
                  "workers say how long they lease an effect; leave it out of kind pull");
}

void check_shield(const toml::table& table, const EffectDraft& draft, Problems& problems) {
  const Shield shield = draft.effect.shield;
  const bool asks = shield == Shield::s3 || shield == Shield::s4;
  if (asks && draft.probe == nullptr)
    problems.note(table, "shield",
                  fmt::format("shield {} needs a probe, which asks the provider what it did; write "
                              "[command.effect.probe]",
                              name(shield)));
  if (!asks && draft.probe != nullptr)
    problems.note(table, "probe",
                  fmt::format("shield {} never asks a probe; leave it out, or choose S3 or S4",
                              name(shield)));
  if (shield != Shield::s1 && table.contains("key_header"))
    problems.note(
        table, "key_header",
        fmt::format("key_header belongs to shield S1; leave it out of shield {}", name(shield)));
  if (draft.effect.backoff_max < draft.effect.backoff)
    problems.note(table, "backoff_max",
                  "backoff_max must be no shorter than backoff; write a longer one");
}

void check_probe(const toml::table& table, const ProbeDraft& draft, Shield shield,
                 Problems& problems) {
  check_lists(table, "found", draft.probe.found, "absent", draft.probe.absent, problems);
  const bool lists = shield == Shield::s4;
  for (const char* member : {"list", "id"}) {
    if (lists && !table.contains(member))
      problems.note(table, member,
                    fmt::format("the probe of shield S4 needs {}; write a JSON pointer, such as "
                                "\"/data\" for list and \"/id\" for id",
                                member));
    if (!lists && table.contains(member))
      problems.note(table, member,
                    fmt::format("{} belongs to shield S4; leave it out of shield S3", member));
  }
  const std::string& method = draft.probe.request.method;
  if (method != "GET" && method != "POST" && (lists || method != "HEAD"))
    problems.note(table, "method",
                  fmt::format("a probe cannot use {}; write \"GET\" or \"POST\"", shown(method)));
}

void parse_request(const toml::table& table, RequestTemplate& request, std::string_view key_header,
                   Problems& problems) {
  auto parsed = ParsedRequest::parse(request, key_header);
  if (parsed) {
    request.parsed = std::move(*parsed);
    return;
  }
  const std::string& member = parsed.error().member;
  const std::size_t dot = member.find('.');
  const toml::table* place = &table;
  if (dot != std::string::npos && table.get("headers") != nullptr)
    place = table.get("headers")->as_table();
  const std::string at = dot == std::string::npos ? member : member.substr(dot + 1);
  const std::string shown_as = dot == std::string::npos ? member : "header " + shown(at);
  problems.note(*place, at, shown_as + " " + parsed.error().text);
}

void read_probe(const toml::table& table, Effect& effect, Problems& problems) {
  ProbeDraft draft;
  read_members(table, probe_members(), "a probe", draft, problems);
  if (problems.any()) return;
  check_probe(table, draft, effect.shield, problems);
  parse_request(table, draft.probe.request, {}, problems);
  draft.probe.list = draft.list.value_or("");
  draft.probe.id = draft.id.value_or("");
  effect.probe = std::move(draft.probe);
}

}  // namespace

void read_effect(const toml::table& table, Effect& effect, Problems& problems) {
  EffectDraft draft;
  read_members(table, effect_members(), "an effect", draft, problems);
  if (problems.any()) return;
  check_kind(table, draft.effect, problems);
  check_shield(table, draft, problems);
  if (problems.any()) return;
  const bool sends_key = draft.effect.shield == Shield::s1 && draft.effect.kind == EffectKind::push;
  if (sends_key && !commands::is_header_name(draft.effect.key_header))
    problems.note(table, "key_header",
                  "key_header cannot be that; write the name of a header of the request's own");
  parse_request(table, draft.effect.request, sends_key ? draft.effect.key_header : "", problems);
  if (draft.probe != nullptr && !problems.any()) read_probe(*draft.probe, draft.effect, problems);
  effect = std::move(draft.effect);
}

}  // namespace holdfast::registry
