#include "cli/evidence.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "base/json_members.hpp"
#include "cli/failure.hpp"
#include "cli/new_file.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/text.hpp"
#include "evidence/documents.hpp"
#include "evidence/export.hpp"

namespace holdfast::cli {
namespace {

constexpr Lesson lesson{
    .summary = "Prove to an outsider what was decided",
    .paragraph =
        "Every record of a store is a leaf of a Merkle tree (RFC 6962); its head is signed "
        "(Ed25519).\n"
        "export writes all records and signed heads, tokens only as their SHA-256. verify checks "
        "such\n"
        "a file with nothing but the public key: that the records are what was signed, that none "
        "is\n"
        "missing, and that they keep every invariant; it names the first that is wrong. It checks "
        "a\n"
        "proof or a head from the service, too. head signs a head of everything there is: keep it "
        "with\n"
        "somebody else, and verify --head tells later whether anything before it was changed. key\n"
        "prints the public key. The private one is made when it is first needed, in a file beside "
        "the\n"
        "store: keep it, and keep it to yourself.",
    .examples =
        "  holdfast evidence key > holdfast.pub\n"
        "  holdfast evidence export --out evidence.jsonl\n"
        "  holdfast evidence export --tenant hotel > hotel.jsonl\n"
        "  holdfast evidence verify evidence.jsonl --public-key holdfast.pub\n"
        "  holdfast evidence head > head.json\n"
        "  holdfast evidence verify evidence.jsonl --public-key holdfast.pub --head head.json",
    .tenants = true};

Failure failure_of(const StoreError& error) {
  return store_failure(Error{error.message, error.effect});
}

Failure key_failure(const std::string& message) {
  Failure failure = store_failure(Error{message});
  failure.problem.title = "The key that signs cannot be read or made";
  return failure;
}

evidence::SigningKeyFile key_file(const EvidenceArguments& arguments, const std::string& store) {
  if (!arguments.key_file.empty()) return evidence::SigningKeyFile(arguments.key_file);
  const char* chosen = std::getenv("HOLDFAST_EVIDENCE_KEY");  // as for the service
  if (chosen != nullptr && *chosen != '\0') return evidence::SigningKeyFile(chosen);
  return evidence::SigningKeyFile(evidence::SigningKeyFile::beside(store));
}

/// The key; says so if it had to be made.
Parsed<evidence::SigningKey> signing_key(Context& context, const EvidenceArguments& arguments,
                                         const std::string& store) {
  const evidence::SigningKeyFile file = key_file(arguments, store);
  const auto before = file.read();
  auto key = file.read_or_make();
  if (!key) return tl::unexpected(key_failure(key.error()));
  if (before && !*before) {
    context.err.line(
        fmt::format("holdfast: made the key that signs evidence, {}", printable(file.path())));
  }
  if (const std::string warning = file.warning(); !warning.empty())
    context.err.line("holdfast: " + printable(warning));
  return std::move(*key);
}

/// Signs a head over everything in the store; each line of the export goes to `sink`.
Parsed<evidence::SignedHead> sign_all(Context& context, const EvidenceArguments& arguments,
                                      const std::string& store, const evidence::LineSink& sink) {
  if (const auto error = context.missing_store(store)) {
    return tl::unexpected(store_failure(*error));
  }
  auto reader = read_records(store);
  if (!reader) return tl::unexpected(failure_of(reader.error()));
  const auto key = signing_key(context, arguments, store);
  if (!key) return tl::unexpected(key.error());
  evidence::ExportOptions options{.tokens = arguments.tokens};
  if (context.settings.tenant_given) options.tenant = context.settings.tenant;
  ProgressLine progress(context.err);
  auto head = evidence::export_evidence(
      **reader, [&store] { return read_records(store); }, *key, context.now(), options, sink,
      [&](std::uint64_t done, std::uint64_t all) {
        progress.show_records("exporting", done, all);
      });
  if (!head) return tl::unexpected(failure_of(head.error()));
  return *head;
}

int export_all(Context& context, const EvidenceArguments& arguments, const std::string& store) {
  if (context.settings.json && !arguments.out) {
    return report(context, usage_failure("an export is lines of JSON already; --json goes with "
                                         "--out FILE"));
  }
  if (!arguments.out) {
    const auto head = sign_all(context, arguments, store, [&](std::string_view line) {
      context.out.write(line);
      return !context.out.closed() && context.out.failure().empty();
    });
    return head ? 0 : report(context, head.error());
  }
  NewFile file(*arguments.out);
  const auto unwritten = [&] { return report(context, store_failure(Error{file.failure()})); };
  if (!file.open()) return unwritten();
  const auto head =
      sign_all(context, arguments, store, [&](std::string_view line) { return file.write(line); });
  if (!head) return report(context, head.error());
  if (!file.finish()) return unwritten();
  if (context.settings.json) {
    print_json(context.out, {.body = evidence::document(*head)});
  } else {
    context.out.line(fmt::format("{} in {}, signed by {}.", count_text(head->head.size, "record"),
                                 printable(*arguments.out), head->key.hex()));
  }
  return 0;
}

int show_head(Context& context, const EvidenceArguments& arguments, const std::string& store) {
  const auto head = sign_all(context, arguments, store, [](std::string_view) { return true; });
  if (!head) return report(context, head.error());
  const std::string text = evidence::document(*head);
  if (context.settings.json) {
    print_json(context.out, {.body = text});
  } else {
    context.out.line(text);
  }
  return 0;
}

int show_key(Context& context, const EvidenceArguments& arguments, const std::string& store) {
  if (const auto error = context.missing_store(store)) {
    return report(context, store_failure(*error));
  }
  // A key is not made for what is no store.
  if (const auto reader = read_records(store); !reader) {
    return report(context, failure_of(reader.error()));
  }
  const auto key = signing_key(context, arguments, store);
  if (!key) return report(context, key.error());
  const std::string pem = key->public_key().pem();
  if (!context.settings.json) {
    context.out.write(pem);
    return 0;
  }
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  text_member(json, "public_key", key->public_key().hex());
  text_member(json, "pem", pem);
  json.end_object();
  print_json(context.out, {.body = body});
  return 0;
}

/// An option that the action has no use for is a mistake.
std::optional<Failure> misuse(const Context& context, const EvidenceArguments& arguments) {
  const bool exports = arguments.action == "export";
  const bool verifies = arguments.action == "verify";
  const auto only = [](std::string_view option, std::string_view action) {
    return usage_failure(fmt::format("{} goes with holdfast evidence {} only", option, action));
  };
  if (arguments.out && !exports) return only("--out", "export");
  if (arguments.out && arguments.out->empty())
    return usage_failure("--out needs the name of a new file, as in --out evidence.jsonl");
  if (arguments.tokens && !exports) return only("--tokens", "export");
  if (context.settings.tenant_given && !exports) return only("--tenant", "export");
  if (arguments.public_key && !verifies) return only("--public-key", "verify");
  if (arguments.head && !verifies) return only("--head", "verify");
  if (verifies && !arguments.key_file.empty())
    return usage_failure("verify needs the public key, --public-key; the private one signs");
  return std::nullopt;
}

int run(Context& context, const EvidenceArguments& arguments) {
  if (const auto wrong = misuse(context, arguments)) return report(context, *wrong);
  if (arguments.action == "verify") return verify_evidence(context, arguments);
  const std::string store = arguments.subject.value_or(context.store_path());
  if (arguments.action == "export") return export_all(context, arguments, store);
  if (arguments.action == "head") return show_head(context, arguments, store);
  if (arguments.action == "key") return show_key(context, arguments, store);
  return report(context, usage_failure(fmt::format("'{}' is not something evidence does; try "
                                                   "export, verify, head or key",
                                                   printable(arguments.action))));
}

}  // namespace

void add_evidence(Program& program) {
  auto arguments = std::make_shared<EvidenceArguments>();
  Options options = program.add("evidence", lesson,
                                [arguments](Context& context) { return run(context, *arguments); });
  options.argument("ACTION", arguments->action, "export, verify, head or key");
  options.optional_argument("WHAT", arguments->subject,
                            "The store, instead of --store; of verify: the file, or - for input");
  options.option("--out", "FILE", arguments->out,
                 "Of export: a new file to write; else the standard output");
  options.flag("--tokens", arguments->tokens, "Of export: tokens in clear besides their SHA-256");
  options.option("--public-key", "KEY", arguments->public_key,
                 "Of verify: who is to have signed; 64 hexadecimal digits, or a file");
  options.option("--head", "FILE", arguments->head,
                 "Of verify: a head that was kept from before, to agree with");
  options.option("--evidence-key", "FILE", arguments->key_file,
                 "The private key; else $HOLDFAST_EVIDENCE_KEY, else beside the store");
}

}  // namespace holdfast::cli
