#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/paths.hpp"
#include "tidy/rules.hpp"
#include "tidy/source_tree.hpp"

// Two halves: the rules hold for this source tree, and each rule is able to fail.

namespace holdfast::tidy {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const SourceTree& tree() {
  static const SourceTree loaded = load_tree(HOLDFAST_SOURCE_DIR);
  return loaded;
}

TEST(Tree, IsFound) {
  EXPECT_GT(tree().size(), 20U);
  EXPECT_TRUE(std::any_of(tree().begin(), tree().end(), [](const SourceFile& file) {
    return file.path == "tests/tidy/tidy_test.cpp";
  }));
}

TEST(Tree, LayersPointOneWay) { EXPECT_THAT(layers(tree()), IsEmpty()); }
TEST(Tree, PublicHeadersStandAlone) { EXPECT_THAT(public_headers(tree()), IsEmpty()); }
TEST(Tree, DriverHeadersStayHome) { EXPECT_THAT(driver_headers(tree()), IsEmpty()); }
TEST(Tree, HasNoBannedCalls) { EXPECT_THAT(banned_calls(tree()), IsEmpty()); }
TEST(Tree, HeadersBeginWithPragmaOnce) { EXPECT_THAT(pragma_once(tree()), IsEmpty()); }
TEST(Tree, TodosNameAnIssue) { EXPECT_THAT(homeless_todos(tree()), IsEmpty()); }
TEST(Tree, WhiteSpaceIsClean) { EXPECT_THAT(white_space(tree()), IsEmpty()); }
TEST(Tree, FilesAreShort) { EXPECT_THAT(long_files(tree()), IsEmpty()); }
TEST(Tree, EveryHeaderIsIncluded) { EXPECT_THAT(dead_headers(tree()), IsEmpty()); }

/// Whether `src/<from>` may include `"<to>"`.
bool allows(const std::string& from, const std::string& to) {
  return layers({{"src/" + from, "#include \"" + to + "\"\n"}}).empty();
}

TEST(Layers, PointDown) {
  EXPECT_TRUE(allows("domain/a.cpp", "base/b.hpp"));
  EXPECT_TRUE(allows("engine/a.cpp", "domain/b.hpp"));
  EXPECT_TRUE(allows("cli/a.cpp", "engine/b.hpp"));
  EXPECT_TRUE(allows("base/a.cpp", "holdfast/clock.hpp"));
  EXPECT_TRUE(allows("signatures/a.cpp", "base/b.hpp"));
  EXPECT_FALSE(allows("base/a.cpp", "domain/b.hpp"));
  EXPECT_FALSE(allows("signatures/a.cpp", "domain/b.hpp"));
  EXPECT_FALSE(allows("domain/a.hpp", "engine/b.hpp"));
  EXPECT_FALSE(allows("engine/a.cpp", "http/b.hpp"));
  EXPECT_FALSE(allows("engine/a.cpp", "cli/b.hpp"));
  EXPECT_FALSE(allows("http/a.cpp", "client/b.hpp"));
}

TEST(Layers, LetOnlyOneCommandContainTheService) {
  EXPECT_TRUE(allows("cli/serve.cpp", "http/server.hpp"));
  EXPECT_TRUE(allows("cli/serve.cpp", "cli/b.hpp"));
  EXPECT_TRUE(allows("cli/a.cpp", "keys/b.hpp"));
  EXPECT_TRUE(allows("cli/a.cpp", "settings/b.hpp"));
  EXPECT_FALSE(allows("cli/a.cpp", "http/server.hpp"));
  EXPECT_FALSE(allows("keys/a.cpp", "http/b.hpp"));
  EXPECT_FALSE(allows("settings/a.cpp", "http/b.hpp"));
  EXPECT_FALSE(allows("openapi/a.cpp", "http/router.hpp"));
  EXPECT_FALSE(allows("settings/a.cpp", "keys/b.hpp"));
}

TEST(Layers, KeepTheWireOutOfTheEngine) {
  EXPECT_TRUE(allows("client/a.cpp", "wire/b.hpp"));
  EXPECT_TRUE(allows("http/handlers/a.cpp", "wire/b.hpp"));
  EXPECT_FALSE(allows("engine/a.cpp", "wire/b.hpp"));
  EXPECT_FALSE(allows("wire/a.cpp", "engine/b.hpp"));
  EXPECT_FALSE(allows("client/a.cpp", "engine/b.hpp"));
}

TEST(Layers, KeepTheRoomsOfTheServiceApart) {
  EXPECT_TRUE(allows("http/handlers/a.cpp", "http/transport/b.hpp"));
  EXPECT_TRUE(allows("http/server.cpp", "http/handlers/b.hpp"));
  EXPECT_FALSE(allows("http/transport/a.cpp", "http/handlers/b.hpp"));
  EXPECT_FALSE(allows("http/monitoring/a.cpp", "http/transport/b.hpp"));
  EXPECT_FALSE(allows("http/monitoring/a.cpp", "http/server.hpp"));
}

TEST(Layers, KnowStoresByTheirPort) {
  EXPECT_TRUE(allows("engine/a.cpp", "store/store.hpp"));
  EXPECT_TRUE(allows("engine/a.cpp", "store/open.hpp"));
  EXPECT_TRUE(allows("store/open.cpp", "store/sqlite/b.hpp"));
  EXPECT_FALSE(allows("engine/a.cpp", "store/sqlite/b.hpp"));
  EXPECT_FALSE(allows("engine/a.cpp", "store/shared.hpp"));
  EXPECT_FALSE(allows("http/a.cpp", "store/memory/b.hpp"));
  EXPECT_FALSE(allows("store/open.hpp", "store/memory/b.hpp"));
  EXPECT_FALSE(allows("domain/a.cpp", "store/store.hpp"));
}

TEST(Layers, KeepStoresApart) {
  EXPECT_TRUE(allows("store/sqlite/a.cpp", "store/sqlite/b.hpp"));
  EXPECT_TRUE(allows("store/sqlite/a.cpp", "store/store.hpp"));
  EXPECT_TRUE(allows("store/sqlite/a.cpp", "store/shared.hpp"));
  EXPECT_TRUE(allows("store/sqlite/a.cpp", "domain/b.hpp"));
  EXPECT_FALSE(allows("store/sqlite/a.cpp", "store/memory/b.hpp"));
  EXPECT_FALSE(allows("store/sqlite/a.cpp", "engine/b.hpp"));
  EXPECT_FALSE(allows("store/shared.hpp", "store/sqlite/b.hpp"));
}

TEST(Layers, SeeThroughRelativePaths) {
  EXPECT_FALSE(allows("store/sqlite/a.cpp", "../memory/b.hpp"));
  EXPECT_FALSE(
      layers({{"src/base/a.cpp", "#include \"../domain/b.hpp\"\n"}, {"src/domain/b.hpp", ""}})
          .empty());
}

TEST(Layers, AreAllKnown) { EXPECT_FALSE(allows("utils/a.cpp", "base/b.hpp")); }

TEST(PublicHeaders, IncludeLittle) {
  const auto found = [](const std::string& line) {
    return public_headers({{"include/holdfast/a.hpp", "#pragma once\n" + line + "\n"}});
  };
  EXPECT_THAT(found("#include <vector>"), IsEmpty());
  EXPECT_THAT(found("#include <tl/expected.hpp>"), IsEmpty());
  EXPECT_THAT(found("#include \"holdfast/types.hpp\""), IsEmpty());
  EXPECT_THAT(found("#include <fmt/format.h>"), SizeIs(1));
  EXPECT_THAT(found("#include <unistd.h>"), SizeIs(1));
  EXPECT_THAT(found("#include \"base/assert.hpp\""), SizeIs(1));
}

TEST(DriverHeaders, StayHome) {
  const std::string text = "#include <sqlite3.h>\n";
  EXPECT_THAT(driver_headers({{"src/store/sqlite/a.cpp", text}}), IsEmpty());
  EXPECT_THAT(driver_headers({{"tests/unit/a.cpp", text}}), IsEmpty());
  EXPECT_THAT(driver_headers({{"src/store/memory/a.cpp", text}}), SizeIs(1));
  EXPECT_THAT(driver_headers({{"src/cli/a.cpp", text}}), SizeIs(1));
  EXPECT_THAT(driver_headers({{"src/store/sqlite/a.cpp", "#include <libpq-fe.h>\n"}}), SizeIs(1));
  EXPECT_THAT(driver_headers({{"src/engine/a.cpp", "#include <mariadb/mysql.h>\n"}}), SizeIs(1));
}

Findings banned(const std::string& path, const std::string& code) {
  return banned_calls({{path, code + "\n"}});
}

TEST(Modules, AreNamedInTheirOwnFolders) {
  const std::string operation = "if (each == Operation::hold_place) return;";
  const std::string kind = "record.kind = RecordKind::declared;";
  EXPECT_THAT(banned("src/modules/holds/a.cpp", operation + kind), IsEmpty());
  EXPECT_THAT(banned("src/engine/a.cpp", operation), SizeIs(1));
  EXPECT_THAT(banned("src/store/shared/a.cpp", kind), SizeIs(1));
  EXPECT_THAT(banned("src/engine/a.cpp", "if (kind == RecordKind::rejected) return;"), IsEmpty());
  EXPECT_THAT(banned("src/engine/a.cpp", "if (each == Operation::none) return;"), IsEmpty());
}

TEST(BannedCalls, AreFoundWithTheirReplacement) {
  for (const char* code : {"auto t = std::chrono::system_clock::now();", "auto t = time(nullptr);",
                           "auto t = std::time( NULL );", "gettimeofday(&tv, nullptr);",
                           "clock_gettime(CLOCK_REALTIME, &ts);"}) {
    ASSERT_THAT(banned("src/engine/a.cpp", code), SizeIs(1)) << code;
    EXPECT_THAT(banned("src/engine/a.cpp", code)[0].message, HasSubstr("holdfast::Clock"));
    EXPECT_THAT(banned("src/base/clock.cpp", code), IsEmpty()) << code;
  }
  for (const char* code : {"return rand();", "std::srand (1);", "std::random_device d;",
                           "std::mt19937 g(1);", "std::mt19937_64 g(1);"}) {
    ASSERT_THAT(banned("src/domain/a.hpp", code), SizeIs(1)) << code;
    EXPECT_THAT(banned("src/domain/a.hpp", code)[0].message, HasSubstr("holdfast::Random"));
  }
  ASSERT_THAT(banned("src/store/a.cpp", "assert(x);"), SizeIs(1));
  EXPECT_THAT(banned("src/store/a.cpp", "assert(x);")[0].message, HasSubstr("HOLDFAST_ASSERT"));
  EXPECT_THAT(banned("src/engine/a.cpp", "std::cout << 1;"), SizeIs(1));
  EXPECT_THAT(banned("src/engine/a.cpp", "std::printf(\"\");"), SizeIs(1));
  EXPECT_THAT(banned("src/engine/a.cpp", "puts(\"\");"), SizeIs(1));
  EXPECT_THAT(banned("src/cli/a.cpp", "std::cout << 1;"), IsEmpty());
  EXPECT_THAT(banned("src/cli/a.cpp", "std::timed_mutex m;"), SizeIs(1));
  EXPECT_THAT(banned("tests/unit/a.cpp", "std::shared_timed_mutex m;"), SizeIs(1));
}

TEST(BannedCalls, AreNotConfusedByProseOrLookalikes) {
  for (const char* code :
       {"// time(nullptr) is banned", "/* rand()\n assert(x) */", "auto s = \"assert(x)\";",
        "auto s = R\"(std::cout)\";", "static_assert(true);", "HOLDFAST_ASSERT(x);",
        "snprintf(b, 1, f);", "int operand(int);", "auto n = 1'000; auto c = '\"'; // rand()",
        "std::chrono::steady_clock::now();", "lifetime(0);"}) {
    EXPECT_THAT(banned("src/engine/a.cpp", code), IsEmpty()) << code;
  }
}

TEST(PragmaOnce, ComesFirst) {
  EXPECT_THAT(pragma_once({{"src/a.hpp", "#pragma once\n"}, {"src/a.cpp", ""}}), IsEmpty());
  EXPECT_THAT(pragma_once({{"src/a.hpp", "// hello\n#pragma once\n"}}), SizeIs(1));
  EXPECT_THAT(pragma_once({{"src/a.hpp", "#ifndef A\n#define A\n#endif\n"}}), SizeIs(1));
}

TEST(Todos, NameAnIssue) {
  const std::string todo = std::string("// TO") + "DO";
  const std::string fixme = std::string("# FIX") + "ME";
  EXPECT_THAT(homeless_todos({{"src/a.cpp", todo + "(#12): later\nint todo;\n"}}), IsEmpty());
  EXPECT_THAT(homeless_todos({{"src/a.cpp", todo + ": later\n"}}), SizeIs(1));
  EXPECT_THAT(homeless_todos({{"dev", fixme + "(someone)\n"}}), SizeIs(1));
}

TEST(WhiteSpace, IsClean) {
  EXPECT_THAT(white_space({{"src/a.cpp", "int a;\n"}, {"docs/a.md", ""}}), IsEmpty());
  EXPECT_THAT(white_space({{"src/a.cpp", "\tint a;\n"}}), SizeIs(1));
  EXPECT_THAT(white_space({{"src/a.cpp", "int a; \n"}}), SizeIs(1));
  EXPECT_THAT(white_space({{"src/a.cpp", "int a;\r\n"}}), SizeIs(1));
  EXPECT_THAT(white_space({{"src/a.cpp", "int a;"}}), SizeIs(1));
}

TEST(LongFiles, AreRefused) {
  EXPECT_THAT(long_files({{"src/a.cpp", std::string(600, '\n')}}), IsEmpty());
  EXPECT_THAT(long_files({{"src/a.cpp", std::string(601, '\n')}}), SizeIs(1));
  EXPECT_THAT(long_files({{"docs/a.md", std::string(601, '\n')}}), IsEmpty());
}

TEST(DeadHeaders, AreFound) {
  const SourceFile header{"src/base/a.hpp", "#include \"base/a.hpp\"\n"};
  EXPECT_THAT(dead_headers({header}), SizeIs(1));
  EXPECT_THAT(dead_headers({header, {"src/base/b.cpp", "#include \"base/a.hpp\"\n"}}), IsEmpty());
  EXPECT_THAT(dead_headers({header, {"src/base/b.cpp", "#include \"a.hpp\"\n"}}), IsEmpty());
  EXPECT_THAT(dead_headers({{"include/holdfast/a.hpp", ""},
                            {"examples/b.cpp", "#include <holdfast/a.hpp>\n"}}),
              IsEmpty());
}

}  // namespace
}  // namespace holdfast::tidy
