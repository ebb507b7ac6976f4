// The readers of graphs: real files, and each way in which a file can be wrong.
#include <inputs/graphs/formats.hpp>
#include <inputs/graphs/load.hpp>

#include <tests/suite/inputs/error_of.hpp>
#include <tests/suite/inputs/graphs/check_graph.hpp>
#include <tests/suite/inputs/graphs/samples.hpp>

#include <algorithm>
#include <map>

namespace finesync::inputs {
namespace {

using numbers = std::vector<std::uint32_t>;

void expect_reads(const std::string& text, const numbers& first, const numbers& targets,
                  const numbers& weights) {
  for (const std::string& form : {text, with_crlf(text)}) {
    const graph read = parse_graph(form, "file");
    check_graph(read);
    EXPECT_EQ(read.first, first);
    EXPECT_EQ(read.targets, targets);
    EXPECT_EQ(read.weights, weights);
  }
}

TEST(dimacs, every_line_is_an_arc) {
  expect_reads(
      "c by hand\nc\n\np sp 4 4\nc and on\na 3 1 5\na 1 3 0\na 1 3\t2147483647\na 2 2 7\n\n",
      {0, 2, 3, 4, 4}, {2, 2, 1, 0}, {0, 2147483647, 7, 5});
  expect_reads("p sp 2 0\n", {0, 0, 0}, {}, {});
}

TEST(pace, is_undirected_and_gets_weights) {
  const graph read = parse_graph("p tw 4 3\n1 2\n4 2\n2 1\n", "file");
  check_simple(read);
  EXPECT_EQ(read.first, (numbers{0, 1, 3, 3, 4}));
  EXPECT_EQ(read.targets, (numbers{1, 0, 3, 1}));
}

TEST(matrix_market, symmetric_is_undirected_and_general_is_not) {
  const std::string rest = "3 3 3\n2 1 5\n3 3 7\n3 2 9\n";
  expect_reads("%%MatrixMarket matrix coordinate integer symmetric\n" + rest, {0, 1, 3, 4},
               {1, 0, 2, 1}, {5, 5, 9, 9});
  expect_reads("%%MatrixMarket matrix coordinate real general\n% by hand\n" + rest, {0, 0, 1, 3},
               {0, 1, 2}, {5, 9, 7});
  const graph pattern =
      parse_graph("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n", "file");
  EXPECT_TRUE(is_undirected(pattern));
  EXPECT_GE(pattern.weights.front(), 1u);
}

// scipy.io.mmread reads all of these as the same matrix.
TEST(matrix_market, may_be_spaced_and_spelled_in_many_ways) {
  const std::string integers = "%%MatrixMarket matrix coordinate integer general\n";
  const std::string reals = "%%MatrixMarket matrix coordinate real general\n";
  for (const std::string& text : std::vector<std::string>{
           integers + "  3   3   2\n  1  2  5\n\t2  3\t7\n",
           integers + "% c\n \n\t% c\n3 3 2 \n1 2 5 \n2 3 7\t\n",
           integers + "3 3 2\n\n1 2 5\n  \n2 3 7\n\n \n", integers + "3 3 2\n1 2 5\n2 3 7",
           integers + "3 3 2\n+1 02 +5\n2 3 007\n  ", reals + "3 3 2\n1 2 5.0\n2 3 7.0e0\n",
           reals + "3 3 2\n1 2 +.5e1\n2 3 70e-1\n",
           " %%MatrixMarket MATRIX\tCoordinate  Double GENERAL \n3 3 2\n1 2 5.\n2 3 7\n",
           "%%MatrixMarket matrix coordinate unsigned-integer general\n3 3 2\n1 2 5\n2 3 7\n"})
    expect_reads(text, {0, 1, 2, 2}, {1, 2}, {5, 7});
  expect_reads(reals + "2 2 2\n1 2 -0.0\n2 1 2147483647.0\n", {0, 1, 2}, {1, 0}, {0, 2147483647});
  expect_reads(reals + "2 2 1\n1 2 1e-400\n", {0, 1, 1}, {1}, {0});
}

TEST(matrix_market, may_be_empty) {
  for (const char* const field : {"pattern", "integer", "real"})
    for (const char* const symmetry : {" general", " symmetric"}) {
      const std::string banner =
          std::string("%%MatrixMarket matrix coordinate ") + field + symmetry;
      expect_reads(banner + "\n3 3 0\n", {0, 0, 0, 0}, {}, {});
      expect_reads(banner + "\n3 3 0", {0, 0, 0, 0}, {}, {});
      expect_reads(banner + "\n0 0 0\n", {0}, {}, {});
    }
}

TEST(texts, of_graphs_may_begin_with_a_byte_order_mark) {
  const std::string mark = "\xef\xbb\xbf";
  expect_reads(mark + "p sp 2 1\na 1 2 3\n", {0, 1, 1}, {1}, {3});
  expect_reads(mark + "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 3\n", {0, 1, 1},
               {1}, {3});
  EXPECT_EQ(parse_graph(mark + "p tw 2 1\n1 2\n", "file").arcs(), 2u);
  EXPECT_EQ(parse_network(mark + "p max 2 1\nn 1 s\nn 2 t\na 1 2 3\n", "file").arcs.arcs(), 2u);
}

TEST(dimacs, has_words_between_any_blanks_and_comments_that_begin_with_c) {
  expect_reads("p\tsp\t3\t2\na\t1\t2\t5\na\t2\t3\t7\n", {0, 1, 2, 2}, {1, 2}, {5, 7});
  expect_reads("cA comment without a blank\n\n \n c\n p sp 3 2 \n a  1 2  5 \n\t\ncc\na 2 3 +7\n\n",
               {0, 1, 2, 2}, {1, 2}, {5, 7});
  EXPECT_EQ(parse_graph("c\np\ttw 3 2\n c x\n 1\t2\n\ncx\n2 3 \n \n", "file").arcs(), 4u);
}

TEST(galois, with_and_without_weights_and_padding) {
  for (const bool odd : {false, true}) {
    const graph read = parse_graph(galois_sample(true, odd), "file");
    check_graph(read);
    EXPECT_EQ(read.first, odd ? (numbers{0, 3, 3, 5}) : (numbers{0, 3, 3, 4}));
    EXPECT_EQ(read.targets, odd ? (numbers{1, 1, 2, 0, 2}) : (numbers{1, 1, 2, 0}));
    EXPECT_EQ(read.weights, odd ? (numbers{6, 7, 5, 8, 9}) : (numbers{6, 7, 5, 8}));
    const graph bare = parse_graph(galois_sample(false, odd), "file");
    check_graph(bare);
    EXPECT_EQ(bare.targets, read.targets);
  }
  EXPECT_EQ(parse_graph(bytes_of(words{1, 0, 3, 1, 1, 1, 1}) + bytes_of(halves{2}), "file").targets,
            (numbers{2}));
}

TEST(egr, of_both_widths_with_and_without_weights) {
  for (const bool is_wide : {false, true}) {
    const graph read = parse_graph(egr_sample(true, is_wide), "file");
    check_graph(read);
    EXPECT_EQ(read.first, (numbers{0, 3, 3, 4}));
    EXPECT_EQ(read.targets, (numbers{1, 1, 2, 0}));
    EXPECT_EQ(read.weights, (numbers{6, 7, 5, 8}));
    const graph bare = parse_graph(egr_sample(false, is_wide), "file");
    check_graph(bare);
    EXPECT_EQ(bare.targets, read.targets);
  }
}

// The low bytes of its number of vertices are those that compressed files begin with.
TEST(egr, is_not_taken_for_compressed) {
  for (const std::uint32_t vertices : {0x8b1fu, 0x9d1fu, 0x68005au}) {
    halves sizes_and_places(vertices + 3);
    sizes_and_places[0] = vertices;
    EXPECT_EQ(parse_graph(bytes_of(sizes_and_places), "file").vertices(), vertices);
  }
}

TEST(network, adds_the_capacities_of_repeated_arcs) {
  const flow_network read =
      parse_network("p max 2 4\nn 1 s\nn 2 t\na 1 2 5\na 2 1 9\na 1 2 4\na 1 2 0\n", "file");
  EXPECT_EQ(read.arcs.targets, (numbers{1, 0}));
  EXPECT_EQ(read.arcs.weights, (numbers{9, 9}));
}

TEST(network, has_words_between_any_blanks) {
  const flow_network read =
      parse_network("c\np\tmax\t2 1\n n\t1\ts \ncx\nn  2  t\n\na\t1\t2\t3\n \n", "file");
  EXPECT_EQ(read.arcs.weights, (numbers{3, 0}));
  EXPECT_EQ(read.sink, 1u);
}

TEST(network, has_terminals_in_either_order) {
  for (const std::string ends : {"n 1 s\nn 3 t\n", "n 3 t\nc\nn 1 s\n"}) {
    const flow_network read =
        parse_network("c\np max 3 3\n" + ends + "a 1 2 5\na 3 2 4\na 2 3 6\n", "file");
    EXPECT_EQ(read.source, 0u);
    EXPECT_EQ(read.sink, 2u);
    EXPECT_EQ(read.arcs.targets, (numbers{1, 0, 2, 1}));
    EXPECT_EQ(read.arcs.weights, (numbers{5, 0, 6, 4}));
    EXPECT_EQ(read.mates, (numbers{1, 0, 3, 2}));
  }
}

std::map<std::uint32_t, std::uint32_t> degrees(const graph& of) {
  std::map<std::uint32_t, std::uint32_t> counted;
  for (std::uint32_t u = 0; u < of.vertices(); ++u) ++counted[of.first[u + 1] - of.first[u]];
  return counted;
}

TEST(real, graphs_have_their_published_counts) {
  const graph karate = load_graph(GRAPHS_FOLDER "/karate.mtx");
  check_simple(karate);
  EXPECT_EQ(karate.vertices(), 34u);
  EXPECT_EQ(karate.arcs(), 2 * 78u);
  EXPECT_EQ(degrees(karate).rbegin()->first, 17u);

  const graph mesh = load_graph(GRAPHS_FOLDER "/jagmesh7.mtx");
  check_simple(mesh);
  EXPECT_EQ(mesh.vertices(), 1'138u);
  EXPECT_EQ(mesh.arcs(), 2 * (4'294u - 1'138));  // without its diagonal

  const graph roads = load_graph(GRAPHS_FOLDER "/new-york-16k.gr");
  check_simple(roads);
  EXPECT_EQ(roads.vertices(), 16'000u);
  EXPECT_EQ(roads.arcs(), 2 * 19'512u);
}

class wrong_graph : public testing::TestWithParam<wrong_file> {};
class wrong_network : public testing::TestWithParam<wrong_file> {};

TEST_P(wrong_graph, is_one_clear_line) {
  const auto& [text, error] = GetParam();
  EXPECT_EQ(error_of([&, &text = text] { parse_graph(text, "file"); }), "file:" + error);
}

TEST_P(wrong_network, is_one_clear_line) {
  const auto& [text, error] = GetParam();
  EXPECT_EQ(error_of([&, &text = text] { parse_network(text, "file"); }), "file:" + error);
}

const std::string banner = "%%MatrixMarket matrix coordinate ";

const std::vector<wrong_file> wrong_texts{
    {"", "1: the file is empty"},
    {"\x1f\x8b\x08", "1: it is compressed by gzip: unpack it first"},
    {"\x1f\x9d\x90", "1: it is compressed by compress: unpack it first"},
    {"BZh91AY", "1: it is compressed by bzip2: unpack it first"},
    {"\xfd\x37zXZ", "1: it is compressed by xz: unpack it first"},
    {"\x28\xb5\x2f\xfd\x04", "1: it is compressed by zstd: unpack it first"},
    {std::string("\x28\xb5\x2f\xfd\x04\0\0", 7), "1: it is compressed by zstd: unpack it first"},
    {"\x04\x22\x4d\x18", "1: it is compressed by lz4: unpack it first"},
    {"PK\x03\x04", "1: it is compressed by zip: unpack it first"},
    {std::string("\xff\xfep\0 \0", 6), "1: it is in UTF-16: save it in UTF-8 first"},
    {"\xef\xbb\xbf", "1: the file is empty"},
    {"1 2\n",
     "1: it is none of DIMACS ('p sp' after comments), PACE ('p tw'), Matrix Market (begins with "
     "'%%MatrixMarket'), Galois and ECL (binary)"},
    {"p max 2 1\nn 1 s\n", " it is a flow network, and a graph is wanted"},
    {"p sp 2 2\na 1 2 3\n", "2: 2 edges are announced, and the file has room for 1 at most"},
    {"c\np sp 2 2\na 1 2 3\nc  x\nc y\n", "6: the file ends after 1 of the 2 edges announced"},
    {"p sp 2 1\na 1 2 3\na 2 1 3\n", "3: there are more than the 1 edges announced"},
    {"p sp 2 1\na 1 2 33", "2: the file ends within a line"},
    {"p sp 2 2\na 1 2 3\na 2 1 3", "3: the file ends within a line"},
    {"p sp 2 1\na 1 2 +-3\n", "2: expected a weight from 0 to 2147483647, found '+-3'"},
    {"p sp 2 1\na 1 2 1e0\n", "2: expected a weight from 0 to 2147483647, found '1e0'"},
    {"p sp 2 1\na 1 2 0x1\n", "2: expected a weight from 0 to 2147483647, found '0x1'"},
    {"p sp 2 1\na1 1 2 3\n", "2: expected 'a', found 'a1'"},
    {"p spx 2 1\na 1 2 3\n",
     "1: it is none of DIMACS ('p sp' after comments), PACE ('p tw'), Matrix Market (begins with "
     "'%%MatrixMarket'), Galois and ECL (binary)"},
    {"p sp 2 1\na 1 3 3\n", "2: expected a vertex from 1 to 2, found '3'"},
    {"p sp 2 1\na 0 1 3\n", "2: expected a vertex from 1 to 2, found '0'"},
    {"p sp 2 1\na 1 2 -3\n", "2: expected a weight from 0 to 2147483647, found '-3'"},
    {"p sp 2 1\na 1 2 2147483648\n",
     "2: expected a weight from 0 to 2147483647, found '2147483648'"},
    {"p sp 2 1\na 1 2 3.5\n", "2: expected a weight from 0 to 2147483647, found '3.5'"},
    {"p sp 2 1\na 1 2 3 4\n", "2: expected the end of the line, found '4'"},
    {"p sp 2 1\ne 1 2 3\n", "2: expected 'a', found 'e'"},
    {"p sp 4294967295 1\na 1 2 3\n",
     "1: expected a number of vertices from 0 to 4294967294, found '4294967295'"},
    {"p sp 2000000 1\na 1 2 3\n", "2: 2000000 vertices in 8 bytes: most of them cannot occur"},
    {"p sp 2\n", "1: expected a number of edges from 0 to 4294967295, found the end of the line"},
    {"p tw 2 1\n1 3\n", "2: expected a vertex from 1 to 2, found '3'"},
    {"p tw 2 2\n1 2\n", "2: 2 edges are announced, and the file has room for 1 at most"},
    {banner + "pattern general\n2 3 1\n1 1\n", "3: 2 rows and 3 columns are no graph"},
    {banner + "pattern skew-symmetric\n2 2 1\n1 1\n",
     "1: the symmetry must be general or symmetric, and is 'skew-symmetric'"},
    {banner + "pattern hermitian\n2 2 1\n1 1\n",
     "1: the symmetry must be general or symmetric, and is 'hermitian'"},
    {banner + "COMPLEX general\n2 2 1\n1 1 1 0\n",
     "1: the field must be pattern or integer or real, and is 'COMPLEX'"},
    {"%%MatrixMarket matrix ARRAY real general\n1 1\n1\n",
     "1: the layout must be coordinate, and is 'ARRAY'"},
    {banner + "pattern general\n3 3 2\n1 2\nc 2 3\n2 3\n",
     "4: expected a row from 1 to 3, found 'c'"},
    {banner + "pattern general\n3 3 1\n% 2 3\n2 3\n", "3: expected a row from 1 to 3, found '%'"},
    {banner + "pattern general\n3 3 0\n1 2\n", "3: there are more than the 0 edges announced"},
    {banner + "pattern general\n0 0 1\n1 2\n", "2: 0 rows and 0 columns have no entries"},
    {banner + "integer general\n2 2 1\n1 1 5.0\n",
     "3: expected a weight from 0 to 2147483647, found '5.0'"},
    {banner + "real general\n2 2 1\n1 1 5.5\n",
     "3: expected a weight from 0 to 2147483647, found '5.5'"},
    {banner + "real general\n2 2 1\n1 1 2147483648.0\n",
     "3: expected a weight from 0 to 2147483647, found '2147483648.0'"},
    {banner + "real general\n2 2 1\n1 1 1e400\n",
     "3: expected a weight from 0 to 2147483647, found '1e400'"},
    {banner + "real general\n2 2 1\n1 1 nan\n",
     "3: expected a weight from 0 to 2147483647, found 'nan'"},
    {banner + "real general\n2 2 1\n1 1 0x10\n",
     "3: expected a weight from 0 to 2147483647, found '0x10'"},
    {banner + "real general\n2 2 1\n1 1 +-4\n",
     "3: expected a weight from 0 to 2147483647, found '+-4'"},
    {banner + "real general\n2 2 1\n1 1 -.27\n",
     "3: expected a weight from 0 to 2147483647, found '-.27'"},
    {banner + "pattern general\n2 2 1\n1 3\n", "3: expected a column from 1 to 2, found '3'"},
    {std::string("\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff\0", 14),
     "1: it is compressed by lzma: unpack it first"},
    {std::string("\xff\6\0\0sNaPpY", 10), "1: it is compressed by snappy: unpack it first"},
    {"Rar!\x1a\x07\x01", "1: it is compressed by rar: unpack it first"},
    {"LRZI", "1: it is compressed by lrzip: unpack it first"},
    {"\x78\x9c\xab", "1: it is compressed by zlib: unpack it first"},
    {"p.gr" + std::string(253, '\0') + "ustar", "1: it is compressed by tar: unpack it first"},
    {std::string("\xff\xfe\0\0p\0\0\0", 8), "1: it is in UTF-32: save it in UTF-8 first"},
    {std::string("\0\0\xfe\xff\0\0\0p", 8), "1: it is in UTF-32: save it in UTF-8 first"}};

INSTANTIATE_TEST_SUITE_P(texts, wrong_graph, testing::ValuesIn(wrong_texts));

std::string with_byte(std::string bytes, std::size_t at, char to) {
  bytes[at] = to;
  return bytes;
}

const std::string galois = galois_sample(true, false);
const std::string egr = egr_sample(true, true);

const std::vector<wrong_file> wrong_binaries{
    {galois.substr(0, galois.size() - 1), " 3 vertices and 4 arcs take 88 bytes, and it has 87"},
    {galois.substr(0, 20), " a Galois graph begins with 32 bytes of sizes"},
    {with_byte(galois, 0, 2), " it is no Galois graph of version 1 but of 2"},
    {with_byte(galois, 8, 8), " it has 8 bytes of data per edge, and can have 0 or 4"},
    {with_byte(galois, 23, 1), " 72057594037927939 vertices and 4 arcs are too many for 32 bits"},
    {with_byte(galois, 32, 4), " the arcs of vertex 1 end before they begin"},
    {with_byte(galois, 48, 3), " the arcs of the last vertex do not end with the last"},
    {with_byte(galois, 56, 3), " arc 0 goes to 3, and there are 3 vertices"},
    {with_byte(galois, 75, '\x80'), " the weight of arc 0 is no number from 0 to 2147483647"},
    {egr.substr(0, egr.size() - 1),
     " it is binary data, and neither a graph of Galois nor one of ECL that is whole"},
    {with_byte(egr, 24, 5), " the arcs of vertex 1 end before they begin"},
    {with_byte(egr, 28, 1), " the arcs of vertex 1 end before they begin"},  // 2^32 higher
    {with_byte(egr, 51, 1), " arc 0 goes to 16777218, and there are 3 vertices"}};

INSTANTIATE_TEST_SUITE_P(binaries, wrong_graph, testing::ValuesIn(wrong_binaries));

const std::vector<wrong_file> wrong_networks{
    {"p sp 2 1\na 1 2 3\n", "1: expected 'max', found 'sp'"},
    {"\x28\xb5\x2f\xfd\x04", "1: it is compressed by zstd: unpack it first"},
    {"p max 2 1\na 1 2 3\n", "2: expected 'n', found 'a'"},
    {"p max 2 1\nn 1 s\na 1 2 3\n", "3: expected 'n', found 'a'"},
    {"p max 2 1\nn 1 s\nn 2 s\n", "3: there are two sources"},
    {"p max 2 1\nn 1 t\nn 2 t\n", "3: there are two sinks"},
    {"p max 2 1\nn 1 s\nn 1 t\n", "3: the source is the sink"},
    {"p max 2 1\nn 1 x\n", "2: expected 's' or 't', found 'x'"},
    {"p max 2 1\nn 1 s\nn 3 t\n", "3: expected a vertex from 1 to 2, found '3'"},
    {"p max 2 1\nn 1 s\nn 2 t\na 1 2 -1\n",
     "4: expected a capacity from 0 to 2147483647, found '-1'"},
    {"p max 2 2\nn 1 s\nn 2 t\na 1 2 2147483647\na 1 2 1\n",
     " the capacities of repeated arcs add up to more than 2147483647"}};

INSTANTIATE_TEST_SUITE_P(networks, wrong_network, testing::ValuesIn(wrong_networks));

TEST(egr, that_is_asked_for_by_name_says_what_is_wrong) {
  EXPECT_EQ(error_of([] { parse_egr("abc", "file"); }),
            "file: its 3 bytes are those of no ECL graph of the sizes that it begins with");
}

}  // namespace
}  // namespace finesync::inputs
