// Ratings sent to servers. A movie's vector belongs to one block, and is in its shared memory if
// there is room; a message holds the user and the rating. Users' vectors stay in global memory,
// each under a lock, as ratings of one user go to many servers.
//
//|  client                     server of the movie, lane by lane
//|  send(movie, user, kind) ─> try for the user's lock; with it, read the user's vector
//|                             try for the movie's lock, a word of shared memory
//|                             the step
//|                             write the user's vector, release the user's lock
//
// A lane whose try fails keeps its rating and continues with its warp. It may then hold a user
// while it tries for a movie. A lane that holds a movie tries for nothing, so no cycle can form.
// Lanes of a warp with the same movie acquire it once together and use it one after the other.
#pragma once

#include <finesync/device/numbering.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/warp.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/locks/lock_table.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/fast/channel.cuh>
#include <finesync/server/partition/modulo.cuh>
#include <workloads/sgd/learning_experiment.cuh>
#include <workloads/sgd/step.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace finesync::sgd {

/// User and kind of a rating, sent in addition to its movie.
struct sent_rating {
  static constexpr unsigned user_bits = 24;
  std::uint32_t bits;

  __device__ static sent_rating of(const rating& r) { return {r.user | r.kind << user_bits}; }
  __device__ std::uint32_t user() const { return bits & ((1u << user_bits) - 1); }
  __device__ std::uint32_t kind() const { return bits >> user_bits; }
};

/// The policies of the servers, which tests replace.
struct correct_service {
  using channel = fast_channel<sent_rating>;
  using user_lock = tas_lock<scope::device>;
  using movie_lock = tas_lock<scope::block>;
};

/// Largest number of movies of a server, and how many of them are in shared memory.
struct server_share {
  std::uint32_t movies;
  std::uint32_t held;
};

/// The movies of a server block: the most popular in shared memory, the rest in global memory.
template <class Feature, unsigned Features, class Lock>
class owned_movies {
  static constexpr unsigned fours = Features / 4;

 public:
  static constexpr std::size_t vector_bytes = fours * sizeof(four<Feature>);

  __host__ __device__ static std::size_t shared_bytes(const server_share& share) {
    return share.held * vector_bytes + share.movies * sizeof(typename Lock::state);
  }

  /// All threads of the block call it before a barrier, and write_back() after one.
  __device__ owned_movies(const modulo_partition& partition, const server_share& share,
                          std::uint32_t movies, const vectors_ref<Feature, Features>& home,
                          unsigned char* shared)
      : partition_(partition),
        movies_(movies),
        held_(share.held),
        home_(home),
        vectors_(reinterpret_cast<cell<four<Feature>>*>(shared)),
        locks_(reinterpret_cast<typename Lock::state*>(shared + share.held * vector_bytes)) {
    each_part([](auto& here, const auto& there) { here = there; });
    for (unsigned i = threadIdx.x; i < share.movies; i += blockDim.x) locks_[i].held = 0u;
  }
  __device__ void write_back() {
    each_part([](const auto& here, auto& there) { there = here; });
  }

  /// The vector of a movie, by its number among the server's. The caller holds its lock.
  __device__ cell<four<Feature>>* operator[](std::uint32_t local) const {
    return local < held_ ? vectors_ + local * fours : home_of(local);
  }
  __device__ Lock lock_of(std::uint32_t local) const { return Lock(locks_[local]); }

 private:
  __device__ cell<four<Feature>>* home_of(std::uint32_t local) const {
    return home_[partition_.key_of(blockIdx.x, local)];
  }
  template <class Use>
  __device__ void each_part(Use use) {
    for (std::uint32_t i = threadIdx.x; i < held_ * fours; i += blockDim.x) {
      if (partition_.key_of(blockIdx.x, i / fours) >= movies_) return;
      use(vectors_[i], home_of(i / fours)[i % fours]);
    }
  }

  modulo_partition partition_;
  std::uint32_t movies_;
  std::uint32_t held_;
  vectors_ref<Feature, Features> home_;
  cell<four<Feature>>* vectors_;
  typename Lock::state* locks_;
};

/// The handler that an inbox calls with ratings; each lane has one at a time.
template <class Means, class Model>
class rating_handler {
  using feature = typename Model::feature;
  using movies = owned_movies<feature, Model::features, typename Means::movie_lock>;
  using user_locks = lock_table_ref<typename Means::user_lock>;
  static constexpr unsigned fours = Model::features / 4;
  static constexpr unsigned all_lanes = 0xffffffffu;

