// ht: inserts into a hash table under contention, see inserter.hpp.
#include <bench/program.hpp>
#include <workloads/hash_table/inserter.hpp>

#include <utility>

namespace finesync::hash_table {

namespace {

bench::verdict judge(const outcome& ended) {
  if (ended.gave_up) return {bench::status::livelock, ended.detail};
  if (!ended.correct) return {bench::status::wrong, ended.detail};
  return {};
}

class insert_experiment final : public bench::experiment {
 public:
  insert_experiment(std::unique_ptr<inserter> how, double inserts)
      : inserter_(std::move(how)), inserts_(inserts) {}

  void reset() override { inserter_->reset(); }
  void launch() override { inserter_->launch(); }
  bench::verdict verify() override { return judge(inserter_->check()); }
  bench::counters measure() override { return inserter_->watch(); }
  double items() const override { return inserts_; }
  nlohmann::json inputs() const override {
    return {{"generator", "counter-based random elements, inputs/random.cuh"}, {"seed", 2019}};
  }

 private:
  std::unique_ptr<inserter> inserter_;
  double inserts_;
};

setup setup_of(const bench::point& at) {
  const auto value = [&](const char* axis) { return static_cast<std::uint32_t>(at[axis]); };
  return {.what = {.collision_factor = value("collision-factor"),
                   .inserts = value("inserts"),
                   .table_size = value("table-size")},
          .threads_per_block = value("threads-per-block"),
          .blocks_per_sm = value("tbs-per-sm"),
          .padded_locks = value("lock-padding") != 0,
          .extra = value("cs-extra")};
}

bench::primitive competitor(const char* name, const char* help, make_inserter* make) {
  return {name, help, [make](const bench::point& at) -> std::unique_ptr<bench::experiment> {
            const setup how = setup_of(at);
            return std::make_unique<insert_experiment>(make(how), how.what.inserts);
          }};
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
             .help = "threads per block",
             .values = {256},
             .min = 1,
             .max = 1024})
      .axis({.name = "tbs-per-sm",
             .help = "thread blocks per SM; 0 for as many as fit",
             .values = {0},
             .min = 0,
             .max = 32})
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
      .primitive(competitor("spin", "Listing 1 of the paper: try-lock, full fences", make_spin))
      .primitive(competitor("spin_ordered", "the same with acquire and release", make_ordered_spin))
      .primitive(competitor("backoff", "test-and-test-and-set, exponential back-off", make_backoff))
      .primitive(
          competitor("ticket", "first come, first served; all waiters poll one word", make_ticket))
      .primitive(
          competitor("ring", "first come, first served; each waiter polls its own line", make_ring))
      .primitive(competitor("combining", "spin_ordered with back-off, once per warp and entry",
                            make_combining))
      .primitive(competitor("lockfree", "no lock: one exchange per insert, a bound", make_lockfree))
      .run(argc, argv);
}
