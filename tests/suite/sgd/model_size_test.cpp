// The sizes that a model can have.
#include <workloads/sgd/model_size.hpp>

#include <gtest/gtest.h>

namespace finesync::sgd {
namespace {

TEST(model_size, is_of_64_bits) {
  EXPECT_EQ(bytes_of_model(3, 2, 16), 5 * 16 * 4u);
  EXPECT_EQ(bytes_of_model(1u << 24, 1u << 24, 64), std::size_t{1} << 33);
}

// 2^26 users of 64 features are 2^32 features, or none in 32 bits.
TEST(model_size, has_a_limit_that_is_said) {
  EXPECT_THROW(bytes_of_model(1u << 26, 1, 64), bench::infeasible);
  EXPECT_THROW(bytes_of_model((1u << 26) - 1, 1, 64), bench::infeasible);
  EXPECT_THROW(bytes_of_model(1u << 28, 1u << 28, 16), bench::infeasible);
  EXPECT_NO_THROW(bytes_of_model(1u << 26, 1u << 26, 16));
  try {
    bytes_of_model((1u << 25) - 1, 2, 64);
    ADD_FAILURE();
  } catch (const bench::infeasible& why) {
    EXPECT_STREQ(why.what(),
                 "33554433 users and movies are too many, with 64 features 33554432 fit");
  }
}

}  // namespace
}  // namespace finesync::sgd
