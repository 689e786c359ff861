#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>
#include <system_error>

#include "base/assert.hpp"
#include "base/json_members.hpp"
#include "base/time_text.hpp"
#include "base/utf8.hpp"
#include "base/whole_file.hpp"
#include "cli/evidence.hpp"
#include "cli/failure.hpp"
#include "cli/reply.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"
#include "engine/auditing.hpp"
#include "evidence/documents.hpp"
#include "evidence/strict_json.hpp"
#include "evidence/verify.hpp"
#include "wire/verdict.hpp"

namespace holdfast::cli {
namespace {

constexpr std::size_t small_file_max = std::size_t{1} << 20U;
constexpr std::size_t violations_shown = 20;

/// A file, or the standard input, line by line. A line that is too long is cut: it is wrong anyway.
class LineReader {
 public:
  explicit LineReader(const std::string& path)
      : fd_(path == "-" ? 0 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) failed();
  }
  ~LineReader() {
    if (fd_ > 0) ::close(fd_);
  }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// False at the end, and when reading failed.
  bool next(std::string& line) {
    line.clear();
    bool any = false;
    while (failure_.empty()) {
      if (at_ == buffer_.size() && !fill()) break;
      any = true;
      const std::size_t end = buffer_.find('\n', at_);
      const std::size_t stop = std::min(end, buffer_.size());
      const std::size_t room = evidence::line_bytes_max + 1 - line.size();
      line.append(buffer_, at_, std::min(stop - at_, room));
      at_ = stop;
      if (end == std::string::npos) continue;
      ++at_;
      return true;
    }
    return any && failure_.empty();
  }

  /// Whether the last line was the last.
  [[nodiscard]] bool at_end() { return at_ == buffer_.size() && !fill(); }
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  bool fill() {
    buffer_.resize(std::size_t{1} << 16U);
    ssize_t got = 0;
    do got = ::read(fd_, buffer_.data(), buffer_.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) failed();
    buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    at_ = 0;
    return got > 0;
  }
  void failed() { failure_ = std::generic_category().message(errno); }

