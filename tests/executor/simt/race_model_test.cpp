// The race detector against a model: both take the same random steps.
#include "race_model.hpp"

#include <simt/arena.hpp>
#include <simt/launch.hpp>
#include <simt/random.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tests/seed_budget.hpp>

#include <array>
#include <memory>
#include <span>
#include <string>

namespace simt_test::race_model_test {
namespace {

constexpr index shared_words = 2;  ///< of each block
constexpr index places = 4;        ///< for blocks
constexpr index lanes = 3;
constexpr index first_async = places * simt::warp_size;

struct launch {
  index cluster_blocks;
  index gpus;
};

std::array<char, most_events> sites;
std::string text_of_site(const void* site) {
  const auto* const at = static_cast<const char*>(site);
  if (at < sites.data() || at >= sites.data() + sites.size()) return {};
  return fmt::format("event {}", at - sites.data());
}

/// Takes random steps in the model and in the detector alike.
class trace {
 public:
  trace(const launch& shape, std::uint64_t seed, void* global)
      : shape_(shape), random_(seed), global_(static_cast<std::byte*>(global)) {
    for (index gpu = 0; gpu < shape.gpus; ++gpu) grids_.push_back({nullptr, gpu});
    const index blocks = shape.gpus > 1 ? places / shape.gpus : 1024;
    layout_ = std::make_unique<simt::grid_layout>(grids_, simt::coordinates{blocks, 1, 1},
                                                  simt::coordinates{shape.cluster_blocks, 1, 1});
    detector_ = std::make_unique<simt::race_detector>(threads_, std::as_bytes(std::span(shared_)),
                                                      *layout_);
    for (index place = 0; place < places; ++place) start_block(place, place);
  }

  /// Stops at the first difference, and says which.
  std::string run() {
    while (difference_.empty() && !is_over_ && model_.events.size() + 150 < most_events) step();
    return difference_;
  }

 private:
  bool one_in(index n) { return random_.below(n) == 0; }
  index any_in(index place) { return living_[place][random_.below(lanes_in_use_)]; }
  scope any_scope() {
    return one_in(2) ? static_cast<scope>(random_.below(4))
                     : (shape_.gpus > 1 ? scope::system : scope::device);
  }
  memory_order any_order() { return static_cast<memory_order>(random_.below(5)); }
  simt::agent_id identity(index slot, index block) const {
    return {slot,
            block,
            block / shape_.cluster_blocks,
            layout_->gpu_of(block),
            shape_.cluster_blocks > 1,
            shape_.gpus > 1};
  }
  simt::thread& thread_of(index agent) { return threads_[model_.agents[agent].who.thread]; }

  void start_block(index place, index number) {
    simt::block_state& block = blocks_[place];
    block.number = number;
    block.first_thread = place * simt::warp_size;
    block.threads = lanes;
    block.shared = reinterpret_cast<std::byte*>(&shared_[place * shared_words]);
    const index begin = 4 * (global_words + place * shared_words);
    model_.forget(begin, begin + 4 * shared_words);
    detector_->forget(block.shared, 4 * shared_words);
    for (index lane = 0; lane < lanes; ++lane) {
      simt::thread& t = threads_[block.first_thread + lane];
      t.number = block.first_thread + lane;
      t.block = &block;
      detector_->start(t);
      const auto next = static_cast<index>(model_.agents.size());
      if (number != place) model_.agents[living_[place][lane]].next = next;
      living_[place][lane] = next;
      model_.agents.push_back({.who = identity(t.number, number)});
      model_.agents[next].start = model_.add_point(next);
    }
  }

  void step() {
    const index place = random_.below(places_in_use_);
    const index by = any_in(place);
    const index what = random_.below(100);
    if (what < 67) return access(by, what < 38);
    if (what < 77) return fence(by, any_order(), any_scope());
    if (what < 79) return meet_lanes(place);
    if (what < 81) return meet_block(place);
    if (what < 83) return meet_cluster(place);
    if (what < 87) return end_cluster(place);
    if (what < 90) return start_copy(by);
    if (what < 95) return go_on_with_copy();
    if (what < 97) return wait_for_copies(by);
    if (what < 98) return poll(by, any_in(random_.below(places_in_use_)));
    detector_->proxy_fence(thread_of(by));
    model_.add_point(by, true);
  }

  /// Of global memory, or the shared memory of a block in reach.
  index any_word(index by) {
    if (!one_in(shared_one_in_)) return random_.below(words_in_use_);
    const auto place = static_cast<index>(thread_of(by).block - blocks_.data());
    const index first = place / shape_.cluster_blocks * shape_.cluster_blocks;
    return global_words + (first + random_.below(shape_.cluster_blocks)) * shared_words +
           random_.below(std::min(shared_words, words_in_use_));
  }

