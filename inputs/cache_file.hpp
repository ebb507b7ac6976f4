// Files that hold data as it lies in memory: what the caches of all inputs have in common.
#pragma once

#include <inputs/input_error.hpp>
#include <inputs/mapped_file.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace finesync::inputs {

/// Tells the text that a cache was made from.
struct source_stamp {
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch of the file system's clock

  bool operator==(const source_stamp&) const = default;
};

/// That of a file. Throws input_error where there is none.
source_stamp stamp_of(const std::filesystem::path& source);

/// What a cache is of. In the other byte order the version is another one.
struct cache_kind {
  std::string_view magic;  ///< how it begins: 8 characters
  std::uint32_t version;
  const char* what;
};

using cache_parts = std::vector<std::span<const std::byte>>;

/// Puts the parts, one after the other, and the stamp into `cache`, which is complete or not there
/// at all: it is written under another name first. Throws input_error where that cannot be done.
void write_cache_file(const cache_kind& kind, const source_stamp& source, const cache_parts& parts,
                      const std::filesystem::path& cache);

/// Whether a file that begins so is a cache of this kind, of whatever version.
bool is_cache(const cache_kind& kind, std::string_view bytes);

/// Takes out of a cache what was put in, in the same order.
class cache_reader {
 public:
  /// `file` is what errors call the bytes. Another version, another byte order, a wrong length and
  /// any changed bit are input_errors.
  cache_reader(const cache_kind& kind, std::string_view bytes, const std::string& file);

  source_stamp source() const { return source_; }

  /// One part of so many items.
  template <class Item>
  std::vector<Item> take(std::uint64_t count) {
    static_assert(std::is_trivially_copyable_v<Item>);
    if (count > left_.size() / sizeof(Item)) fail("is damaged");
    const auto* const first = reinterpret_cast<const Item*>(take_part(count * sizeof(Item)));
    return {first, first + count};
  }

  /// All has been taken.
  void end() const {
    if (!left_.empty()) fail("is damaged");
  }

  /// Says that the cache is as the text has it.
  [[noreturn]] void fail(const char* how) const;

 private:
  const std::byte* take_part(std::uint64_t bytes);

  const std::string& file_;
  source_stamp source_;
  std::span<const std::byte> left_;
};

template <class Value>
struct cached {
  Value value;
  source_stamp source;
};

/// What `cache` holds, if it is of this source; else what `make` makes, of which a cache is kept
/// where one can be written. `parse` takes the bytes and the name of a cache to a `cached`;
/// `write` is called with the value, the source and the cache's name.
template <class Parse, class Write, class Make>
auto through_cache(const std::filesystem::path& cache, const source_stamp& source, Parse&& parse,
                   Write&& write, Make&& make) -> decltype(make()) {
  try {
    const mapped_file mapped(cache);
    auto read = parse(mapped.bytes(), cache.string());
    if (read.source == source) return std::move(read.value);
  } catch (const input_error&) {  // missing or damaged: it is made anew
  }
  auto made = make();
  try {
    write(made, source, cache);
  } catch (const input_error&) {  // the next run makes it again
  }
  return made;
}

}  // namespace finesync::inputs
