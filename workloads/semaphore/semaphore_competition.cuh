// The competition for any semaphore of the library's interface.
#pragma once

#include "contend.cuh"

#include <finesync/device/gpu.cuh>
#include <finesync/device/launch.cuh>
#include <workloads/contest/fairness.hpp>
#include <workloads/contest/grid.cuh>
#include <workloads/contest/timing.hpp>
#include <workloads/contest/wait_probe.cuh>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace finesync::semaphore {

/// `Semaphore` is the owner.
template <class Semaphore, class Section>
class semaphore_competition final : public trial {
 public:
  explicit semaphore_competition(const setup& how)
      : how_(how),
        shape_(contest::grid_of(how.blocks_per_sm, how.threads_per_block,
                                resident(how.threads_per_block), Section::shared_bytes)),
        table_(how, shape_.blocks),
        semaphore_(how.size) {}

  void reset() override {
    table_.reset();
    semaphore_.reset();
    dog_.reset();
  }

  void launch() override { start(semaphore_.ref(), all_rounds(), contest::unwatched{}); }

  outcome check() override {
    const outcome ended = ending(how_.rounds);
    if (counted_ || !ended.correct) return ended;
    counted_ = true;
    reset();
    start(semaphore_.ref(), all_rounds(), occupancy_probe(table_.ref(), how_.size));
    return ending(how_.rounds);
  }

  std::map<std::string, double> watch() override {
    std::map<std::string, double> seen;
    if (current_gpu().simulated) return seen;
    constexpr unsigned repeats = 5;
    const double rest = contest::median_seconds(
        [&] { reset(); }, [&] { start(no_semaphore{}, all_rounds(), contest::unwatched{}); },
        repeats);
    seen["rest_ns_per_operation"] = rest * 1e9 / operations();

    reset();
    const contest::wait_record waits(shape_.blocks);
    start(semaphore_.ref(), contest::fairness_run, waits.probe());
    if (waits.report(ending(0), seen)) report_shares(seen);
    return seen;
  }

  double operations() const override { return double{1} * shape_.blocks * how_.rounds; }

 private:
  contest::for_rounds all_rounds() const { return {how_.rounds}; }

  template <class Ref, class Pace, class Probe>
  void start(const Ref& semaphore, const Pace& pace, const Probe& probe) {
    launch_cooperative(contend<Section, Ref, Pace, Probe>, shape_, semaphore, table_.ref(), pace,
                       dog_.ref(), probe);
  }

  outcome ending(unsigned rounds) const {
    stream().synchronize();
    if (dog_.fired()) {
      return contest::given_up("a block", dog_.limit_ns(), "the semaphore");
    }
    return judge(table_.read(), rounds);
  }

  void report_shares(std::map<std::string, double>& seen) const {
    const standings all = table_.read();
    const auto report = [&](const std::vector<std::uint64_t>& counts, const char* what) {
      if (!counts.empty()) contest::report(contest::fairness_of(counts), what, seen);
    };
    report(all.everybody(), "acquisitions");
    report(all.readers, "reader_acquisitions");
    report(all.writers, "writer_acquisitions");
  }

  // All kernels must fit: those that watch run on the timed one's grid.
  static unsigned resident(unsigned threads_per_block) {
    using ref = decltype(semaphore_.ref());
    const auto fitting = [&](auto* kernel) {
      return max_resident_blocks(kernel, threads_per_block, Section::shared_bytes);
    };
    return std::min({fitting(contend<Section, ref, contest::for_rounds, contest::unwatched>),
                     fitting(contend<Section, ref, contest::for_rounds, occupancy_probe>),
                     fitting(contend<Section, ref, contest::for_duration, contest::wait_probe>)});
  }

  setup how_;
  launch_shape shape_;
  table table_;
  Semaphore semaphore_;
  watchdog dog_;
  bool counted_ = false;
};

/// The competition with the section that the setup asks for.
template <class Semaphore>
std::unique_ptr<trial> compete(const setup& how) {
  if (how.ldst == 0) return std::make_unique<semaphore_competition<Semaphore, glance>>(how);
  return std::make_unique<semaphore_competition<Semaphore, sweep>>(how);
}

/// The same for a primitive with a back-off that suits it and for it without.
template <class Patient, class Impatient>
std::unique_ptr<trial> compete_either(const setup& how) {
  return how.backoff ? compete<Patient>(how) : compete<Impatient>(how);
}

}  // namespace finesync::semaphore
