// Batches of bank transfers for the objects of a pair schedule. Runs on either machine.
#pragma once

#include <finesync/conflict_free/pair_schedule.cuh>
#include <finesync/conflict_free/queues.cuh>
#include <finesync/conflict_free/run_batch_by_blocks.cuh>
#include <finesync/conflict_free/run_batch_by_warps.cuh>

#include <tests/library/harness/run.hpp>

#include <type_traits>

namespace finesync::test {

/// The contents of each queue, in order; nothing at all if a queue ends before it begins.
template <class Entry, unsigned Aligned>
std::vector<std::vector<Entry>> queues_on_host(const batch_queues<Entry, Aligned>& sorted) {
  const auto entries = sorted.entries().to_host();
  const auto words = sorted.ends().to_host();
  const auto ref = sorted.ref();
  std::vector<std::vector<Entry>> all;
  for (std::size_t queue = 0; queue < sorted.queues(); ++queue) {
    const std::size_t begin = ref.begin_behind(words[queue * ref.stride]);
    const std::size_t end = words[(queue + 1) * ref.stride];
    if (begin > end || end > entries.size()) return {};
    all.emplace_back(entries.data() + begin, entries.data() + end);
  }
  return all;
}

/// The argument of a transfer's section: places in the groups of the first and the second object,
/// an amount, and the payer.
struct alignas(4) transfer {
  std::uint8_t first_place;
  std::uint8_t second_place;
  std::uint8_t amount;
  bool second_pays;

  friend bool operator==(const transfer&, const transfer&) = default;
};

/// The same in 8 bytes.
struct alignas(8) wide_transfer : transfer {};

/// Datum `place` of an object.
struct datum_of {
  unsigned object;
  unsigned place;
};

/// Payer and receiver of request i: two objects of a pair, or one object's own data.
template <class Schedule, class Entry = transfer>
struct transfers {
  Schedule all;
  unsigned size;  ///< data of an object, up to 256
  bool to_one;    ///< all requests use the same pair, or the same group's data

  struct names {
    datum_of payer, payee;
  };
  __host__ __device__ static std::uint32_t random(std::uint32_t i, unsigned which) {
    std::uint32_t x = (i * 8 + which + 1) * 2654435761u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
  }

  __host__ __device__ names names_of(std::uint32_t i) const {
    const unsigned round = to_one ? all.rounds() / 2 : random(i, 0) % all.rounds();
    const unsigned pair = to_one ? 0 : random(i, 1) % all.pairs_per_round();
    const object_pair objects = all.objects_of(round, pair);
    names n = {{objects.first, random(i, 2) % size}, {objects.second, random(i, 3) % size}};
    if (size > 1 && random(i, 4) % 4 == 0) {  // within one group
      n.payee = {n.payer.object, (n.payer.place + 1 + random(i, 5) % (size - 1)) % size};
    }
    if (random(i, 6) % 2 == 0) return {n.payee, n.payer};
    return n;
  }

  __host__ __device__ keyed_entry<Entry> operator()(std::uint32_t i) const {
    const auto [payer, payee] = names_of(i);
    const auto entry = [&](unsigned first_place, unsigned second_place, bool second_pays) {
      return Entry{transfer{static_cast<std::uint8_t>(first_place),
                            static_cast<std::uint8_t>(second_place),
                            static_cast<std::uint8_t>(random(i, 7) % 100), second_pays}};
    };
    if (payer.object == payee.object) {
      const bool swapped = payee.place < payer.place;
      return {diagonal_queue_of(all, payer.object), swapped
                                                        ? entry(payee.place, payer.place, true)
                                                        : entry(payer.place, payee.place, false)};
    }
    const pair_slot at = all.slot_of(payer.object, payee.object);
    return {queue_of(all, at), at.swapped ? entry(payee.place, payer.place, true)
                                          : entry(payer.place, payee.place, false)};
  }

  unsigned data() const { return all.objects() * size; }

  /// How often the first `number` requests name each datum.
  std::vector<std::uint32_t> visits(std::uint32_t number) const {
    std::vector<std::uint32_t> count(data());
    for (std::uint32_t i = 0; i < number; ++i) {
      const auto [payer, payee] = names_of(i);
      ++count[payer.object * size + payer.place];
      ++count[payee.object * size + payee.place];
    }
    return count;
  }
};

/// An account in a word that records its visitors in order.
struct account_state {
  std::uint32_t balance;
  std::uint32_t history;  ///< 16 bits of it

