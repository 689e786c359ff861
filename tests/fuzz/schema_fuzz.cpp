// Any two texts, a schema and a value on the lines after it, are refused or checked, and every way
// of asking says the same.

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "base/utf8.hpp"
#include "schema/schema.hpp"

namespace {

using holdfast::schema::Misfit;
using holdfast::schema::Options;
using holdfast::schema::Schema;

void check_both_ways(const Schema& schema, std::string_view text) {
  const std::vector<Misfit> misfits = schema.check(text);
  HOLDFAST_ASSERT(misfits.size() <= 8);
  for (const Misfit& each : misfits) {
    HOLDFAST_ASSERT(holdfast::is_valid_utf8(each.pointer));
    HOLDFAST_ASSERT(holdfast::is_valid_utf8(each.schema_pointer));
    HOLDFAST_ASSERT(holdfast::is_valid_utf8(each.text) && !each.text.empty());
  }
  simdjson::dom::parser parser;
  simdjson::dom::element value;
  if (parser.parse(text.data(), text.size()).get(value) != simdjson::SUCCESS) {
    HOLDFAST_ASSERT(!misfits.empty());
    return;
  }
  // The first misfit ends one and not the other, which may then run out of work.
  if (misfits.empty()) HOLDFAST_ASSERT(schema.fits(value));
  if (schema.fits(value)) HOLDFAST_ASSERT(misfits.empty());
  const std::vector<std::string> secrets = schema.secrets_in(value);
  HOLDFAST_ASSERT(std::is_sorted(secrets.begin(), secrets.end()));
  for (const std::string& pointer : secrets) {
    HOLDFAST_ASSERT(pointer.empty() || value.at_pointer(pointer).error() == simdjson::SUCCESS);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer chose the name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view value = text.substr(std::min(end + 1, text.size()));
  for (const bool strict : {true, false}) {
    const Options options{.strict = strict, .misfits_max = 8, .depth_max = 24, .work_max = 100'000};
    const auto schema = Schema::compile(text.substr(0, end), options);
    if (schema) {
      check_both_ways(**schema, value);
    } else {
      HOLDFAST_ASSERT(!schema.error().text.empty());
      HOLDFAST_ASSERT(holdfast::is_valid_utf8(schema.error().pointer));
    }
  }
  return 0;
}
