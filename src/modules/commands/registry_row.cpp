// Which registry is in force: its row, and the operation that changes it.

#include "modules/commands/registry_row.hpp"

#include <fmt/format.h>

#include "domain/digest.hpp"
#include "modules/commands/decide.hpp"
#include "modules/commands/json.hpp"
#include "modules/commands/kinds.hpp"

namespace holdfast::commands {
namespace {

constexpr std::size_t digest_digits = 64;

RowName only_row() {
  return {RegistryRow::space, RegistryRow::tenant_of_all, RegistryRow::only_key};
}

std::string text_of(const RegistryRow& row) {
  std::string text;
  JsonWriter json(text);
  row.write(json);
  return text;
}

}  // namespace

void RegistryRow::write(JsonWriter& json) const {
  json.begin_object();
  instant_text(json, "at", at);
  text_member(json, "digest", digest);
  optional_text(json, "previous", previous);
  json.end_object();
}

std::optional<RegistryRow> RegistryRow::read(std::string_view json) {
  ObjectReader reader(json);
  RegistryRow row;
  reader.instant("at", row.at, true);
  reader.text("digest", row.digest, true);
  reader.text("previous", row.previous);
  return reader.good() ? std::optional(std::move(row)) : std::nullopt;
}

RowIndex RegistryRow::index(std::string_view) const { return {}; }

std::string adoption_token(const std::optional<RegistryRow>& before, std::string_view digest) {
  const std::string changed =
      before ? fmt::format("{} {}", before->digest, time_text(before->at)) : "none";
  return "registry-" + sha256(fmt::format("{}\n{}", changed, digest)).hex();
}

void Adopt::needs(const Adopting&, Needs& needs) { name_registry(needs); }

Refused Adopt::decide(const Adopting& what, Deciding& deciding) {
  if (what.digest.size() != digest_digits || !Digest::from_hex(what.digest))
    return Refusal{Rejection::invalid_request, Reason::command_text};
  const auto* const before =
      deciding.rows.row<RegistryRow>(RegistryRow::tenant_of_all, RegistryRow::only_key);
  if (before != nullptr && before->digest == what.digest) {
    deciding.blame.detail = text_of(*before);
    return {};  // it is in force already, and the token is unused
  }
  deciding.outcome(kinds::registry).detail =
      text_of({.digest = what.digest,
               .previous = before == nullptr ? "" : before->digest,
               .at = deciding.now});
  return {};
}

void name_registry(Needs& needs) {
  needs.row_of(RegistryRow::tenant_of_all, RegistryRow::space, RegistryRow::only_key);
}

std::string_view adopted(const Record& record, RowWriter& rows) {
  auto row = RegistryRow::read(record.detail);
  if (!row) return "it does not say which registry";
  rows.put(only_row(), {std::make_shared<const RegistryRow>(std::move(*row)), record.seq});
  return {};
}

}  // namespace holdfast::commands
