// Only the input of the last point is kept.
#include <workloads/common/inputs/last_input.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace finesync::workload {
namespace {

std::shared_ptr<const std::string> loaded(const std::string& name) {
  return last_input(name, [&] {
    if (name.empty()) throw std::invalid_argument("no name");
    return std::make_shared<const std::string>(name);
  });
}

TEST(last_input, is_kept_until_another_is_wanted) {
  const auto first = loaded("one");
  EXPECT_EQ(loaded("one"), first);
  EXPECT_EQ(*loaded("two"), "two");
  EXPECT_NE(loaded("one"), first);
  EXPECT_EQ(*loaded("one"), "one");
}

TEST(last_input, is_gone_before_another_is_loaded) {
  const std::weak_ptr<const std::string> first = loaded("one");
  EXPECT_FALSE(first.expired());
  loaded("two");
  EXPECT_TRUE(first.expired());
}

TEST(last_input, is_loaded_again_after_a_failure) {
  loaded("one");
  EXPECT_THROW(loaded(""), std::invalid_argument);
  EXPECT_EQ(*loaded("one"), "one");
  EXPECT_THROW(loaded(""), std::invalid_argument);
}

}  // namespace
}  // namespace finesync::workload
