// Documents that are run rather than believed: commands are executed, examples are compiled
// elsewhere and compared, links and the map of invariants are followed.

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "docs/document.hpp"
#include "domain/invariants.hpp"
#include "support/paths.hpp"
#include "support/temp_dir.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

/// A port nobody listens on.
std::string free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(socket);
  return std::to_string(ntohs(address.sin_port));
}

/// Runs a script with the built program on the path, in a folder of its own. What it says of port
/// 8420 is done on a free one.
void run_script(std::string text, const std::string& name) {
  const TempDir folder;
  const std::string port = free_port();
  text = std::regex_replace(text, std::regex("8420"), port);
  const fs::path script = fs::path(folder.path()) / "script.sh";
  const fs::path log = fs::path(folder.path()) / "output.log";
  std::ofstream(script) << "set -euo pipefail\nmkdir work && cd work\n" << text;
  const std::string command = "cd '" + std::string(folder.path()) +
                              "' && HOLDFAST_LISTEN=127.0.0.1:" + port + " PATH='" +
                              fs::path(HOLDFAST_CLI).parent_path().string() + "':\"$PATH\" bash '" +
                              script.string() + "' >'" + log.string() + "' 2>&1 </dev/null";
  const int status = std::system(command.c_str());
  std::ifstream output(log);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << name << " failed:\n"
                                                             << output.rdbuf();
}

TEST(Docs, commands_run) {
  std::size_t scripts = 0;
  for (const std::string& document : all_documents()) {
    std::map<std::string, std::string> by_name;
    for (const Block& block : blocks_of(document)) {
      if (block.comment.starts_with("run: ")) by_name[block.comment] += block.text;
    }
    for (const auto& [name, text] : by_name) run_script(text, document + ", " + name);
    scripts += by_name.size();
  }
  EXPECT_GT(scripts, 0U);
}

TEST(Docs, no_command_goes_unrun_without_a_reason) {
  for (const std::string& document : all_documents()) {
    for (const Block& block : blocks_of(document)) {
      if (block.language != "sh" && block.language != "bash" && block.language != "console")
        continue;
      EXPECT_TRUE(block.comment.starts_with("run: ") || block.comment.starts_with("not run: "))
          << document << ":" << block.line << ": say <!-- run: name --> or <!-- not run: why -->";
    }
  }
}

/// A C++ block names the file that holds it; that file is compiled and run by other tests.
TEST(Docs, examples_are_compiled_code) {
  for (const std::string& document : all_documents()) {
    for (const Block& block : blocks_of(document)) {
      if (block.language != "cpp") continue;
      ASSERT_TRUE(block.comment.starts_with("same as ")) << document << ":" << block.line;
      const std::string file = block.comment.substr(8);
      EXPECT_NE(read_source_file(file).find(block.text), std::string::npos)
          << document << ":" << block.line << " is not in " << file;
    }
  }
}

TEST(Docs, links_lead_somewhere) {
  const std::regex link(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
  for (const std::string& document : all_documents()) {
    const std::string text = read_source_file(document);
    const fs::path from = (fs::path(HOLDFAST_SOURCE_DIR) / document).parent_path();
    for (std::sregex_iterator each(text.begin(), text.end(), link), end; each != end; ++each) {
      EXPECT_TRUE(fs::exists(from / (*each)[1].str())) << document << " → " << (*each)[1];
    }
  }
}

/// The map: a row for every invariant, whose home, test and query exist.
TEST(Docs, the_map_of_invariants_is_true) {
  const std::string map = read_source_file("ARCHITECTURE.md");
  for (const InvariantRow& invariant : invariant_table) {
    const std::string id(invariant.id);
    const std::regex row("\\| " + id + R"( \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|)");
    std::smatch found;
    ASSERT_TRUE(std::regex_search(map, found, row)) << id << " has no row in ARCHITECTURE.md";
    EXPECT_TRUE(fs::exists(fs::path(HOLDFAST_SOURCE_DIR) / found[1].str())) << id;
    const std::string test = read_source_file(found[2]);
    EXPECT_NE(test.find(id), std::string::npos) << found[2] << " does not name " << id;
    std::string view = "audit_" + id;
    for (char& c : view) c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
    EXPECT_EQ(found[3], view);
  }
}

}  // namespace
}  // namespace holdfast::test
