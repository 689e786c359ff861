#include "evidence/verify.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/json_members.hpp"
#include "base/process_key.hpp"
#include "base/time_text.hpp"
#include "evidence/documents.hpp"
#include "evidence/leaf.hpp"
#include "evidence/merkle.hpp"
#include "evidence/strict_json.hpp"

namespace holdfast::evidence {
namespace {

constexpr std::string_view line_says_more =
    "its line says more than, or something else than, what was signed";

/// By how much there was when they were signed.
bool is_shorter(const SignedHead& a, const SignedHead& b) { return a.head.all() < b.head.all(); }

/// What a line says that was understood.
template <typename Write>
std::string line_of(const Write& write) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write(json);
  json.end_object();
  return text;
}

std::string head_line(const SignedHead& head) {
  return line_of([&](JsonWriter& json) {
    json.key("head");
    write_head(json, head);
  });
}

std::string record_line(const Digest& hash, std::string_view leaf,
                        const std::optional<std::string>& token) {
  return line_of([&](JsonWriter& json) {
    text_member(json, "hash", hash.hex());
    json.key("leaf");
    json.raw(leaf);
    if (token) bytes_member(json, "token", *token);
  });
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
  bool head(const Element& value);
  bool leaf(const Element& value);
  bool hidden();
  bool append(const Digest& hash, std::uint64_t mark);
  [[nodiscard]] static std::uint64_t mark_of(const Digest& digest);
  bool conflict(const ReadLeaf& leaf);
  void finish();

  const PublicKey key;
  std::vector<SignedHead> published;
  std::size_t compared = 0;  // published heads that were reached
  std::uint64_t agreed = 0;  // the size of the last of them that agreed
  StrictJson json;           // the line
  Frontier tree;
  std::uint64_t at_head = 0;  // records the last head was over
  bool begun = false;         // the head of no records was there
  std::uint64_t all = 0;      // records there will be, as that head says
  bool whole = false;         // the head of all of them was there
  std::optional<Audit> audit;
  // A mark of each record's digest, for the conflicts with it; 0: it is not known. Whoever made the
  // export does not know the key, and so cannot make two digests of one mark.
  std::vector<std::uint64_t> marks;
  Verification result;
};

bool Verifier::State::line(std::string_view text) {
  if (result.defect) return false;
  if (text.empty()) return found("there is an empty line");
  if (text.size() > line_bytes_max) return found("there is a line longer than any record");
  if (!json.parse(text)) return found("there is a line that is not JSON, or says something twice");
  const Element& line = json.root();
  if (const auto value = member(line, "head"); value && members_of(line) == 1) return head(*value);
  if (!begun) return found("the first line is not a head: this is no export of evidence");
  if (whole) return found("there is a record behind the last head");
  if (const auto value = member(line, "leaf")) return leaf(*value);
  return hidden();
}

bool Verifier::State::head(const Element& value) {
  auto read = read_head(value);
  if (!read) return found(std::move(read.error()));
  if (head_line(*read) != json.text())
    return found("a head says more than, or something else than, heads do");
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
    audit.emplace(rules_of(head.windows, head.made));
    all = head.all();
  } else if (head.all() != all) {
    return found(
        fmt::format("a head speaks of another export than the first, which has {} records", all));
  } else if (head.at != result.head.head.at) {
    return found("a head was signed at another time than the first: it is of another export");
  } else if (head.windows != result.head.head.windows || head.made != result.head.head.made) {
    return found("a head speaks of other windows than the one before it");
  }
  begun = true;
  at_head = head.size;
  result.head = *read;
  return true;
}

bool Verifier::State::leaf(const Element& value) {
  const auto read = read_leaf(value);
  if (!read) return found(read.error());
  if (read->record.seq != next()) {
    return found(fmt::format("record {} is missing: {} is in its place", next(), read->record.seq));
  }
  const auto hash = digest_in(member(json.root(), "hash"));
  if (!hash) return found("it has no hash");
  const std::string text = leaf_text(*read);
  if (leaf_hash(text) != *hash) return found("its content is not what its hash was made of");
  const auto given = member(json.root(), "token");
  const auto token = given ? bytes_in(*given) : std::nullopt;
  if (given && (!token || !read->hashes.token || sha256(*token) != *read->hashes.token))
    return found("its token is not the one that was recorded");
  if (record_line(*hash, text, token) != json.text()) return found(std::string(line_says_more));
  if (!conflict(*read)) return false;
  audit->see(read->record);
  return append(*hash, read->hashes.token ? mark_of(read->record.digest) : 0);
}

/// The digest on record must be the one of the record it refers to.
bool Verifier::State::conflict(const ReadLeaf& leaf) {
  const Record& record = leaf.record;
  if (record.kind != RecordKind::collided) return true;
  if (record.ref == 0 || record.ref > marks.size() || !leaf.hashes.on_record)
    return found("it tells of a conflict, but not with which record");
  const std::uint64_t first = marks[record.ref - 1];
  if (first != 0 && first != mark_of(*leaf.hashes.on_record))
    return found(fmt::format("its digest on record is not that of record {}", record.ref));
  return true;
}

bool Verifier::State::hidden() {
  const auto hash = digest_in(member(json.root(), "hash"));
  const auto seq = number_in(member(json.root(), "seq"));
  if (!hash || !seq || members_of(json.root()) != 2)
    return found("there is a line that is neither a record nor a head");
  if (*seq != next())
    return found(fmt::format("record {} is missing: {} is in its place", next(), *seq));
  ++result.hidden;
  return append(*hash, 0);
}

std::uint64_t Verifier::State::mark_of(const Digest& digest) {
  const std::string_view bytes(reinterpret_cast<const char*>(digest.bytes.data()),
                               digest.bytes.size());
  return siphash128(process_key(), bytes).low | 1U;
}

bool Verifier::State::append(const Digest& hash, std::uint64_t mark) {
  tree.append(hash);
  marks.push_back(mark);
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
  } else if (const auto longest = std::max_element(published.begin(), published.end(), is_shorter);
             longest != published.end() && longest->head.all() > tree.size()) {
    found(fmt::format("records are missing here: there were {} when a head was published at {}",
                      longest->head.all(), to_rfc3339(longest->head.at)));
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

}  // namespace holdfast::evidence