  int fd_;
  std::string buffer_;
  std::size_t at_ = 0;
  std::string failure_;
};

/// Some programs begin a file with it.
void drop_byte_order_mark(std::string& text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.erase(0, mark.size());
}

Parsed<std::string> small_file(const std::string& path) {
  auto file = read_whole_file(path, small_file_max);
  if (!file) return tl::unexpected(store_failure(Error{file.error()}));
  if (!*file) return tl::unexpected(store_failure(Error{fmt::format("{} is not there", path)}));
  drop_byte_order_mark((*file)->text);
  return std::move((*file)->text);
}

Parsed<evidence::PublicKey> public_key(const EvidenceArguments& arguments) {
  if (!arguments.public_key) {
    return tl::unexpected(
        usage_failure("whose signature is it to be? as in: holdfast evidence verify "
                      "evidence.jsonl --public-key holdfast.pub; holdfast evidence key prints it"));
  }
  if (auto key = evidence::PublicKey::from_text(*arguments.public_key)) return *key;
  const auto text = small_file(*arguments.public_key);
  if (!text) return tl::unexpected(text.error());
  const auto key = evidence::PublicKey::from_text(*text);
  if (key) return *key;
  return tl::unexpected(usage_failure(
      fmt::format("{} holds no Ed25519 public key: PEM, or 64 hexadecimal digits, as holdfast "
                  "evidence key prints it",
                  printable(*arguments.public_key))));
}

Parsed<std::vector<evidence::SignedHead>> published(const EvidenceArguments& arguments) {
  std::vector<evidence::SignedHead> heads;
  if (!arguments.head) return heads;
  const auto text = small_file(*arguments.head);
  if (!text) return tl::unexpected(text.error());
  auto head = evidence::head_from(*text);
  if (!head) {
    return tl::unexpected(usage_failure(
        fmt::format("{} holds no head: {}", printable(*arguments.head), head.error())));
  }
  heads.push_back(*head);
  return heads;
}

void print_head(Context& context, const evidence::SignedHead& head, std::uint64_t signatures) {
  Table table = facts();
  table.add({{"signed at"}, {instant_text(head.head.at)}});
  table.add({{"by"}, {head.key.hex()}});
  table.add({{"root"}, {head.head.root.hex()}});
  std::string records = number_text(head.head.size);
  if (head.head.of) records += fmt::format(" of {}", number_text(*head.head.of));
  table.add({{"records"}, {records}});
  if (signatures != 0) table.add({{"signatures"}, {number_text(signatures)}});
  table.print(context.out);
}

/// What was proved: whoever has only the file might read something else in it.
void print_leaf(Context& context, const std::string& leaf) {
  simdjson::dom::parser parser;
  simdjson::dom::object members;
  HOLDFAST_ASSERT(parser.parse(leaf).get(members) == simdjson::SUCCESS);
  Table table = facts();
  for (const auto& [name, value] : members) {
    std::string_view text;
    const bool is_text = value.get(text) == simdjson::SUCCESS;
    table.add({{std::string(name)}, {is_text ? std::string(text) : simdjson::minify(value)}});
  }
  table.print(context.out);
  context.out.line();
}

void head_member(JsonWriter& json, const evidence::SignedHead& head, bool there) {
  json.key("head");
  if (there) {
    evidence::write_head(json, head);
  } else {
    json.null();
  }
}

void print_audit(Output& out, const AuditReport& report) {
  const std::uint64_t checks =
      std::accumulate(report.checked.begin(), report.checked.end(), std::uint64_t{0});
  if (report.clean()) {
    out.line(fmt::format("They keep every invariant: {} of {}.", count_text(checks, "check"),
                         count_text(invariants().size(), "invariant")));
    return;
  }
  out.line(out.paint(Colour::red, fmt::format("They are what was signed, but break invariants: {}.",
                                              count_text(report.violations_total, "violation"))));
  for (std::size_t i = 0; i < std::min(violations_shown, report.violations.size()); ++i) {
    const Violation& each = report.violations[i];
    out.line(fmt::format("  {}  record {}: {}", each.invariant, each.seq, printable(each.text)));
  }
}

std::string defect_text(const evidence::Defect& defect) {
  if (defect.seq == 0) return fmt::format("It does not hold: {}.", defect.text);
  if (defect.seq >= defect.last_seq)
    return fmt::format("It does not hold. Record {}: {}.", number_text(defect.seq), defect.text);
  return fmt::format("It does not hold. Of records {} to {} at least one is wrong: {}.",
                     number_text(defect.seq), number_text(defect.last_seq), defect.text);
}

void print(Context& context, const evidence::Verification& found) {
  Output& out = context.out;
  if (found.defect) {
    out.line(out.paint(Colour::red, defect_text(*found.defect)));
    return;
  }
  out.line(out.paint(Colour::green, fmt::format("{}, all of them what was signed; none is missing.",
                                                count_text(found.records, "record"))));
  out.line();
  print_head(context, found.head, found.heads);
  out.line();
  if (found.audit) return print_audit(out, *found.audit);
  out.line(fmt::format(
      "{} of them {} not shown: only their hashes are here, as an export for one tenant has of the "
      "others, so the invariants were not checked.",
      number_text(found.hidden), found.hidden == 1 ? "is" : "are"));
}

void print_as_json(Context& context, const evidence::Verification& found) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("holds");
  json.boolean(found.holds());
  integer_member(json, "records", static_cast<std::int64_t>(found.records));
  integer_member(json, "hidden", static_cast<std::int64_t>(found.hidden));
  integer_member(json, "signatures", static_cast<std::int64_t>(found.heads));
  head_member(json, found.head, !found.defect);
  json.key("defect");
  if (found.defect) {
    json.begin_object();
    integer_member(json, "seq", static_cast<std::int64_t>(found.defect->seq));
    integer_member(json, "last_seq", static_cast<std::int64_t>(found.defect->last_seq));
    text_member(json, "detail", to_valid_utf8(found.defect->text));
    json.end_object();
  } else {
    json.null();
  }
  json.key("audit");
  if (found.audit) {
    Verdict verdict;
    verdict.report = *found.audit;
    write_verdict(json, verdict);
  } else {
    json.null();
  }
  json.end_object();
  print_json(context.out, {.body = body});
}

