#include "http/commands/registry_keeper.hpp"

#include <future>

#include "base/json_pointer.hpp"
#include "domain/operation.hpp"
#include "holdfast/commands.hpp"
#include "modules/commands/details.hpp"
#include "modules/commands/prepare.hpp"
#include "modules/commands/registry_row.hpp"
#include "registry/registry.hpp"

namespace holdfast::http {
namespace {

using commands::RegistryRow;

/// The registry that the journal says is in force; nothing if it says none.
StoreResult<std::optional<RegistryRow>> adopted(const Store& store) {
  const auto page =
      store.rows(RegistryRow::tenant_of_all,
                 {.space = RegistryRow::space, .key = std::string(RegistryRow::only_key)});
  if (!page) return tl::unexpected(page.error());
  if (page->items.empty()) return std::nullopt;
  return *row_of<RegistryRow>(&page->items.front().row);
}

Answer answered(Service& service, Call call) {
  auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = promise->get_future();
  service.submit(std::move(call),
                 [promise](Answer given) { promise->set_value(std::move(given)); });
  return answer.get();
}

struct Told {
  std::string entity{};
  std::string action{};
  std::string status{};
};

/// What an answer to a submission says: a rejection has the command in its record, any other answer
/// is the command.
Told told_of(const Answer& answer) {
  if (answer.rejection) {
    const auto said = commands::Submitted::read(answer.document);
    if (!said) return {};
    return {said->command.entity, said->command.action, std::string(name(said->command.status))};
  }
  return {scalar_at(answer.document, "/intent/entity").value_or(""),
          scalar_at(answer.document, "/intent/action").value_or(""),
          scalar_at(answer.document, "/status").value_or("")};
}

}  // namespace

tl::expected<RegistryKeeper::Read, std::string> RegistryKeeper::read(const std::string& file) {
  auto read = file.empty() ? registry::read_registry_text("", "no registry")
                           : registry::read_registry(file);
  if (!read) return tl::unexpected(read.error().message());
  return std::move(*read);
}

RegistryKeeper::RegistryKeeper(std::string file, Read registry, const HashKey& secret)
    : file_(std::move(file)), preparer_(std::make_unique<commands::Preparer>(secret)) {
  preparer_->put_in_force(std::move(registry));
}

RegistryKeeper::~RegistryKeeper() = default;

RegistryKeeper::Read RegistryKeeper::registry() const { return preparer_->registry(); }

void RegistryKeeper::prepare(Call& call) const { (*preparer_)(call); }

void RegistryKeeper::read_again(Service& service, Log& log) {
  if (file_.empty()) return;
  const std::lock_guard lock(reading_);
  auto read = RegistryKeeper::read(file_);
  if (!read) {
    log.write(LogLevel::error, "the registry cannot be read; the one before stays in force",
              {{"error", read.error()}});
    return;
  }
  const std::string digest = (*read)->digest;
  preparer_->put_in_force(std::move(*read));
  log.write(LogLevel::info, "the registry was read again", {{"digest", digest}});
  adopt(service, log);
}

void RegistryKeeper::adopt(Service& service, Log& log) {
  if (file_.empty()) return;
  const std::string digest = registry()->digest;
  const auto before = adopted(service.store());
  const auto failed = [&](std::string why) {
    log.write(LogLevel::warning, "the journal does not say which registry is in force",
              {{"digest", digest}, {"error", std::move(why)}});
  };
  if (!before) return failed(before.error().message);
  if (*before && (*before)->digest == digest) return;
  Call call{.command = Command(Adopting{.digest = digest}),
            .token = Token(commands::adoption_token(*before, digest)),
            .caller = {.principal = "holdfast serve"}};
  const Answer answer = answered(service, std::move(call));
  if (!answer.ok()) failed(answer.text());
}

void count_command(const Answer& answer, const RegistryKeeper& registry, Metrics& metrics) {
  const bool counts = answer.operation == Submitting::operation && answer.recorded &&
                      !answer.replayed && !answer.document.empty();
  if (!counts) return;
  const auto [entity, action, status] = told_of(answer);
  if (registry.registry()->find(entity, action) == nullptr) return;
  metrics.count_command(entity + "." + action, status);
}

bool holds_secrets(const Answer& answer) {
  if (answer.rejection || answer.document.empty()) return false;
  return answer.operation == Leasing::operation;
}

void open_secrets(Answer& answer, const std::string& tenant, const RegistryKeeper& registry) {
  if (!holds_secrets(answer)) return;
  auto opened = commands::open_all(answer.document, registry.preparer().sealer(), tenant);
  if (opened) answer.document = std::move(*opened);  // else they are shown as secrets
}

}  // namespace holdfast::http
