#pragma once

#include "domain/module.hpp"
#include "holdfast/subscriptions.hpp"

/// The module of subscriptions. See `holdfast/subscriptions.hpp` for the words.
namespace holdfast::subscriptions {

/// The kinds of its records. Every one says in its detail how the subscription stands then.
namespace kinds {
inline constexpr RecordKind created{3601};
inline constexpr RecordKind deleted{3602};
inline constexpr RecordKind rewound{3603};  ///< everything after a record is sent again
inline constexpr RecordKind rotated{3604};  ///< it has another secret
inline constexpr RecordKind leased{3605};
inline constexpr RecordKind advanced{3606};  ///< events were taken in, or not
inline constexpr RecordKind disabled{3607};  ///< the receiver is gone, or has failed for too long
}  // namespace kinds

template <typename P>
struct OnSubscription {
  static void needs(const P& what, Needs& needs);
  static Refused decide(const P& what, Deciding& deciding);
  static void describe(const P&, Record&) {}
};

struct Subscribe {
  static void needs(const Subscribing&, Needs&) {}
  static Refused decide(const Subscribing& what, Deciding& deciding);
  static void describe(const Subscribing&, Record&) {}
};

void name_rows(const Record& record, Needs& needs);
std::string_view apply(const Record& record, RowWriter& rows);
[[nodiscard]] std::unique_ptr<ModuleBooks> make_books();

extern const Module module;

}  // namespace holdfast::subscriptions
