// Graphs and networks by name, by file and by cache.
#include <inputs/graphs/cache.hpp>
#include <inputs/graphs/generate.hpp>
#include <inputs/graphs/load.hpp>

#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

namespace finesync::inputs {
namespace {

namespace fs = std::filesystem;

const std::string text = "p sp 2 1\na 1 2 3\n";
const std::string changed = "p sp 2 1\na 1 2 4\n";

TEST(load, generates_by_name) {
  EXPECT_EQ(load_graph("rmat/8", {.seed = 7}), generate_graph("rmat/8", 7));
  EXPECT_EQ(load_network("washington/4x4", {.seed = 7}), generate_network("washington/4x4", 7));
}

TEST(load, reads_a_file_and_leaves_no_cache_of_a_small_one) {
  const scratch_folder scratch;
  write_text(scratch / "it.gr", text);
  const graph read = load_graph(scratch / "it.gr");
  EXPECT_EQ(read.name, "it.gr");
  EXPECT_EQ(read.weights, (std::vector<std::uint32_t>{3}));
  EXPECT_FALSE(fs::exists(scratch / "it.gr.finesync-graph"));
}

TEST(load, names_what_it_knows) {
  EXPECT_EQ(error_of([] { load_graph("bgg"); }),
            "bgg: there is no such file, and no generator of that name (known: rmat, "
            "rmat-graph500, r4, r4-cycle, grid, road, path, path-falling, path-random, "
            "path-shuffled, path-pairs, path-merges, path-chains, caterpillar, comb, star, "
            "star-paths, clique, cliques, hub, with a size as rmat/16)");
  EXPECT_EQ(error_of([] { load_network("rmat"); }),
            "rmat: there is no such file, and no generator of that name (known: mesh, washington, "
            "genrmf, ak, matching, layered, power-law, with a size as mesh/512x512)");
}

TEST(load, keeps_a_cache_of_a_large_file) {
  const scratch_folder scratch;
  const load_options options{.least_cached_bytes = 0};
  const auto weight = [&] { return load_graph(scratch / "it.gr", options).weights.front(); };
  write_text(scratch / "it.gr", text);
  EXPECT_EQ(weight(), 3u);
  // The same length and time, so that the cache seems to match.
  const auto modified = fs::last_write_time(scratch / "it.gr");
  write_text(scratch / "it.gr", changed);
  fs::last_write_time(scratch / "it.gr", modified);
  EXPECT_EQ(weight(), 3u);
  EXPECT_EQ(load_graph(scratch / "it.gr", options).name, "it.gr");
  const std::string cache = scratch / "it.gr.finesync-graph";
  EXPECT_EQ(load_graph(cache, options).weights.front(), 3u);
  EXPECT_FALSE(fs::exists(cache + ".finesync-graph"));
  fs::last_write_time(scratch / "it.gr", fs::file_time_type::clock::now());
  EXPECT_EQ(weight(), 4u);
}

TEST(load, keeps_a_cache_of_what_is_generated_where_there_is_a_folder) {
  const scratch_folder scratch;
  load_options options{.cache_folder = scratch / ""};
  const graph made = load_graph("rmat/8", options);
  ASSERT_TRUE(fs::exists(scratch / "rmat-8.finesync-graph"));
  EXPECT_EQ(load_graph("rmat/8", options), made);
  options.seed = 1;
  EXPECT_EQ(load_graph("rmat/8", options), generate_graph("rmat/8", 1));
  load_network("mesh/4x4", options);
  EXPECT_TRUE(fs::exists(scratch / "mesh-4x4.finesync-network"));
}

TEST(load, leaves_every_file_of_a_user_as_it_is) {
  const scratch_folder scratch;
  write_text(scratch / "it", text);
  const std::string metis = "3 2\n2\n1 3\n2\n";
  const std::string network_cache = [&] {
    load_network("mesh/4x4", {.cache_folder = scratch / ""});
    return text_of(scratch / "mesh-4x4.finesync-network");
  }();
  for (const char* const extension : {".graph", ".finesync-graph"})
    for (const std::string& own : {metis, network_cache, std::string()}) {
      write_text((scratch / "it") + extension, own);
      EXPECT_EQ(load_graph(scratch / "it", {.least_cached_bytes = 0}).weights.front(), 3u);
      EXPECT_EQ(text_of((scratch / "it") + extension), own);
    }
  fs::remove(scratch / "it.finesync-graph");
  fs::create_symlink("elsewhere", scratch / "it.finesync-graph");
  EXPECT_EQ(load_graph(scratch / "it", {.least_cached_bytes = 0}).weights.front(), 3u);
  EXPECT_TRUE(fs::is_symlink(scratch / "it.finesync-graph"));
  EXPECT_FALSE(fs::exists(scratch / "elsewhere"));
}

TEST(load, of_a_wrong_file_leaves_nothing) {
  const scratch_folder scratch;
  write_text(scratch / "it.gr", "p sp 2 1\na 1 2 34");
  EXPECT_EQ(error_of([&] { load_graph(scratch / "it.gr", {.least_cached_bytes = 0}); }),
            scratch / "it.gr:2: the file ends within a line");
  EXPECT_FALSE(fs::exists(scratch / "it.gr.finesync-graph"));
}

// A cache returns what was stored, or nothing.

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
