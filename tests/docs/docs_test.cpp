// Documents that are run rather than believed: commands are executed, examples are compiled
// elsewhere and compared, links and the map of invariants are followed.

#include <fmt/format.h>
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
#include <set>

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

/// What a script whose name ends with a schema finds as `rooms.db`: a store of that schema.
std::string old_store_for(const std::string& name) {
  const std::size_t schema = name.rfind(" schema_");
  if (schema == std::string::npos) return {};
  return fmt::format("gunzip -c '{}/tests/fixtures/{}/sqlite/store.db.gz' >rooms.db\n",
                     HOLDFAST_SOURCE_DIR, name.substr(schema + 1));
}

/// The ports that documents speak of, and what stands in for them: the service's comes first.
using Ports = std::vector<std::pair<std::regex, std::string>>;

std::string on_ports(std::string text, const Ports& ports) {
  for (const auto& [said, free] : ports) text = std::regex_replace(text, said, free);
  return text;
}

/// `docs/examples`, as scripts find it.
void copy_examples(const fs::path& folder, const Ports& ports) {
  const fs::path examples = fs::path(HOLDFAST_SOURCE_DIR) / "docs/examples";
  fs::create_directories(folder);
  for (const auto& each : fs::directory_iterator(examples)) {
    const std::string name = each.path().filename();
    std::ofstream(folder / name) << on_ports(read_source_file("docs/examples/" + name), ports);
  }
}

/// Runs a script with the built program on the path, in a folder of its own. What it says of some
/// ports is done on free ones.
void run_script(std::string text, const std::string& name) {
  const TempDir folder;
  Ports ports;
  for (const char* const each : {"8420", "9998", "9999"}) ports.emplace_back(each, free_port());
  const std::string port = ports.front().second;
  text = on_ports(std::move(text), ports);
  copy_examples(fs::path(folder.path()) / "work/docs/examples", ports);
  const fs::path script = fs::path(folder.path()) / "script.sh";
  const fs::path log = fs::path(folder.path()) / "output.log";
  std::ofstream(script) << "set -euo pipefail\ncd work\n"
                           "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
                        << old_store_for(name) << text;
  const std::string command = "cd '" + std::string(folder.path()) +
                              "' && HOLDFAST_LISTEN=127.0.0.1:" + port + " PATH='" +
                              fs::path(HOLDFAST_CLI).parent_path().string() + "':\"$PATH\" bash '" +
                              script.string() + "' >'" + log.string() + "' 2>&1 </dev/null";
  const int status = std::system(command.c_str());
  std::ifstream output(log);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << name << " failed:\n"
                                                             << output.rdbuf();
}

/// A block as part of a script: what is a file, `run: tour, as verify.py`, is written.
std::string script_part(const Block& block) {
  const std::size_t file = block.comment.find(", as ");
  if (file == std::string::npos) return block.text;
  return "cat > " + block.comment.substr(file + 5) + " <<'END OF FILE'\n" + block.text +
         "END OF FILE\n";
}

TEST(Docs, commands_run) {
  std::size_t scripts = 0;
  for (const std::string& document : all_documents()) {
    std::map<std::string, std::string> by_name;
    for (const Block& block : blocks_of(document)) {
      if (!block.comment.starts_with("run: ")) continue;
      by_name[block.comment.substr(0, block.comment.find(", as "))] += script_part(block);
    }
    for (const auto& [name, text] : by_name) run_script(text, document + ", " + name);
    scripts += by_name.size();
  }
  EXPECT_GT(scripts, 0U);
}

TEST(Docs, no_command_goes_unrun_without_a_reason) {
  for (const std::string& document : all_documents()) {
    for (const Block& block : blocks_of(document)) {
      static const std::set<std::string> commands{"sh", "bash", "console", "python"};
      if (!commands.contains(block.language)) continue;
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

/// What a heading can be linked to as.
std::set<std::string> anchors_of(const fs::path& document) {
  std::set<std::string> anchors;
  std::ifstream file(document);
  bool inside = false;  // a block of code
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) inside = !inside;
    if (inside || !line.starts_with('#')) continue;
    std::string anchor;
    for (const char c : line.substr(line.find_first_not_of('#') + 1)) {
      if (c == ' ') anchor += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_')
        anchor += static_cast<char>(std::tolower(c));
    }
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Docs, links_lead_somewhere) {
  const std::regex link(R"(\]\(([^)#:\s]*)(?:#([^)]*))?\))");
  for (const std::string& document : all_documents()) {
    const std::string text = read_source_file(document);
    const fs::path here = fs::path(HOLDFAST_SOURCE_DIR) / document;
    for (std::sregex_iterator each(text.begin(), text.end(), link), end; each != end; ++each) {
      const std::string file = (*each)[1];
      const fs::path to = file.empty() ? here : here.parent_path() / file;
      EXPECT_TRUE(fs::exists(to)) << document << " → " << file;
      if ((*each)[2].matched) {
        EXPECT_TRUE(anchors_of(to).contains((*each)[2])) << document << " → " << (*each)[0];
      }
    }
  }
}

/// The home and the test of an invariant, which both exist, and what audits it.
std::string mapped(const std::string& map, const std::string& id) {
  const std::regex row("\\| " + id + R"( \| `([^`]+)` \| `([^`]+)` \| (?:`([^`]+)`|–) \|)");
  std::smatch found;
  EXPECT_TRUE(std::regex_search(map, found, row)) << id << " has no row in ARCHITECTURE.md";
  if (found.empty()) return {};
  EXPECT_TRUE(fs::exists(fs::path(HOLDFAST_SOURCE_DIR) / found[1].str())) << id;
  EXPECT_NE(read_source_file(found[2]).find(id), std::string::npos)
      << found[2] << " does not name " << id;
  return found[3];
}

TEST(Docs, the_map_of_invariants_is_true) {
  const std::string map = read_source_file("ARCHITECTURE.md");
  for (const InvariantRow& invariant : documented_invariants()) {
    const std::string id(invariant.id);
    std::string view = "audit_" + id;
    for (char& c : view) c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
    EXPECT_EQ(mapped(map, id), view);
  }
  for (const char* id : {"EV-1", "EV-2", "EV-3"})
    EXPECT_TRUE(mapped(map, id).starts_with("holdfast evidence verify")) << id;
  for (const char* id : {"DUR-1", "DUR-2"}) EXPECT_EQ(mapped(map, id), "") << id;
}

}  // namespace
}  // namespace holdfast::test
