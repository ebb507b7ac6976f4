#include <inputs/ratings/cache.hpp>

#include <span>
#include <type_traits>

namespace finesync::inputs {
namespace {

// The first part; the entries are the second.
struct sizes {
  std::uint32_t lefts;
  std::uint32_t rights;
  std::uint64_t entries;
};
static_assert(sizeof(sizes) == 16 && std::has_unique_object_representations_v<sizes>);
static_assert(sizeof(rating) == 12);

}  // namespace

const cache_kind ratings_cache{"\211fsratng", 2, "ratings", ".finesync-ratings"};

void write_cache(const ratings& all, const source_stamp& source,
                 const std::filesystem::path& cache) {
  const sizes counted{all.lefts, all.rights, all.entries.size()};
  write_cache_file(ratings_cache, source,
                   {std::as_bytes(std::span(&counted, 1)), std::as_bytes(std::span(all.entries))},
                   cache);
}

cached<ratings> parse_cache(std::string_view bytes, const std::string& file) {
  cache_reader from(ratings_cache, bytes, file);
  const sizes counted = from.take<sizes>(1).front();
  ratings all{"", counted.lefts, counted.rights, from.take<rating>(counted.entries)};
  from.end();
  return {std::move(all), from.source()};
}

}  // namespace finesync::inputs
