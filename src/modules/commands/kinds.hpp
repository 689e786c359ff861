#pragma once

#include "domain/record.hpp"

/// The kinds of records of commands. Numbers are stored: they never change.
namespace holdfast::commands::kinds {

inline constexpr RecordKind accepted{2001};   ///< a command whose effect is to come
inline constexpr RecordKind executed{2002};   ///< a command without an effect, done
inline constexpr RecordKind rejected{2003};   ///< a command that does not run
inline constexpr RecordKind leased{2004};     ///< effects, given to a dispatcher or a worker
inline constexpr RecordKind renewed{2005};    ///< a lease that ends later
inline constexpr RecordKind postponed{2006};  ///< an effect that is to be seen to later
inline constexpr RecordKind settled{2007};    ///< how a command ended
inline constexpr RecordKind reopened{2008};   ///< an effect that an operator has tried again
inline constexpr RecordKind approved{2009};   ///< a command that another may now confirm
inline constexpr RecordKind lost{2010};       ///< an effect whose lease ended without a word
inline constexpr RecordKind registry{2011};   ///< the registry in force is another

}  // namespace holdfast::commands::kinds
