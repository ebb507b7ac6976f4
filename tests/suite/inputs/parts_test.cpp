// Lists divided among threads.
#include <inputs/parts.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace finesync::inputs {
namespace {

TEST(parts, hold_everything_once) {
  for (const std::size_t size : {0u, 1u, 16'384u, 32'768u, 1'000'003u}) {
    const parts all(size);
    std::vector<std::atomic<int>> visits(size), calls(all.count());
    all.for_each([&](std::size_t part, std::size_t begin, std::size_t end) {
      ++calls.at(part);
      for (std::size_t i = begin; i < end; ++i) ++visits.at(i);
    });
    for (const auto& each : visits) ASSERT_EQ(each, 1) << size;
    for (const auto& each : calls) ASSERT_EQ(each, 1) << size;
  }
}

TEST(parts, are_many_where_there_is_much) {
  EXPECT_EQ(parts(0).count(), 1u);
  EXPECT_EQ(parts(30'000).count(), 1u);
  EXPECT_GT(parts(1'000'000).count(), 16u);
}

TEST(parts, hand_on_what_one_of_them_throws) {
  const parts all(1'000'000);
  for (const std::size_t wrong : {std::size_t{0}, all.count() - 1})
    EXPECT_THROW(all.for_each([&](std::size_t part, std::size_t, std::size_t) {
      if (part == wrong) throw std::runtime_error("it");
    }),
                 std::runtime_error);
}

}  // namespace
}  // namespace finesync::inputs