  void access(index by, bool is_plain) {
    constexpr std::array plain{op_kind::plain_load, op_kind::plain_load, op_kind::plain_store};
    constexpr std::array atomic{op_kind::load,      op_kind::load,      op_kind::store,
                                op_kind::fetch_add, op_kind::fetch_add, op_kind::compare_exchange};
    event now{.agent = by};
    now.kind = is_plain ? plain[random_.below(plain.size())] : atomic[random_.below(atomic.size())];
    now.begin = 4 * any_word(by);
    index bytes = 4;
    if (is_plain && one_in(words_in_use_)) bytes = 1u << random_.below(2);
    if (now.begin % 8 == 0 && one_in(12)) bytes = 8;
    if (bytes < 4) now.begin += bytes * random_.below(4 / bytes);
    now.end = now.begin + bytes;
    now.writes = now.kind == op_kind::compare_exchange
                     ? one_in(2)
                     : now.kind != op_kind::plain_load && now.kind != op_kind::load;
    if (!is_plain) {
      now.order = any_order();
      now.reach = any_scope();
    }
    perform(now);
  }

  /// A race of a plain access to one word changes nothing. Any other one is the last event.
  void perform(event now, bool may_race = true) {
    if (is_over_) return;
    const bool is_last = now.is_atomic() || now.end - now.begin > 4;
    indices uncertain;
    indices races = model_.races_of(now, uncertain);
    if (!races.empty() && (!may_race || (is_last && !one_in(30)))) return;
    if (now.is_atomic() && is_sequential(now.order)) {
      model_.add_fence(
          {.agent = now.agent, .kind = op_kind::fence, .order = now.order, .reach = now.reach});
      races = model_.races_of(now, uncertain = {});
    }
    const simt::thread& by = thread_of(now.agent);
    now.site = by.started_by != nullptr ? by.site : &sites[model_.events.size()];
    const simt::operation op{.kind = now.kind,
                             .order = now.order,
                             .reach = now.reach,
                             .bytes = static_cast<std::uint8_t>(now.end - now.begin),
                             .address = address_of(now.begin)};
    const bool has_found = !detector_->access(by, op, now.writes, now.site);
    const std::string reported = has_found ? sentence_of(detector_->found()) : "nothing";
    const auto is_reported = [&](index each) {
      return has_found && model_.events[each].site == detector_->found().threads[1].site.code;
    };
    if (has_found) races.insert(races.end(), uncertain.begin(), uncertain.end());
    if (has_found ? std::none_of(races.begin(), races.end(), is_reported) : !races.empty())
      difference_ = fmt::format("event {} races with {} others, and the detector reports {}",
                                model_.events.size(), races.size(), reported);
    if (!has_found) model_.add_access(now);
    is_over_ |= has_found && is_last;
  }
  void* address_of(index byte) {
    constexpr index global_bytes = 4 * global_words;
    auto* const shared = reinterpret_cast<std::byte*>(shared_.data());
    return byte < global_bytes ? global_ + byte : shared + (byte - global_bytes);
  }

  void fence(index by, memory_order order, scope reach) {
    detector_->fence(thread_of(by), order, reach);
    model_.add_fence({.agent = by, .kind = op_kind::fence, .order = order, .reach = reach});
  }

  template <class Meet>
  void meet(const indices& who, bool releases_all, scope reach, Meet in_detector) {
    indices met;
    for (const index each : who) met.push_back(thread_of(each).number);
    in_detector(met);
    model_.meet(who, releases_all, reach);
  }
  void meet_lanes(index place) {
    const auto& all = living_[place];
    meet({all[0], all[1 + random_.below(2)]}, true, scope::block,
         [&](const indices& who) { detector_->meet(who, memory_order::acq_rel, scope::block); });
  }
  void meet_block(index place) {
    meet({living_[place].begin(), living_[place].end()}, true, scope::block,
         [&](const indices& who) { detector_->meet_in_block(blocks_[place], who); });
  }
  void meet_cluster(index place) {
    indices all;
    for (index p = 0; p < places; ++p)
      if (p / shape_.cluster_blocks == place / shape_.cluster_blocks)
        all.insert(all.end(), living_[p].begin(), living_[p].end());
    const bool releases_all = one_in(2);
    meet(all, releases_all, scope::cluster, [&](const indices& who) {
      detector_->meet(who, releases_all ? memory_order::acq_rel : memory_order::relaxed,
                      scope::cluster);
    });
  }

  /// The next blocks take its place, once its copies have ended.
  void end_cluster(index place) {
    if (shape_.gpus > 1 || !copies_.empty()) return;
    const index first = place / shape_.cluster_blocks * shape_.cluster_blocks;
    for (index p = first; p < first + shape_.cluster_blocks; ++p) {
      for (const index each : living_[p]) batches_.erase(each);
      start_block(p, next_block_++);
    }
  }

