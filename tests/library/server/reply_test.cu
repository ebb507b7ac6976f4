// Requests with replies: each gets one reply, from its own section, over every message path, on
// many schedules. Earlier writes of a client, or of a section, are visible to the other where the
// contract promises it.
#include "all_paths.hpp"
#include "server_scenario.hpp"

#include <finesync/server/reply.cuh>

#include <tests/library/harness/harness.hpp>

namespace finesync::test::reply_test {
namespace {

/// The memory that sections and clients check, in addition to the request and the reply.
enum class found { nothing, notes_of_clients, books_of_sections, both };

constexpr bool reads_notes(found what) {
  return what == found::notes_of_clients || what == found::both;
}
constexpr bool reads_books(found what) {
  return what == found::books_of_sections || what == found::both;
}

__host__ __device__ constexpr std::uint32_t text_of(std::uint32_t visit) {
  return visit * 2654435761u + 1;
}

struct reply_state {
  cell<std::uint32_t>* visits_of_key;
  cell<std::uint32_t>* notes;    ///< by visit: written by the client before the request
  cell<std::uint32_t>* books;    ///< by visit: written by the section
  cell<std::uint32_t>* answers;  ///< by visit: the reply to the client, plus one
  cell<std::uint32_t>* wrong;
  std::uint32_t keys;
  std::uint32_t visits_each;

  __device__ void expect(bool right) const {
    if (!right)
      atomic_ref<std::uint32_t, scope::device>(*wrong).fetch_add(1, memory_order::relaxed);
  }
};

/// Counts the visits of a key; the reply is the number of earlier ones.
template <found What>
struct visit {
  reply_state all;
  std::uint32_t key;
  std::uint32_t number;

  __device__ std::uint32_t operator()() const {
    if constexpr (reads_notes(What)) all.expect(all.notes[number] == text_of(number));
    const std::uint32_t before = all.visits_of_key[key];
    all.visits_of_key[key] = before + 1;
    if constexpr (reads_books(What)) all.books[number] = before + text_of(number);
    return before;
  }
};

template <found What>
struct counting_service {
  using argument = std::uint32_t;
  reply_state all;

  __device__ visit<What> operator()(std::uint32_t key, std::uint32_t number) const {
    return {all, key, number};
  }
};

template <found What, class Replies>
struct asking_clients {
  reply_state all;
  Replies replies;
  watchdog_ref watchdog;

