#include <inputs/cache_file.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <unistd.h>

namespace finesync::inputs {
namespace {

namespace fs = std::filesystem;

// The file: this header, then the parts, each padded with zeros to whole words.
struct header {
  std::array<char, 8> begins{};
  std::uint32_t version = 0;
  std::uint32_t unused = 0;
  source_stamp source;
  std::uint64_t bytes = 0;     // of the rest of the file
  std::uint64_t checksum = 0;  // of the rest of the header and of the file
};
static_assert(sizeof(header) == 48 && std::has_unique_object_representations_v<header>);

using word = std::uint64_t;

constexpr std::uint64_t whole_words(std::uint64_t bytes) {
  return (bytes + sizeof(word) - 1) / sizeof(word) * sizeof(word);
}

std::uint64_t checksum_on(std::uint64_t sum, std::span<const std::byte> bytes) {
  constexpr std::uint64_t factor = 0x9fb21c651e98df25;  // odd, so that no difference is lost
  while (!bytes.empty()) {
    word next = 0;
    const std::size_t taken = std::min(sizeof next, bytes.size());
    std::memcpy(&next, bytes.data(), taken);
    sum = std::rotl((sum ^ next) * factor, 29);
    bytes = bytes.subspan(taken);
  }
  return sum;
}

std::uint64_t checksum_of(header head, const cache_parts& parts) {
  head.checksum = 0;
  std::uint64_t sum = checksum_on(0, std::as_bytes(std::span(&head, 1)));
  for (const auto& part : parts) sum = checksum_on(sum, part);
  return sum;
}

bool put(std::FILE* out, std::span<const std::byte> bytes) {
  constexpr std::array<char, sizeof(word)> zeros{};
  const std::size_t padding = whole_words(bytes.size()) - bytes.size();
  return std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size() &&
         std::fwrite(zeros.data(), 1, padding, out) == padding;
}

// Writes a new file, or none and returns why.
std::error_code write_new(const fs::path& file, std::span<const std::byte> head,
                          const cache_parts& parts) {
  const auto reason = [] { return std::error_code(errno, std::generic_category()); };
  std::FILE* const out = std::fopen(file.c_str(), "wbx");
  if (out == nullptr) return reason();
  std::error_code problem;
  const auto put_next = [&](std::span<const std::byte> bytes) {
    if (!problem && !put(out, bytes)) problem = reason();
  };
  put_next(head);
  for (const auto& part : parts) put_next(part);
  if (std::fclose(out) != 0 && !problem) problem = reason();
  std::error_code ignored;
  if (problem) fs::remove(file, ignored);
  return problem;
}

// Whether the name is free, or that of a cache of this kind. A link is a user's.
bool may_replace(const cache_kind& kind, const fs::path& file) {
  std::error_code problem;
  const fs::file_status found = fs::symlink_status(file, problem);
  if (found.type() == fs::file_type::not_found) return true;
  return found.type() == fs::file_type::regular && is_cache(kind, mapped_file(file).bytes());
}

}  // namespace

fs::path cache_of(const cache_kind& kind, const fs::path& folder, const std::string& name) {
  return folder / (name + kind.extension);
}

source_stamp stamp_of(const fs::path& source) {
  std::error_code problem;
  const std::uint64_t bytes = fs::file_size(source, problem);
  if (problem) throw input_error(source.string(), problem.message());
  const fs::file_time_type modified = fs::last_write_time(source, problem);
  if (problem) throw input_error(source.string(), problem.message());
  return {bytes, std::chrono::nanoseconds(modified.time_since_epoch()).count()};
}

void write_cache_file(const cache_kind& kind, const source_stamp& source, const cache_parts& parts,
                      const fs::path& cache) {
  header head{.version = kind.version, .source = source};
  kind.magic.copy(head.begins.data(), head.begins.size());
  for (const auto& part : parts) head.bytes += whole_words(part.size());
  head.checksum = checksum_of(head, parts);
  if (!may_replace(kind, cache)) throw input_error(cache.string(), "it is no cache, and stays");
  // A unique name, in case two programs do this at the same time.
  const fs::path partial = cache.string() + "." + std::to_string(getpid()) + ".partial";
  std::error_code problem = write_new(partial, std::as_bytes(std::span(&head, 1)), parts);
  if (!problem) {
    fs::rename(partial, cache, problem);
    if (!problem) return;
    std::error_code ignored;
    fs::remove(partial, ignored);
  }
  throw input_error(cache.string(), "cannot write it: " + problem.message());
}

bool is_cache(const cache_kind& kind, std::string_view bytes) {
  return bytes.starts_with(kind.magic);
}

cache_reader::cache_reader(const cache_kind& kind, std::string_view bytes, const std::string& file)
    : file_(file) {
  if (!is_cache(kind, bytes))
    throw input_error(file, fmt::format("it is no cache of {}", kind.what));
  header head;
  if (bytes.size() < sizeof head) fail("is cut short");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != kind.version) fail("has another version");
  left_ = std::as_bytes(std::span(bytes)).subspan(sizeof head);
  if (left_.size() != head.bytes) fail("is cut short or too long");
  if (checksum_of(head, {left_}) != head.checksum) fail("is damaged");
  source_ = head.source;
}

const std::byte* cache_reader::take_part(std::uint64_t bytes) {
  const std::byte* const first = left_.data();
  left_ = left_.subspan(std::min<std::uint64_t>(whole_words(bytes), left_.size()));
  return first;
}

void cache_reader::fail(const char* how) const {
  throw input_error(file_,
                    fmt::format("the cache {}: remove it, and the next run makes it again", how));
}

}  // namespace finesync::inputs