  void start_copy(index by) {
    if (next_copy_ == simt::async_slots) return;
    simt::thread& t = threads_[first_async + next_copy_++];
    t.number = static_cast<index>(&t - threads_.data());
    t.block = thread_of(by).block;
    t.started_by = &thread_of(by);
    t.site = &sites[model_.events.size()];
    static constexpr simt::async_wait wait{"a wait", "a wait"};
    detector_->start_async(t, thread_of(by), wait);
    model_.add_point(by);
    copies_.push_back(static_cast<index>(model_.agents.size()));
    const agent& starter = model_.agents[by];
    model_.agents.push_back({.who = identity(t.number, starter.who.block),
                             .is_async = true,
                             .known = starter.known,
                             .leading = starter.leading});
    model_.add_point(copies_.back());
    ++batches_[by].running;
    starters_[copies_.back()] = by;
    if (one_in(2)) start_copy(by);
  }
  void go_on_with_copy() {
    if (copies_.empty()) return;
    const index copy = copies_[random_.below(static_cast<index>(copies_.size()))];
    if (one_in(2)) return access(copy, true);
    batch& of = batches_[starters_[copy]];
    --of.running;
    detector_->hand_on(thread_of(copy), of.done);
    of.ends.push_back(model_.add_point(copy));
    std::erase(copies_, copy);
  }
  void wait_for_copies(index by) {
    const auto found = batches_.find(by);
    if (found == batches_.end() || found->second.running > 0) return;
    detector_->learn(thread_of(by), found->second.done);
    for (const index each : found->second.ends) {
      model_.agents[by].known |= model_.events[each].before;
      model_.agents[by].leading |= model_.agents[model_.events[each].agent].leading;
    }
    batches_.erase(found);
  }

  /// More releases than a thread keeps apart that reads them all and acquires none.
  void poll(index writer, index reader) {
    constexpr index data = 8, flag = 12;
    if (writer == reader) return;
    for (unsigned round = 0; round < 35; ++round) {
      perform({.agent = writer,
               .kind = op_kind::plain_store,
               .begin = data,
               .end = data + 4,
               .writes = true});
      perform({.agent = writer,
               .kind = op_kind::store,
               .order = memory_order::release,
               .begin = flag,
               .end = flag + 4,
               .writes = true},
              false);
      perform({.agent = reader, .kind = op_kind::load, .begin = flag, .end = flag + 4}, false);
    }
    if (!is_over_) fence(reader, memory_order::acquire, scope::system);
    perform({.agent = reader, .kind = op_kind::plain_load, .begin = data, .end = data + 4});
  }

  struct batch {
    index running = 0;
    std::unique_ptr<simt::release_clock> done;
    indices ends;
  };

  const launch shape_;
  simt::random_source random_;
  model model_;
  std::vector<simt::grid_on_gpu> grids_;
  std::unique_ptr<simt::grid_layout> layout_;
  std::vector<simt::thread> threads_{first_async + simt::async_slots};
  std::array<simt::block_state, places> blocks_;
  std::array<std::uint32_t, places * shared_words> shared_{};
  std::byte* const global_;
  std::unique_ptr<simt::race_detector> detector_;
  std::array<std::array<index, lanes>, places> living_{};
  index next_block_ = places;
  index next_copy_ = 0;
  const index shared_one_in_ = 1 + random_.below(5);
  const index places_in_use_ = 2 + random_.below(places - 1);
  const index lanes_in_use_ = 1 + random_.below(lanes);
  const index words_in_use_ = 1 + random_.below(global_words);
  indices copies_;                   ///< that run
  std::map<index, index> starters_;  ///< of copies
  std::map<index, batch> batches_;   ///< by their starters
  bool is_over_ = false;
  std::string difference_;
};

TEST(race_model, finds_the_races_that_the_detector_finds) {
  static const bool is_explained = simt::explain_sites_with(text_of_site);
  ASSERT_TRUE(is_explained);
  simt::arena& memory = simt::global_memory();
  void* const words = memory.allocate(4 * global_words);
  for (const launch& shape : {launch{1, 1}, launch{2, 1}, launch{1, 2}, launch{2, 2}}) {
    for (std::uint64_t seed = 1; seed <= finesync::test::seed_budget(1000); ++seed) {
      ASSERT_EQ(trace(shape, seed, words).run(), "")
          << "clusters of " << shape.cluster_blocks << ", GPUs " << shape.gpus << ", seed " << seed;
    }
  }
  memory.release(words);
}

}  // namespace
}  // namespace simt_test::race_model_test
