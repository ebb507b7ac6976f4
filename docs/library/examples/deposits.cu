// A user-defined critical section that synchronization servers run: many deposits to few accounts.
// Explained in docs/library/servers.md; the tests compile it for both machines and run it.
#include <finesync/device/warp.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/watchdog.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/fast/channel.cuh>
#include <finesync/server/partition/balanced.cuh>
#include <finesync/server/server_pool.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>

using namespace finesync;

namespace {

constexpr unsigned accounts = 100;
constexpr unsigned deposits = 50'000;

__host__ __device__ constexpr unsigned account_of(unsigned i) {
  return i * 7 % accounts;
}
__host__ __device__ constexpr std::int32_t cents_of(unsigned i) {
  return static_cast<std::int32_t>(i % 1000);
}

// The critical section. It has exclusive access to the balance, so it reads and writes it like any
// variable.
struct deposit {
  std::int32_t cents;

  __device__ void operator()(cell<std::int64_t>& balance) const { balance = balance + cents; }

  // Optional: combines several deposits to one account into one.
  __device__ deposit merge(const lane_group& group) const {
    return {group.fold(cents, [](std::int32_t a, std::int32_t b) { return a + b; })};
  }
};

// Makes the section of each request. `owned` and `home` are optional. With them, servers keep the
// balances of their accounts in shared memory while the kernel runs. Without them, the section
// takes no argument and finds the balance itself.
struct bank {
  using argument = std::int32_t;
  using owned = std::int64_t;

  cell<std::int64_t>* balances;

  __device__ deposit operator()(std::uint32_t /*account*/, std::int32_t cents) const {
    return {cents};
  }
  __device__ cell<std::int64_t>& home(std::uint32_t account) const { return balances[account]; }
};

// The client threads: they send. The key of a request, the account, determines its server.
struct customers {
  // Optional: for a partition by a sample of the load.
  __device__ std::uint32_t requests() const { return deposits; }
  __device__ std::uint32_t key_of_request(std::uint32_t i) const { return account_of(i); }

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned threads) const {
    for (unsigned i = thread; i < deposits; i += threads)
      if (!out.send(account_of(i), cents_of(i))) return false;
    return true;
  }
};

}  // namespace

int main() {
  buffer<std::int64_t> balances(accounts);
  balances.fill_bytes(0);

  // Two blocks per SM, three of four are servers. All blocks must fit on the GPU at once.
  const unsigned blocks = 2 * static_cast<unsigned>(current_gpu().sms);
  const unsigned servers = std::min(3 * blocks / 4, balanced_partition::max_servers);
  server_pool<fast_channel<std::int32_t>, combine_by_key<tas_lock<scope::block>>,
              balanced_partition>
      pool({.servers = servers, .clients = blocks - servers, .locks = 1024});

  const watchdog timeout;
  pool.launch(256, bank{balances.device_data()}, customers{}, timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a thread waited too long");
    return 1;
  }

  std::int64_t expected = 0;
  for (unsigned i = 0; i < deposits; ++i) expected += cents_of(i);
  std::int64_t found = 0;
  for (const std::int64_t balance : balances.to_host()) found += balance;
  std::printf("%lld of %lld cents arrived\n", static_cast<long long>(found),
              static_cast<long long>(expected));
  return found == expected ? 0 : 1;
}
