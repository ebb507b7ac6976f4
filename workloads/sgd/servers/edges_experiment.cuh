// Ratings (edges) offloaded to servers as ASPLOS'19 prints it, section 3.3. Servers own the locks
// of users and of movies, in their shared memory; both vectors are in global memory. A rating's
// section runs on the server of its lower lock, which borrows the other one.
#pragma once

#include <finesync/host/gpu.cuh>
#include <workloads/common/arithmetic.cuh>
#include <workloads/common/observers/lock_handoff_observer.cuh>
#include <workloads/printed/server/paper_lending/paper_nested_server_pool.cuh>
#include <workloads/sgd/held_vectors.cuh>
#include <workloads/sgd/learning_experiment.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace finesync::sgd {

/// The keys of vectors: users, then movies. A datum is the pointer to a vector.
/// \tparam Work added_work or no_added_work.
template <class Model, class Work>
struct rating_service {
  using argument = std::uint32_t;  // the rating's kind
  using datum = cell<four<typename Model::feature>>*;

  Model vectors;
  std::uint32_t users;
  const cell<float>* values;
  Work work;

  __device__ datum home(std::uint32_t key) const {
    return key < users ? vectors.users[key] : vectors.movies[key - users];
  }
  __device__ void operator()(datum& user, datum& movie, const argument& kind) const {
    step_in_memory<Model::features / 4>(user, movie, values[kind], kind);
    work.spend();
  }
};

/// Sends each rating.
struct rating_client {
  ratings_ref all;
  std::uint32_t users;

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    for (std::uint32_t i = thread; i < all.number; i += threads) {
      const rating r = all[i];
      if (!out.send(r.user, users + r.movie, r.kind)) return false;
    }
    return true;
  }
};

/// Servers of both, as printed. Tests replace them.
struct printed_edge_servers {
  template <class Service>
  using pool = paper_nested_server_pool<Service>;
};

/// \tparam Servers as printed_edge_servers.
template <unsigned Features, class Servers>
class edge_server_experiment final : public learning_experiment<Features> {
  using base = learning_experiment<Features>;
  using learning = model_ref<float, Features>;
  using counting = model_ref<std::uint32_t, Features>;
  template <class Model, class Work = workload::no_added_work>
  using pool = typename Servers::template pool<rating_service<Model, Work>>;

 public:
  explicit edge_server_experiment(const run_config& options)
      : base(options, shape_of(options)),
        learning_(config_of(options)),
        with_work_(config_of(options)),
        counting_(config_of(options)) {}

  bench::parameters effective_parameters() const override {
    return workload::with_parameters_of(learning_.config().offloads(),
                                        base::effective_parameters());
  }

  /// Also counts the locks that were lent and, without added work, observes the hand-offs of locks.
  bench::counters measure() override {
    bench::counters seen = base::measure();
    if (this->section_work() != 0) {
      seen["locks_lent_per_operation"] = lent(with_work_);
      return seen;
    }
    using observer = workload::server_handoff_observer;
    const data_set& data = this->data();
    const workload::handoff_record<observer> record(std::size_t{data.users()} + data.movies());
    bench::expect_ok(this->verify_shrinking([&](const learning& vectors) {
      start_with(learning_, vectors, workload::no_added_work{}, record.watch());
    }));
    seen.merge(record.describe(data.number()));
    seen["locks_lent_per_operation"] = lent(learning_);
    return seen;
  }

 protected:
  void start(const learning& vectors) override {
    if (const std::uint32_t units = this->section_work(); units != 0)
      start_with(with_work_, vectors, workload::added_work{units});
    else
      start_with(learning_, vectors, workload::no_added_work{});
  }
  void start(const counting& vectors) override {
    start_with(counting_, vectors, workload::no_added_work{});
  }

 private:
  /// At least two servers: one lends no lock.
  static paper_nested_config config_of(const run_config& options) {
    const gpu_properties gpu = current_gpu();
    const unsigned blocks = static_cast<unsigned>(gpu.sms) * std::max(1u, options.blocks_per_sm);
    const unsigned most = static_cast<unsigned>(std::min(1024, gpu.max_threads_per_sm));
    paper_nested_config chosen;
    chosen.servers =
        std::clamp((blocks * options.servers_percent + 50) / 100, 2u, std::max(2u, blocks - 1));
    chosen.clients = std::max(1u, blocks - std::min(blocks, chosen.servers));
    chosen.threads_per_block = std::clamp((options.threads_per_block + 31) / 32 * 32,
                                          32 * pool<learning>::min_warps, most);
    return chosen;
  }
  static launch_shape shape_of(const run_config& options) {
    const paper_nested_config chosen = config_of(options);
    return {.blocks = chosen.servers + chosen.clients,
            .threads_per_block = chosen.threads_per_block};
  }

  template <class Pool, class Model, class Work, class Observer = no_observer>
  void start_with(Pool& servers, const Model& vectors, const Work& work,
                  const Observer& observer = {}) {
    const std::uint32_t users = this->data().users();
    servers.reset();
    servers.launch(rating_service<Model, Work>{vectors, users, this->ratings().values, work},
                   rating_client{this->ratings(), users}, this->timeout(), observer);
  }
  /// Of the last epoch, which has ended.
  template <class Pool>
  double lent(const Pool& servers) const {
    return static_cast<double>(servers.sent().replies) / this->data().number();
  }

  pool<learning> learning_;
  pool<learning, workload::added_work> with_work_;
  pool<counting> counting_;
};

}  // namespace finesync::sgd
