// For any bytes, a reader either reports the error in one line or returns a valid graph.
#include <inputs/graphs/build.hpp>
#include <inputs/graphs/cache.hpp>
#include <inputs/graphs/formats.hpp>

#include <tests/suite/inputs/fuzz.hpp>
#include <tests/suite/inputs/graphs/check_graph.hpp>
#include <tests/suite/inputs/graphs/samples.hpp>
#include <tests/suite/inputs/scratch_folder.hpp>

namespace finesync::inputs {
namespace {

using namespace std::string_literals;

const std::vector<std::string> pieces{
    "-",         "+",          ".",          "a",          "a ",         "c",
    "p",         "n",          "s",          "t",          " ",          "\n",
    "\r\n",      "\r",         "\t",         "%",          ".0",         "e1",
    "e-999",     "e999",       "%",          "0",          "1",          "2",
    "9",         "2147483647", "2147483648", "4294967295", "4294967296", "18446744073709551616",
    "a 1 2 3\n", "1 2\n",      "\0"s,        "\1\0\0\0"s,  "\xff"};

template <class Read>
outcomes fuzz(const std::vector<std::string>& valid, Read&& read) {
  return fuzz(valid, mutator(pieces), [&](const std::string& text) { check_graph(read(text)); });
}

TEST(fuzz, dimacs) {
  expect_both(fuzz({"c\np sp 3 2\na 1 2 30\na 3 3 4\n", "p sp 1 0\r\n"},
                   [](const std::string& text) { return parse_dimacs(text, "file"); }));
}

TEST(fuzz, pace) {
  expect_both(fuzz({"p tw 4 3\n1 2\n4 2\n3 1\n"},
                   [](const std::string& text) { return parse_pace(text, "file"); }));
}

TEST(fuzz, matrix_market) {
  expect_both(
      fuzz({"%%MatrixMarket matrix coordinate integer symmetric\n% x\n3 3 2\n2 1 5\n3 2 1\n",
            "%%MatrixMarket matrix coordinate pattern general\n4 4 2\n4 4\n1 1\n",
            "%%MatrixMarket matrix coordinate real general\n4 4 2\n4 4 1e0\n 1 1 .5e1"},
           [](const std::string& text) { return parse_matrix_market_graph(text, "file"); }));
}

TEST(fuzz, galois) {
  expect_both(fuzz({galois_sample(true, true), galois_sample(false, false)},
                   [](const std::string& bytes) { return parse_galois(bytes, "file"); }));
}

TEST(fuzz, egr) {
  expect_both(fuzz({egr_sample(true, true), egr_sample(false, true), egr_sample(true, false)},
                   [](const std::string& bytes) { return parse_egr(bytes, "file"); }));
}

TEST(fuzz, any_graph) {
  expect_both(fuzz({"p sp 2 1\na 1 2 3\n", "p tw 2 1\n1 2\n", galois_sample(false, true),
                    egr_sample(false, true)},
                   [](const std::string& text) { return parse_graph(text, "file"); }));
}

TEST(fuzz, network) {
  const auto read = [](const std::string& text) {
    const flow_network made = parse_network(text, "file");
    EXPECT_EQ(made.mates, mates_of(made.arcs));
    EXPECT_LT(std::max(made.source, made.sink), made.arcs.vertices());
    EXPECT_NE(made.source, made.sink);
    return made.arcs;
  };
  expect_both(fuzz({"c\np max 3 3\nn 1 s\nn 3 t\na 1 2 5\na 3 2 4\na 2 3 6\n"}, read));
}

TEST(fuzz, cache) {
  const scratch_folder scratch;
  write_cache(undirected_graph("", 3, std::vector<edge>{{0, 1, 4}, {1, 2, 1}}), {1, 2},
              scratch / "cache");
  const auto read = [](const std::string& bytes) { return parse_graph_cache(bytes, "file").value; };
  const outcomes met = fuzz({text_of(scratch / "cache")}, read);
  // An inserted piece may equal the original text; only then is a mutated file valid.
  EXPECT_GT(met.refused, 99 * met.valid);
}

}  // namespace
}  // namespace finesync::inputs
