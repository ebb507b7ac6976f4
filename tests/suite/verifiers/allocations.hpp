// The executor's global memory by its allocations, for tests that change what a run left there.
#pragma once

#include <simt/arena.hpp>

#include <tests/held_memory.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace finesync::test {

/// An allocation of the executor's global memory, by what reports say of it.
struct allocation {
  std::byte* begin;
  std::size_t bytes;
  std::string name;  ///< "768 x float"

  std::size_t size() const { return std::stoul(name); }
  std::size_t element() const { return bytes / size(); }
  bool is_of(std::string_view type) const { return name.substr(name.find('x') + 2) == type; }
};

inline std::vector<allocation> allocations() {
  std::vector<allocation> found;
  for (const std::span<std::byte> each : memory_in_use()) {
    // buffer 3 (768 x float) + 0x0 (element 0), or its objects: event 0
    const simt::arena& all = simt::global_memory();
    const simt::label* const objects = all.objects_at(each.data());
    const std::string place =
        objects != nullptr
            ? simt::short_text({{}, objects->type, objects->element_bytes}, 0, each.size())
            : all.place(each.data());
    const std::size_t name = place.find('(') + 1;
    std::string words = place.substr(name, place.find(')') - name);
    if (words.find(" x ") == words.npos)  // it has a name of its own
      words = std::to_string(each.size() / 4) + " x unsigned int";
    found.push_back({each.data(), each.size(), std::move(words)});
  }
  return found;
}

/// \returns the bytes of the number that was changed.
template <class Number>
std::size_t add(std::byte* to, int what) {
  Number number;
  std::memcpy(&number, to, sizeof number);
  number = static_cast<Number>(number + static_cast<Number>(what));
  std::memcpy(to, &number, sizeof number);
  return sizeof number;
}

}  // namespace finesync::test
