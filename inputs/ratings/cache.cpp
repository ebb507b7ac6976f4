#include <inputs/input_error.hpp>
#include <inputs/ratings/cache.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <type_traits>

#include <unistd.h>

namespace finesync::inputs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view magic = "\x89ratings";

// The file: this, then the entries as they lie in memory. In the other byte order the version is
// another one.
struct header {
  std::array<char, magic.size()> begins{};
  std::uint32_t version = 1;
  std::uint32_t lefts = 0;
  std::uint32_t rights = 0;
  std::uint32_t unused = 0;
  std::uint64_t entries = 0;
  source_stamp source;
  std::uint64_t checksum = 0;  // of the rest of the header and of the entries
};
static_assert(sizeof(header) == 56 && std::has_unique_object_representations_v<header>);
static_assert(sizeof(rating) == 12 && std::is_trivially_copyable_v<rating>);

std::uint64_t checksum_on(std::uint64_t sum, std::span<const std::byte> bytes) {
  constexpr std::uint64_t factor = 0x9fb21c651e98df25;  // odd, so that no difference is lost
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min(sizeof word, bytes.size());
    std::memcpy(&word, bytes.data(), taken);
    sum = std::rotl((sum ^ word) * factor, 29);
    bytes = bytes.subspan(taken);
  }
  return sum;
}

std::uint64_t checksum_of(header head, std::span<const rating> entries) {
  head.checksum = 0;
  return checksum_on(checksum_on(0, std::as_bytes(std::span(&head, 1))), std::as_bytes(entries));
}

[[noreturn]] void cannot_write(const fs::path& file, const std::string& why) {
  throw input_error(file.string(), "cannot write it: " + why);
}

}  // namespace

source_stamp stamp_of(const fs::path& source) {
  std::error_code problem;
  const std::uint64_t bytes = fs::file_size(source, problem);
  if (problem) throw input_error(source.string(), problem.message());
  const fs::file_time_type modified = fs::last_write_time(source, problem);
  if (problem) throw input_error(source.string(), problem.message());
  return {bytes, std::chrono::nanoseconds(modified.time_since_epoch()).count()};
}

void write_cache(const ratings& all, const source_stamp& source, const fs::path& cache) {
  header head{
      .lefts = all.lefts, .rights = all.rights, .entries = all.entries.size(), .source = source};
  magic.copy(head.begins.data(), magic.size());
  head.checksum = checksum_of(head, all.entries);
  // A name of its own, should two programs do this at once.
  const fs::path partial = cache.string() + "." + std::to_string(getpid()) + ".partial";
  std::ofstream out(partial, std::ios::binary);
  const auto put = [&](std::span<const std::byte> bytes) {
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  };
  put(std::as_bytes(std::span(&head, 1)));
  put(std::as_bytes(std::span(all.entries)));
  out.close();
  std::error_code problem;
  if (out) {
    fs::rename(partial, cache, problem);
    if (!problem) return;
  } else {
    problem.assign(errno, std::generic_category());
  }
  std::error_code ignored;
  fs::remove(partial, ignored);
  cannot_write(cache, problem.message());
}

bool is_cache(std::string_view bytes) {
  return bytes.starts_with(magic);
}

cached_ratings parse_cache(std::string_view bytes, const std::string& file) {
  if (!is_cache(bytes)) throw input_error(file, "it is no cache of ratings");
  const auto damaged = [&](const char* how) {
    return input_error(file, fmt::format("the cache {}: remove it, and it is made anew", how));
  };
  header head;
  if (bytes.size() < sizeof head) throw damaged("is cut short");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != header().version) throw damaged("is of another version");
  const std::string_view body = bytes.substr(sizeof head);
  if (body.size() / sizeof(rating) != head.entries || body.size() % sizeof(rating) != 0)
    throw damaged("is cut short or too long");
  cached_ratings read{{"", head.lefts, head.rights, {}}, head.source};
  read.all.entries.resize(head.entries);
  std::ranges::copy(std::as_bytes(std::span(body)),
                    std::as_writable_bytes(std::span(read.all.entries)).begin());
  if (checksum_of(head, read.all.entries) != head.checksum) throw damaged("is damaged");
  return read;
}

}  // namespace finesync::inputs
