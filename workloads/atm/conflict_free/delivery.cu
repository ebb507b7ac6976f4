// Returns answers from places in a sorted batch to the threads that made the requests.
#include "conflict_free_experiment.cuh"

#include <finesync/device/numbering.cuh>

namespace finesync::atm {

namespace {

__global__ void tell_clients(orders_ref orders, const cell<std::uint32_t>* places,
                             batch_replies_ref answers) {
  assume_one_dimension();
  constexpr unsigned in_flight = 8;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  for (std::uint32_t first = blockIdx.x * blockDim.x + threadIdx.x; first < orders.transfers;
       first += in_flight * threads) {
    std::uint32_t place[in_flight];
    unsigned found[in_flight];
    for (unsigned k = 0; k < in_flight; ++k) {
      const std::uint32_t i = first + k * threads;
      place[k] = places[i < orders.transfers ? i : first];
    }
    for (unsigned k = 0; k < in_flight; ++k) found[k] = answers[place[k]];
    for (unsigned k = 0; k < in_flight; ++k) {
      const std::uint32_t i = first + k * threads;
      if (i < orders.transfers) orders.tell(i, static_cast<transfer_result>(found[k]));
    }
  }
}

__global__ void note_turns(std::uint32_t transfers, const cell<std::uint32_t>* places,
                           history_recorder by_place, history_recorder record) {
  assume_one_dimension();
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < transfers;
       i += gridDim.x * blockDim.x) {
    const turns had = by_place.of[places[i]];
    record.note(i, had.of_from, had.of_to);
  }
}

}  // namespace

unsigned resident_delivery_blocks(unsigned threads_per_block) {
  return max_resident_blocks(tell_clients, threads_per_block);
}

void deliver_answers(const stream& on, const launch_shape& shape, const orders_ref& orders,
                     const cell<std::uint32_t>* places, const batch_replies_ref& answers) {
  launch_independent(on, tell_clients, shape, orders, places, answers);
}

void deliver_turns(const stream& on, const launch_shape& shape, std::uint32_t transfers,
                   const cell<std::uint32_t>* places, const history_recorder& by_place,
                   const history_recorder& record) {
  launch_independent(on, note_turns, shape, transfers, places, by_place, record);
}

}  // namespace finesync::atm
