#include <array>

#include "registry/drafts.hpp"
#include "registry/values.hpp"

namespace holdfast::registry {
namespace {

using commands::EffectKind;
using commands::Shield;
using std::chrono::hours;
using std::chrono::milliseconds;
using toml::node;

constexpr std::size_t url_bytes_max = 2048;
constexpr std::size_t body_bytes_max = std::size_t{64} * 1024;
constexpr std::string_view an_url =
    "http:// or https://, a host, and a path, at most 2048 bytes in quotes";
constexpr std::string_view status_list = "a list of statuses from 100 to 599, each once";
constexpr std::string_view some_headers =
    "a table of at most 32 texts of at most 4096 bytes, such as { Accept = \"text/plain\" }";
constexpr std::string_view a_body = "JSON in quotes, at most 64 KiB";

constexpr std::array effect_table{
    Member<EffectDraft>{"kind", needed, "\"push\", \"pull\" or \"handler\"",
                        "Called over HTTP, leased by workers, or done by a C++ function.",
                        [](const node& value, EffectDraft& into) {
                          return take_choice(
                              value, {EffectKind::push, EffectKind::pull, EffectKind::handler},
                              into.effect.kind);
                        }},
    Member<EffectDraft>{"shield", needed, "\"S1\", \"S2\", \"S3\" or \"S4\"",
                        "What keeps the effect from happening twice: see below.",
                        [](const node& value, EffectDraft& into) {
                          return take_choice(value,
                                             {Shield::s1, Shield::s2, Shield::s3, Shield::s4},
                                             into.effect.shield);
                        }},
    Member<EffectDraft>{
        "provider", needed, "a name of small letters, digits and _, at most 64",
        "Who is called, for `[[provider]]`; of pull and handler, the name that workers lease.",
        [](const node& value, EffectDraft& into) {
          return take_name(value, into.effect.provider);
        }},
    Member<EffectDraft>{"method", "`\"POST\"`",
                        "\"POST\", \"PUT\", \"PATCH\", \"DELETE\" or \"GET\"", "Push.",
                        [](const node& value, EffectDraft& into) {
                          return take_text(value, 16, into.effect.request.method);
                        }},
    Member<EffectDraft>{"url", "–", an_url,
                        "Push, which needs it. With placeholders after the host.",
                        [](const node& value, EffectDraft& into) {
                          return take_text(value, url_bytes_max, into.effect.request.url);
                        }},
    Member<EffectDraft>{"headers", "–", some_headers, "Push. With placeholders.",
                        [](const node& value, EffectDraft& into) {
                          return take_texts(value, into.effect.request.headers);
                        }},
    Member<EffectDraft>{"body", "the arguments", a_body,
                        "Push. What is sent, with placeholders. Workers are given the arguments.",
                        [](const node& value, EffectDraft& into) {
                          return take_text(value, body_bytes_max, into.effect.request.body);
                        }},
    Member<EffectDraft>{"key_header", "`\"Idempotency-Key\"`", "the name of a header",
                        "Push with shield `S1`: the header that carries our key.",
                        [](const node& value, EffectDraft& into) {
                          return take_line(value, 128, into.effect.key_header);
                        }},
    Member<EffectDraft>{"done", "200 to 299", status_list, "Push. Answers that mean: it is done.",
                        [](const node& value, EffectDraft& into) {
                          return take_statuses(value, into.effect.answers.done);
                        }},
    Member<EffectDraft>{"refused", "400 to 499 but for 408, 409, 425 and 429", status_list,
                        "Push. Answers that mean: it was not done and never will be.",
                        [](const node& value, EffectDraft& into) {
                          return take_statuses(value, into.effect.answers.refused);
                        }},
    Member<EffectDraft>{"not_done", "425 and 429", status_list,
                        "Push. Answers that mean: it was certainly not done; it is tried again. "
                        "After others nobody "
                        "knows: see below.",
                        [](const node& value, EffectDraft& into) {
                          return take_statuses(value, into.effect.answers.not_done);
                        }},
    Member<EffectDraft>{"timeout", "`\"10s\"`", "a duration from \"100ms\" to \"10m\"",
                        "Push. How long a call may take, connecting included.",
                        [](const node& value, EffectDraft& into) {
                          return take_duration(value, {milliseconds(100), std::chrono::minutes(10)},
                                               into.effect.timeout);
                        }},
    Member<EffectDraft>{
        "lease", "`\"30s\"`", "a duration from \"1s\" to \"24h\"",
        "Push, handler. How long one dispatcher has it alone. Longer than `timeout`. Workers say "
        "it themselves when they lease.",
        [](const node& value, EffectDraft& into) {
          return take_duration(value, {milliseconds(1000), hours(24)}, into.effect.lease);
        }},
    Member<EffectDraft>{"attempts", "`10`", "a whole number from 1 to 10000",
                        "After so many it is a dead letter.",
                        [](const node& value, EffectDraft& into) {
                          return take_count(value, 1, 10'000, into.effect.attempts_max);
                        }},
    Member<EffectDraft>{
        "backoff", "`\"1s\"`", "a duration from \"1ms\" to \"1h\"",
        "The pause after the first attempt; it doubles, with jitter.",
        [](const node& value, EffectDraft& into) {
          return take_duration(value, {milliseconds(1), hours(1)}, into.effect.backoff);
        }},
    Member<EffectDraft>{
        "backoff_max", "`\"5m\"`", "a duration from \"1ms\" to \"7d\"",
        "The longest pause. No shorter than `backoff`.",
        [](const node& value, EffectDraft& into) {
          return take_duration(value, {milliseconds(1), hours(24 * 7)}, into.effect.backoff_max);
        }},
    Member<EffectDraft>{"probe", "–", "a table, [command.effect.probe]",
                        "Shields `S3` and `S4`, which need it: how the provider is asked.",
                        [](const node& value, EffectDraft& into) {
                          into.probe = value.as_table();
                          return into.probe != nullptr;
                        }}};

constexpr std::array probe_table{
    Member<ProbeDraft>{"method", "`\"GET\"`", "\"GET\", \"HEAD\" or \"POST\"",
                       "Shield `S4` reads the answer, and so has no `HEAD`.",
                       [](const node& value, ProbeDraft& into) {
                         return take_text(value, 16, into.probe.request.method);
                       }},
    Member<ProbeDraft>{"url", needed, an_url, "With placeholders after the host.",
                       [](const node& value, ProbeDraft& into) {
                         return take_text(value, url_bytes_max, into.probe.request.url);
                       }},
    Member<ProbeDraft>{"headers", "–", some_headers, "With placeholders.",
                       [](const node& value, ProbeDraft& into) {
                         return take_texts(value, into.probe.request.headers);
                       }},
    Member<ProbeDraft>{"body", "the arguments, with `POST`", a_body, "With placeholders.",
                       [](const node& value, ProbeDraft& into) {
                         return take_text(value, body_bytes_max, into.probe.request.body);
                       }},
    Member<ProbeDraft>{
        "found", "200 to 299", status_list, "Answers that mean: it was done.",
        [](const node& value, ProbeDraft& into) { return take_statuses(value, into.probe.found); }},
    Member<ProbeDraft>{
        "absent", "404", status_list,
        "Answers that mean: it was not done. After others the provider is asked again.",
        [](const node& value, ProbeDraft& into) {
          return take_statuses(value, into.probe.absent);
        }},
    Member<ProbeDraft>{
        "list", "–", "a JSON pointer, such as \"/data\"; \"\" is the whole answer",
        "`S4`, which needs it: where the list is in the answer.",
        [](const node& value, ProbeDraft& into) { return take_pointer(value, into.list); }},
    Member<ProbeDraft>{
        "id", "–", "a JSON pointer, such as \"/id\"",
        "`S4`, which needs it: where the id is in an item of the list.",
        [](const node& value, ProbeDraft& into) { return take_pointer(value, into.id); }}};

}  // namespace

std::span<const Member<EffectDraft>> effect_members() { return effect_table; }
std::span<const Member<ProbeDraft>> probe_members() { return probe_table; }

}  // namespace holdfast::registry
