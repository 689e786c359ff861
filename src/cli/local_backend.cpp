#include <filesystem>

#include "cli/backend.hpp"
#include "cli/progress.hpp"
#include "store/open.hpp"

namespace holdfast::cli {
namespace {

template <typename T>
Fallible<T> or_failure(Result<T> result) {
  if (result) return std::move(*result);
  return tl::unexpected(store_failure(result.error()));
}

/// A store's file, opened for the length of one command.
class LocalBackend final : public Backend {
 public:
  LocalBackend(Holdfast holdfast, Caller caller)
      : holdfast_(std::move(holdfast)), caller_(std::move(caller)) {}

  Fallible<Answer> submit(Command command, std::optional<Token> token,
                          std::string confirmation) override {
    return holdfast_.submit({.command = std::move(command),
                             .token = token ? std::move(*token) : Token::fresh(),
                             .caller = caller_,
                             .confirmation = std::move(confirmation)});
  }
  Fallible<std::optional<HoldDetails>> hold(HoldId id) const override {
    return or_failure(holdfast_.hold(id, caller_.tenant));
  }
  Fallible<Page<HoldDetails>> holds(const HoldQuery& query) const override {
    return or_failure(holdfast_.holds(query, caller_.tenant));
  }
  Fallible<std::optional<TokenResult>> token(const Token& token) const override {
    return or_failure(holdfast_.token(token, caller_.tenant));
  }
  Fallible<Resource> resource(const std::string& name) const override {
    return or_failure(holdfast_.resource(name, caller_.tenant));
  }
  Fallible<Availability> availability(const std::string& name) const override {
    return or_failure(holdfast_.availability(name, caller_.tenant));
  }
  Fallible<std::optional<Group>> group(GroupId id) const override {
    return or_failure(holdfast_.group(id, caller_.tenant));
  }
  Fallible<Answer> try_place(const Placing& what) const override {
    return or_failure(holdfast_.try_place(what, caller_.tenant));
  }
  Fallible<Page<Resource>> resources(const ResourceQuery& query) const override {
    return or_failure(holdfast_.resources(query, caller_.tenant));
  }

 private:
  Holdfast holdfast_;
  const Caller caller_;
};

OpenedBackend opened(Context& context, Options options) {
  // One command does one thing: without the sweeper it does not race with its own housekeeping.
  options.sweep_every = Duration::zero();
  options.clock = context.clock;
  ProgressLine progress(context.err);
  options.opening = [&](std::uint64_t done, std::uint64_t all) {
    progress.show_records("opening", done, all);
  };
  auto holdfast = open(std::move(options));
  if (!holdfast) return tl::unexpected(store_failure(holdfast.error()));
  return std::make_unique<LocalBackend>(std::move(*holdfast), context.caller());
}

/// How long each operation's tokens are kept was chosen when the store was made. Whoever does not
/// ask for anything else means that.
Policies kept_policies(const std::string& path) {
  const auto reader = read_records(path);
  return reader ? (*reader)->rules().policies : Policies{};
}

}  // namespace

OpenedBackend own_store(Context& context, std::optional<Duration> window) {
  const std::string path = context.store_path();
  if (const auto error = context.not_a_file(path)) return tl::unexpected(store_failure(*error));
  return opened(context, {.store = path, .window = window, .policies = kept_policies(path)});
}

std::optional<Answer> refused_by_new_store(Context& context, const Command& command,
                                           const std::optional<Token>& token) {
  const std::string path = context.store_path();
  std::error_code ignored;
  const bool is_there = is_shared(path) || is_foreign(path) || path == ":memory:" ||
                        std::filesystem::exists(path, ignored);
  if (is_there || !context.server().empty()) return std::nullopt;
  const auto trial = opened(context, {});
  if (!trial) return std::nullopt;
  const auto answer = (*trial)->submit(command, token, {});
  if (!answer || answer->ok()) return std::nullopt;
  Answer refused = *answer;
  refused.recorded = false;  // there is nowhere to write it to
  return refused;
}

OpenedBackend read_store(Context& context) {
  const std::string path = context.store_path();
  if (const auto error = context.missing_store(path)) return tl::unexpected(store_failure(*error));
  return opened(context, {.store = path, .read_only = true});
}

}  // namespace holdfast::cli
