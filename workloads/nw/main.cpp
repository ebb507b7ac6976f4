// nw: Needleman-Wunsch; every cell of a matrix waits for three neighbours; see run_config.hpp.
#include "sequence_axes.hpp"

#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/nw/alignments.hpp>

#include <functional>

namespace {

using namespace finesync::nw;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const std::vector<std::string>& inputs, const bench::point& point,
                         const catalogue_entry<run_config>&) {
  return {.problem = {.input = inputs[static_cast<std::size_t>(point["input"])],
                      .rows = static_cast<unsigned>(point["rows"]),
                      .columns = static_cast<unsigned>(point["columns"]),
                      .scores = point.setting_of("substitution-matrix").text(),
                      .gap = static_cast<unsigned>(point["gap-penalty"])},
          .rows = point["row-pitch"] == 0 ? pitch::packed : pitch::lines,
          .tile = static_cast<unsigned>(point.value_or("tile-size", 0)),
          .cluster_blocks = static_cast<unsigned>(point.value_or("cluster-blocks", 0)),
          .strips_per_sm = static_cast<unsigned>(point.value_or("strips-per-sm", 0)),
          .from_table = point.value_or("similarity-source", 0) != 0};
}

}  // namespace

int main(int argc, char** argv) {
  const input_axis asked = make_input_axis(argc, argv);
  bench::program program(
      "nw",
      "Needleman-Wunsch (ICS'15, section 6): alignment scores of all pairs of prefixes of two\n"
      "sequences, as a matrix in global memory. items_per_second counts cells.");
  program
      .axis(bench::named_axis(
          "input", "sequences: Rodinia's generator, or two FASTA files A.fa,B.fa", asked.values))
      .axis(left_open(
          {.name = "rows",
           .help = "letters of the first sequence (matrix rows); auto: all, for rodinia 2048",
           .max = 1 << 20}))
      .axis(left_open({.name = "columns",
                       .help = "letters of the second sequence (matrix columns); auto: "
                               "all, for rodinia as many as rows",
                       .max = 1 << 20}))
      .axis(bench::named_axis("substitution-matrix", "scores of two aligned letters",
                              {"blosum62", "nuc44"}))
      .axis({.name = "gap-penalty",
             .help = "penalty per letter of a gap",
             .values = {10},
             .min = 1,
             .max = 100})
      .axis(bench::named_axis(
          "row-pitch", "rows packed, or padded so that column 1 of each begins a 128-byte line",
          {"packed", "lines"}))
      .axis(left_open({.name = "tile-size",
                       .help = "threads along a tile; with a thread per cell, one row "
                               "and one column of them are the neighbours; auto: 32",
                       .max = 64,
                       .candidates = {16, 32, 64}}))
      .axis(left_open(
          {.name = "cluster-blocks",
           .help = "blocks per cluster, which pass rows on in shared memory; auto: one per strip "
                   "up to 16 strips, else 8; 2 if blocks process several strips each",
           .max = 16,
           .candidates = {1, 2, 4, 8, 16}}))
      .axis(left_open({.name = "strips-per-sm",
                       .help = "strips per SM at a time, 1 or 2; auto: 1",
                       .max = 2,
                       .candidates = {1, 2}}))
      .axis(bench::named_axis("similarity-source",
                              "where the score of two letters comes from: the letters, or a "
                              "precomputed matrix as in Rodinia",
                              {"letters", "table"}));
  add<run_config>(program, all_alignments(), std::bind_front(run_config_of, asked.inputs), {},
                  sources_of(asked));
  return program.run(asked.words, asked.command_line);
}
