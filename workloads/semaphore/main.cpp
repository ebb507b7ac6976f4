// semaphore: blocks read and write a table under one semaphore; see run_config.hpp.
#include <workloads/common/axes.hpp>
#include <workloads/common/primitives.hpp>
#include <workloads/semaphore/semaphores.hpp>

namespace {

using namespace finesync::semaphore;
using namespace finesync::workload;
namespace bench = finesync::bench;

run_config run_config_of(const bench::point& point, const catalogue_entry<run_config>&) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(point[axis]); };
  return {.size = value("size"),
          .blocks_per_sm = value("tbs-per-sm"),
          .sms = value("sms"),
          .threads_per_block = value("threads-per-block"),
          .ldst = value("ldst"),
          .rounds = value("rounds"),
          .writers = value("writers") != 0,
          .writer_grows = value("writer") != 0,
          .backoff = backs_off(point)};
}

}  // namespace

int main(int argc, char** argv) {
  using bench::named_axis;
  bench::program program(
      "semaphore",
      "Readers and writers of one table (thesis, chapter 4): one block per SM writes, with all\n"
      "permits of a semaphore; the other blocks read, with one permit each.");
  program.axis(tbs_per_sm("thread blocks per SM; 1: all blocks are writers"))
      .axis(sms())
      .axis(threads_per_block())
      .axis({.name = "size",
             .help = "permits of the semaphore",
             .values = {1},
             .min = 1,
             .max = 1 << 20,
             .unit = "permits"})
      .axis(ldst("data that each thread loads, and a writer stores; 0: two words, only thread 0"))
      .axis(named_axis("writers", "whether the first block of each SM writes; no: all blocks read",
                       {"no", "yes"}, 1))
      .axis(named_axis(
          "writer",
          "words of a writer: those that all blocks read, or (the thesis's load) a share for "
          "each block of its SM, of which a reader reads its own",
          {"fixed", "grows"}))
      .axis(backoff())
      .axis(rounds("acquisitions per block and run", 16));
  add<run_config>(program, all_semaphores(), run_config_of);
  return program.run(argc, argv);
}
