#include "settings/configuration.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/shown_store.hpp"
#include "base/whole_file.hpp"
#include "settings/configuration_checks.hpp"
#include "settings/setting_values.hpp"

namespace holdfast::http {
namespace {

constexpr std::size_t shown_max = 100;  ///< bytes of a value in a message

/// One line, whatever somebody put into a value or a name.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      line += fmt::format("\\x{:02x}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

/// A count in quotes is a mistake in a file, even if its text would do.
bool is_form_of(Kind kind, Form form) {
  switch (form) {
    case Form::words:
      return true;
    case Form::string:
      return kind != Kind::boolean && kind != Kind::count;
    case Form::integer:
      return kind == Kind::count || kind == Kind::bytes || kind == Kind::choice;
    case Form::boolean:
      return kind == Kind::boolean;
    case Form::other:
      return false;
  }
  return false;
}

std::string shown(const Given& given) {
  const std::string text = shown_store(given.text).substr(0, shown_max);
  return given.form == Form::string || text.empty() ? fmt::format("\"{}\"", text) : text;
}

/// Settings being put together.
class Assembly {
 public:
  Assembly() {
    for (const Setting& each : setting_table()) {
      configuration_.effective.push_back({.setting = &each, .value = {}, .from = "default"});
    }
  }

  void add(const std::vector<Given>& all) {
    for (const Given& given : all) {
      if (is_form_of(given.setting->kind, given.form) &&
          given.setting->set(configuration_.settings, given.text)) {
        effective_of(*given.setting).from = given.from;
        continue;
      }
      wrong_.insert(given.setting->name);
      errors.push_back(fmt::format("{}: {} cannot be {}; write {}", given.from, given.setting->name,
                                   shown(given), given.setting->allowed));
    }
  }

  tl::expected<Configuration, Errors> finish() {
    for (Effective& each : configuration_.effective) {
      each.value = each.setting->show(configuration_.settings);
    }
    Errors clashes = contradictions(configuration_, wrong_);
    std::move(clashes.begin(), clashes.end(), std::back_inserter(errors));
    if (errors.empty()) return std::move(configuration_);
    for (std::string& each : errors) each = one_line(each);
    return tl::unexpected(std::move(errors));
  }

  Errors errors;

 private:
  Effective& effective_of(const Setting& setting) {
    return configuration_.effective[static_cast<std::size_t>(&setting - setting_table().data())];
  }

  Configuration configuration_;
  std::set<std::string> wrong_;
};

std::string file_of(const Sources& sources) {
  if (!sources.file.empty()) return sources.file;
  for (const auto& [name, value] : sources.environment) {
    if (name == "HOLDFAST_CONFIG") return value;
  }
  return {};
}

void add_surroundings(Assembly& assembly, const Sources& sources) {
  assembly.add(given_by_environment(sources.environment, assembly.errors));
  assembly.add(given_by_flags(sources.flags, assembly.errors));
}

}  // namespace

tl::expected<Configuration, Errors> configure(const Sources& sources) {
  Assembly assembly;
  const std::string name = file_of(sources);
  if (!name.empty()) {
    auto file = read_whole_file(name, toml_bytes_max);
    if (file && *file) {
      assembly.add(given_by_toml((*file)->text, name, assembly.errors));
    } else {
      assembly.errors.push_back(file ? fmt::format("there is no file {}", name) : file.error());
    }
  }
  add_surroundings(assembly, sources);
  return assembly.finish();
}

tl::expected<Configuration, Errors> configure_from(std::string_view toml,
                                                   const std::string& file_name,
                                                   const Sources& sources) {
  Assembly assembly;
  assembly.add(given_by_toml(toml, file_name, assembly.errors));
  add_surroundings(assembly, sources);
  return assembly.finish();
}

NamedValues process_environment() {
  NamedValues ours;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view entry(*each);
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with("HOLDFAST_") || equals == std::string_view::npos) continue;
    ours.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return ours;
}

}  // namespace holdfast::http
