#include "golden/kept.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/gzip.hpp"
#include "support/paths.hpp"

namespace holdfast::test {
namespace {

namespace fs = std::filesystem;

bool is_compressed(const std::string& name) { return name.ends_with(".gz"); }

fs::path kept_file(const std::string& name) {
  return fs::path(HOLDFAST_SOURCE_DIR "/tests/golden/kept") / name;
}

void keep(const std::string& name, std::string_view text) {
  const fs::path file = kept_file(name);
  if (is_compressed(name)) return write_gzipped(file, text);
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

/// For whoever wants to see everything that differs.
std::string leave_for_diff(const std::string& name, std::string_view text) {
  const fs::path file = fs::path(HOLDFAST_BUILD_DIR "/tests/golden") /
                        (is_compressed(name) ? name.substr(0, name.size() - 3) : name);
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return fmt::format("{} '{}' | diff - '{}'", is_compressed(name) ? "gzip -dc" : "cat",
                     kept_file(name).string(), file.string());
}

/// Takes the next piece off the text; nothing at its end.
std::string_view take_piece(std::string_view& text, Piece piece) {
  const std::string_view end = piece == Piece::line ? "\n" : "\n\n";
  const std::size_t at = text.find(end);
  const std::size_t size = at == std::string_view::npos ? text.size() : at + end.size();
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

std::string_view shown(std::string_view piece) {
  return piece.empty() ? "(nothing: the text has ended)\n" : piece;
}

std::string first_difference_in(std::string_view kept, std::string_view now, Piece piece) {
  for (std::size_t number = 1;; ++number) {
    const std::string_view was = take_piece(kept, piece);
    const std::string_view is = take_piece(now, piece);
    if (was == is && !was.empty()) continue;
    return fmt::format("the first difference is in {} {}\n--- kept\n{}+++ now\n{}",
                       piece == Piece::line ? "line" : "paragraph", number, shown(was), shown(is));
  }
}

}  // namespace

std::string kept_text(const std::string& name) {
  const fs::path file = kept_file(name);
  if (is_compressed(name)) return gunzipped(file);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("there is no file " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

bool is_kept(const std::string& name) { return fs::exists(kept_file(name)); }

bool recording() {
  const char* wanted = std::getenv("HOLDFAST_GOLDEN_RECORD");
  return wanted != nullptr && *wanted != '\0';
}

void expect_as_kept(const std::string& name, std::string_view text, Piece piece) {
  if (recording()) return keep(name, text);
  const std::string kept = kept_text(name);
  if (kept == text) return;
  ADD_FAILURE()
      << name << ": " << first_difference_in(kept, text, piece)
      << "Everything that differs: " << leave_for_diff(name, text)
      << "\nIf the change is meant, tests/golden/README.md says how to keep the new text.";
}

}  // namespace holdfast::test
