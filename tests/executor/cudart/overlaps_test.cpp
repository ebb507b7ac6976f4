// Operations that streams, events and waits order do not race; all others do.
#include <cudart/overlaps.hpp>
#include <simt/arena.hpp>
#include <simt/device_api.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cudart_test {

namespace {

using cudart::access_kind;
using cudart::accesses;
using cudart::stream_order;

constexpr access_kind reads{};
constexpr access_kind writes{.writes = true};
constexpr access_kind adds{.writes = true, .is_atomic = true};

/// A detector, a buffer, and two streams that do not meet the default one.
class overlaps : public testing::Test {
 protected:
  ~overlaps() override { simt::global_memory().release(buffer_); }

  /// An operation of the stream on these bytes of the buffer.
  void perform(std::uint32_t stream, const access_kind& how, std::size_t begin = 0,
               std::size_t end = bytes) {
    accesses done;
    const std::uint64_t at = simt::global_memory().offset(buffer_);
    done[how] += cudart::byte_range::right_open(at + begin, at + end);
    detector.add({.text = "an operation", .kernel = {}}, stream, done);
  }

  void* memory() const { return buffer_; }

  static constexpr std::size_t bytes = 64;
  std::vector<cudart::finding> found;
  cudart::overlap_detector detector{[this](const cudart::finding& each) { found.push_back(each); }};
  stream_order& order = detector.order;
  const std::uint32_t one = order.add(false);
  const std::uint32_t other = order.add(false);

 private:
  void* buffer_ = [] {
    simt::label what;
    what.called = "memory";
    return simt::global_memory().allocate(bytes, what);
  }();
};

TEST_F(overlaps, of_a_stream_are_none) {
  perform(one, writes);
  perform(one, writes);
  perform(one, reads);
  perform(one, adds);
  EXPECT_TRUE(found.empty());
}

TEST_F(overlaps, of_two_streams_race_if_one_writes_and_not_both_are_atomic) {
  perform(one, reads);
  perform(other, reads);
  EXPECT_TRUE(found.empty());
  perform(other, writes);  // what it read itself does not count
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(
      found[0].text.find("byte 0 of 64, the write by an operation is not ordered after the read"),
      std::string::npos)
      << found[0].text;
  found.clear();
  perform(one, adds);
  EXPECT_EQ(found.size(), 1u);
  found.clear();
  order.host_waits_for_all();
  perform(one, adds);
  perform(other, adds);
  EXPECT_TRUE(found.empty());
}

/// Accesses of a launch's thread to a word.
class launch_of_a_thread {
 public:
  explicit launch_of_a_thread(void* word) : word_(word) {
    thread_.block = &block_;
    simt::current = &thread_;
  }
  ~launch_of_a_thread() { simt::current = nullptr; }
  launch_of_a_thread(const launch_of_a_thread&) = delete;
  launch_of_a_thread& operator=(const launch_of_a_thread&) = delete;

  void store() { seen.saw({simt::op_kind::plain_store, {}, {}, 4, 0, {}, {}, word_}, true, this); }
  void load() { seen.saw({simt::op_kind::plain_load, {}, {}, 4, 0, {}, {}, word_}, false, this); }
  void go_to_block(std::uint32_t number) { block_.number = number; }
  cudart::launch_accesses seen;

 private:
  void* word_;
  simt::block_state block_;
  simt::thread thread_;
};

/// Two launches. The second may overlap the first, if that lets it. It reads the word before or
/// after griddepcontrol.wait.
void launch_dependents(cudart::overlap_detector& detector, std::uint32_t stream, void* word,
                       bool waits_first, bool is_let = true, bool has_copy_between = false) {
  {
    launch_of_a_thread first(word);
    if (is_let) first.seen.at_dependency(false);
    first.store();
    detector.add_launch({.text = "kernel first", .kernel = "first"}, stream, first.seen, false);
  }
  if (has_copy_between) detector.add({.text = "a copy", .kernel = {}}, stream, {});
  launch_of_a_thread second(word);
  second.go_to_block(1);
  second.seen.at_dependency(true);  // of that block alone
  second.go_to_block(0);
  if (waits_first) second.seen.at_dependency(true);
  second.load();
  second.seen.at_dependency(true);
  detector.add_launch({.text = "kernel second", .kernel = "second"}, stream, second.seen, true);
}

TEST_F(overlaps, of_dependent_launches_race_before_the_wait) {
  launch_dependents(detector, one, memory(), true);
  launch_dependents(detector, one, memory(), false, false);
  launch_dependents(detector, one, memory(), false, true, true);
  EXPECT_TRUE(found.empty());
  launch_dependents(detector, one, memory(), false);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].text.find("missing: griddepcontrol.wait"), std::string::npos) << found[0].text;
}

TEST_F(overlaps, are_found_with_a_write_that_another_one_races_with) {
  perform(one, writes);
  perform(other, writes);
  found.clear();
  const std::uint32_t third = order.add(false);
  order.wait(third, order.recorded(other));
  perform(third, reads);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(overlaps, of_a_launch_after_its_wait_are_found_too) {
  detector.share_with_host(simt::global_memory().offset(memory()), bytes);
  perform(other, writes);
  order.host_waits_for_stream(other);
  EXPECT_EQ(detector.not_awaited(), cudart::page_uses{});
  perform(other, writes);
  launch_of_a_thread waits(memory());
  waits.seen.at_dependency(true);
  waits.load();
  detector.add_launch({.text = "kernel waits", .kernel = "waits"}, one, waits.seen, false);
  EXPECT_EQ(found.size(), 1u);
  EXPECT_FALSE(detector.not_awaited().read.empty());
}

TEST_F(overlaps, are_found_with_a_write_that_an_atomic_one_follows) {
  perform(one, writes);
  order.wait(other, order.recorded(one));
  perform(other, adds);
  EXPECT_TRUE(found.empty());
  perform(order.add(false), adds);
  EXPECT_EQ(found.size(), 1u);
}

TEST_F(overlaps, are_found_after_accesses_that_were_replaced) {
  perform(one, writes);
  perform(one, writes);  // replaces the first
  perform(one, reads);
  perform(one, reads);
  perform(other, writes);
  EXPECT_EQ(found.size(), 2u);  // with the last write, and with the last read
}

}  // namespace

}  // namespace cudart_test
