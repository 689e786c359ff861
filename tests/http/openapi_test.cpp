// The document itself: it describes every route and nothing else, it is sound, its examples are
// true.

#include "openapi/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/auditing.hpp"
#include "holdfast/version.hpp"
#include "routes/routes.hpp"
#include "support/http/checked_calls.hpp"
#include "wire/verdict.hpp"

namespace holdfast::test {
namespace {

using simdjson::dom::element;
using testing::Contains;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;

class OpenApiDocument : public testing::Test {
 protected:
  OpenApiDocument() : document_(http::openapi_json()) {}

  /// Calls `visit` with every value of the document, and where it is.
  void walk(const std::function<void(const std::string&, const element&)>& visit) const {
    walk("", document_.document(), visit);
  }

  /// Every schema there is outside of schemas, by where it is.
  [[nodiscard]] std::vector<std::pair<std::string, element>> schemas() const {
    std::vector<std::pair<std::string, element>> found;
    walk([&](const std::string& at, const element& value) {
      const std::size_t begin = std::string_view("/components/schemas/").size();
      const bool named =
          at.starts_with("/components/schemas/") && at.find('/', begin) == std::string::npos;
      const bool used = at.ends_with("/schema") && !at.starts_with("/components/schemas/");
      if (named || used) found.emplace_back(at, value);
    });
    return found;
  }

  void each_operation(
      const std::function<void(const std::string& path, const element& operation)>& visit) const {
    for (const auto& [path, item] : members_of(document_.at("/paths"))) {
      for (const auto& [method, operation] : members_of(item)) visit(std::string(path), operation);
    }
  }

  const JsonSchema document_;