int conclude(Context& context, const evidence::DocumentVerdict& verdict) {
  const bool holds = verdict.defect.empty();
  if (context.settings.json) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("holds");
    json.boolean(holds);
    if (verdict.proved) integer_member(json, "seq", static_cast<std::int64_t>(*verdict.proved));
    if (verdict.extends)
      integer_member(json, "extends", static_cast<std::int64_t>(*verdict.extends));
    if (verdict.proved) {
      json.key("leaf");
      json.raw(verdict.leaf);
    }
    head_member(json, verdict.head, holds);
    if (!holds) text_member(json, "detail", to_valid_utf8(verdict.defect));
    json.end_object();
    print_json(context.out, {.body = body});
    return holds ? 0 : exit_store;
  }
  Output& out = context.out;
  if (!holds) {
    out.line(out.paint(Colour::red, fmt::format("It does not hold: {}.", verdict.defect)));
    return exit_store;
  }
  std::string what = "The head is signed";
  if (verdict.proved) what = fmt::format("Record {} is in the head", number_text(*verdict.proved));
  if (verdict.extends)
    what += fmt::format(", and continues the one of {} records", number_text(*verdict.extends));
  out.line(out.paint(Colour::green, what + "."));
  out.line();
  if (verdict.proved) print_leaf(context, verdict.leaf);
  print_head(context, verdict.head, 0);
  return 0;
}

/// Whether this is the first line of an export, or of what is left of one, and not some document.
bool is_of_export(LineReader& reader, const std::string& line) {
  if (line.empty()) return !reader.at_end();
  evidence::StrictJson json;
  if (!json.parse(line)) return false;
  if (evidence::member(json.root(), "hash")) return true;
  const auto head = evidence::member(json.root(), "head");
  if (!head || evidence::members_of(json.root()) != 1) return false;
  // Alone it is a head like any other, unless it says that it is not all.
  return !reader.at_end() || evidence::member(*head, "of").has_value();
}

/// The rest of a file that is one document.
Parsed<std::string> whole(LineReader& reader, std::string text) {
  std::string line;
  while (text.size() <= small_file_max && reader.next(line)) text.append("\n").append(line);
  if (!reader.failure().empty()) return tl::unexpected(store_failure(Error{reader.failure()}));
  if (text.size() > small_file_max)
    return tl::unexpected(store_failure(Error{"it is neither an export nor a proof nor a head"}));
  return text;
}

}  // namespace

int verify_evidence(Context& context, const EvidenceArguments& arguments) {
  if (!arguments.subject) {
    return report(context, usage_failure("verify what? as in: holdfast evidence verify "
                                         "evidence.jsonl --public-key holdfast.pub"));
  }
  const auto key = public_key(arguments);
  if (!key) return report(context, key.error());
  const auto heads = published(arguments);
  if (!heads) return report(context, heads.error());

  LineReader reader(*arguments.subject);
  const auto unreadable = [&] {
    return report(context, store_failure(Error{fmt::format("{} cannot be read: {}",
                                                           *arguments.subject, reader.failure())}));
  };
  std::string line;
  const bool any = reader.next(line);
  if (!reader.failure().empty()) return unreadable();
  drop_byte_order_mark(line);
  if (any && !is_of_export(reader, line)) {
    const auto text = whole(reader, std::move(line));
    if (!text) return report(context, text.error());
    return conclude(context, evidence::verify_document(*text, *key, *heads));
  }
  evidence::Verifier verifier(*key, *heads);
  for (bool more = any; more && verifier.line(line);) more = reader.next(line);
  if (!reader.failure().empty()) return unreadable();
  const evidence::Verification found = verifier.finish();
  if (context.settings.json) {
    print_as_json(context, found);
  } else {
    print(context, found);
  }
  return found.holds() ? 0 : exit_store;
}

}  // namespace holdfast::cli
