// Opens and reads accounts that are words of groups.
#include "balance_words.cuh"

namespace finesync::atm {

namespace {

__global__ void open_balances(cell<std::uint64_t>* words, std::uint32_t number) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < number;
       i += gridDim.x * blockDim.x)
    words[i] = std::uint64_t{opening_balance};
}

__global__ void read_balances(const cell<std::uint64_t>* words, grouping groups, bool counted,
                              std::uint32_t number, cell<std::uint32_t>* balances) {
  for (std::uint32_t a = blockIdx.x * blockDim.x + threadIdx.x; a < number;
       a += gridDim.x * blockDim.x) {
    const std::uint64_t found = words[groups.group_of(a) * groups.size() + groups.place_of(a)];
    const auto word = static_cast<std::uint32_t>(found);
    balances[a] = counted ? counted_balance(word).balance : word;
  }
}

}  // namespace

void balance_words::open(const launch_shape& shape) {
  launch_independent(open_balances, shape, words_.device_data(),
                     static_cast<std::uint32_t>(words_.size()));
}

void balance_words::read(const launch_shape& shape, std::uint32_t number, bool counted,
                         cell<std::uint32_t>* balances) const {
  launch_independent(read_balances, shape, words_.device_data(), groups_, counted, number,
                     balances);
}

}  // namespace finesync::atm
