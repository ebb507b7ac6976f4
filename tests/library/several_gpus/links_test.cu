// The barrier of several GPUs with another link than addresses: a model of a library that names a
// place on another GPU by that of this one, and adds to 64 bits there. And memory of GPUs that do
// not reach each other, as those of several hosts.
#include "gpus_exchange.hpp"

#include <finesync/device/fence.cuh>
#include <finesync/several_gpus/gpus_link.cuh>

#include <tests/processes_of_gpus.hpp>

namespace finesync::test::links_test {
namespace {

template <scope Fence>
class link_by_model {
  using word = cell<std::uint32_t>;
  using signal = atomic_ref<std::uint64_t, scope::system>;

 public:
  static constexpr pieces_reached reach = pieces_reached::own;

  __device__ explicit link_by_model(const symmetric_view& gpus) : gpus_(gpus) {}

  __device__ word* find(const symmetric_view& gpus, unsigned gpu, std::size_t offset) {
    gpu_ = gpu;
    return &gpus.at<std::uint32_t>(gpus.me, offset);
  }
  __device__ void release() const { fence<memory_order::release, Fence>(); }
  __device__ void add(word& found, std::uint32_t increment) const {
    const std::byte* const own = reinterpret_cast<const std::byte*>(&found);
    const auto offset = static_cast<std::size_t>(own - gpus_.base[gpus_.me]);
    signal(gpus_.at<std::uint64_t>(gpu_, offset)).fetch_add(increment, memory_order::relaxed);
  }
  __device__ std::uint32_t load(word& own) const {
    return static_cast<std::uint32_t>(
        signal(reinterpret_cast<cell<std::uint64_t>&>(own)).load(memory_order::relaxed));
  }
  __device__ void acquire(word& /*own*/) const { gpus_fences::acquire_from_all(); }

 private:
  symmetric_view gpus_;
  unsigned gpu_ = 0;
};

template <scope Fence = scope::system>
using signal_barrier = basic_gpus_barrier<gpus_fences, link_by_model<Fence>>;

const gpus_exchange_config many{.devices = {0, 1, 2}, .blocks = 2, .rounds = 3};

TEST(signal_barrier, hands_everything_over) {
  const auto right = [](const gpus_exchange_config& plan) {
    return run_exchange_on_gpus<signal_barrier<>>(plan).right();
  };
  expect_right_in_any_memory(seed_budget(30), [&] { return right({}); });
  expect_right_in_any_memory(seed_budget(15), [&] { return right(many); });
}

TEST(signal_barrier, is_rejected_if_it_releases_to_its_own_gpu) {
  expect_rejected(weak, 150,
                  [] { return run_exchange_on_gpus<signal_barrier<scope::device>>({}).right(); });
}

/// Processes of two hosts.
class pieces_of_hosts final : public pieces_of_processes {
 public:
  pieces_of_hosts(unsigned rank, std::size_t bytes) : rank_(rank), own_(bytes) {}
  std::byte* piece(unsigned rank) const override {
    return rank == rank_ ? own_.raw_pointer() : nullptr;
  }

 private:
  unsigned rank_;
  buffer<std::byte> own_;
};

class process_of_a_host final : public gpu_processes {
 public:
  process_of_a_host(process_turns& all, unsigned rank) : group_(all, rank) {}
  const process_group& group() const override { return group_; }
  std::unique_ptr<pieces_of_processes> allocate(std::size_t bytes) const override {
    return std::make_unique<pieces_of_hosts>(group_.rank(), bytes);
  }
  void prepare(const void* kernel) const override { prepared.push_back(kernel); }

  mutable std::vector<const void*> prepared;

 private:
  process_in_turn group_;
};

TEST(processes_of_two_hosts, have_no_memory_for_loads_and_stores) {
  process_turns everyone;
  std::array<std::string, processes> refusals;
  everyone.run([&](unsigned rank) {
    const peers all(std::make_shared<process_of_a_host>(everyone, rank));
    try {
      const symmetric_memory words(all, 4);
    } catch (const launch_error& why) {
      refusals[rank] = why.what();
    }
  });
  EXPECT_EQ(refusals[0], "GPU 0 does not reach the memory of GPU 1 by loads and stores");
  EXPECT_EQ(refusals[1], "GPU 1 does not reach the memory of GPU 0 by loads and stores");
}

TEST(processes_of_two_hosts, have_memory_where_each_reaches_its_own) {
  process_turns everyone;
  everyone.run([&](unsigned rank) {
    const peers all(std::make_shared<process_of_a_host>(everyone, rank));
    const symmetric_memory words(all, 4, pieces_reached::own);
    const symmetric_view view = words.view(rank);
    EXPECT_NE(view.base[rank], nullptr);
    EXPECT_EQ(view.base[1 - rank], nullptr);
    EXPECT_EQ(words.piece(rank).to_host(), std::vector<std::uint32_t>(4, 0));
  });
}

TEST(processes_of_two_hosts, have_a_barrier_that_needs_no_address) {
  process_turns everyone;
  everyone.run([&](unsigned rank) {
    const peers all(std::make_shared<process_of_a_host>(everyone, rank));
    const launch_shape shape{.blocks = 2, .threads_per_block = 4};
    EXPECT_NO_THROW(signal_barrier<>(all, shape));
    EXPECT_THROW(gpus_barrier(all, shape), launch_error);
  });
}

__global__ void does_nothing() {}

TEST(processes_of_two_hosts, are_told_of_each_kernel_before_its_launch) {
  process_turns everyone;
  everyone.run([&](unsigned rank) {
    const auto process = std::make_shared<process_of_a_host>(everyone, rank);
    launch_together(peers(process), does_nothing, {.blocks = 1, .threads_per_block = 1},
                    [](unsigned) { return std::tuple<>(); });
    EXPECT_EQ(process->prepared,
              std::vector<const void*>{reinterpret_cast<const void*>(&does_nothing)});
  });
}

}  // namespace
}  // namespace finesync::test::links_test
