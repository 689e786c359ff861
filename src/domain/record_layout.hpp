#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "domain/record.hpp"

/// A record, described once. From the table below are made, at compile time: a row of the journal
/// and how it is read again, the journal's table on every engine, the checksum, the view `records`,
/// a leaf of the evidence and its schema. A member that is added there is added everywhere.
///
/// The order is for ever: it is that of the columns, and of what the checksum is made of. So are
/// the names and the forms.
namespace holdfast::layout {

/// What a column holds; each engine has its own name for it.
enum class Type : std::uint8_t {
  number,   ///< 64 bits
  code,     ///< the stable number of a kind, an operation, a rejection, a reason: 16 bits
  instant,  ///< microseconds since 1970 (UTC)
  name,     ///< text, or what a caller gave for it: compared byte for byte
  opaque,   ///< bytes, as a caller chose them
  digest,   ///< bytes
  json,     ///< an object as canonical JSON
};

/// When a column is NULL.
enum class Null : std::uint8_t {
  never,
  empty,  ///< where its member is: zero, no bytes
  without_hold,
  without_token,
};

struct Column {
  std::string_view name;
  Type type = Type::number;
  Null null = Null::empty;
  std::size_t bytes_max = 0;  ///< of names and bytes

  [[nodiscard]] constexpr bool is_number() const {
    return type == Type::number || type == Type::code || type == Type::instant;
  }
};

/// How a member is written in a leaf.
enum class Form : std::uint8_t {
  number,
  quantity,
  sequence,  ///< the number of a record
  word,      ///< the name of its code
  instant,   ///< RFC 3339
  hold,      ///< its id as text
  name,      ///< text; where it is no UTF-8, its bytes
  digest,    ///< hexadecimal
  hash,      ///< not the member itself: its SHA-256, in hexadecimal
  json,      ///< an object, as it is
};

struct Leaf {
  std::string_view name;
  Form form = Form::number;
  bool always = false;  ///< else only where it is not empty
};

/// A member of `Record`, its column (of a hold's id: columns) and its member of a leaf.
template <typename T, std::size_t column_count>
struct Member {
  using Value = T;
  T Record::*value;
  std::array<Column, column_count> columns;
  Leaf leaf;
};

/// Not a member: the checksum of the row, over all members and the row before.
struct Checksum {
  std::array<Column, 1> columns;
};

template <typename T>
[[nodiscard]] constexpr Member<T, 1> member(T Record::*value, Column column, Leaf leaf) {
  return {value, {column}, leaf};
}
[[nodiscard]] constexpr Member<HoldId, 2> member(HoldId Record::*value, Column ordinal, Column salt,
                                                 Leaf leaf) {
  return {value, {ordinal, salt}, leaf};
}

inline constexpr std::size_t stored_token_bytes_max = 1024;
inline constexpr std::size_t detail_bytes_max = std::size_t{4} << 20U;

inline constexpr std::tuple table{
    member(&Record::seq, {"seq", Type::number, Null::never}, {"seq", Form::sequence, true}),
    member(&Record::kind, {"kind", Type::code, Null::never}, {"kind", Form::word, true}),
    member(&Record::at, {"at_us", Type::instant, Null::never}, {"at", Form::instant, true}),
    member(&Record::tenant, {"tenant", Type::name, Null::empty, name_bytes_max},
           {"tenant", Form::name}),
    member(&Record::principal, {"principal", Type::name, Null::empty, name_bytes_max},
           {"principal", Form::name}),
    member(&Record::operation, {"operation", Type::code}, {"operation", Form::word}),
    member(&Record::token, {"token", Type::opaque, Null::empty, stored_token_bytes_max},
           {"token_hash", Form::hash}),
    member(&Record::nonce, {"nonce", Type::opaque, Null::empty, nonce_bytes_max},
           {"nonce_hash", Form::hash}),
    member(&Record::digest, {"digest", Type::digest, Null::without_token, sizeof(Digest)},
           {"digest", Form::digest}),
    member(&Record::rejection, {"rejection", Type::code}, {"rejection", Form::word}),
    member(&Record::reason, {"reason", Type::code}, {"reason", Form::number}),
    member(&Record::hold, {"hold_ordinal"}, {"hold_salt", Type::number, Null::without_hold},
           {"hold", Form::hold}),
    member(&Record::resource, {"resource", Type::name, Null::empty, name_bytes_max},
           {"resource", Form::name}),
    member(&Record::requester, {"requester", Type::name, Null::empty, name_bytes_max},
           {"requester", Form::name}),
    member(&Record::quantity, {"quantity"}, {"quantity", Form::quantity}),
    member(&Record::expires_at, {"expires_us", Type::instant}, {"expires_at", Form::instant}),
    member(&Record::capacity, {"capacity"}, {"capacity", Form::quantity}),
    member(&Record::ref, {"ref"}, {"ref", Form::number}),
    member(&Record::count, {"times"}, {"count", Form::number}),
    member(&Record::first_at, {"first_us", Type::instant}, {"first_at", Form::instant}),
    Checksum{{Column{"checksum", Type::number, Null::never}}},
    // From here on: what schema 3 added. Records without it have the checksum they always had.
    member(&Record::detail, {"detail", Type::json, Null::empty, detail_bytes_max},
           {"detail", Form::json}),
};

inline constexpr std::size_t size = std::tuple_size_v<decltype(table)>;

template <std::size_t at>
inline constexpr const auto& entry = std::get<at>(table);

template <typename Entry>
inline constexpr bool is_member = !std::is_same_v<std::remove_cvref_t<Entry>, Checksum>;

/// Calls `visit` with the place of each entry, in order, as a constant.
template <typename Visit>
constexpr void for_each(Visit visit) {
  [&]<std::size_t... at>(std::index_sequence<at...>) {
    (visit(std::integral_constant<std::size_t, at>()), ...);
  }
  (std::make_index_sequence<size>());
}

/// The same without what is not a member.
template <typename Visit>
constexpr void for_each_member(Visit visit) {
  for_each([&](auto at) {
    if constexpr (is_member<decltype(entry<at()>)>) visit(at);
  });
}

/// How many columns there are before an entry.
template <std::size_t at>
[[nodiscard]] constexpr std::size_t columns_before() {
  std::size_t count = 0;
  for_each([&](auto each) {
    if (each() < at) count += entry<each()>.columns.size();
  });
  return count;
}
inline constexpr std::size_t column_count = columns_before<size>();

inline constexpr std::array<Column, column_count> columns = [] {
  std::array<Column, column_count> all;
  std::size_t next = 0;
  for_each([&](auto at) {
    for (const Column& each : entry<at()>.columns) all.at(next++) = each;
  });
  return all;
}();

}  // namespace holdfast::layout