  template <class Outbox>
  __device__ bool operator()(Outbox& out, unsigned thread, unsigned /*threads*/) const {
    typename Replies::reply_slot slot(replies, thread);
    for (std::uint32_t i = 0; i < all.visits_each; ++i) {
      const std::uint32_t number = thread * all.visits_each + i;
      if constexpr (reads_notes(What)) all.notes[number] = text_of(number);
      if (!request_reply(out, inputs::random32(7, i, thread) % all.keys, number, slot))
        return false;
      if (!slot.wait(watchdog)) return false;
      const std::uint32_t told = slot.reply();
      if constexpr (reads_books(What)) all.expect(all.books[number] == told + text_of(number));
      all.answers[number] = told + 1;
    }
    return true;
  }
};

struct plan {
  server_config config = {.servers = 2, .clients = 2, .ring = 32, .locks = 4, .local_buffer = 32};
  unsigned threads_per_block;
  std::uint32_t keys = 3;
  std::uint32_t visits_each = 2;
};

template <template <class, class> class Answering, class Channel, class Execution,
          message_order Order, found What>
std::string run_replies(const plan& how) {
  using replies_type = reply_slots<std::uint32_t, Order>;
  const std::uint32_t threads = how.config.clients * how.threads_per_block;
  const std::uint32_t visits = threads * how.visits_each;
  const auto counts = zeroed(how.keys);
  const auto notes = zeroed(visits);
  const auto books = zeroed(visits);
  const auto answers = zeroed(visits);
  const auto wrong = zeroed(1);
  const replies_type slots(threads);
  server_pool<Channel, Execution> pool(how.config);
  const watchdog timeout(100'000'000);
  const reply_state all{counts.device_data(),  notes.device_data(), books.device_data(),
                        answers.device_data(), wrong.device_data(), how.keys,
                        how.visits_each};
  using service = Answering<counting_service<What>, typename replies_type::ref_type>;
  using client = asking_clients<What, typename replies_type::ref_type>;
  // Twice: slots are not reset.
  for (unsigned run = 0; run < 2; ++run) {
    pool.reset();
    const std::string complaint = complaint_about_launch(timeout, [&] {
      pool.launch(how.threads_per_block, service({all}, slots.ref()),
                  client{all, slots.ref(), timeout.ref()}, timeout.ref());
    });
    if (!complaint.empty()) return complaint;
    if (wrong.to_host()[0] != 0) return "something was not visible";
    const auto told = answers.to_host();
    std::vector<std::vector<bool>> had(how.keys, std::vector<bool>(2 * visits));
    for (std::uint32_t number = 0; number < visits; ++number) {
      const std::uint32_t key =
          inputs::random32(7, number % how.visits_each, number / how.visits_each) % how.keys;
      if (told[number] == 0 || told[number] > 2 * visits || had[key][told[number] - 1])
        return "visit " + std::to_string(number) + " was told " + std::to_string(told[number]);
      had[key][told[number] - 1] = true;
    }
  }
  return "";
}

template <class Path>
class reply : public ::testing::Test {};
TYPED_TEST_SUITE(reply, all_paths, path_names);

template <class Channel>
using some_execution =
    std::conditional_t<Channel::keeps_requests, combine_by_key<block_lock>, run_each<block_lock>>;

using question_of_visit = request_with_reply<std::uint32_t>;

/// The first error on any of the seeds.
template <template <class, class> class Answering, class Channel, message_order Order, found What>
std::string complaint_of(simt::memory_kind memory, unsigned seeds, races verdict = races::fail,
                         std::uint32_t visits_each = 2) {
  const auto complaint = [visits_each] {
    return run_replies<Answering, Channel, some_execution<Channel>, Order, What>(
        {.threads_per_block = 32 * Channel::min_warps, .visits_each = visits_each});
  };
  return first_complaint(memory, seeds, complaint, verdict);
}

constexpr auto value = message_order::relaxed;
constexpr auto memory = message_order::release_acquire;

TYPED_TEST(reply, is_that_of_its_section) {
  using channel = typename TypeParam::template channel<question_of_visit>;
  for (const auto kind : {strong, weak})
    EXPECT_EQ((complaint_of<replying, channel, value, found::nothing>(kind, seed_budget(20))), "");
}

TYPED_TEST(reply, shows_what_its_section_wrote_where_it_says_so) {
  using channel = typename TypeParam::template channel<question_of_visit>;
  for (const auto kind : {strong, weak})
    EXPECT_EQ(
        (complaint_of<replying, channel, memory, found::books_of_sections>(kind, seed_budget(20))),
        "");
}

// The next kernel finds the parity that the last use has left.
TYPED_TEST(reply, comes_to_a_slot_that_was_used_an_odd_number_of_times) {
  using channel = typename TypeParam::template channel<question_of_visit>;
  for (const std::uint32_t visits_each : {1u, 3u})
    EXPECT_EQ((complaint_of<replying, channel, value, found::nothing>(strong, seed_budget(4),
                                                                      races::fail, visits_each)),
              "");
}

template <class Channel>
std::string complaint_about_notes(simt::memory_kind kind) {
  return complaint_of<replying, Channel, memory, found::both>(kind, seed_budget(20));
}

TEST(request, shows_what_its_client_wrote_before_where_the_path_says_so) {
  for (const auto kind : {strong, weak}) {
    EXPECT_EQ(complaint_about_notes<ordered_fast_channel<question_of_visit>>(kind), "");
    EXPECT_EQ(complaint_about_notes<basic_channel<question_of_visit>>(kind), "");
    EXPECT_EQ(complaint_about_notes<paper_channel<question_of_visit>>(kind), "");
  }
}

TEST(broken_request, without_its_order_shows_old_notes) {
  EXPECT_NE(complaint_about_notes<fast_channel<question_of_visit>>(strong), "");
  EXPECT_NE(
      (complaint_of<replying, fast_channel<question_of_visit>, memory, found::notes_of_clients>(
          weak, 100)),
      "");
}

/// A service that replies as `Answer` defines, by answer(replies, where to, section).
template <class Answer, class Service, class Replies>
struct answering_by : replying<Service, Replies> {
  using right = replying<Service, Replies>;
  using right::right;

  template <class Inner>
  struct section {
    Inner inner;
    Replies replies;
    reply_address back;

    __device__ void operator()() const { Answer()(replies, back, inner); }
  };
  __device__ auto operator()(std::uint32_t key, const typename right::argument& asked) const {
    auto inner = Service::operator()(key, asked.what);
    return section<decltype(inner)>{inner, this->replies_, asked.back};
  }
};

/// Replies with a predicted result, and then runs the section.
struct first {
  template <class Replies, class Section>
  __device__ void operator()(const Replies& replies, reply_address back,
                             const Section& section) const {
    replies.reply(back, section.all.visits_of_key[section.key]);
    section();
  }
};
template <class Service, class Replies>
using answers_first = answering_by<first, Service, Replies>;

/// Sends a second reply to another request.
struct twice {
  template <class Replies, class Section>
  __device__ void operator()(const Replies& replies, reply_address back,
                             const Section& section) const {
    replies.reply(back, section());
    replies.reply({back.word ^ 1}, 0);
  }
};
template <class Service, class Replies>
using answers_twice = answering_by<twice, Service, Replies>;

TEST(broken_reply, before_its_section_is_rejected) {
  using channel = fast_channel<question_of_visit>;
  EXPECT_NE((complaint_of<answers_first, channel, memory, found::books_of_sections>(strong, 40)),
            "");
  EXPECT_NE((complaint_of<answers_first, channel, memory, found::books_of_sections>(weak, 40)), "");
}

TEST(broken_reply, to_the_next_question_is_rejected) {
  EXPECT_NE((complaint_of<answers_twice, fast_channel<question_of_visit>, value, found::nothing>(
                weak, 40)),
            "");
}

TEST(broken_reply, of_a_value_shows_no_memory) {
  using channel = fast_channel<question_of_visit>;
  EXPECT_NE((complaint_of<replying, channel, value, found::books_of_sections>(strong, 40)), "");
  EXPECT_NE((complaint_of<replying, channel, value, found::books_of_sections>(weak, 100)), "");
}

}  // namespace
}  // namespace finesync::test::reply_test
