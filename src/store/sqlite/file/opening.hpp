#pragma once

#include <string>

#include "store/kept_rules.hpp"
#include "store/open.hpp"
#include "store/sqlite/file/connection.hpp"

/// Opening a store's file: what it is, and what it was made with.
namespace holdfast::sqlite {

/// Opens the file for its owner, making it if need be, and fills `rules` with what is stored.
/// Refuses, with what to do: another program's database, a newer schema, another digest function,
/// another window than asked for.
[[nodiscard]] StoreResult<Connection> open_owned(const StoreOptions& options, Rules& rules);

/// Opens an existing file for reading only. Refuses what its owner would refuse.
[[nodiscard]] StoreResult<Connection> open_reader(const std::string& path, const std::string& vfs,
                                                  Rules& rules);
/// The same for the owner, who has looked at the file already.
[[nodiscard]] StoreResult<Connection> open_beside_owner(const std::string& path,
                                                        const std::string& vfs, Rules& rules);

/// What is opened for nobody else to be beside.
struct Alone {
  int oldest = 0;          ///< schema
  std::string_view why{};  ///< nobody else may have it open
};

/// Opens a file for its owner, to change what it says about itself, and begins the transaction in
/// which that is done. Refuses what its owner would refuse, and a file that anybody else has open.
/// What closes it without a commit leaves everything as it is.
[[nodiscard]] StoreResult<Connection> open_alone(const std::string& path, const std::string& vfs,
                                                 const Alone& alone, KeptRules& kept);

/// Whether the views are those of this version.
[[nodiscard]] Expected<bool> has_these_views(Connection& connection);

}  // namespace holdfast::sqlite
