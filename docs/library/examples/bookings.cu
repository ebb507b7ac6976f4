// Sections with replies: clients book seats on flights, and each learns whether it has them.
// Explained in docs/library/servers.md; the tests compile it for both machines and run it.
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/fast/channel.cuh>
#include <finesync/server/reply.cuh>
#include <finesync/server/server_pool.cuh>

#include <cstdint>
#include <cstdio>

using namespace finesync;

namespace {

constexpr unsigned flights = 20;
constexpr std::uint32_t seats = 300;  // per flight
constexpr unsigned bookings_each = 3;

__host__ __device__ constexpr std::uint32_t party_of(unsigned booking) {
  return 1 + booking % 5;
}

// The critical section. It has exclusive access to the flight, and returns the reply: the number of
// the first seat, or `full`.
struct book {
  static constexpr std::uint32_t full = ~0u;
  std::uint32_t party;

  __device__ std::uint32_t operator()(cell<std::uint32_t>& taken) const {
    const std::uint32_t first = taken;
    if (first + party > seats) return full;
    taken = first + party;
    return first;
  }
};

// As for sections without replies: makes the section of each request, and gives the home of each
// flight's count of taken seats.
struct airline {
  using argument = std::uint32_t;
  using owned = std::uint32_t;

  cell<std::uint32_t>* taken;

  __device__ book operator()(std::uint32_t /*flight*/, std::uint32_t party) const {
    return {party};
  }
  __device__ cell<std::uint32_t>& home(std::uint32_t flight) const { return taken[flight]; }
};

using answers = reply_slots<std::uint32_t>;

// The client threads: each sends a request, waits, and uses the reply for its next request.
struct travellers {
  answers::ref_type slots;
  watchdog_ref watchdog;
  cell<std::uint32_t>* seated;  // by thread

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    answers::ref_type::reply_slot slot(slots, thread);  // one slot per thread
    std::uint32_t mine = 0;
    std::uint32_t flight = thread % flights;
    for (unsigned i = 0; i < bookings_each; ++i) {
      const std::uint32_t party = party_of(thread + i);
      if (!request_reply(out, flight, party, slot)) return false;
      // ... here a client may do other work, and poll with slot.poll() ...
      if (!slot.wait(watchdog)) return false;
      if (slot.reply() == book::full)
        flight = (flight + 1) % flights;  // try the next one
      else
        mine += party;
    }
    seated[thread] = mine;
    return true;
  }
};

}  // namespace

int main() {
  // One block per SM, a quarter of them servers.
  const unsigned blocks = static_cast<unsigned>(current_gpu().sms);
  const unsigned servers = (blocks + 3) / 4;
  const unsigned threads_per_block = 128;
  const unsigned threads = (blocks - servers) * threads_per_block;

  buffer<std::uint32_t> taken(flights);
  taken.fill_bytes(0);
  buffer<std::uint32_t> seated(threads);
  seated.fill_bytes(0);
  const answers slots(threads);

  // The messages of the channel: the argument, and the address of the reply.
  server_pool<fast_channel<request_with_reply<std::uint32_t>>, run_each<tas_lock<scope::block>>>
      pool({.servers = servers, .clients = blocks - servers, .locks = 32});
  const watchdog timeout;
  pool.launch(threads_per_block, replying(airline{taken.device_data()}, slots.ref()),
              travellers{slots.ref(), timeout.ref(), seated.device_data()}, timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a thread waited too long");
    return 1;
  }

  std::uint64_t given = 0;
  for (const std::uint32_t of_flight : taken.to_host()) given += of_flight;
  std::uint64_t told = 0;
  for (const std::uint32_t mine : seated.to_host()) told += mine;
  std::printf("travellers were told of %s seats that were taken\n",
              given == told ? "exactly the" : "other");
  return given == told ? 0 : 1;
}
