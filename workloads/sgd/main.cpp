// sgd: matrix factorisation; a rating is a section on two locked vectors; see run_config.hpp.
#include <inputs/ratings/shape.hpp>
#include <workloads/common/axes.hpp>
#include <workloads/common/inputs/input_axis.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/sgd/nested.hpp>

#include <functional>

namespace {

using namespace finesync::sgd;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const std::vector<std::string>& inputs, const bench::point& point,
                         const catalogue_entry<run_config>& primitive) {
  const grid_of_point grid = grid_or_default(point, primitive, 32, 2);
  return {.problem = {.input = inputs[static_cast<std::size_t>(point["input"])],
                      .ratings = static_cast<std::uint32_t>(point["ratings"]),
                      .features = static_cast<unsigned>(point["features"]),
                      .epochs = static_cast<unsigned>(point["epochs"])},
          .threads_per_block = grid.threads_per_block,
          .blocks_per_sm = grid.blocks_per_sm,
          .sms = static_cast<unsigned>(point.value_or("sms", 0)),
          .padded_locks = point.value_or("lock-layout", 0) != 0,
          .section_work = static_cast<std::uint32_t>(point.value_or("section-work", 0)),
          .groups = value_or_default(point, primitive, "movie-groups"),
          .least_long = value_or_default(point, primitive, "warp-run-length"),
          .servers_percent = value_or_default(point, primitive, "servers-percent")};
}

}  // namespace

int main(int argc, char** argv) {
  // Known generators, subsets of their ratings, and files.
  const input_axis asked = make_input_axis(argc, argv, finesync::inputs::shape_names(),
                                           one_each(finesync::inputs::names_shape));
  bench::program program(
      "sgd",
      "Matrix factorisation by stochastic gradient descent (SGD of ASPLOS'19, section 4.1): every\n"
      "rating moves the vectors of its user and its movie by one step.");
  bench::axis input = bench::named_axis(
      "input", "ratings: a generator, a fraction of its output (NAME/100), or a file",
      asked.values);
  program.axis(input)
      .axis(left_open({.name = "ratings",
                       .help = "number of ratings, the first of the input; auto: all",
                       .max = 1ll << 31,
                       .unit = "ratings"}))
      .axis({.name = "features",
             .help = "features per vector, which in memory is padded to 16, 32 or 64",
             .values = {16},
             .min = 1,
             .max = most_features})
      .axis({.name = "epochs",
             .help = "epochs per run; each uses every rating once",
             .values = {1},
             .min = 1,
             .max = 1000})
      .axis(left_open(threads_per_block("threads per block; auto: the best measured, for locks 32",
                                        {8, 16, 32, 64, 128})))
      .axis(left_open(
          tbs_per_sm("thread blocks per SM; auto: the best measured, for locks 2", {1, 2, 4, 8})))
      .axis(sms())
      .axis(layout())
      .axis(section_work(1024))
      .axis(left_open(
          {.name = "movie-groups",
           .help = "groups of movies, and of users, in the Latin square; auto: one per SM",
           .max = 1024}))
      .axis(left_open({.name = "warp-run-length",
                       .help = "ratings of one movie in a tile from which a whole warp "
                               "processes them; auto: a twelfth of the hottest movie's",
                       .max = 65535}))
      .axis(servers_percent("75", {10, 25, 50, 75}));
  const bench::source_of_inputs inputs =
      sources_of(asked, {{"learning_rate", learning_rate}, {"regularisation", regularisation}});
  add<run_config>(program, all_nested(), std::bind_front(run_config_of, asked.inputs),
                  {"tbs-per-sm", "threads-per-block", "lock-layout"}, inputs);
  return program.run(asked.words, asked.command_line);
}
