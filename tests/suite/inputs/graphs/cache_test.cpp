// A cache returns what was stored, or nothing.
#include <inputs/graphs/cache.hpp>
#include <inputs/graphs/generate.hpp>

#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

namespace finesync::inputs {
namespace {

constexpr source_stamp stamp{12'345, -678};

template <class Value>
std::string cache_of(const scratch_folder& scratch, const Value& value) {
  std::filesystem::remove(scratch / "cache");  // perhaps one of another kind, which stays
  write_cache(value, stamp, scratch / "cache");
  return text_of(scratch / "cache");
}

std::string refusal(const std::string& bytes) {
  return error_of([&] { parse_graph_cache(bytes, "cache"); });
}

TEST(cache, gives_back_what_was_put_in) {
  const scratch_folder scratch;
  for (const char* const name : {"rmat/8", "road/1", "road/2", "grid/7"}) {
    graph put = generate_graph(name, 1);
    const cached<graph> got = parse_graph_cache(cache_of(scratch, put), "cache");
    EXPECT_EQ(got.source, stamp);
    put.name = "cache";
    EXPECT_EQ(got.value, put);
  }
  flow_network put = generate_network("mesh/5x4", 1);
  const cached<flow_network> got = parse_network_cache(cache_of(scratch, put), "cache");
  EXPECT_EQ(got.source, stamp);
  put.arcs.name = "cache";
  EXPECT_EQ(got.value, put);
}

TEST(cache, every_changed_bit_is_noticed) {
  const scratch_folder scratch;
  std::string bytes = cache_of(scratch, generate_graph("rmat/8", 1));
  for (std::size_t at = 0; at < bytes.size(); at += at < 64 ? 1 : 97)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
      ASSERT_NE(refusal(bytes), "no error") << "byte " << at << ", bit " << bit;
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    }
  EXPECT_EQ(refusal(bytes), "no error");
}

TEST(cache, that_holds_no_graph_is_refused) {
  const scratch_folder scratch;
  graph wrong = generate_graph("rmat/4", 1);
  wrong.targets[3] = 16;
  EXPECT_EQ(refusal(cache_of(scratch, wrong)),
            "cache: the cache is damaged: remove it, and the next run makes it again");
}

TEST(cache, of_another_kind_is_refused) {
  const scratch_folder scratch;
  EXPECT_EQ(refusal(cache_of(scratch, generate_network("mesh/5x4", 1))),
            "cache: it is no cache of a graph");
}

}  // namespace
}  // namespace finesync::inputs
