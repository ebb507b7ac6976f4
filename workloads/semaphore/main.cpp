// semaphore: blocks read and write a table under one semaphore; see run_config.hpp.
#include <workloads/common/member_axes.hpp>
#include <workloads/semaphore/semaphores.hpp>

int main(int argc, char** argv) {
  using namespace finesync::semaphore;
  using namespace finesync::workload;
  namespace bench = finesync::bench;
  bench::program program(
      "semaphore",
      "Readers and writers of one table (thesis, chapter 4): one block per SM writes, with all\n"
      "permits of a semaphore; the other blocks read, with one permit each.");
  const member_axes<run_config> axes{
      {tbs_per_sm("thread blocks per SM; 1: all blocks are writers"), &run_config::blocks_per_sm},
      {sms(), &run_config::sms},
      {threads_per_block(), &run_config::threads_per_block},
      {number("size", "permits of the semaphore", 1, {1, 1 << 20}, "permits"), &run_config::size},
      {ldst("data that each thread loads, and a writer stores; 0: two words, only thread 0"),
       &run_config::ldst},
      {yes_or_no("writers", "whether the first block of each SM writes; no: all blocks read", true),
       &run_config::writers},
      {named_axis(
           "writer",
           "words of a writer: those that all blocks read, or (the thesis's load) a share for "
           "each block of its SM, of which a reader reads its own",
           {"fixed", "grows"}),
       &run_config::writer_grows},
      {backoff(), &run_config::backoff},
      {rounds("acquisitions per block and run", 16), &run_config::rounds}};
  declare(program, axes);
  add<run_config>(program, all_semaphores(), filled_by(axes));
  return program.run(argc, argv);
}