 public:
  __device__ rating_handler(const movies& own, const Model& vectors, const user_locks& users,
                            const cell<float>* values, const watchdog_ref& watchdog)
      : movies_(own),
        vectors_(vectors),
        users_(users),
        values_(values),
        wait_(watchdog, awaited::lock) {}

  __device__ bool pending() const { return pending_; }

  /// Called by whole warps, see channel.cuh.
  __device__ bool operator()(bool& here, std::uint32_t movie, const sent_rating& what) {
    here = here && !has_rating_;
    if (here) {
      has_rating_ = true;
      movie_ = movie;
      what_ = what;
    }
    const bool got_user = has_rating_ && !has_user_ && take_user();
    const bool done = in_turn_at_movie();
    if (done) give_user_back();
    pending_ = __any_sync(all_lanes, has_rating_) != 0;
    if (!pending_ || __any_sync(all_lanes, got_user || done)) {
      wait_.restart();
      return true;
    }
    return __any_sync(all_lanes, wait_.timed_out()) == 0;
  }

 private:
  __device__ bool take_user() {
    typename Means::user_lock lock = users_[what_.user()];
    auto acquisition = lock.enqueue();
    has_user_ = lock.try_enter(acquisition);
    if (has_user_)
      for (unsigned k = 0; k < fours; ++k) user_[k] = vectors_.users[what_.user()][k];
    return has_user_;
  }
  /// All lanes of the warp call it. \returns whether the caller's step is done.
  __device__ bool in_turn_at_movie() {
    const std::uint32_t nobody = 0x80000000u | lane_id();  // a server's movies have 31 bits
    const lane_group same = lane_group::of_warp_with_same(has_user_ ? movie_ : nobody);
    bool got = false;
    if (has_user_ && same.is_leader()) {
      typename Means::movie_lock::acquisition acquisition = {};
      got = movies_.lock_of(movie_).try_enter(acquisition);
    }
    got = same.get(got, same.leader());
    __syncwarp();
    const unsigned turns = got ? static_cast<unsigned>(same.size()) : 0;
    for (unsigned turn = 0; __any_sync(all_lanes, turn < turns) != 0; ++turn) {
      if (got && same.rank() == turn) take_step();
      __syncwarp();
    }
    if (got && same.is_leader()) {
      typename Means::movie_lock::acquisition acquisition = {};
      movies_.lock_of(movie_).leave(acquisition);
    }
    return got;
  }
  __device__ void take_step() {
    cell<four<feature>>* const home = movies_[movie_];
    four<feature> movie[fours];
    for (unsigned k = 0; k < fours; ++k) movie[k] = home[k];
    step(user_, movie, values_[what_.kind()], what_.kind());
    for (unsigned k = 0; k < fours; ++k) home[k] = movie[k];
  }
  __device__ void give_user_back() {
    for (unsigned k = 0; k < fours; ++k) vectors_.users[what_.user()][k] = user_[k];
    typename Means::user_lock lock = users_[what_.user()];
    typename Means::user_lock::acquisition acquisition = {};
    lock.leave(acquisition);
    has_rating_ = has_user_ = false;
  }

  const movies& movies_;
  Model vectors_;
  user_locks users_;
  const cell<float>* values_;
  bounded_wait wait_;
  bool has_rating_ = false;
  bool has_user_ = false;
  bool pending_ = false;  ///< the same in all lanes
  std::uint32_t movie_ = 0;
  sent_rating what_ = {};
  four<feature> user_[fours];
};

inline constexpr unsigned max_threads_of_server = 512;

template <class Means, class Model>
__global__ void __launch_bounds__(max_threads_of_server, 1)
    rate_by_servers(typename Means::channel channel, ratings_ref all, Model vectors,
                    lock_table_ref<typename Means::user_lock> users, std::uint32_t movies,
                    server_share share, watchdog_ref watchdog) {
  assume_one_dimension();
  using owned = owned_movies<typename Model::feature, Model::features, typename Means::movie_lock>;
  const server_config& config = channel.config();
  if (blockIdx.x < config.servers) {
    owned own(modulo_partition(config), share, movies, vectors.movies, shared_bytes());
    typename Means::channel::inbox in(channel, blockIdx.x,
                                      shared_bytes() + owned::shared_bytes(share), watchdog);
    in.receive(rating_handler<Means, Model>(own, vectors, users, all.values, watchdog));
    __syncthreads();
    own.write_back();
  } else {
    typename Means::channel::outbox out(channel, shared_bytes(), watchdog);
    const modulo_partition partition(config);
    bool sent = true;
    for (std::uint32_t i = (blockIdx.x - config.servers) * blockDim.x + threadIdx.x;
         sent && i < all.number; i += config.clients * blockDim.x) {
      const rating r = all[i];
      sent = out.send(partition.destination_of(r.movie), sent_rating::of(r));
    }
    out.finish();
  }
}

