// Cache files for all kinds of inputs: they hold data in its memory layout.
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

/// Identifies the source file of a cache.
struct source_stamp {
  std::uint64_t bytes = 0;
  std::int64_t modified = 0;  ///< nanoseconds since the epoch of the file system's clock

  bool operator==(const source_stamp&) const = default;
};

/// The stamp of a file. Throws input_error if there is none.
source_stamp stamp_of(const std::filesystem::path& source);

/// The kind of a cache. The other byte order has another version. Magic and extension are this
/// project's alone, so that no file of a user looks like a cache.
struct cache_kind {
  std::string_view magic;  ///< first 8 characters
  std::uint32_t version;
  const char* what;
  const char* extension;
};

/// The cache of what is called `name`, in a folder.
std::filesystem::path cache_of(const cache_kind& kind, const std::filesystem::path& folder,
                               const std::string& name);

using cache_parts = std::vector<std::span<const std::byte>>;

/// Writes the parts, one after the other, and the stamp to `cache`. The file is written under
/// another name first, so it is complete or missing. It replaces nothing but a cache of this kind.
/// Throws input_error on failure.
void write_cache_file(const cache_kind& kind, const source_stamp& source, const cache_parts& parts,
                      const std::filesystem::path& cache);

/// Whether a file that begins with these bytes is a cache of this kind, of any version.
bool is_cache(const cache_kind& kind, std::string_view bytes);

/// Reads the parts of a cache, in the order in which they were written.
class cache_reader {
 public:
  /// `file` is the name in errors. Another version or byte order, a wrong length and any changed
  /// bit are input_errors.
  cache_reader(const cache_kind& kind, std::string_view bytes, const std::string& file);

  source_stamp source() const { return source_; }

  /// Reads one part of `count` items.
  template <class Item>
  std::vector<Item> take(std::uint64_t count) {
    static_assert(std::is_trivially_copyable_v<Item>);
    if (count > left_.size() / sizeof(Item)) fail("is damaged");
    const auto* const first = reinterpret_cast<const Item*>(take_part(count * sizeof(Item)));
    return {first, first + count};
  }

  /// Checks that all parts have been read.
  void end() const {
    if (!left_.empty()) fail("is damaged");
  }

  /// Throws an input_error with this text about the cache.
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

/// The content of `cache` if it is of this source; else the result of `make`, which is also written
/// to the cache if possible and if no other file has its name. `parse` (bytes, name of the cache)
/// returns a `cached`; `write` takes the value, the source and the name of the cache.
template <class Parse, class Write, class Make>
auto through_cache(const std::filesystem::path& cache, const source_stamp& source, Parse&& parse,
                   Write&& write, Make&& make) -> decltype(make()) {
  try {
    const mapped_file mapped(cache);
    auto read = parse(mapped.bytes(), cache.string());
    if (read.source == source) return std::move(read.value);
  } catch (const input_error&) {  // missing or damaged: make it again
  }
  auto made = make();
  try {
    write(made, source, cache);
  } catch (const input_error&) {  // the next run tries again
  }
  return made;
}

}  // namespace finesync::inputs
