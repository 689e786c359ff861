#include "evidence/verify.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/hex.hpp"
#include "base/time_text.hpp"
#include "evidence/leaf.hpp"
#include "evidence/merkle.hpp"

namespace holdfast::evidence {
namespace {

using Element = simdjson::dom::element;

std::optional<Element> member(const Element& object, std::string_view name) {
  const auto found = object[name];
  if (found.error() != simdjson::SUCCESS) return std::nullopt;
  return found.value_unsafe();
}

std::optional<Digest> digest_in(const std::optional<Element>& value) {
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return std::nullopt;
  return Digest::from_hex(text);
}

std::size_t members_of(const Element& value) {
  simdjson::dom::object object;
  return value.get(object) == simdjson::SUCCESS ? object.size() : 0;
}

std::string leaf_text(const ReadLeaf& leaf) {
  std::string text;
  JsonWriter json(text);
  write_leaf(json, leaf.record, leaf.hashes);
  return text;
}

std::string foreign_key(const SignedHead& head) {
  return fmt::format("a head is signed by another key than the one given, {}", head.key.hex());
}

/// Why a head is not to be believed; empty: it is.
std::string head_defect(const SignedHead& head, const PublicKey& key) {
  if (head.key != key) return foreign_key(head);
  if (!is_signed_by(head, key)) return "a head's signature does not hold";
  return {};
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

/// The token beside a leaf, as it was exported.
std::optional<std::string> token_in(const Element& value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  if (value["hex"].get(text) != simdjson::SUCCESS) return std::nullopt;
  std::string bytes(text.size() / 2, '\0');
  return from_hex(text, bytes) ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace

struct Verifier::State {
  State(const PublicKey& trusted, std::vector<SignedHead> kept)
      : key(trusted), published(std::move(kept)) {
    std::sort(published.begin(), published.end(),
              [](const SignedHead& a, const SignedHead& b) { return a.head.size < b.head.size; });
    for (const SignedHead& each : published) {
      const std::string defect = head_defect(each, key);
      if (!defect.empty()) found(0, 0, fmt::format("of the heads given, {}", defect));
      ++result.heads;
    }
  }

  bool found(std::uint64_t seq, std::uint64_t last_seq, std::string text) {
    if (!result.defect) result.defect = Defect{seq, last_seq, std::move(text)};
    return false;
  }
  bool found(std::string text) { return found(next(), next(), std::move(text)); }
  [[nodiscard]] std::uint64_t next() const { return tree.size() + 1; }

  bool line(std::string_view text);
  bool head(const Element& json);
  bool leaf(const Element& line, const Element& json);
  bool hidden(const Element& line);
  bool append(const Digest& hash, const Digest& digest);
  bool conflict(const ReadLeaf& leaf);
  void finish();

  const PublicKey key;
  std::vector<SignedHead> published;
  std::size_t compared = 0;  // published heads that were reached
  std::uint64_t agreed = 0;  // the size of the last of them that agreed
  simdjson::dom::parser parser;
  Frontier tree;
  std::uint64_t at_head = 0;  // records the last head was over
  bool begun = false;         // the head of no records was there
  std::uint64_t all = 0;      // records there will be, as that head says
  bool whole = false;         // the head of all of them was there
  std::optional<Audit> audit;
  // The beginning of each record's digest, for the conflicts with it. Nothing for hidden ones.
  std::vector<std::array<std::uint8_t, 8>> digests;
  Verification result;
};

bool Verifier::State::line(std::string_view text) {
  if (result.defect) return false;
  if (text.empty()) return found("there is an empty line");
  if (text.size() > line_bytes_max) return found("there is a line longer than any record");
  Element json;
  if (parser.parse(text.data(), text.size()).get(json) != simdjson::SUCCESS)
    return found("there is a line that is not JSON");
  if (const auto value = member(json, "head"); value && members_of(json) == 1) return head(*value);
  if (!begun) return found("the first line is not a head: this is no export of evidence");
  if (whole) return found("there is a record behind the last head");
  if (const auto value = member(json, "leaf")) return leaf(json, *value);
  return hidden(json);
}

bool Verifier::State::head(const Element& json) {
  auto read = read_head(json);
  if (!read) return found(std::move(read.error()));
  if (std::string defect = head_defect(*read, key); !defect.empty())
    return found(std::move(defect));
  ++result.heads;
  const Head& head = read->head;
  if (head.size != tree.size())
    return found(
        fmt::format("there is a head of {} records behind record {}", head.size, tree.size()));
  if (head.root != tree.root()) {
    return found(at_head + 1, tree.size(), "what is here is not what was signed");
  }
  if (whole) return found("there is a head behind the last one");
  whole = !head.of;
  if (!begun) {
    audit.emplace(rules_of(head.windows));
    all = head.of.value_or(head.size);
  } else if (head.of.value_or(head.size) != all) {
    return found(
        fmt::format("a head speaks of another export than the first, which has {} records", all));
  } else if (head.windows != result.head.head.windows) {
    return found("a head speaks of other windows than the one before it");
  }
  begun = true;
  at_head = head.size;
  result.head = *read;
  return true;
}

bool Verifier::State::leaf(const Element& line, const Element& json) {
  const auto read = read_leaf(json);
  if (!read) return found(read.error());
  if (read->record.seq != next()) {
    return found(fmt::format("record {} is missing: {} is in its place", next(), read->record.seq));
  }
  const auto hash = digest_in(member(line, "hash"));
  if (!hash) return found("it has no hash");
  if (leaf_hash(leaf_text(*read)) != *hash)
    return found("its content is not what its hash was made of");
  const auto token = member(line, "token");
  if (members_of(line) != (token ? 3U : 2U)) return found("its line has a member too many");
  if (token) {
    const auto bytes = token_in(*token);
    if (!bytes || !read->hashes.token || sha256(*bytes) != *read->hashes.token)
      return found("its token is not the one that was recorded");
  }
  if (!conflict(*read)) return false;
  audit->see(read->record);
  return append(*hash, read->record.digest);
}

/// The digest on record must be the one of the record it refers to.
bool Verifier::State::conflict(const ReadLeaf& leaf) {
  const Record& record = leaf.record;
  if (record.kind != RecordKind::collided) return true;
  if (record.ref == 0 || record.ref > digests.size() || !leaf.hashes.on_record)
    return found("it tells of a conflict, but not with which record");
  const auto& first = digests[record.ref - 1];
  const bool is_hidden =
      std::all_of(first.begin(), first.end(), [](auto byte) { return byte == 0; });
  if (!is_hidden &&
      std::memcmp(first.data(), leaf.hashes.on_record->bytes.data(), first.size()) != 0)
    return found(fmt::format("its digest on record is not that of record {}", record.ref));
  return true;
}

bool Verifier::State::hidden(const Element& line) {
  const auto hash = digest_in(member(line, "hash"));
  const auto number = member(line, "seq");
  std::uint64_t seq = 0;
  if (!hash || !number || number->get(seq) != simdjson::SUCCESS || members_of(line) != 2)
    return found("there is a line that is neither a record nor a head");
  if (seq != next())
    return found(fmt::format("record {} is missing: {} is in its place", next(), seq));
  ++result.hidden;
  return append(*hash, {});
}

bool Verifier::State::append(const Digest& hash, const Digest& digest) {
  tree.append(hash);
  auto& kept = digests.emplace_back();
  std::memcpy(kept.data(), digest.bytes.data(), kept.size());
  for (; compared < published.size() && published[compared].head.size <= tree.size(); ++compared) {
    const Head& head = published[compared].head;
    if (head.size != tree.size() || head.root == tree.root()) {
      agreed = head.size;
      continue;
    }
    return found(agreed + 1, tree.size(),
                 fmt::format("the records up to here are not those of the head of {} that was "
                             "published at {}",
                             head.size, to_rfc3339(head.at)));
  }
  return true;
}

void Verifier::State::finish() {
  result.records = tree.size();
  if (result.defect) return;
  if (!begun) {
    found("there is nothing here: not even a head");
  } else if (!whole) {
    found(fmt::format("the export ends here, but was of {} records: it was cut off", all));
  } else if (compared < published.size() && published.back().head.size > tree.size()) {
    found(fmt::format("records are missing here: a head of {} was published at {}",
                      published.back().head.size, to_rfc3339(published.back().head.at)));
  } else if (result.hidden == 0) {
    result.audit = audit->finish();
  }
}

Verifier::Verifier(const PublicKey& key, std::vector<SignedHead> published)
    : state_(std::make_unique<State>(key, std::move(published))) {}
Verifier::~Verifier() = default;

bool Verifier::line(std::string_view text) { return state_->line(text); }

Verification Verifier::finish() {
  state_->finish();
  return std::move(state_->result);
}

tl::expected<SignedHead, std::string> head_from(std::string_view text) {
  simdjson::dom::parser parser;
  Element json;
  if (parser.parse(text.data(), text.size()).get(json) != simdjson::SUCCESS)
    return tl::unexpected(std::string("it is not JSON"));
  json = member(json, "answer").value_or(json);  // as the command line wraps it
  return read_head(member(json, "head").value_or(json));
}

namespace {

std::string proof_defect(const Element& json, const Head& head,
                         const std::vector<SignedHead>& published, DocumentVerdict& verdict) {
  const auto value = member(json, "leaf");
  const auto leaf = read_leaf(*value);
  if (!leaf) return leaf.error();
  const auto path = path_in(member(json, "audit_path"));
  if (!path) return "the proof has no path";
  const Digest hash = leaf_hash(leaf_text(*leaf));
  if (leaf->record.seq == 0 ||
      !proves_inclusion(*path, hash, leaf->record.seq - 1, head.size, head.root))
    return fmt::format("the path does not lead from record {} to the head", leaf->record.seq);
  for (const SignedHead& each : published) {
    if (each.head.size != head.size) {
      return fmt::format("the proof leads to a head of {} records; ask for one with ?size={}",
                         head.size, each.head.size);
    }
    if (each.head.root != head.root)
      return fmt::format("the head is not the one published at {}", to_rfc3339(each.head.at));
  }
  verdict.proved = leaf->record.seq;
  return {};
}

std::string extension_defect(const Element& json, const Head& head,
                             const std::vector<SignedHead>& published, DocumentVerdict& verdict) {
  const auto value = member(json, "consistency");
  std::uint64_t since = 0;
  const auto number = value ? member(*value, "since") : std::nullopt;
  const bool has_path = number && number->get(since) == simdjson::SUCCESS;
  const auto path = has_path ? path_in(member(*value, "path")) : std::nullopt;
  if (value && !path) return "the head has no path from an earlier one";
  for (const SignedHead& each : published) {
    const bool same = each.head.size == head.size;
    if (!same && (!path || each.head.size != since)) {
      return fmt::format(
          "nothing here leads from the head of {} records; ask for one with ?since={}",
          each.head.size, each.head.size);
    }
    const bool holds = same
                           ? each.head.root == head.root
                           : proves_consistency(*path, since, each.head.root, head.size, head.root);
    if (!holds) {
      return fmt::format("the head does not continue the one of {} records published at {}",
                         each.head.size, to_rfc3339(each.head.at));
    }
    verdict.extends = each.head.size;
  }
  return {};
}

}  // namespace

DocumentVerdict verify_document(std::string_view text, const PublicKey& key,
                                const std::vector<SignedHead>& published) {
  DocumentVerdict verdict;
  simdjson::dom::parser parser;
  Element json;
  if (parser.parse(text.data(), text.size()).get(json) != simdjson::SUCCESS) {
    verdict.defect = "it is not JSON";
    return verdict;
  }
  json = member(json, "answer").value_or(json);  // as the command line wraps it
  const bool is_proof = member(json, "leaf").has_value();
  const auto head = is_proof ? member(json, "head") : std::optional(json);
  const auto read = head ? read_head(*head) : tl::unexpected(std::string("the proof has no head"));
  if (!read) {
    verdict.defect = read.error();
    return verdict;
  }
  verdict.head = *read;
  verdict.defect = head_defect(*read, key);
  for (const SignedHead& each : published) {
    if (verdict.defect.empty()) verdict.defect = head_defect(each, key);
  }
  if (!verdict.defect.empty()) return verdict;
  verdict.defect = is_proof ? proof_defect(json, read->head, published, verdict)
                            : extension_defect(json, read->head, published, verdict);
  return verdict;
}

}  // namespace holdfast::evidence