 private:
  static void walk(const std::string& at, const element& value,
                   const std::function<void(const std::string&, const element&)>& visit) {
    visit(at, value);
    if (value.is_object()) {
      for (const auto& [name, each] : members_of(value))
        walk(fmt::format("{}/{}", at, name), each, visit);
    } else if (value.is_array()) {
      std::size_t index = 0;
      for (const element each : items_of(value))
        walk(fmt::format("{}/{}", at, index++), each, visit);
    }
  }
};

TEST_F(OpenApiDocument, DescribesEveryRouteAndNothingElse) {
  std::vector<std::string> routes;
  for (const http::Route& each : http::routes())
    routes.push_back(fmt::format("{} {}", each.method, each.pattern));
  EXPECT_THAT(CheckedCalls(http::openapi_json()).operations(), UnorderedElementsAreArray(routes));
}

TEST_F(OpenApiDocument, IsOfThisVersion) {
  EXPECT_EQ(text_of(document_.at("/openapi")), "3.1.0");
  EXPECT_EQ(text_of(document_.at("/info/version")), version);
}

TEST_F(OpenApiDocument, ReferencesLeadSomewhereAndEveryPartIsReferredTo) {
  std::set<std::string> referred;
  walk([&](const std::string& at, const element& value) {
    if (!at.ends_with("/$ref")) return;
    referred.insert(std::string(text_of(value)));
    (void)document_.at(text_of(value));  // fails the test if nothing is there
  });
  // Said of every address in the introduction.
  for (const char* each : {"NoSuchAddress", "MethodNotAllowed", "Options"})
    referred.insert(std::string("#/components/responses/") + each);
  for (const char* kind : {"schemas", "parameters", "headers", "responses"}) {
    const std::string at = std::string("/components/") + kind;
    for (const auto& [name, part] : members_of(document_.at(at)))
      EXPECT_THAT(referred, Contains(fmt::format("#{}/{}", at, name)));
  }
}

TEST_F(OpenApiDocument, OperationsHaveNamesOfTheirOwn) {
  std::set<std::string> ids;
  std::set<std::string> tags;
  for (const element tag : items_of(document_.at("/tags")))
    tags.insert(std::string(tag["name"].get_string().value()));
  each_operation([&](const std::string& path, const element& operation) {
    EXPECT_TRUE(ids.insert(std::string(operation["operationId"].get_string().value())).second)
        << path;
    EXPECT_THAT(tags, Contains(std::string(operation["tags"].at(0).get_string().value())));
  });
}

TEST_F(OpenApiDocument, NeedsAKeyWhereTheServiceDoes) {
  for (const http::Route& route : http::routes()) {
    std::string method(route.method);
    std::transform(method.begin(), method.end(), method.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const element operation = document_.at("/paths")[route.pattern][method];
    const bool open = operation["security"].error() == simdjson::SUCCESS;
    EXPECT_EQ(open, route.access == http::Access::open) << route.pattern;
  }
}

TEST_F(OpenApiDocument, PathsDeclareTheirParameters) {
  each_operation([&](const std::string& path, const element& operation) {
    std::set<std::string> declared;
    simdjson::dom::array parameters;
    if (operation["parameters"].get(parameters) == simdjson::SUCCESS) {
      for (const element each : parameters) {
        const element parameter = document_.resolved(each);
        if (parameter["in"].get_string().value() != "path") continue;
        EXPECT_TRUE(parameter["required"].get_bool().value());
        declared.insert("{" + std::string(parameter["name"].get_string().value()) + "}");
      }
    }
    const std::size_t braces = static_cast<std::size_t>(std::count(path.begin(), path.end(), '{'));
    EXPECT_EQ(declared.size(), braces) << path;
    for (const std::string& each : declared) EXPECT_THAT(path, testing::HasSubstr(each));
  });
}

TEST_F(OpenApiDocument, SchemasUseOnlyWhatIsChecked) {
  EXPECT_GT(schemas().size(), 100U);
  for (const auto& [at, schema] : schemas())
    EXPECT_THAT(document_.check_schema(schema), IsEmpty()) << at;
}

/// Bodies have no room for what nobody described.
TEST_F(OpenApiDocument, ObjectsAreClosed) {
  for (const auto& [name, schema] : members_of(document_.at("/components/schemas"))) {
    std::string_view type;
    if (schema["type"].get(type) != simdjson::SUCCESS || type != "object") continue;
    if (name == "CommandArgs" || name == "Registry") continue;  // what is in them is declared
    EXPECT_FALSE(schema["additionalProperties"].get_bool().value()) << name;
  }
}

TEST_F(OpenApiDocument, ExamplesAreTrue) {
  std::size_t checked = 0;
  walk([&](const std::string& at, const element& value) {
    if (!value.is_object() || at.ends_with("/properties")) return;
    simdjson::dom::array examples;
    if (value["examples"].get(examples) == simdjson::SUCCESS) {
      for (const element each : examples) {
        EXPECT_THAT(document_.check(value, each), IsEmpty()) << at;
        ++checked;
      }
    }
    element example;
    if (at.starts_with("/components/parameters/") &&
        value["example"].get(example) == simdjson::SUCCESS) {
      EXPECT_THAT(document_.check(value["schema"].value(), example), IsEmpty()) << at;
      ++checked;
    }
  });
  EXPECT_GT(checked, 30U);
}

TEST_F(OpenApiDocument, PagesAreAsLongAsTheyAreEverywhere) {
  const element limit = document_.at("/components/parameters/Limit/schema");
  EXPECT_EQ(limit["minimum"].get_int64().value(), 1);
  EXPECT_EQ(limit["maximum"].get_uint64().value(), page_items_max);
  EXPECT_EQ(limit["default"].get_uint64().value(), page_items_default);
}

TEST_F(OpenApiDocument, NamesEveryRejection) {
  std::set<std::string> given;
  walk([&](const std::string& at, const element& value) {
    if (!at.ends_with("/properties/code/enum")) return;
    for (const element code : items_of(value)) given.insert(std::string(text_of(code)));
  });
  for (const RejectionRow& row : rejection_table)
    EXPECT_THAT(given, Contains(std::string(row.code)));
}

/// No healthy service has violations to show.
TEST_F(OpenApiDocument, DescribesABadVerdict) {
  Verdict verdict;
  verdict.checksums = 2;
  verdict.broken_checksums = {1, 2};
  verdict.report.violations_total = 2;
  verdict.report.violations.push_back({.invariant = "CAP-1",
                                       .seq = 2,
                                       .hold = HoldId{.ordinal = 1, .salt = 5}.text(),
                                       .text = "3 of 2 are in use"});
  verdict.report.violations.push_back(
      {.invariant = "PC-10", .seq = 7, .hold = {}, .text = "record 6 is missing"});
  std::string text;
  JsonWriter json(text);
  write_verdict(json, verdict);
  EXPECT_THAT(document_.check(document_.at("/components/schemas/Verdict"), text), IsEmpty());
}

}  // namespace
}  // namespace holdfast::test
