#include "holdfast/holdfast.hpp"

#include <mutex>

#include "domain/confirmation.hpp"
#include "engine/companion.hpp"
#include "engine/questions.hpp"
#include "engine/service.hpp"
#include "store/open.hpp"

namespace holdfast {
namespace {

constexpr std::size_t token_bytes_limit = 65'536;

std::optional<std::string> mistake_in(const Options& options) {
  if (options.window && *options.window < Duration(1)) return "the window must be longer than zero";
  if (options.token_bytes_max == 0 || options.token_bytes_max > token_bytes_limit)
    return "token_bytes_max must be from 1 to 65536";
  if (options.duration_min < Duration(1)) return "duration_min must be longer than zero";
  if (options.duration_max < options.duration_min) return "duration_max is below duration_min";
  if (options.queue_max == 0 || options.batch_max == 0)
    return "queue_max and batch_max must be at least 1";
  if (options.sweep_every < Duration::zero()) return "sweep_every must not be negative";
  if (options.lifetime_max && *options.lifetime_max < options.duration_max)
    return "lifetime_max is below duration_max";
  if (options.confirmation_lifetime < Duration(1))
    return "confirmation_lifetime must be longer than zero";
  if (options.companion && options.read_only)
    return "a store that is only looked at can have no companion";
  if (!options.clock || !options.random) return "clock and random must be set";
  for (const OperationRow& operation : operations()) {
    const Policy& policy = options.policies[operation.id];
    if (policy.window && *policy.window < Duration(1))
      return "a policy's window must be longer than zero";
    if (policy.overlap_wait < Duration::zero()) return "overlap_wait must not be negative";
  }
  return std::nullopt;
}

Rules rules_of(const Options& options) {
  return {.policies = options.policies,
          .token_bytes_max = options.token_bytes_max,
          .duration_min = options.duration_min,
          .duration_max = options.duration_max,
          .lifetime_max = options.lifetime_max.value_or(lifetime_otherwise(options.duration_max)),
          .confirmation_lifetime = options.confirmation_lifetime,
          .confirmation_secret = fresh_secret(*options.random)};
}

template <typename T>
Result<T> to_public(StoreResult<T> result) {
  if (result) return std::move(*result);
  return tl::unexpected(
      Error{std::move(result.error().message), result.error().effect, result.error().bad_cursor});
}

}  // namespace

struct Holdfast::Impl {
  Impl(std::unique_ptr<Store> store, std::shared_ptr<Random> random, const ServiceOptions& options,
       std::shared_ptr<Companion> beside)
      : companion(std::move(beside)),
        queue_max(options.queue_max),
        service(std::move(store), std::move(random), options) {}
  ~Impl() {
    if (begun) companion->end();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const std::shared_ptr<Companion> companion;  ///< may be null; outlives the service
  bool begun = false;                          ///< the companion has
  const std::size_t queue_max;
  Service service;
  [[nodiscard]] const Store& store() const { return service.store(); }
};

Result<Holdfast> open(Options options) {
  if (auto wrong = mistake_in(options)) return tl::unexpected(Error{"cannot open: " + *wrong});
  StoreOptions wanted{.store = options.store,
                      .rules = rules_of(options),
                      .window = options.window,
                      .read_only = options.read_only,
                      .clock = std::move(options.clock),
                      .progress = std::move(options.opening)};
  auto store = open_store(std::move(wanted));
  if (!store) return tl::unexpected(Error{std::move(store.error().message)});
  ServiceOptions service{.queue_max = options.queue_max,
                         .batch_max = options.batch_max,
                         .sweep_every = options.read_only ? Duration::zero() : options.sweep_every};
  if (Companion* const companion = options.companion.get()) {
    service.prepare = [companion](Call& call) { companion->prepare(call); };
    service.on_batch = [companion](const BatchReport& batch) { companion->note(batch); };
  }
  auto impl = std::make_unique<Holdfast::Impl>(std::move(*store), std::move(options.random),
                                               service, std::move(options.companion));
  if (impl->companion) {
    if (auto begun = impl->companion->begin(impl->service); !begun)
      return tl::unexpected(Error{"cannot open: " + begun.error()});
    impl->begun = true;
  }
  return Holdfast(std::move(impl));
}

Holdfast::Holdfast(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Holdfast::Holdfast(Holdfast&&) noexcept = default;
Holdfast& Holdfast::operator=(Holdfast&&) noexcept = default;
Holdfast::~Holdfast() = default;

Answer Holdfast::place(Placing what, Token token) {
  return submit({.command = Command::place(std::move(what)), .token = std::move(token)});
}

Answer Holdfast::confirm(HoldId id, Token token) {
  return submit({.command = Command::confirm(id), .token = std::move(token)});
}

Answer Holdfast::place(Grouping what, Token token) {
  return submit({.command = Command(std::move(what)), .token = std::move(token)});
}

Answer Holdfast::confirm(Confirming what, Token token) {
  return submit({.command = Command(what), .token = std::move(token)});
}

Answer Holdfast::extend(HoldId id, Duration duration, Token token) {
  return submit({.command = Command(Extending{id, duration}), .token = std::move(token)});
}

Answer Holdfast::cancel(HoldId id, Token token, std::optional<std::int64_t> quantity) {
  return submit({.command = Command(Cancelling{id, quantity}), .token = std::move(token)});
}

Answer Holdfast::confirm(GroupId id, Token token) {
  return submit({.command = Command(GroupConfirming{id}), .token = std::move(token)});
}

Answer Holdfast::release(GroupId id, Token token) {
  return submit({.command = Command(GroupReleasing{id}), .token = std::move(token)});
}

Answer Holdfast::extend(GroupId id, Duration duration, Token token) {
  return submit({.command = Command(GroupExtending{id, duration}), .token = std::move(token)});
}

Answer Holdfast::release(HoldId id, Token token) {
  return submit({.command = Command::release(id), .token = std::move(token)});
}

Answer Holdfast::expire(HoldId id, Token token) {
  return submit({.command = Command::expire(id), .token = std::move(token)});
}

Answer Holdfast::declare(std::string resource, std::int64_t capacity, Token token) {
  return submit(
      {.command = Command::declare(std::move(resource), capacity), .token = std::move(token)});
}

Answer Holdfast::submit(Call call) { return submit_async(std::move(call)).get(); }

std::future<Answer> Holdfast::submit_async(Call call) {
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future = promise->get_future();
  submit(std::move(call), [promise](Answer answer) { promise->set_value(std::move(answer)); });
  return future;
}

void Holdfast::submit(Call call, std::function<void(Answer)> done) {
  impl_->service.submit(std::move(call), std::move(done));
}

std::vector<Answer> Holdfast::submit(std::vector<Call> calls) {
  std::vector<std::future<Answer>> pending;
  pending.reserve(calls.size());
  for (Call& call : calls) {
    // No more wait than the queue takes: else one would be refused, and the next one not.
    if (pending.size() >= impl_->queue_max) pending[pending.size() - impl_->queue_max].wait();
    pending.push_back(submit_async(std::move(call)));
  }
  std::vector<Answer> answers;
  answers.reserve(pending.size());
  for (std::future<Answer>& each : pending) answers.push_back(each.get());
  return answers;
}

Result<std::optional<HoldDetails>> Holdfast::hold(HoldId id, std::string_view tenant) const {
  return to_public(impl_->store().hold(tenant, id));
}

Result<Page<HoldDetails>> Holdfast::holds(const HoldQuery& query, std::string_view tenant) const {
  return to_public(impl_->store().holds(tenant, query));
}

Result<std::optional<TokenResult>> Holdfast::token(const Token& token,
                                                   std::string_view tenant) const {
  return to_public(impl_->store().token(tenant, token.bytes()));
}

Result<Resource> Holdfast::resource(std::string_view name, std::string_view tenant) const {
  return to_public(impl_->store().resource(tenant, name));
}

Result<std::optional<Group>> Holdfast::group(GroupId id, std::string_view tenant) const {
  return to_public(read_group(impl_->store(), tenant, id));
}

Result<Availability> Holdfast::availability(std::string_view name, std::string_view tenant) const {
  return to_public(impl_->store().availability(tenant, name));
}

Result<Answer> Holdfast::try_place(const Placing& what, std::string_view tenant) const {
  return to_public(try_to_place(impl_->store(), tenant, what));
}

Result<Page<Resource>> Holdfast::resources(const ResourceQuery& query,
                                           std::string_view tenant) const {
  return to_public(impl_->store().resources(tenant, query));
}

Counts Holdfast::counts() const { return impl_->store().counts(); }
std::size_t Holdfast::sweep() { return impl_->service.sweep(); }
Duration Holdfast::window() const { return impl_->store().rules().window; }

}  // namespace holdfast
