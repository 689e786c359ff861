#include "evidence/notary.hpp"

#include <fmt/format.h>

namespace holdfast::evidence {
namespace {

constexpr std::size_t records_per_step = 2'048;

tl::unexpected<Hindrance> busy(std::string text) {
  return tl::unexpected(Hindrance{Hindrance::Kind::busy, std::move(text)});
}
tl::unexpected<Hindrance> unknown(std::string text) {
  return tl::unexpected(Hindrance{Hindrance::Kind::unknown, std::move(text)});
}
tl::unexpected<Hindrance> beyond(std::uint64_t size, std::uint64_t asked) {
  return tl::unexpected(Hindrance{
      Hindrance::Kind::beyond,
      fmt::format("There are {} records here, not {}. If a head of so many was published, the "
                  "store was set back, as by restoring a backup.",
                  size, asked)});
}
tl::unexpected<Hindrance> failed(const StoreError& error) {
  return tl::unexpected(Hindrance{Hindrance::Kind::store, error.message});
}

}  // namespace

Notary::Notary(const Store& store, Options options)
    : store_(store),
      options_(std::move(options)),
      fetch_([&store](std::uint64_t after, std::size_t max) { return store.records(after, max); }),
      tree_(fetch_) {}

Found<void> Notary::catch_up(Deadline until) {
  for (;;) {
    const std::uint64_t size = tree_.size();
    const std::uint64_t restarts = tree_.restarts();
    const auto more = tree_.grow(records_per_step);
    if (!more) return failed(more.error());
    if (tree_.restarts() != restarts) {
      options_.warn(fmt::format(
          "the journal is not the one it was: record {} is gone or another. Heads that were "
          "published before do not agree with it",
          size));
    }
    if (!*more) return {};
    if (options_.stopping()) return busy("The service is being stopped.");
    if (std::chrono::steady_clock::now() >= until) {
      return busy(
          fmt::format("The journal is being read for the first time: {} of {} records so "
                      "far. Ask again.",
                      tree_.size(), store_.counts().records));
    }
  }
}

Found<SignedHead> Notary::sign_head(std::uint64_t size) {
  if (!key_) {
    auto key = options_.key();
    if (!key) return tl::unexpected(Hindrance{Hindrance::Kind::store, std::move(key.error())});
    key_ = std::move(*key);
  }
  const auto root = tree_.root(size);
  if (!root) return failed(root.error());
  Head head{size, *root, store_.now(), windows_of(store_.rules()), windows_made(store_.rules())};
  if (size < tree_.size()) head.of = tree_.size();
  return sign(head, *key_);
}

Found<SignedHead> Notary::head(Deadline until) {
  if (auto ready = catch_up(until); !ready) return tl::unexpected(std::move(ready.error()));
  return sign_head(tree_.size());
}

Found<Extension> Notary::head_since(std::uint64_t since, Deadline until) {
  if (auto ready = catch_up(until); !ready) return tl::unexpected(std::move(ready.error()));
  if (since > tree_.size()) return beyond(tree_.size(), since);
  auto path = consistency_path(tree_, since, tree_.size());
  if (!path) return failed(path.error());
  auto head = sign_head(tree_.size());
  if (!head) return tl::unexpected(std::move(head.error()));
  return Extension{*head, since, std::move(*path)};
}

Found<Proof> Notary::proof(std::string_view tenant, std::uint64_t seq,
                           std::optional<std::uint64_t> size, Deadline until) {
  if (auto ready = catch_up(until); !ready) return tl::unexpected(std::move(ready.error()));
  const std::uint64_t whole = size.value_or(tree_.size());
  if (whole > tree_.size()) return beyond(tree_.size(), whole);
  const std::string nothing = "There is no record with this number here.";
  if (seq == 0 || seq > whole) return unknown(nothing);
  auto records = fetch_(seq - 1, 1);
  if (!records) return failed(records.error());
  if (records->empty() || records->front().seq != seq || records->front().tenant != tenant)
    return unknown(nothing);
  Proof proof{.seq = seq};
  if (auto written = Leaves(fetch_).write(proof.leaf, records->front()); !written)
    return failed(written.error());
  proof.leaf_hash = leaf_hash(proof.leaf);
  auto path = inclusion_path(tree_, seq - 1, whole);
  if (!path) return failed(path.error());
  proof.path = std::move(*path);
  auto head = sign_head(whole);
  if (!head) return tl::unexpected(std::move(head.error()));
  proof.head = *head;
  if (!proves_inclusion(proof.path, proof.leaf_hash, seq - 1, whole, head->head.root)) {
    return failed({Effect::none, fmt::format("Record {} is not what it was when it was first read: "
                                             "the journal was altered. `holdfast audit` tells more",
                                             seq)});
  }
  return proof;
}

}  // namespace holdfast::evidence
