#pragma once

#include "domain/operation.hpp"

/// Groups: several holds under one token. Each hold has a record of its own, a part; the outcome
/// follows, and its detail is the answer: the group, with every hold as it stands then.
namespace holdfast::holds {

struct PlaceGroup {
  static void needs(const Grouping& what, Needs& needs);
  static Refused decide(const Grouping& what, Deciding& deciding);
  static void describe(const Grouping& what, Record& record);
};

/// An operation on all that is still held of a group.
template <typename P>
struct OnGroupOf {
  static void needs(const P& what, Needs& needs) { needs.group(what.group); }
  static void describe(const P&, Record&) {}
};

struct ConfirmGroup : OnGroupOf<GroupConfirming> {
  static Refused decide(const GroupConfirming& what, Deciding& deciding);
};

struct ReleaseGroup : OnGroupOf<GroupReleasing> {
  static Refused decide(const GroupReleasing& what, Deciding& deciding);
};

struct ExtendGroup : OnGroupOf<GroupExtending> {
  static Refused decide(const GroupExtending& what, Deciding& deciding);
};

}  // namespace holdfast::holds
