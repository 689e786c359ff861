#include "cli/options.hpp"

#include <CLI/CLI.hpp>

namespace holdfast::cli {

void Options::argument(const std::string& name, std::string& value, const std::string& help) {
  parser_->add_option(name, value, help)->required();
}

void Options::argument(const std::string& name, std::optional<std::string>& value,
                       const std::string& help) {
  parser_->add_option(name, value, help)->required();
}

void Options::optional_argument(const std::string& name, std::string& value,
                                const std::string& help) {
  parser_->add_option(name, value, help);
}

void Options::optional_argument(const std::string& name, std::optional<std::string>& value,
                                const std::string& help) {
  parser_->add_option(name, value, help);
}

void Options::option(const std::string& name, const std::string& type, std::string& value,
                     const std::string& help) {
  parser_->add_option(name, value, help)->type_name(type);
}

void Options::option(const std::string& name, const std::string& type,
                     std::optional<std::string>& value, const std::string& help) {
  parser_->add_option(name, value, help)->type_name(type);
}

void Options::option(const std::string& name, const std::string& type, std::string& value,
                     bool& given, const std::string& help) {
  parser_->add_option(name, value, help)->type_name(type)->each([&given](const std::string&) {
    given = true;
  });
}

void Options::flag(const std::string& name, bool& value, const std::string& help) {
  parser_->add_flag(name, value, help);
}

void Options::flag(const std::string& name, std::optional<std::string>& value,
                   const std::string& help) {
  parser_->add_flag_callback(
      name, [&value] { value.emplace(); }, help);
}

void Options::exclusive(const std::string& one, const std::string& other) {
  parser_->get_option(one)->excludes(parser_->get_option(other));
}

}  // namespace holdfast::cli
