#include "evidence/documents.hpp"

#include <fmt/format.h>

#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "evidence/leaf.hpp"
#include "evidence/strict_json.hpp"

namespace holdfast::evidence {
namespace {

constexpr std::string_view not_json = "it is not JSON, or says something twice";
constexpr std::string_view too_much =
    "it says more than, or something else than, what such a document says";

void write_path(JsonWriter& json, const Path& path) {
  json.begin_array();
  for (const Digest& each : path) json.string(each.hex());
  json.end_array();
}

std::string consistency_text(const Extension& extension) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("path");
  write_path(json, extension.path);
  integer_member(json, "since", static_cast<std::int64_t>(extension.since));
  json.end_object();
  return text;
}

std::optional<Path> path_in(const std::optional<Element>& value) {
  constexpr std::size_t path_max = 128;  // twice what the largest tree needs
  simdjson::dom::array array;
  if (!value || value->get(array) != simdjson::SUCCESS || array.size() > path_max)
    return std::nullopt;
  Path path;
  for (const Element each : array) {
    const auto digest = digest_in(each);
    if (!digest) return std::nullopt;
    path.push_back(*digest);
  }
  return path;
}

/// What the command line puts around a document, or an export around a head.
bool unwrap(StrictJson& json) {
  const bool answered = members_of(json.root()) == 4 && member(json.root(), "answer") &&
                        member(json.root(), "status") && member(json.root(), "replayed") &&
                        member(json.root(), "token");
  if (answered && !json.descend("answer")) return false;
  const bool alone = members_of(json.root()) == 1 && member(json.root(), "head");
  return !alone || json.descend("head");
}

/// A document, read whole. One of them is there.
struct ReadDocument {
  std::optional<SignedHead> head{};
  std::optional<Extension> extension{};
  std::optional<Proof> proof{};

  [[nodiscard]] const SignedHead& any_head() const {
    if (proof) return proof->head;
    return extension ? extension->head : *head;
  }
};

tl::expected<ReadDocument, std::string> read_proof(const StrictJson& json) {
  const auto head = member(json.root(), "head");
  if (!head) return wrong("the proof has no head");
  const auto read = read_head(*head);
  if (!read) return wrong(read.error());
  const auto leaf = read_leaf(member(json.root(), "leaf").value());
  if (!leaf) return wrong(leaf.error());
  const auto path = path_in(member(json.root(), "audit_path"));
  if (!path) return wrong("the proof has no path");
  Proof proof{.head = *read, .leaf = leaf_text(*leaf), .seq = leaf->record.seq, .path = *path};
  proof.leaf_hash = leaf_hash(proof.leaf);
  if (document(proof) != json.text()) return wrong(std::string(too_much));
  return ReadDocument{.proof = std::move(proof)};
}

tl::expected<ReadDocument, std::string> read_extension(const StrictJson& json,
                                                       const Element& consistency) {
  const auto head = read_head(json.root());
  if (!head) return wrong(head.error());
  const auto since = number_in(member(consistency, "since"));
  const auto path = path_in(member(consistency, "path"));
  if (!since || !path) return wrong("the head has no path from an earlier one");
  Extension extension{*head, *since, *path};
  if (document(extension) != json.text()) return wrong(std::string(too_much));
  return ReadDocument{.extension = std::move(extension)};
}

tl::expected<ReadDocument, std::string> read_document(std::string_view text) {
  StrictJson json;
  if (!json.parse(text) || !unwrap(json)) return wrong(std::string(not_json));
  if (member(json.root(), "leaf")) return read_proof(json);
  if (const auto consistency = member(json.root(), "consistency"))
    return read_extension(json, *consistency);
  const auto head = read_head(json.root());
  if (!head) return wrong(head.error());
  if (document(*head) != json.text()) return wrong(std::string(too_much));
  return ReadDocument{.head = *head};
}

std::string defect_of(const Proof& proof, const std::vector<SignedHead>& published) {
  const Head& head = proof.head.head;
  if (proof.seq == 0 ||
      !proves_inclusion(proof.path, proof.leaf_hash, proof.seq - 1, head.size, head.root))
    return fmt::format("the path does not lead from record {} to the head", proof.seq);
  for (const SignedHead& each : published) {
    if (each.head.size != head.size) {
      return fmt::format("the proof leads to a head of {} records; ask for one with ?size={}",
                         head.size, each.head.size);
    }
    if (each.head.root != head.root)
      return fmt::format("the head is not the one published at {}", to_rfc3339(each.head.at));
  }
  return {};
}

/// Whether the head continues another; `extension` is what leads to it, if there is that.
std::string defect_of(const Head& head, const std::optional<Extension>& extension,
                      const Head& before) {
  if (before.all() > head.all()) {
    return fmt::format("records are missing: there were {} when a head was published at {}",
                       before.all(), to_rfc3339(before.at));
  }
  const bool same = before.size == head.size;
  if (!same && (!extension || before.size != extension->since)) {
    return fmt::format("nothing here leads from the head of {} records; ask for one with ?since={}",
                       before.size, before.size);
  }
  const bool holds =
      same ? before.root == head.root
           : proves_consistency(extension->path, before.size, before.root, head.size, head.root);
  if (holds) return {};
  return fmt::format("the head does not continue the one of {} records published at {}",
                     before.size, to_rfc3339(before.at));
}

}  // namespace

std::string document(const SignedHead& head) {
  std::string text;
  JsonWriter json(text);
  write_head(json, head);
  return text;
}

std::string document(const Extension& extension) {
  std::string text;
  JsonWriter json(text);
  write_head(json, extension.head, consistency_text(extension));
  return text;
}

std::string document(const Proof& proof) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("audit_path");
  write_path(json, proof.path);
  json.key("head");
  write_head(json, proof.head);
  json.key("leaf");
  json.raw(proof.leaf);
  text_member(json, "leaf_hash", proof.leaf_hash.hex());
  integer_member(json, "seq", static_cast<std::int64_t>(proof.seq));
  json.end_object();
  return text;
}

std::string head_defect(const SignedHead& head, const PublicKey& key) {
  if (head.key != key) {
    return fmt::format("a head is signed by another key than the one given, {}", head.key.hex());
  }
  if (!is_signed_by(head, key)) return "a head's signature does not hold";
  return {};
}

tl::expected<SignedHead, std::string> head_from(std::string_view text) {
  const auto read = read_document(text);
  if (!read) return tl::unexpected(read.error());
  return read->any_head();
}

DocumentVerdict verify_document(std::string_view text, const PublicKey& key,
                                const std::vector<SignedHead>& published) {
  DocumentVerdict verdict;
  const auto read = read_document(text);
  if (!read) {
    verdict.defect = read.error();
    return verdict;
  }
  verdict.head = read->any_head();
  verdict.defect = head_defect(verdict.head, key);
  for (const SignedHead& each : published) {
    if (verdict.defect.empty()) verdict.defect = head_defect(each, key);
  }
  if (!verdict.defect.empty()) return verdict;
  if (read->proof) {
    verdict.defect = defect_of(*read->proof, published);
    if (!verdict.defect.empty()) return verdict;
    verdict.proved = read->proof->seq;
    verdict.leaf = read->proof->leaf;
    return verdict;
  }
  for (const SignedHead& each : published) {
    verdict.defect = defect_of(verdict.head.head, read->extension, each.head);
    if (!verdict.defect.empty()) return verdict;
    verdict.extends = each.head.size;
  }
  return verdict;
}

}  // namespace holdfast::evidence
