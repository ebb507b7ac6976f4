// sgd: matrix factorisation; a rating is a section on two locked vectors; see run_config.hpp.
#include <inputs/ratings/shape.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/member_axes.hpp>
#include <workloads/sgd/nested.hpp>

int main(int argc, char** argv) {
  using namespace finesync::sgd;
  using namespace finesync::workload;
  // Known generators, subsets of their ratings, and files.
  const input_axis asked = make_input_axis(
      argc, argv, with_small_default(finesync::inputs::shape_names(), "movielens-10m-like/16000"),
      one_each(finesync::inputs::names_shape));
  finesync::bench::program program(
      "sgd",
      "Matrix factorisation by stochastic gradient descent (SGD of ASPLOS'19, section 4.1): every\n"
      "rating moves the vectors of its user and its movie by one step.");
  const member_axes<run_config> axes{
      {named_axis("input", "ratings: a generator, a fraction of its output (NAME/100), or a file",
                  asked.values),
       [&](run_config& config, std::size_t i) { config.problem.input = asked.inputs[i]; }},
      {number_or_auto("ratings", "number of ratings, the first of the input; auto: all", 1ll << 31,
                      "ratings"),
       &run_config::problem, &problem::ratings},
      {number("features", "features per vector, which in memory is padded to 16, 32 or 64", 16,
              {1, most_features}),
       &run_config::problem, &problem::features},
      {number("epochs", "epochs per run; each uses every rating once", 1, {1, 1000}),
       &run_config::problem, &problem::epochs},
      {threads_per_block_or_auto("threads per block; auto: the best measured, for locks 32",
                                 {8, 16, 32, 64, 128}),
       &run_config::threads_per_block, 32},
      {tbs_per_sm_or_auto("thread blocks per SM; auto: the best measured, for locks 2",
                          {1, 2, 4, 8}),
       &run_config::blocks_per_sm, 2},
      {sms(), &run_config::sms},
      {layout(), &run_config::padded_locks},
      {section_work(1024), &run_config::section_work},
      {number_or_auto("movie-groups",
                      "groups of movies, and of users, in the Latin square; auto: one per SM",
                      1024),
       &run_config::groups},
      {number_or_auto("warp-run-length",
                      "ratings of one movie in a tile from which a whole warp processes them; "
                      "auto: a twelfth of the hottest movie's",
                      65535),
       &run_config::least_long},
      {servers_percent("75", {10, 25, 50, 75}), &run_config::servers_percent}};
  declare(program, axes);
  add<run_config>(
      program, all_nested(), filled_by(axes), {"tbs-per-sm", "threads-per-block", "lock-layout"},
      sources_of(asked, {{"learning_rate", learning_rate}, {"regularisation", regularisation}}));
  return program.run(asked.words, asked.command_line);
}
