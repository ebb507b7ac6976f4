// semaphore: blocks that read and write a table under one semaphore, see competition.hpp.
#include <bench/program.hpp>
#include <workloads/contest/axes.hpp>
#include <workloads/contest/competitor.hpp>
#include <workloads/semaphore/competition.hpp>

namespace finesync::semaphore {

namespace {

setup setup_of(const bench::point& at) {
  const auto value = [&](const char* axis) { return static_cast<unsigned>(at[axis]); };
  return {.size = value("size"),
          .blocks_per_sm = value("tbs-per-sm"),
          .threads_per_block = value("threads-per-block"),
          .ldst = value("ldst"),
          .rounds = value("rounds"),
          .writers = value("writers") != 0,
          .backoff = value("backoff") != 0};
}

bench::primitive competitor(const char* name, const char* help, make_trial* make) {
  return contest::competitor(name, help,
                             [make](const bench::point& at) { return make(setup_of(at)); });
}

}  // namespace

}  // namespace finesync::semaphore

int main(int argc, char** argv) {
  using namespace finesync::contest;
  using namespace finesync::semaphore;
  return finesync::bench::program(
             "semaphore",
             "Readers and writers of one table (the thesis, chapter 4): on each SM one block "
             "writes\n"
             "and takes all permits of a semaphore, the others read and take one.")
      .axis(tbs_per_sm("thread blocks per SM; of 1 all are writers"))
      .axis(threads_per_block())
      .axis({.name = "size",
             .help = "permits of the semaphore",
             .values = {1},
             .min = 1,
             .max = 1 << 20,
             .unit = "permits"})
      .axis(ldst("words that each thread loads, and a writer stores; 0: two by thread 0"))
      .axis({.name = "writers",
             .help = "1: the first block of each SM writes; 0: all read",
             .values = {1},
             .min = 0,
             .max = 1})
      .axis(backoff("0: waiters look again at once; 1: the primitive's own back-off"))
      .axis({.name = "rounds",
             .help = "acquisitions per block and run",
             .values = {16},
             .min = 1,
             .max = 1 << 20})
      .primitive(competitor("spin", "a count under a mutex (listings 2.5, 2.6)", make_spin))
      .primitive(competitor("priority", "the same, those who leave go first (listings 3.3, 3.4)",
                            make_priority))
      .primitive(competitor("word", "one word: enter by CAS, leave by subtraction", make_word))
      .primitive(
          competitor("ticketed", "first come, first served; exits never wait", make_ticketed))
      .primitive(
          competitor("libcudacxx", "cuda::counting_semaphore, readers only", make_libcudacxx))
      .run(argc, argv);
}
