// The official JSON-Schema-Test-Suite, draft 2020-12, from where its Debian package puts it.
// Whatever of it is left out is listed here by name, with the reason.

#include <gtest/gtest.h>
#include <simdjson.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "schema/schema.hpp"

namespace holdfast::schema {
namespace {

/// Of libtest-json-schema-acceptance-perl: the package json-schema-test-suite of Debian 12 ends
/// with draft 7. JSON_SCHEMA_SUITE names another copy, to try a newer one by hand.
std::string suite_folder() {
  const char* const other = std::getenv("JSON_SCHEMA_SUITE");
  return other != nullptr ? other
                          : "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests/"
                            "draft2020-12";
}

struct LeftOut {
  std::string file;
  std::string group;  ///< empty: the whole file
  std::string why;
};

const std::vector<LeftOut>& left_out() {
  constexpr const char* refers_outside =
      "refers to the meta-schema or another document; nothing is fetched";
  constexpr const char* other_meta_schema = "its $schema is one of its own; only 2020-12 is known";
  constexpr const char* large_numbers = "the reader has no numbers beyond 64 bits";
  constexpr const char* old_keyword = "`dependencies` is no keyword of the draft";
  constexpr const char* unknown_places = "below an unknown keyword there are no schemas";
  constexpr const char* no_properties = "patterns have no \\p{...}";
  constexpr const char* annotation = "this format is an annotation here";
  static const std::vector<LeftOut> list{
      {"refRemote.json", "", refers_outside},
      {"anchor.json", "invalid anchors", refers_outside},
      {"defs.json", "validate definition against metaschema", refers_outside},
      {"dynamicRef.json", "strict-tree schema, guards against misspelled properties",
       refers_outside},
      {"dynamicRef.json", "tests for implementation dynamic anchor and reference link",
       refers_outside},
      {"dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $defs first",
       refers_outside},
      {"dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $ref first",
       refers_outside},
      {"id.json", "Invalid use of fragments in location-independent $id", refers_outside},
      {"id.json", "Valid use of empty fragments in location-independent $id", refers_outside},
      {"id.json", "Unnormalized $ids are allowed but discouraged", refers_outside},
      {"ref.json", "remote ref, containing refs itself", refers_outside},
      {"ref.json", "URN base URI with f-component", refers_outside},
      {"vocabulary.json", "schema that uses custom metaschema with with no validation vocabulary",
       other_meta_schema},
      {"vocabulary.json", "ignore unrecognized optional vocabulary", other_meta_schema},
      {"optional/cross-draft.json", "", refers_outside},
      {"optional/format-assertion.json", "", other_meta_schema},
      {"optional/bignum.json", "", large_numbers},
      {"optional/dependencies-compatibility.json", "", old_keyword},
      {"optional/refOfUnknownKeyword.json", "", unknown_places},
      {"optional/ecmascript-regex.json", "\\a is not an ECMA 262 control escape", refers_outside},
      {"optional/ecmascript-regex.json", "patterns always use unicode semantics with pattern",
       no_properties},
      {"optional/ecmascript-regex.json", "pattern with non-ASCII digits", no_properties},
      {"optional/ecmascript-regex.json",
       "patterns always use unicode semantics with patternProperties", no_properties},
      {"optional/ecmascript-regex.json", "patternProperties with non-ASCII digits", no_properties},
      {"optional/format/duration.json", "", annotation},
      {"optional/format/hostname.json", "", annotation},
      {"optional/format/idn-email.json", "", annotation},
      {"optional/format/idn-hostname.json", "", annotation},
      {"optional/format/iri.json", "", annotation},
      {"optional/format/iri-reference.json", "", annotation},
      {"optional/format/json-pointer.json", "", annotation},
      {"optional/format/regex.json", "", annotation},
      {"optional/format/relative-json-pointer.json", "", annotation},
      {"optional/format/uri-reference.json", "", annotation},
      {"optional/format/uri-template.json", "", annotation},
  };
  return list;
}

bool is_left_out(const std::string& file, std::string_view group, std::set<std::size_t>& used) {
  for (std::size_t i = 0; i < left_out().size(); ++i) {
    const LeftOut& each = left_out()[i];
    if (each.file != file || (!each.group.empty() && each.group != group)) continue;
    used.insert(i);
    return true;
  }
  return false;
}

struct Tally {
  int passed = 0;
  int left_out = 0;
  std::set<std::size_t> used;  ///< of the list
};

void run_group(const std::string& file, simdjson::dom::element group, Tally& tally) {
  const std::string_view name = group["description"];
  const simdjson::dom::array tests = group["tests"];
  if (is_left_out(file, name, tally.used)) {
    tally.left_out += static_cast<int>(tests.size());
    return;
  }
  const Options options{.strict = false, .assert_format = file.starts_with("optional/format/")};
  const auto schema = Schema::compile(simdjson::to_string(group["schema"].value()), options);
  if (!schema) {
    ADD_FAILURE() << file << ": " << name << ": " << schema.error().pointer << ' '
                  << schema.error().text;
    return;
  }
  for (const simdjson::dom::element test : tests) {
    const bool valid = test["valid"];
    const simdjson::dom::element value = test["data"];
    const std::vector<Misfit> misfits = (*schema)->check(value);
    EXPECT_EQ(misfits.empty(), valid) << file << ": " << name << ": " << test["description"]
                                      << (valid ? ": " + misfits.front().text : "");
    EXPECT_EQ((*schema)->fits(value), misfits.empty()) << file << ": " << name;
    (void)(*schema)->secrets_in(value);
    tally.passed += misfits.empty() == valid ? 1 : 0;
  }
}

TEST(SchemaSuite, every_case_of_draft_2020_12) {
  const std::filesystem::path folder = suite_folder();
  if (!std::filesystem::is_directory(folder)) {
    GTEST_SKIP() << "needs the package libtest-json-schema-acceptance-perl";
  }
  Tally tally;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string file = std::filesystem::relative(entry.path(), folder).string();
    if (file == "optional/bignum.json" && is_left_out(file, "", tally.used)) continue;
    simdjson::dom::parser parser;
    simdjson::dom::array groups;
    const auto code = parser.load(entry.path().string()).get(groups);
    if (code != simdjson::SUCCESS) {
      ADD_FAILURE() << file << ": " << simdjson::error_message(code);
      continue;
    }
    for (const simdjson::dom::element group : groups) run_group(file, group, tally);
  }
  RecordProperty("passed", tally.passed);
  RecordProperty("left_out", tally.left_out);
  EXPECT_GT(tally.passed, 1'000);
  if (std::getenv("JSON_SCHEMA_SUITE") != nullptr) return;
  for (std::size_t i = 0; i < left_out().size(); ++i) {
    const LeftOut& each = left_out()[i];
    EXPECT_TRUE(tally.used.contains(i)) << each.file << ": no " << each.group << ": " << each.why;
  }
}

}  // namespace
}  // namespace holdfast::schema
