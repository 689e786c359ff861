// What was decided, and what proves it to somebody who does not trust us.

#include "evidence/notary.hpp"

#include "http/handlers/changes.hpp"
#include "http/handlers/journal_page.hpp"
#include "http/handlers/listing.hpp"
#include "http/handlers/problem.hpp"
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

template <typename Document>
Response response_of(const Document& found) {
  return {.body = document(found)};
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
      context.reply, [since](evidence::Notary& notary, evidence::Deadline until) {
        if (!since) {
          const auto head = notary.head(until);
          return head ? response_of(*head) : problem_of(head.error(), {});
        }
        const auto extension = notary.head_since(*since, until);
        return extension ? response_of(*extension) : problem_of(extension.error(), "?since");
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
                         evidence::Notary& notary, evidence::Deadline until) {
        const auto proof = notary.proof(tenant, seq, size, until);
        return proof ? response_of(*proof) : problem_of(proof.error(), "?size");
      });
}

}  // namespace holdfast::http
