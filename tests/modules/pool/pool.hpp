#pragma once

#include "domain/members.hpp"
#include "domain/module.hpp"

/// A second module, for what counters do not need: lists of rows that are ready, rows of other
/// tenants, and rows that go. A pool has things in it, `pool/thing`, each good for a while. Whoever
/// takes some has them to himself until they are ready again, or are put in again.
namespace holdfast::pool {

struct Putting {
  static constexpr Operation operation{61};
  std::string name;
  Duration lifetime = std::chrono::hours(24);
};

/// The first things of a pool that are ready, of any tenant.
struct Taking {
  static constexpr Operation operation{62};
  std::string pool;
  std::string tenant;
  std::int64_t count = 1;
  Duration pause = std::chrono::hours(24);
};

struct Removing {
  static constexpr Operation operation{63};
  std::string name;
};

inline constexpr RecordKind put{6101};
inline constexpr RecordKind taken{6102};
inline constexpr RecordKind removed{6103};

struct Thing {
  static constexpr RowSpace space{6101};
  std::string name;
  std::int64_t times = 0;  ///< how often it was put in
  Instant expires{};
  std::optional<Instant> ready{};  ///< when it can be taken; unset: at once

  static const ObjectMembers members;
  [[nodiscard]] RowIndex index(std::string_view key) const;
};

/// What the record of a taking says: which things, and when they are ready again.
struct Took {
  std::vector<std::string> names;
  Instant ready{};
  std::string tenant;

  static const ObjectMembers members;
};

struct Gone {
  std::string name;

  static const ObjectMembers members;
};

struct Put {
  static void needs(const Putting& what, Needs& needs) { needs.row(Thing::space, what.name); }
  static Refused decide(const Putting& what, Deciding& deciding);
};

struct Take {
  static void needs(const Taking& what, Needs& needs) {
    needs.list({Thing::space, what.tenant, what.pool, static_cast<std::size_t>(what.count)});
  }
  static Refused decide(const Taking& what, Deciding& deciding);
};

struct Remove {
  static void needs(const Removing& what, Needs& needs) { needs.row(Thing::space, what.name); }
  static Refused decide(const Removing& what, Deciding& deciding);
};

void name_rows(const Record& record, Needs& needs);
std::string_view apply(const Record& record, RowWriter& rows);
void sweep(const WorkingSet& rows, const Due& due, Draft& draft);

extern const Module module;

}  // namespace holdfast::pool
