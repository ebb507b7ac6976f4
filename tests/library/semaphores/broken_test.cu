// Broken semaphores. The check of the correct ones must reject each.
#include "load_kernels.cuh"

#include <tests/catalogue/semaphores.hpp>
#include <tests/library/harness/harness.hpp>

namespace finesync::test::broken_test {
namespace {

/// The steps of a CAS semaphore; all true and 0 is correct.
struct word_habits {
  unsigned extra_permits = 0;
  bool enters_in_one_step = true;
  bool acquires = true;
  bool releases = true;
  bool writers_take_all = true;
  bool readers_give_back = true;
};

template <word_habits Habits>
class word_variant {
 public:
  class ref_type {
   public:
    struct acquisition {
      unsigned permits;
      bool writes;
    };
    ref_type(cell<std::uint32_t>* taken, unsigned size) : taken_(taken), size_(size) {}
    acquisition enqueue(unsigned permits) const {
      const bool writes = permits == size_;
      return {writes && !Habits.writers_take_all ? permits - 1 : permits, writes};
    }
    bool try_enter(acquisition& r) const {
      std::uint32_t taken = word(*taken_).load(memory_order::relaxed);
      if (taken + r.permits > size_ + Habits.extra_permits) return false;
      if (!Habits.enters_in_one_step) {
        word(*taken_).store(taken + r.permits, memory_order::relaxed);
      } else if (!word(*taken_).compare_exchange(taken, taken + r.permits, memory_order::relaxed)) {
        return false;
      }
      if (Habits.acquires) fence<memory_order::acquire, scope::device>();
      return true;
    }
    void wait(acquisition&) const {}
    bool leave(acquisition& r) const {
      if (Habits.releases) fence<memory_order::release, scope::device>();
      if (r.writes || Habits.readers_give_back)
        word(*taken_).fetch_add(0 - r.permits, memory_order::relaxed);
      return true;
    }

   private:
    using word = atomic_ref<std::uint32_t, scope::device>;
    cell<std::uint32_t>* taken_;
    unsigned size_;
  };

  explicit word_variant(unsigned size) : taken_(1), size_(size) { taken_.fill_bytes(0); }
  ref_type ref() const { return {taken_.device_data(), size_}; }

 private:
  buffer<std::uint32_t> taken_;
  unsigned size_;
};

/// The release of a ticket semaphore; all true is correct.
struct exit_habits {
  bool releases = true;
  bool tells_all_lines = true;            ///< all lines that hold waiting positions
  bool raises_lines = true;               ///< a writer on two lines: the maximum, not a store
  bool frees_what_was_given_back = true;  ///< not one position more than were released
};

template <exit_habits Habits>
class ticket_twin {
  using right = ticket_semaphore_ref<no_backoff, 4>;
  using state = right::state;

 public:
  class ref_type : public right {
   public:
    ref_type(state* s, unsigned size) : right(s, size), state_(s), size_(size) {}
    bool leave(acquisition& r) const {
      if (Habits.releases) fence<memory_order::release, scope::device>();
      if (r.permits == size_) {
        free(r.end, r.end + size_, !Habits.raises_lines);
        return true;
      }
      const std::uint64_t before =
          word(state_->given_back).fetch_add(r.permits, memory_order::relaxed);
      free(before + size_, before + size_ + r.permits, false);
      return true;
    }

   private:
    using word = atomic_ref<std::uint64_t, scope::device>;
    void free(std::uint64_t begin, std::uint64_t end, bool store) const {
      const unsigned shift = static_cast<unsigned>(std::bit_width(size_ - 1));
      const std::uint64_t returned = end - size_;
      const std::uint64_t said = Habits.frees_what_was_given_back ? returned : returned + 1;
      const auto say = [&](std::uint64_t position) {
        const word shown(state_->lines[(position >> shift) % 4].returned);
        if (store) {
          shown.store(said, memory_order::relaxed);
        } else {
          shown.fetch_max(said, memory_order::relaxed);
        }
      };
      say(begin);
      if (Habits.tells_all_lines && begin >> shift != (end - 1) >> shift) say(end - 1);
    }
    state* state_;
    unsigned size_;
  };

