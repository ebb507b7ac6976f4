// A section over two data of different servers: it moves goods between warehouses, if there are
// enough of them and room for them. Explained in docs/library/servers.md; the tests compile it for
// both machines and run it.
#include <finesync/device/atomic_ref.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/server/lending/nested_server_pool.cuh>

#include <cstdint>
#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned warehouses = 50;
constexpr std::uint32_t stock = 100;     // at the start
constexpr std::uint32_t capacity = 130;  // per warehouse
constexpr unsigned orders = 20'000;

// An order, in addition to its two warehouses.
struct delivery {
  std::uint32_t pallets;
  std::uint32_t number;
};

// The service: the data, and the section over two of them.
struct logistics {
  using argument = delivery;
  using datum = std::uint32_t;

  cell<std::uint32_t>* in_stock;
  cell<std::uint8_t>* delivered;  // per order: 1 moved, 2 refused

  __device__ cell<std::uint32_t>& home(std::uint32_t warehouse) const {
    return in_stock[warehouse];
  }
  __device__ void operator()(std::uint32_t& from, std::uint32_t& to, const delivery& what) const {
    const bool possible = from >= what.pallets && to + what.pallets <= capacity;
    if (possible) {
      from -= what.pallets;
      to += what.pallets;
    }
    delivered[what.number] = possible ? 1 : 2;
  }
};

// The client threads: each order goes from one warehouse to another.
struct shippers {
  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    for (unsigned i = thread; i < orders; i += threads) {
      const std::uint32_t from = i * 7 % warehouses;
      const std::uint32_t to = (from + 1 + i * 13 % (warehouses - 1)) % warehouses;
      if (!out.send(from, to, {1 + i % 9, i})) return false;
    }
    return true;
  }
};

}  // namespace

int main() {
  buffer<std::uint32_t> in_stock(warehouses);
  in_stock.copy_from(std::vector<std::uint32_t>(warehouses, stock));
  buffer<std::uint8_t> delivered(orders);
  delivered.fill_bytes(0);

  // One block per SM, half of them servers. All blocks must fit on the GPU at once.
  const unsigned blocks = static_cast<unsigned>(current_gpu().sms);
  using protocol = nested_protocol<logistics::datum, data_placement::messages>;
  nested_server_pool<logistics, protocol> pool({.servers = blocks / 2,
                                                .clients = blocks - blocks / 2,
                                                .keys = warehouses,
                                                .offload_warps = 2,
                                                .request_warps = 2});
  const watchdog timeout;
  pool.launch(logistics{in_stock.device_data(), delivered.device_data()}, shippers{},
              timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a thread waited too long");
    return 1;
  }

  unsigned decided = 0;
  for (const std::uint8_t order : delivered.to_host()) decided += order != 0;
  std::uint64_t pallets = 0;
  bool fits = true;
  for (const std::uint32_t here : in_stock.to_host()) {
    pallets += here;
    fits = fits && here <= capacity;
  }
  std::printf("%u of %u orders decided, %llu of %u pallets there, %s\n", decided, orders,
              static_cast<unsigned long long>(pallets), warehouses * stock,
              fits ? "no warehouse overfull" : "a warehouse overfull");
  return decided == orders && pallets == std::uint64_t{warehouses} * stock && fits ? 0 : 1;
}
