// nw: Needleman-Wunsch; every cell of a matrix waits for three neighbours; see run_config.hpp.
#include "sequence_axes.hpp"

#include <workloads/common/member_axes.hpp>
#include <workloads/nw/alignments.hpp>

int main(int argc, char** argv) {
  using namespace finesync::nw;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  const input_axis asked = make_input_axis(argc, argv);
  const std::vector<std::string> matrices = {"blosum62", "nuc44"};
  bench::program program(
      "nw",
      "Needleman-Wunsch (ICS'15, section 6): alignment scores of all pairs of prefixes of two\n"
      "sequences, as a matrix in global memory. items_per_second counts cells.");
  const member_axes<run_config> axes{
      {named_axis("input", "sequences: Rodinia's generator, or two FASTA files A.fa,B.fa",
                  asked.values),
       [&](run_config& config, std::size_t i) { config.problem.input = asked.inputs[i]; }},
      {number_or_auto("rows",
                      "letters of the first sequence (matrix rows); auto: all, for rodinia 2048,\n"
                      "or 128 without a GPU",
                      1 << 20),
       &run_config::problem, &problem::rows},
      {number_or_auto("columns",
                      "letters of the second sequence (matrix columns); auto: all, for rodinia as "
                      "many as rows",
                      1 << 20),
       &run_config::problem, &problem::columns},
      {named_axis("substitution-matrix", "scores of two aligned letters", matrices),
       [&](run_config& config, std::size_t i) { config.problem.scores = matrices[i]; }},
      {number("gap-penalty", "penalty per letter of a gap", 10, {1, 100}), &run_config::problem,
       &problem::gap},
      {named_axis("row-pitch",
                  "rows packed, or padded so that column 1 of each begins a 128-byte line",
                  {"packed", "lines"}),
       &run_config::rows},
      {number_or_auto("tile-size",
                      "threads along a tile; with a thread per cell, one row and one column of "
                      "them are the neighbours; auto: 32",
                      64, "", {16, 32, 64}),
       &run_config::tile},
      {number_or_auto("cluster-blocks",
                      "blocks per cluster, which pass rows on in shared memory; auto: one per "
                      "strip up to 16 strips, else 8; 2 if blocks process several strips each",
                      16, "", {1, 2, 4, 8, 16}),
       &run_config::cluster_blocks},
      {number_or_auto("strips-per-sm", "strips per SM at a time, 1 or 2; auto: 1", 2, "", {1, 2}),
       &run_config::strips_per_sm},
      {named_axis("similarity-source",
                  "where the score of two letters comes from: the letters, or a "
                  "precomputed matrix as in Rodinia",
                  {"letters", "table"}),
       &run_config::from_table}};
  declare(program, axes);
  add<run_config>(program, all_alignments(), filled_by(axes), {}, sources_of(asked));
  return program.run(asked.words, asked.command_line);
}