  explicit ticket_twin(unsigned size) : bytes_(sizeof(state)), size_(size) { bytes_.fill_bytes(0); }
  ref_type ref() const { return {reinterpret_cast<state*>(bytes_.raw_pointer()), size_}; }

 private:
  buffer<unsigned char> bytes_;
  unsigned size_;
};

constexpr unsigned seeds = 200;

template <class Semaphore>
unsigned failing(simt::memory_kind memory, const semaphore_load& load, unsigned of = seeds) {
  return failing_twin_seeds(memory, of, [&] { return serves_all<Semaphore>(load); });
}

/// Without counting, whose atomics may hide what the sections reveal. Some leave others waiting.
constexpr semaphore_load bare{.counted = false, .watchdog_ns = soon_ns};

template <class Semaphore>
unsigned racing() {
  return racing_seeds(10, [] { return serves_all<Semaphore>(bare); });
}

/// On any memory: the count is wrong.
template <class Semaphore>
unsigned failing_strong(unsigned of = seeds) {
  return failing<Semaphore>(strong, {.watchdog_ns = soon_ns}, of);
}

/// In weak memory, where the sections themselves must reveal it.
template <class Semaphore>
unsigned failing_weak(unsigned of = seeds) {
  return failing<Semaphore>(weak, bare, of);
}

TEST(broken_semaphores, one_admitted_too_many_is_rejected) {
  EXPECT_GT((failing_strong<word_variant<{.extra_permits = 1}>>()), 0u);
  EXPECT_GT((failing_strong<ticket_twin<{.frees_what_was_given_back = false}>>()), 0u);
}

TEST(broken_semaphores, entering_in_two_steps_is_rejected) {
  EXPECT_GT((failing_strong<word_variant<{.enters_in_one_step = false}>>()), 0u);
}

TEST(broken_semaphores, a_reader_that_slips_past_a_writer_is_rejected) {
  using variant = word_variant<{.writers_take_all = false}>;
  EXPECT_GT(failing_strong<variant>(), 0u);
  EXPECT_GT(failing_weak<variant>(), 0u);  // the sections detect it too, without counting
}

TEST(broken_semaphores, a_count_not_restored_is_rejected) {
  EXPECT_GT((failing_strong<word_variant<{.readers_give_back = false}>>(20)), 0u);
}

TEST(broken_semaphores, a_line_that_is_not_told_is_rejected) {
  EXPECT_GT((failing_strong<ticket_twin<{.tells_all_lines = false}>>(20)), 0u);
}

TEST(broken_semaphores, exit_without_release_is_rejected_in_weak_memory) {
  EXPECT_GT((failing_weak<word_variant<{.releases = false}>>()), 0u);
  EXPECT_GT((failing_weak<ticket_twin<{.releases = false}>>()), 0u);
}

TEST(broken_semaphores, entry_without_acquire_is_rejected_in_weak_memory) {
  EXPECT_GT((failing_weak<word_variant<{.acquires = false}>>()), 0u);
}

TEST(broken_semaphores, a_line_lowered_behind_a_reader_is_rejected_in_weak_memory) {
  EXPECT_GT((failing_weak<ticket_twin<{.raises_lines = false}>>(2000)), 0u);
}

TEST(broken_semaphores, strong_memory_hides_what_only_weak_memory_shows) {
  EXPECT_EQ((failing_strong<word_variant<{.releases = false}>>()), 0u);
}

TEST(broken_semaphores, what_strong_memory_hides_is_a_race) {
  EXPECT_GT((racing<word_variant<{.releases = false}>>()), 0u);
  EXPECT_GT((racing<word_variant<{.acquires = false}>>()), 0u);
  EXPECT_GT((racing<ticket_twin<{.releases = false}>>()), 0u);
  EXPECT_EQ((racing<word_variant<{}>>()), 0u);
  EXPECT_EQ((racing<ticket_twin<{}>>()), 0u);
}

TEST(broken_semaphores, the_same_unbroken_pass) {
  EXPECT_EQ(failing_weak<word_variant<{}>>(), 0u);
  EXPECT_EQ(failing_weak<ticket_twin<{}>>(), 0u);
}

}  // namespace
}  // namespace finesync::test::broken_test
