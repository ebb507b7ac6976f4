// Endless waits: the watchdog of the waiting thread ends each.
#include "all_paths.hpp"

#include <finesync/device/ptx/sleep.cuh>
#include <finesync/locks/tas_lock.cuh>
#include <finesync/server/server_pool.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::watchdog_test {
namespace {

/// Lasts until the bounded_wait of some other thread has ended, and all others have noticed. It
/// changes memory constantly, so that the executor does not end the launch and the watchdog must.
struct endless {
  static constexpr unsigned until_all_have_noticed = 1 << 15;

  watchdog_ref watchdog;
  cell<std::uint32_t>* beats;

  __device__ void operator()() const {
    for (unsigned left = until_all_have_noticed; left > 0; left -= watchdog.has_fired())
      atomic_ref<std::uint32_t, scope::device>(*beats).fetch_add(1, memory_order::relaxed);
  }
};

struct nothing {
  __device__ void operator()() const {}
};

/// A service with only such sections.
template <class Section>
struct sections {
  using argument = std::uint32_t;
  Section section;
  __device__ Section operator()(std::uint32_t /*key*/, std::uint32_t /*argument*/) const {
    return section;
  }
};

/// Clients that send more than fits into all rings and buffers, from all threads except the first.
template <class First>
struct eager_clients {
  First first;

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    if (thread == 0) {
      first();
      return true;
    }
    for (std::uint32_t i = 0; i < 5; ++i)
      if (!out.send(thread + i, i)) return false;
    return true;
  }
};

/// The same path with servers that leave at once.
template <class Channel>
class with_dead_servers : public Channel {
 public:
  using Channel::Channel;

  class inbox : public Channel::inbox {
   public:
    using Channel::inbox::inbox;
    template <class Handler>
    __device__ bool receive(Handler&&) {
      return false;
    }
  };
};

/// \returns whether the watchdog fired; the launch has ended.
template <class Channel, class Service, class Client>
bool fires(const watchdog& timeout, const Service& service, const Client& client) {
  using execution = run_each<tas_lock<scope::block>>;
  server_pool<Channel, execution> pool(
      {.servers = 2, .clients = 1, .ring = 32, .locks = 4, .local_buffer = 32});
  pool.launch(64, service, client, timeout.ref(), no_observer{});
  return timeout.fired();
}

/// A slow section.
struct nap {
  __device__ void operator()() const { sleep_ns(500'000); }
};

template <class Path>
class unending : public ::testing::Test {
 protected:
  using channel = typename Path::template channel<std::uint32_t>;

  unending() : timeout(1'000'000), beats(1) { beats.fill_bytes(0); }

  endless without_end() const { return {timeout.ref(), beats.device_data()}; }

  watchdog timeout;
  buffer<std::uint32_t> beats;
};
TYPED_TEST_SUITE(unending, all_paths, path_names);

TYPED_TEST(unending, client_is_given_up_by_the_servers) {
  EXPECT_TRUE((fires<typename TestFixture::channel>(this->timeout, sections<nothing>{},
                                                    eager_clients<endless>{this->without_end()})));
}

TYPED_TEST(unending, section_is_given_up_by_those_who_have_no_space) {
  EXPECT_TRUE((fires<typename TestFixture::channel>(
      this->timeout, sections<endless>{this->without_end()}, eager_clients<nothing>{})));
}

TYPED_TEST(unending, absence_of_servers_is_given_up_by_clients) {
  EXPECT_TRUE((fires<with_dead_servers<typename TestFixture::channel>>(
      this->timeout, sections<nothing>{}, eager_clients<endless>{this->without_end()})));
}

/// Clients that send a few requests each, together if the path can.
struct patient_clients {
  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    const request<std::uint32_t> three[3] = {{thread, 0}, {thread + 1, 0}, {thread + 2, 0}};
    if constexpr (requires { out.send(three); }) {
      return out.send(three);
    } else {
      for (const auto& each : three)
        if (!out.send(each.key, each.argument)) return false;
      return true;
    }
  }
};

// One ring with all senders in line: it makes constant progress, but the last ones wait long.
TYPED_TEST(unending, is_not_what_goes_on_slowly) {
  const watchdog longer(7'000'000);
  server_pool<typename TestFixture::channel, run_each<tas_lock<scope::block>>> pool(
      {.servers = 1, .clients = 1, .ring = 32, .locks = 256, .local_buffer = 32});
  pool.launch(256, sections<nap>{}, patient_clients{}, longer.ref(), no_observer{});
  EXPECT_FALSE(longer.report()) << to_string(*longer.report());
}

TYPED_TEST(unending, is_not_what_takes_its_time) {
  EXPECT_FALSE((fires<typename TestFixture::channel>(this->timeout, sections<nothing>{},
                                                     eager_clients<nothing>{})));
}

}  // namespace
}  // namespace finesync::test::watchdog_test
