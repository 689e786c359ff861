// Evidence files: whatever comes, the verifier says what is wrong with it, and never holds what
// was not signed. Leaves and heads that are understood are written as they were read.

#include <simdjson.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "evidence/documents.hpp"
#include "evidence/leaf.hpp"
#include "evidence/verify.hpp"

namespace {

using namespace holdfast;  // NOLINT(google-build-using-namespace): a program of its own

constexpr std::string_view key_text =
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

void check_leaf(const simdjson::dom::element& json) {
  const auto leaf = evidence::read_leaf(json);
  if (!leaf) return;
  std::string text;
  JsonWriter writer(text);
  evidence::write_leaf(writer, leaf->record, leaf->hashes);
  simdjson::dom::parser parser;
  const auto again = evidence::read_leaf(parser.parse(text).value());
  if (!again || !(again->record == leaf->record)) std::abort();
}

void check_head(const simdjson::dom::element& json) {
  const auto head = evidence::read_head(json);
  if (!head) return;
  std::string text;
  JsonWriter writer(text);
  evidence::write_head(writer, *head);
  simdjson::dom::parser parser;
  const auto again = evidence::read_head(parser.parse(text).value());
  if (!again || !(again->head == head->head)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto key = evidence::PublicKey::from_hex(key_text);
  if (!key) std::abort();
  (void)evidence::PublicKey::from_text(text);
  evidence::Verifier verifier(*key, {});
  std::string_view rest = text;
  for (bool more = true; more && !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    more = verifier.line(line);
    simdjson::dom::parser parser;
    simdjson::dom::element json;
    if (parser.parse(line.data(), line.size()).get(json) != simdjson::SUCCESS) continue;
    check_leaf(json);
    check_head(json);
    simdjson::dom::element inner;
    if (json["leaf"].get(inner) == simdjson::SUCCESS) check_leaf(inner);
    if (json["head"].get(inner) == simdjson::SUCCESS) check_head(inner);
  }
  (void)verifier.finish();
  (void)evidence::verify_document(text, *key, {});
  return 0;
}
