// ht: inserts into a hash table under contention, see inserter.hpp.
#include <bench/program.hpp>
#include <workloads/contest/competitor.hpp>
#include <workloads/hash_table/inserter.hpp>

#include <string>
#include <utility>
#include <vector>

namespace finesync::hash_table {

namespace {

/// What a primitive does where the command line leaves the choice to it.
struct own_choice {
  unsigned threads_per_block = 256;
  unsigned servers_percent = 0;
  unsigned ring = 0;
};
constexpr own_choice lock_choice = {};
constexpr own_choice paper_choice = {.threads_per_block = 512, .servers_percent = 50, .ring = 4096};
constexpr own_choice fast_choice = {.threads_per_block = 512, .servers_percent = 75, .ring = 8192};

setup setup_of(const bench::point& at, const own_choice& own) {
  const auto value = [&](const char* axis) { return static_cast<std::uint32_t>(at[axis]); };
  const auto value_or = [&](const char* axis, unsigned other) {
    return value(axis) == 0 ? other : value(axis);
  };
  return {.what = {.collision_factor = value("collision-factor"),
                   .inserts = value("inserts"),
                   .table_size = value("table-size")},
          .threads_per_block = value_or("threads-per-block", own.threads_per_block),
          .blocks_per_sm = value("tbs-per-sm"),
          .padded_locks = value("lock-padding") != 0,
          .extra = value("cs-extra"),
          .empty_sections = value("section") != 0,
          .servers = {.percent = value_or("servers-percent", own.servers_percent),
                      .ring = value_or("ring", own.ring),
                      .locks = value("server-locks"),
                      .local_buffer = value("local-buffer")}};
}

bench::primitive competitor(const char* name, const char* help, make_trial* make,
                            const own_choice& own, std::vector<std::string> tunable) {
  return contest::competitor(
      name, help, [make, own](const bench::point& at) { return make(setup_of(at, own)); },
      std::move(tunable),
      {{"generator", "counter-based random elements, inputs/random.cuh"}, {"seed", 2019}});
}

bench::primitive lock(const char* name, const char* help, make_trial* make) {
  return competitor(name, help, make, lock_choice, {"tbs-per-sm", "threads-per-block"});
}

bench::primitive servers(const char* name, const char* help, make_trial* make,
                         const own_choice& own) {
  return competitor(name, help, make, own,
                    {"servers-percent", "threads-per-block", "ring", "local-buffer"});
}

}  // namespace

}  // namespace finesync::hash_table

int main(int argc, char** argv) {
  using namespace finesync::hash_table;
  constexpr long long most = 1ll << 30;
  return finesync::bench::program(
             "ht",
             "Hash-table insert (HT of ASPLOS'19, section 4.1): threads push random elements onto\n"
             "the lists of a table, each list under its own lock.")
      .axis({.name = "collision-factor",
             .help = "elements in the pool; fewer means more contention",
             .values = {256, 1024, 32768, 131072},
             .min = 32,
             .max = 4 << 20,
             .unit = "elements"})
      .axis({.name = "inserts",
             .help = "inserts per run, by all threads together",
             .values = {1 << 16},
             .min = 1,
             .max = most})
      .axis({.name = "table-size",
             .help = "table entries, a list and a lock each",
             .values = {1 << 16},
             .min = 1,
             .max = most})
      .axis({.name = "threads-per-block",
             .help = "threads per block; 0 for 256 with locks, 512 with servers",
             .values = {0},
             .min = 0,
             .max = 1024,
             .candidates = {64, 256, 512, 1024}})
      .axis({.name = "tbs-per-sm",
             .help = "thread blocks per SM; 0 for as many as fit, with servers 2 at most",
             .values = {0},
             .min = 0,
             .max = 32,
             .candidates = {1, 2, 4, 8, 16, 32}})
      .axis({.name = "lock-padding",
             .help = "0: locks packed; 1: each on a line of its own",
             .values = {0},
             .min = 0,
             .max = 1})
      .axis({.name = "cs-extra",
             .help = "arithmetic added to the critical section (figure 9)",
             .values = {0},
             .min = 0,
             .max = 4096,
             .unit = "1,000 cycles"})
      .axis({.name = "section",
             .help = "0: push onto the list; 1: no memory access, only cs-extra",
             .values = {0},
             .min = 0,
             .max = 1})
      .axis({.name = "servers-percent",
             .help = "share of the thread blocks that serve; 0 for 50, fast 75",
             .values = {0},
             .min = 0,
             .max = 99,
             .unit = "%",
             .candidates = {33, 50, 60, 67, 75, 80}})
      .axis({.name = "ring",
             .help = "requests that a server's ring holds, a power of two; 0 for 4096, fast 8192",
             .values = {0},
             .min = 0,
             .max = 1 << 20,
             .unit = "requests",
             .candidates = {4096, 8192, 16384}})
      .axis({.name = "server-locks",
             .help = "locks in a server's shared memory, a power of two",
             .values = {4096},
             .min = 1,
             .max = 1 << 15})
      .axis({.name = "local-buffer",
             .help = "requests that a client block gathers per server, a power of two",
             .values = {64},
             .min = 32,
             .max = 1024,
             .unit = "requests",
             .candidates = {32, 64}})
      .primitive(lock("spin", "Listing 1 of the paper: try-lock, full fences", make_spin))
      .primitive(lock("spin_ordered", "the same with acquire and release", make_ordered_spin))
      .primitive(lock("backoff", "test-and-test-and-set, exponential back-off", make_backoff))
      .primitive(lock("ticket", "first come, first served; all waiters poll one word", make_ticket))
      .primitive(
          lock("ring", "first come, first served; each waiter polls its own line", make_ring))
      .primitive(
          lock("array", "the same, a fence before the hand-off, sleep by distance", make_array))
      .primitive(lock("mcs", "first come, first served; a list of waiters", make_mcs))
      .primitive(
          lock("combining", "spin_ordered with back-off, once per warp and entry", make_combining))
      .primitive(
          lock("carrying", "array, the hand-off carries the head of the list", make_carrying))
      .primitive(lock("libcudacxx", "cuda::binary_semaphore", make_libcudacxx))
      .primitive(servers("server_basic", "servers, one message at a time (section 3.2.1)",
                         make_server_basic, paper_choice))
      .primitive(servers("server_paper", "servers as in the paper (sections 3.2.2 to 3.2.4)",
                         make_server_paper, paper_choice))
      .primitive(servers("server_fast", "servers without leader, ready flags and waiting for locks",
                         make_server_fast, fast_choice))
      .primitive(lock("lockfree", "no lock: one exchange per insert, a bound", make_lockfree))
      .run(argc, argv);
}
