#include "grid_synchronizer.cuh"

#include <finesync/device/gpu.cuh>
#include <workloads/contest/timing.hpp>

#include <string>
#include <type_traits>

namespace finesync::rendezvous {

namespace {

outcome given_up(const watchdog& dog) {
  return contest::given_up("a block", dog.limit_ns(), "the others");
}

}  // namespace

grid_synchronizer::grid_synchronizer(const setup& how, const launch_shape& shape)
    : how_(how),
      shape_(shape),
      grid_words_(shape, how.words_per_thread),
      sm_words_(shape, how.local_exchange ? how.words_per_thread : 0),
      neighbours_(current_gpu()),
      litmus_(shape, how.litmus.stores) {}

void grid_synchronizer::reset() {
  grid_words_.reset();
  sm_words_.reset();
  neighbours_.reset();
  dog_.reset();
}

outcome grid_synchronizer::check() {
  outcome ended = check_rounds();
  for (const bool skewed : {false, true})
    if (ended.correct && !litmus_passed_) ended = check_litmus(skewed);
  litmus_passed_ = litmus_passed_ || ended.correct;
  return ended;
}

outcome grid_synchronizer::check_rounds() {
  stream().synchronize();
  if (dog_.fired()) return given_up(dog_);
  const std::uint64_t stale = grid_words_.mismatches();
  const std::uint64_t stale_on_sm = sm_words_.mismatches();
  const std::uint64_t unfinished =
      grid_words_.unfinished(how_.rounds) +
      sm_words_.unfinished(local_exchange::steps_per_round * how_.rounds);
  if (stale + stale_on_sm + unfinished == 0) return {.correct = true};
  return {.detail = std::to_string(stale) + " loads after a grid barrier and " +
                    std::to_string(stale_on_sm) + " of words of an SM found another round's " +
                    "value; " + std::to_string(unfinished) + " words are wrong at the end"};
}

outcome grid_synchronizer::check_litmus(bool skewed) {
  litmus_.reset();
  start_litmus(litmus_.ref(skewed));
  stream().synchronize();
  if (dog_.fired()) return given_up(dog_);
  const std::uint64_t early = litmus_.early();
  if (early == 0) return {.correct = true};
  return {.detail = std::string("litmus test") + (skewed ? ", skewed" : "") + ": " +
                    std::to_string(early) + " loads did not find what was stored before the " +
                    "barrier"};
}

double grid_synchronizer::rest_seconds() {
  constexpr unsigned repeats = 5;
  const auto without_barrier = [&](const auto& work) {
    const auto launch = [&] {
      launch_cooperative(run_rounds<no_barrier, std::decay_t<decltype(work)>>, shape_, no_barrier{},
                         work, how_.rounds, dog());
    };
    return contest::median_seconds([&] { reset(); }, launch, repeats);
  };
  if (how_.local_exchange) return without_barrier(local_work());
  double seconds = 0;
  with_grid_work([&](const auto& work) { seconds = without_barrier(work); });
  return seconds;
}

std::map<std::string, double> grid_synchronizer::watch() {
  std::map<std::string, double> seen = {{"blocks", shape_.blocks}, {"operations", how_.rounds}};
  if (!current_gpu().simulated) seen["rest_ns_per_operation"] = rest_seconds() / how_.rounds * 1e9;
  return seen;
}

}  // namespace finesync::rendezvous