/// \tparam Means policies as in correct_service.
template <unsigned Features, class Means>
class server_experiment final : public learning_experiment<Features> {
  using base = learning_experiment<Features>;
  template <class Feature>
  using model = model_ref<Feature, Features>;
  template <class Feature>
  static constexpr auto kernel = rate_by_servers<Means, model<Feature>>;

 public:
  explicit server_experiment(const run_config& options)
      : base(options, shape_of(options)),
        config_(config_of(options)),
        share_(share_of(this->data().movies())),
        memory_(Means::channel::memory_bytes(config_)),
        users_(this->data().users(),
               options.padded_locks ? lock_layout::padded : lock_layout::packed) {
    check(config_);
    if (this->data().users() > 1u << sent_rating::user_bits)
      throw bench::infeasible("a message has 24 bits for the user");
    if (share_.movies == 0)
      throw bench::infeasible("there are too many movies for their locks to fit");
  }

  bench::parameters effective_parameters() const override {
    bench::parameters effective = base::effective_parameters();
    workload::add_parameter(effective, "server_blocks", config_.servers);
    workload::add_parameter(effective, "client_blocks", config_.clients);
    workload::add_parameter(effective, "max_movies_per_server", share_.movies);
    workload::add_parameter(effective, "movies_in_shared_memory", share_.held);
    return effective;
  }

 protected:
  void begin() override { users_.reset(); }
  void start(const model<float>& vectors) override { start_with(vectors); }
  void start(const model<std::uint32_t>& vectors) override { start_with(vectors); }

 private:
  static unsigned blocks_of(const run_config& options) {
    return static_cast<unsigned>(current_gpu().sms) * std::max(1u, options.blocks_per_sm);
  }
  static launch_shape shape_of(const run_config& options) {
    const unsigned threads = (options.threads_per_block + 31) / 32 * 32;
    return {.blocks = blocks_of(options),
            .threads_per_block = std::min(threads, max_threads_of_server)};
  }
  static server_config config_of(const run_config& options) {
    const unsigned blocks = blocks_of(options);
    const unsigned servers =
        std::clamp((blocks * options.servers_percent + 50) / 100, 1u, blocks - 1);
    return {.servers = servers, .clients = blocks - servers};
  }
  using owned = owned_movies<float, Features, typename Means::movie_lock>;

  /// No movies if not even their locks fit.
  server_share share_of(std::uint32_t movies) const {
    const std::uint32_t each = (movies + config_.servers - 1) / config_.servers;
    const std::size_t others =
        owned::shared_bytes({each, 0}) +
        Means::channel::inbox::shared_bytes(config_, this->shape().threads_per_block);
    const std::size_t all = current_gpu().shared_bytes_per_block;
    if (others > all) return {0, 0};
    const std::size_t fitting = (all - others) / owned::vector_bytes;
    return {each, static_cast<std::uint32_t>(std::min<std::size_t>(each, fitting))};
  }
  std::size_t shared_bytes() const {
    const unsigned threads = this->shape().threads_per_block;
    return std::max(
        Means::channel::outbox::shared_bytes(config_, threads),
        owned::shared_bytes(share_) + Means::channel::inbox::shared_bytes(config_, threads));
  }

  template <class Feature>
  void start_with(const model<Feature>& vectors) {
    memory_.fill_bytes(0);
    launch_shape shape = this->shape();
    shape.shared_bytes = shared_bytes();
    launch_cooperative(kernel<Feature>, shape,
                       typename Means::channel(config_, memory_.raw_pointer()), this->ratings(),
                       vectors, users_.ref(), this->data().movies(), share_, this->timeout());
  }

  server_config config_;
  server_share share_;
  buffer<unsigned char> memory_;  ///< of the rings
  lock_table<typename Means::user_lock> users_;
};

}  // namespace finesync::sgd
