#include "tidy/source_tree.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>

namespace holdfast::tidy {
namespace {

namespace fs = std::filesystem;

bool ours(const fs::path& path) {
  static const std::set<std::string> extensions{".cpp", ".hpp",  ".md",  ".cmake",
                                                ".in",  ".html", ".css", ".js"};
  static const std::set<std::string> names{"CMakeLists.txt", "CMakePresets.json", "dev", "run"};
  return extensions.contains(path.extension().string()) || names.contains(path.filename().string());
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool contains(const SourceTree& tree, const std::string& path) {
  return std::any_of(tree.begin(), tree.end(),
                     [&](const SourceFile& file) { return file.path == path; });
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The end of the literal or comment that starts at `at`, or `at` if none does.
std::size_t skip_from(std::string_view text, std::size_t at) {
  const auto end_after = [&](std::string_view closing, std::size_t from) {
    const std::size_t found = text.find(closing, from);
    return found == std::string_view::npos ? text.size() : found + closing.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("//")) return std::min(text.find('\n', at), text.size());
  if (rest.starts_with("/*")) return end_after("*/", at + 2);
  if (rest.starts_with("R\"") && (at == 0 || !is_word(text[at - 1]))) {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) return text.size();
    return end_after(")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  const char quote = text[at];
  const bool digit_separator = quote == '\'' && at > 0 && is_word(text[at - 1]);
  if ((quote != '"' && quote != '\'') || digit_separator) return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != quote && text[end] != '\n') {
    end += text[end] == '\\' ? 2U : 1U;
  }
  return std::min(end + 1, text.size());
}

}  // namespace

SourceTree load_tree(const fs::path& root) {
  static constexpr std::array folders{"include",  "src",   "console", "tests", "bench",
                                      "examples", "cmake", "docs",    ".ci"};
  SourceTree tree;
  const auto add = [&](const fs::path& path) {
    if (ours(path)) tree.push_back({path.lexically_relative(root).generic_string(), slurp(path)});
  };
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.is_regular_file()) add(entry.path());
  }
  for (const char* folder : folders) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  std::sort(tree.begin(), tree.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return tree;
}

bool is_header(const SourceFile& file) { return file.path.ends_with(".hpp"); }

bool is_code(const SourceFile& file) { return is_header(file) || file.path.ends_with(".cpp"); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string code_only(std::string_view text) {
  std::string code(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = skip_from(text, at);
    for (std::size_t i = at; i < end; ++i) {
      if (code[i] != '\n') code[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return code;
}

std::vector<Include> includes_of(const SourceFile& file) {
  std::vector<Include> found;
  std::size_t number = 0;
  for (std::string_view line : lines_of(file.text)) {
    ++number;
    constexpr std::string_view directive = "#include ";
    if (!line.starts_with(directive)) continue;
    line.remove_prefix(directive.size());
    const char closing = line.starts_with('<') ? '>' : '"';
    const std::size_t end = line.find(closing, 1);
    if (end == std::string_view::npos) continue;
    found.push_back({number, std::string(line.substr(1, end - 1)), closing == '"'});
  }
  return found;
}

std::string resolve(const SourceTree& tree, const SourceFile& from, const Include& include) {
  if (include.name.starts_with("holdfast/")) return "include/" + include.name;
  if (!include.quoted) return {};
  const fs::path here = fs::path(from.path).parent_path();
  for (const fs::path& base : {here, fs::path("src"), fs::path("tests"), fs::path("bench")}) {
    std::string path = (base / include.name).lexically_normal().generic_string();
    if (include.name.starts_with('.') || contains(tree, path)) return path;
  }
  return fs::path("src/" + include.name).lexically_normal().generic_string();
}

}  // namespace holdfast::tidy
