#include "evidence/merkle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/hex.hpp"

namespace holdfast::evidence {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The inputs, roots and paths that implementations of Certificate Transparency test themselves
// with.
constexpr std::array<std::string_view, 8> inputs{"",
                                                 "00",
                                                 "10",
                                                 "2021",
                                                 "3031",
                                                 "40414243",
                                                 "5051525354555657",
                                                 "606162636465666768696a6b6c6d6e6f"};

constexpr std::array<std::string_view, 9> roots{
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};

std::vector<Digest> vector_leaves() {
  std::vector<Digest> leaves;
  for (const std::string_view each : inputs) {
    std::string bytes(each.size() / 2, '\0');
    EXPECT_TRUE(from_hex(each, bytes));
    leaves.push_back(leaf_hash(bytes));
  }
  return leaves;
}

std::vector<Digest> many_leaves(std::size_t count) {
  std::vector<Digest> leaves;
  for (std::size_t i = 0; i < count; ++i) leaves.push_back(leaf_hash(std::to_string(i)));
  return leaves;
}

/// The definition in RFC 6962, 2.1, word by word.
Digest root_by_definition(std::span<const Digest> leaves) {
  if (leaves.empty()) return sha256({});
  if (leaves.size() == 1) return leaves.front();
  std::size_t k = 1;
  while (2 * k < leaves.size()) k *= 2;
  return node_hash(root_by_definition(leaves.first(k)), root_by_definition(leaves.subspan(k)));
}

class AllAtHand final : public Subtrees {
 public:
  explicit AllAtHand(std::vector<Digest> leaves) : leaves_(std::move(leaves)) {}
  StoreResult<Digest> root(std::uint64_t begin, std::uint64_t end) override {
    return root_by_definition(std::span(leaves_).subspan(begin, end - begin));
  }

 private:
  std::vector<Digest> leaves_;
};

std::vector<std::string> hex(const Path& path) {
  std::vector<std::string> texts;
  for (const Digest& each : path) texts.push_back(each.hex());
  return texts;
}

TEST(Merkle, has_the_roots_of_the_public_vectors) {
  const auto leaves = vector_leaves();
  Frontier tree;
  EXPECT_EQ(tree.root().hex(), roots[0]);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    tree.append(leaves[i]);
    EXPECT_EQ(tree.size(), i + 1);
    EXPECT_EQ(tree.root().hex(), roots[i + 1]);
    EXPECT_EQ(root_of(std::span(leaves).first(i + 1)).hex(), roots[i + 1]);
  }
}

TEST(Merkle, has_the_paths_of_the_public_vectors) {
  AllAtHand tree(vector_leaves());
  EXPECT_THAT(hex(*inclusion_path(tree, 0, 1)), IsEmpty());
  EXPECT_THAT(hex(*inclusion_path(tree, 0, 8)),
              ElementsAre("96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                          "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                          "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"));
  EXPECT_THAT(hex(*inclusion_path(tree, 5, 8)),
              ElementsAre("bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                          "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                          "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"));
  EXPECT_THAT(hex(*inclusion_path(tree, 2, 3)),
              ElementsAre("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"));
  EXPECT_THAT(hex(*consistency_path(tree, 1, 1)), IsEmpty());
  EXPECT_THAT(hex(*consistency_path(tree, 1, 8)),
              ElementsAre("96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                          "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                          "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"));
  EXPECT_THAT(hex(*consistency_path(tree, 6, 8)),
              ElementsAre("0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                          "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                          "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"));
  EXPECT_THAT(hex(*consistency_path(tree, 2, 5)),
              ElementsAre("5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                          "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"));
}

TEST(Merkle, grows_to_the_root_of_the_definition) {
  const auto leaves = many_leaves(200);
  Frontier tree;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    tree.append(leaves[i]);
    ASSERT_EQ(tree.root(), root_by_definition(std::span(leaves).first(i + 1))) << i + 1;
  }
}

TEST(Merkle, every_leaf_is_proved_in_every_tree_and_in_no_other_place) {
  const auto leaves = many_leaves(40);
  AllAtHand tree(leaves);
  for (std::uint64_t size = 1; size <= leaves.size(); ++size) {
    const Digest root = root_by_definition(std::span(leaves).first(size));
    for (std::uint64_t index = 0; index < size; ++index) {
      const Path path = *inclusion_path(tree, index, size);
      ASSERT_TRUE(proves_inclusion(path, leaves[index], index, size, root));
      EXPECT_FALSE(proves_inclusion(path, leaves[(index + 1) % 40], index, size, root));
      EXPECT_FALSE(proves_inclusion(path, leaves[index], index ^ 1U, size, root));
      EXPECT_FALSE(proves_inclusion(path, leaves[index], index, size, leaf_hash("other")));
      for (std::size_t i = 0; i < path.size(); ++i) {
        Path wrong = path;
        wrong[i].bytes[3] ^= 1U;
        EXPECT_FALSE(proves_inclusion(wrong, leaves[index], index, size, root));
        wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_FALSE(proves_inclusion(wrong, leaves[index], index, size, root));
      }
      Path longer = path;
      longer.push_back(root);
      EXPECT_FALSE(proves_inclusion(longer, leaves[index], index, size, root));
    }
    EXPECT_FALSE(proves_inclusion({}, leaves[0], size, size, root));
  }
}

TEST(Merkle, every_tree_is_shown_to_continue_every_earlier_one) {
  const auto leaves = many_leaves(40);
  AllAtHand tree(leaves);
  std::vector<Digest> root_at{empty_root()};
  for (std::size_t size = 1; size <= leaves.size(); ++size)
    root_at.push_back(root_by_definition(std::span(leaves).first(size)));
  for (std::uint64_t size = 0; size <= leaves.size(); ++size) {
    for (std::uint64_t before = 0; before <= size; ++before) {
      const Path path = *consistency_path(tree, before, size);
      ASSERT_TRUE(proves_consistency(path, before, root_at[before], size, root_at[size]))
          << before << " " << size;
      Digest other = root_at[before];
      other.bytes[0] ^= 1U;
      EXPECT_FALSE(proves_consistency(path, before, other, size, root_at[size]));
      other = root_at[size];
      other.bytes[31] ^= 1U;
      // Everything continues nothing.
      EXPECT_EQ(proves_consistency(path, before, root_at[before], size, other),
                before == 0 && size != 0);
      for (std::size_t i = 0; i < path.size(); ++i) {
        Path wrong = path;
        wrong[i].bytes[9] ^= 1U;
        EXPECT_FALSE(proves_consistency(wrong, before, root_at[before], size, root_at[size]));
      }
      Path longer = path;
      longer.push_back(root_at[size]);
      EXPECT_FALSE(proves_consistency(longer, before, root_at[before], size, root_at[size]));
    }
    EXPECT_FALSE(proves_consistency({}, size + 1, root_at[size], size, root_at[size]));
  }
}

}  // namespace
}  // namespace holdfast::evidence
