// More SMs than barriers distinguish, with ids beyond those at the barrier's creation: SMs that
// share a slot still synchronize.
#include "exchange.hpp"

namespace finesync::test::many_sms_test {
namespace {

/// One block on each SM.
simt::settings gpu_of(int sms) {
  simt::settings how;
  how.gpu.sms = sms;
  how.gpu.max_blocks_per_sm = 1;
  return how;
}

template <class Barrier>
class many_sms : public ::testing::Test {};
TYPED_TEST_SUITE(many_sms, test_types_barriers, test_types_barriers_names);

TYPED_TEST(many_sms, share_slots_and_meet) {
  constexpr int sms = static_cast<int>(sm_slots) + 4;
  const exchange_plan plan{
      .blocks = static_cast<unsigned>(sms), .threads_per_block = 4, .rounds = 2, .launches = 1};
  const simt::scoped_settings scoped(gpu_of(sms));
  // The side of the last SM is unknown, and differs from that of the SM with the same slot.
  const auto made_for_fewer = [&] {
    const simt::scoped_settings fewer(gpu_of(sms - 1));
    return TypeParam({plan.blocks, plan.threads_per_block});
  };
  EXPECT_TRUE(judge(plan, made_for_fewer()).right());
}

}  // namespace
}  // namespace finesync::test::many_sms_test
