// What was decided, and what proves it to somebody who does not trust us.

#include "evidence/ledger.hpp"

#include "base/json_members.hpp"
#include "http/changes.hpp"
#include "http/journal_page.hpp"
#include "http/listing.hpp"
#include "http/problem.hpp"
#include "http/router.hpp"

namespace holdfast::http {
namespace {

using evidence::Hindrance;

bool is_anything(const Record& /*record*/) { return true; }

Response problem_of(const Hindrance& hindrance, std::string_view parameter) {
  switch (hindrance.kind) {
    case Hindrance::Kind::busy:
      return problem_response(problem_for(Rejection::overloaded, hindrance.text));
    case Hindrance::Kind::store:
      return store_problem({Effect::none, hindrance.text});
    case Hindrance::Kind::unknown: {
      Problem problem = problem_for(Rejection::not_known, hindrance.text);
      problem.title = "No such record";
      return problem_response(std::move(problem));
    }
    case Hindrance::Kind::beyond:
      break;
  }
  return problem_response(problem_for(Rejection::malformed_request, hindrance.text),
                          {{std::string(parameter), hindrance.text}});
}

void write_path(JsonWriter& json, const evidence::Path& path) {
  json.begin_array();
  for (const Digest& each : path) json.string(each.hex());
  json.end_array();
}

std::string consistency_text(const evidence::Extension& extension) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("path");
  write_path(json, extension.path);
  integer_member(json, "since", static_cast<std::int64_t>(extension.since));
  json.end_object();
  return text;
}

Response head_response(const evidence::SignedHead& head, std::string_view consistency = {}) {
  Response response;
  JsonWriter json(response.body);
  evidence::write_head(json, head, consistency);
  return response;
}

Response proof_response(const evidence::Proof& proof) {
  Response response;
  JsonWriter json(response.body);
  json.begin_object();
  json.key("audit_path");
  write_path(json, proof.path);
  json.key("head");
  evidence::write_head(json, proof.head);
  json.key("leaf");
  json.raw(proof.leaf);
  text_member(json, "leaf_hash", proof.leaf_hash.hex());
  integer_member(json, "seq", static_cast<std::int64_t>(proof.seq));
  json.end_object();
  return response;
}

}  // namespace

void show_evidence(Context& context) {
  QueryReader reader(context);
  const std::uint64_t after = reader.sequence("after").value_or(0);
  const std::size_t limit = reader.limit();
  if (reader.refused()) return;
  context.application.read(context.reply, [&store = context.application.store(), after, limit,
                                           tenant = context.exchange.identity.caller.tenant] {
    if (auto refusal = beyond_the_end(store, after)) return std::move(*refusal);
    const auto page = read_journal(store, tenant, after, limit, is_anything);
    if (!page) return store_problem(page.error());
    evidence::Leaves leaves(
        [&store](std::uint64_t seq, std::size_t max) { return store.records(seq, max); });
    std::optional<StoreError> failed;
    Response response =
        journal_page("/v1/evidence", *page, limit, [&](std::string& out, const Record& each) {
          auto written = leaves.write(out, each);
          if (!written) failed = written.error();
        });
    return failed ? store_problem(*failed) : std::move(response);
  });
}

void show_evidence_head(Context& context) {
  QueryReader reader(context);
  const auto since = reader.sequence("since");
  if (reader.refused()) return;
  context.application.prove(
      context.reply, [since](evidence::Ledger& ledger, evidence::Deadline until) {
        if (!since) {
          const auto head = ledger.head(until);
          return head ? head_response(*head) : problem_of(head.error(), {});
        }
        const auto extension = ledger.head_since(*since, until);
        return extension ? head_response(extension->head, consistency_text(*extension))
                         : problem_of(extension.error(), "?since");
      });
}

void show_evidence_proof(Context& context) {
  QueryReader reader(context);
  const auto size = reader.sequence("size");
  if (reader.refused()) return;
  // What is no number names no record.
  const std::uint64_t seq = sequence_number(context.target.segments[2]).value_or(0);
  context.application.prove(
      context.reply, [seq, size, tenant = context.exchange.identity.caller.tenant](
                         evidence::Ledger& ledger, evidence::Deadline until) {
        const auto proof = ledger.proof(tenant, seq, size, until);
        return proof ? proof_response(*proof) : problem_of(proof.error(), "?size");
      });
}

}  // namespace holdfast::http
