// Changes of right inputs, the same ones for a number in each run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ptx_hostile {

/// Numbers that follow from a seed.
class dice {
 public:
  explicit dice(std::uint64_t seed) : random_(seed) {}
  std::size_t below(std::size_t bound) { return random_() % bound; }
  std::uint64_t bits() { return random_(); }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937_64 random_;
};

/// The pieces that texts of PTX consist of, with blanks between them.
std::vector<std::string> pieces_of(const std::string& text);

class mutator {
 public:
  /// \param from the texts that pieces and lines are taken from.
  explicit mutator(const std::vector<std::string>& from);

  /// A text with one to four changes: of bytes, pieces, numbers, or lines.
  std::string changed(const std::string& text, dice& random) const;

 private:
  std::vector<std::string> pieces_;  ///< each once
  std::vector<std::string> lines_;
};

/// A fat binary with the text in it and one to four changes, or cut off.
std::vector<std::byte> changed_fat_binary(const std::string& text, dice& random);

}  // namespace ptx_hostile
