// Fat binaries made by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cudart_test {

using binary = std::vector<std::byte>;

inline constexpr std::uint16_t ptx_kind = 1;
inline constexpr std::uint16_t machine_code_kind = 2;

template <class T>
void put(binary& into, std::size_t offset, T value) {
  if (into.size() < offset + sizeof value) into.resize(offset + sizeof value);
  std::memcpy(into.data() + offset, &value, sizeof value);
}

inline binary entry(std::uint16_t kind, std::uint32_t architecture, std::string_view payload) {
  constexpr std::uint32_t header = 64;
  binary made(header);
  put(made, 0, kind);
  put(made, 4, header);
  put(made, 8, std::uint64_t{payload.size()});
  put(made, 28, architecture);
  for (const char c : payload) made.push_back(static_cast<std::byte>(c));
  return made;
}

inline binary fat_binary(const std::vector<binary>& entries) {
  constexpr std::uint16_t header = 16;
  binary made(header);
  put(made, 0, std::uint32_t{0xBA55ED50});
  put(made, 4, std::uint16_t{1});
  put(made, 6, header);
  for (const binary& each : entries) made.insert(made.end(), each.begin(), each.end());
  put(made, 8, std::uint64_t{made.size() - header});
  return made;
}

}  // namespace cudart_test