  __host__ __device__ static account_state of(std::uint32_t word) {
    return {word & 0xffff, word >> 16};
  }
  __host__ __device__ std::uint32_t word() const { return history << 16 | balance; }
};

/// A transfer of nothing changes nothing.
struct pay_and_remember {
  __host__ __device__ void operator()(std::uint32_t& first, std::uint32_t& second,
                                      transfer which) const {
    if (which.amount == 0) return;
    account_state one = account_state::of(first), other = account_state::of(second);
    account_state& payer = which.second_pays ? other : one;
    account_state& payee = which.second_pays ? one : other;
    if (payer.balance >= which.amount) {
      payer.balance -= which.amount;
      payee.balance += which.amount;
    }
    one.history = one.history * 31 + which.amount;
    other.history = other.history * 37 + which.amount;
    first = one.word();
    second = other.word();
  }
};

/// The same; it also returns whether money was moved, and to whom.
struct pay_and_answer {
  __host__ __device__ unsigned operator()(std::uint32_t& first, std::uint32_t& second,
                                          transfer which) const {
    const unsigned before = account_state::of(first).balance;
    pay_and_remember{}(first, second, which);
    const unsigned now = account_state::of(first).balance;
    return now == before ? 3 : now < before ? 1 : 2;
  }
};

/// The same, two at a time.
struct pay_by_twos : pay_and_answer {
  static constexpr transfer no_op = {};
  __device__ unsigned run_pair(std::uint32_t& first, std::uint32_t& second, transfer one,
                               transfer other) const {
    const unsigned told = pay_and_answer::operator()(first, second, one);
    return told << reply_word::bits | pay_and_answer::operator()(first, second, other);
  }
};

/// An account in a word: the balance, and above it the number of visits.
struct pay_and_count {
  static constexpr std::uint32_t empty = ~0u;
  static constexpr std::uint32_t visit = 1u << 16;
  static constexpr std::uint32_t balance_of(std::uint32_t account) { return account % visit; }

  __device__ object_pair places_of(transfer which) const {
    return {which.first_place, which.second_place};
  }
  __device__ void operator()(std::uint32_t& first, std::uint32_t& second, transfer which) {
    std::uint32_t& payer = which.second_pays ? second : first;
    std::uint32_t& payee = which.second_pays ? first : second;
    const std::uint32_t moved = payer % visit >= which.amount ? which.amount : 0;
    payer += visit - moved;
    payee += visit + moved;
    ++sections;
  }

  std::uint32_t sections = 0;
};

/// The same, combined for lanes of a warp with the same account.
struct pay_together : pay_and_count {
  static constexpr transfer no_op = {0, 0, 255, false};

