// The sum by the library that comes with CUDA: what a practitioner would call.
#include "reduction_experiment.cuh"

#include <finesync/host/error.cuh>

#include <cub/device/device_reduce.cuh>

#include <cstddef>
#include <memory>

namespace finesync::reduce {

namespace {

struct plus {
  __device__ std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

/// CUB has no place for the marks of rounds.
class cub_experiment final : public reduction_experiment {
 public:
  explicit cub_experiment(const run_config& config)
      : reduction_experiment(config, {.blocks = 1, .threads_per_block = config.threads_per_block}),
        scratch_(scratch_bytes()) {}

  void launch() override {
    for (unsigned round = 0; round < config().rounds; ++round) {
      std::size_t bytes = scratch_.size();
      sum(scratch_.raw_pointer(), bytes, round);
    }
  }

 private:
  std::uint64_t marks_of(unsigned /*round*/) const override { return 0; }

  /// \param scratch null: only sets `bytes` to the size that it needs.
  void sum(void* scratch, std::size_t& bytes, unsigned round) {
    check_cuda(cub::DeviceReduce::Reduce(
        scratch, bytes, reinterpret_cast<const std::uint32_t*>(words().quads),
        results().totals + round, static_cast<std::int64_t>(config().words), plus{},
        std::uint64_t{0}, stream().handle()));
  }
  std::size_t scratch_bytes() {
    std::size_t bytes = 0;
    sum(nullptr, bytes, 0);
    return bytes;
  }

  buffer<unsigned char> scratch_;
};

}  // namespace

std::unique_ptr<bench::experiment> make_cub(const run_config& config) {
  return std::make_unique<cub_experiment>(config);
}

}  // namespace finesync::reduce
