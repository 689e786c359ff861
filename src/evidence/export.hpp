#pragma once

#include <functional>
#include <memory>

#include "evidence/head.hpp"
#include "store/open.hpp"

/// The evidence of a store as a file: lines of JSON.
///
///   {"head":{…}}             first, of no records: who signs, and which windows hold
///   {"hash":"…","leaf":{…}}  a record, in order; `"token"` besides, if that was asked for
///   {"hash":"…","seq":7}     a record of another tenant, of which nothing else is told
///   {"head":{…}}             after every 64 records; these say `of` how many there will be
///   {"head":{…}}             last, of all of them
namespace holdfast::evidence {

/// A forged record cannot be told from its neighbours since the last head.
inline constexpr std::uint64_t records_per_head = 64;

struct ExportOptions {
  std::optional<std::string> tenant{};  ///< of the others only hashes; unset: everything
  bool tokens = false;                  ///< tokens in clear as well
};

/// Takes a line, its end included; false if there is no point in going on.
using LineSink = std::function<bool(std::string_view line)>;

/// Writes everything the reader has, and returns the last head. Only what is durable is signed.
/// `lookup` opens another reader, for the records that conflicts are with.
[[nodiscard]] StoreResult<SignedHead> export_evidence(
    RecordReader& reader, const std::function<StoreResult<std::unique_ptr<RecordReader>>()>& lookup,
    const SigningKey& key, Instant now, const ExportOptions& options, const LineSink& sink,
    const Progress& progress = {});

}  // namespace holdfast::evidence