  __device__ void dry_run(std::uint32_t& first, std::uint32_t& second, transfer which) const {
    const transfer nothing = no_op;  // a GPU cannot use a reference to a host constant
    if (!(which == nothing)) pay_and_count()(first, second, which);
  }
};

template <class Section>
using answers_of =
    std::conditional_t<std::is_base_of_v<pay_and_answer, Section>, batch_replies_ref, no_replies>;

template <class Section, class Schedule, class Entry, class Handoff>
__global__ void __launch_bounds__(32)
    pay_by_warps(Schedule all, queues_with_replies_ref<Entry> queues, Handoff handoff,
                 stage_size size, answers_of<Section> answers, watchdog_ref watchdog) {
  Section section;
  run_batch_by_warps(all, queues, handoff, size, section, watchdog, answers);
}

template <template <class Word, Word Empty> class Pair, class Section, class Schedule,
          class Handoff>
__global__ void __launch_bounds__(1024)
    pay_by_blocks(Schedule all, queues_with_replies_ref<transfer> queues, Handoff handoff,
                  unsigned size, unsigned staged, cell<std::uint32_t>* sections,
                  watchdog_ref watchdog) {
  Section section;
  if (!run_batch_by_blocks<Pair>(all, queues, handoff, size, staged, section, watchdog)) return;
  sections[blockIdx.x * blockDim.x + threadIdx.x] = section.sections;
}

inline constexpr std::uint32_t opening = 150;  // sometimes too small

/// The answers, in the order of places.
inline std::vector<std::uint8_t> answers_on_host(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> all;
  for (const std::uint32_t word : words) {
    for (unsigned i = 0; i < reply_word::places; ++i) all.push_back(word >> (30 - 2 * i) & 3);
  }
  return all;
}

/// A batch of transfers between single accounts.
struct batch {
  std::uint32_t requests = 60;
  bool to_one = false;
  stage_size stage = {80, 2};  ///< some rounds have more
};

/// Two consecutive batches. \returns true if every account and every answer is as if the host had
/// run the queues one after another. \tparam Handoff handoff_by_version, or a broken one. \param
/// told the schedule that the kernel gets.
template <class Section, class Handoff, class Entry = transfer, class Schedule, class Told>
bool warps_run_right(const Schedule& all, const Told& told, const batch& of) {
  const transfers<Schedule, Entry> requests{all, 1, of.to_one};
  queues_with_replies<Entry> queues(all.rounds() * all.pairs_per_round(), of.requests);
  batch_replies answers(queues.places());
  std::vector<std::uint32_t> expected(all.objects(), account_state{opening, 0}.word());
  buffer<std::uint64_t> accounts(all.objects());
  accounts.copy_from(std::vector<std::uint64_t>(expected.begin(), expected.end()));
  const watchdog timeout;
  for (const std::uint32_t number : {of.requests, of.requests / 2}) {
    queues.sort(requests, number, {2, 32});
    answers.clear();
    answers_of<Section> to = {};
    if constexpr (std::is_same_v<decltype(to), batch_replies_ref>) to = answers.ref();
    launch_cooperative(pay_by_warps<Section, Told, Entry, Handoff>,
                       {.blocks = all.groups().pairs_per_round(),
                        .threads_per_block = 32,
                        .shared_bytes = shared_bytes_by_warps<std::uint32_t, Entry>(all, of.stage)},
                       told, queues.ref(), Handoff{accounts.device_data()}, of.stage, to,
                       timeout.ref());
    if (timeout.fired()) return false;
    const auto entries = queues_on_host(queues);
    const auto found = answers_on_host(answers.words().to_host());
    std::vector<std::uint8_t> wanted;
    for (unsigned round = 0; round < all.rounds(); ++round) {
      for (unsigned pair = 0; pair < all.pairs_per_round(); ++pair) {
        const object_pair objects = all.objects_of(round, pair);
        wanted.resize((wanted.size() + reply_word::places - 1) / reply_word::places *
                      reply_word::places);
        for (const Entry& each : entries[queue_at(all, round, pair)]) {
          const auto pay = [&] {
            return Section{}(expected[objects.first], expected[objects.second], each);
          };
          if constexpr (std::is_void_v<decltype(pay())>)
            pay();
          else
            wanted.push_back(static_cast<std::uint8_t>(pay()));
        }
      }
    }
    if constexpr (std::is_same_v<decltype(to), batch_replies_ref>) {
      for (std::size_t place = 0; place < wanted.size(); ++place)
        if (wanted[place] != 0 && found[place] != wanted[place]) return false;
    }
  }
  const auto held = accounts.to_host();
  return std::equal(held.begin(), held.end(), expected.begin(), expected.end());
}

struct batch_run {
  std::uint32_t requests = 90;
  unsigned size = 3;  ///< accounts of a group
  bool to_one = false;
  unsigned threads = 64;
  unsigned staged = 16;
};

/// Two consecutive batches. \param handoff_of makes the policy for accounts in words of 64 bits or
/// of 32. \returns true if no money is lost, and every account was visited as often as the requests
/// name it.
template <template <class Word, Word Empty> class Pair, class Word, class Section = pay_and_count,
          class Schedule, class HandoffOf>
bool blocks_run_right(const Schedule& all, const batch_run& of, HandoffOf handoff_of) {
  const transfers<Schedule> requests{all, of.size, of.to_one};
  const launch_shape shape{
      .blocks = all.pairs_per_round(),
      .threads_per_block = of.threads,
      .shared_bytes = shared_bytes_by_blocks<std::uint32_t, transfer>(of.size, of.staged)};
  queues_with_replies<transfer> queues(queues_of(all), of.requests, 2);
  buffer<Word> accounts(requests.data());
  accounts.copy_from(std::vector<Word>(requests.data(), opening));
  buffer<std::uint32_t> sections(std::size_t{shape.blocks} * shape.threads_per_block);
  const auto handoff = handoff_of(accounts.device_data(), shape);
  const watchdog timeout;
  std::vector<std::uint32_t> visits(requests.data());
  for (const std::uint32_t number : {of.requests, of.requests / 2}) {
    queues.sort(requests, number, {2, 32});
    launch_cooperative(
        pay_by_blocks<Pair, Section, Schedule, std::remove_const_t<decltype(handoff)>>, shape, all,
        queues.ref(), handoff, of.size, of.staged, sections.device_data(), timeout.ref());
    if (timeout.fired() || sum_of(sections) != number) return false;
    const auto more = requests.visits(number);
    for (std::size_t i = 0; i < more.size(); ++i) visits[i] += more[i];
  }
  std::uint64_t money = 0;
  const auto held = accounts.to_host();
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i] / pay_and_count::visit != visits[i]) return false;
    money += held[i] % pay_and_count::visit;
  }
  return money == std::uint64_t{opening} * held.size();
}

}  // namespace finesync::test
