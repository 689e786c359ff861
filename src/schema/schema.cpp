#include "schema/schema.hpp"

#include <algorithm>

#include "schema/compiler.hpp"
#include "schema/node.hpp"
#include "schema/run.hpp"
#include "schema/value.hpp"

namespace holdfast::schema {
namespace {

/// Parsed into the parser, which is to outlive it; or why there is nothing.
tl::expected<simdjson::dom::element, std::string> parse_json(simdjson::dom::parser& parser,
                                                             std::string_view json) {
  simdjson::dom::element element;
  const auto code = parser.parse(json.data(), json.size()).get(element);
  if (code == simdjson::SUCCESS) return element;
  if (code == simdjson::DEPTH_ERROR) return tl::unexpected(std::string("is nested too deeply"));
  if (code == simdjson::NUMBER_ERROR) {
    return tl::unexpected(std::string("has a number that is no JSON or is too large"));
  }
  return tl::unexpected(std::string("is no JSON"));
}

ValueLimits limits_of(const Options& options) { return {options.depth_max, options.work_max}; }

std::vector<Misfit> check_value(const Compiled& compiled, const Value& value) {
  std::vector<Misfit> misfits;
  Run run(compiled, {&misfits, false});
  const bool fits = run.fits(value);
  if (fits || run.given_up().empty()) return misfits;
  if (misfits.size() >= compiled.options.misfits_max && !misfits.empty()) misfits.pop_back();
  misfits.push_back({"", "", std::string(run.given_up())});
  return misfits;
}

}  // namespace

tl::expected<std::shared_ptr<const Schema>, Error> Schema::compile(std::string_view json,
                                                                   const Options& options) {
  auto compiled = std::make_unique<Compiled>();
  compiled->text = json;
  compiled->options = options;
  const auto element = parse_json(compiled->parser, json);
  if (!element) return tl::unexpected(Error{"", element.error()});
  auto document = to_value(*element, limits_of(options));
  if (!document) return tl::unexpected(std::move(document.error()));
  compiled->document = std::move(*document);
  Compiler compiler(*compiled);
  if (!compiler.compile()) return tl::unexpected(compiler.error());
  return std::make_shared<const Schema>(std::move(compiled));
}

Schema::Schema(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Schema::~Schema() = default;

std::vector<Misfit> Schema::check(std::string_view json_value) const {
  simdjson::dom::parser parser;
  const auto element = parse_json(parser, json_value);
  if (!element) return {{"", "", element.error()}};
  return check(*element);
}

std::vector<Misfit> Schema::check(simdjson::dom::element value) const {
  const auto made = to_value(value, limits_of(compiled_->options));
  if (!made) return {{made.error().pointer, "", made.error().text}};
  return check_value(*compiled_, *made);
}

bool Schema::fits(simdjson::dom::element value) const {
  const auto made = to_value(value, limits_of(compiled_->options));
  return made && Run(*compiled_, {}).fits(*made);
}

std::vector<std::string> Schema::secrets_in(simdjson::dom::element value) const {
  const auto made = to_value(value, limits_of(compiled_->options));
  if (!made) return {""};
  Run run(*compiled_, {nullptr, true});
  (void)run.fits(*made);
  if (!run.given_up().empty()) return {""};
  std::vector<std::string> secrets = std::move(run.secrets());
  std::sort(secrets.begin(), secrets.end());
  secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
  return secrets;
}

const std::string& Schema::text() const { return compiled_->text; }

}  // namespace holdfast::schema
