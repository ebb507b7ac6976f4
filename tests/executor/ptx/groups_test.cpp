// Warps, clusters and grids: their barriers and collectives, and where a grid's barrier has its
// words.
#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

TEST(ptx_groups, collectives_of_a_warp) {
  const auto values = [](const std::string& instructions, std::uint32_t threads = 32) {
    const program p(module_head + R"(.entry k(.param .u64 out)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 5;
	)" + instructions +
                    R"(
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d2, %d1, %d2;
	st.global.u32 [%d2], %r2;
	ret;
})");
    words<std::uint32_t> out(64);
    p.run("k", grid(1, threads), out.data());
    return out.all();
  };
  EXPECT_EQ(values("shfl.sync.down.b32 %r2|%p2, %r1, 3, 31, -1;")[7], 10u);
  EXPECT_EQ(values("shfl.sync.down.b32 %r2|%p2, %r1, 3, 31, -1;")[30], 30u);
  EXPECT_EQ(values("shfl.sync.down.b32 %r3|%p2, %r1, 3, 31, -1; selp.u32 %r2, 1, 0, %p2;")[30], 0u);
  EXPECT_EQ(values("shfl.sync.up.b32 %r2, %r1, 3, 0, -1;")[10], 7u);
  EXPECT_EQ(values("shfl.sync.up.b32 %r2, %r1, 3, 0, -1;")[2], 2u);
  EXPECT_EQ(values("shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;")[4], 5u);
  EXPECT_EQ(values("shfl.sync.idx.b32 %r2, %r1, 2, 6175, -1;")[21], 18u);  // of 8 lanes each
  EXPECT_EQ(values("vote.sync.ballot.b32 %r2, %p1, -1;")[9], 31u);
  EXPECT_EQ(values("vote.sync.any.pred %p2, %p1, -1; selp.u32 %r2, 1, 0, %p2;")[9], 1u);
  EXPECT_EQ(values("vote.sync.all.pred %p2, %p1, -1; selp.u32 %r2, 1, 0, %p2;")[9], 0u);
  EXPECT_EQ(values("vote.sync.uni.pred %p2, !%p1, -1; selp.u32 %r2, 1, 0, %p2;")[9], 0u);
  EXPECT_EQ(values("and.b32 %r3, %r1, 1; match.any.sync.b32 %r2, %r3, -1;")[2], 0x55555555u);
  EXPECT_EQ(values("match.all.sync.b32 %r2|%p2, %r1, -1;")[2], 0u);
  EXPECT_EQ(values("match.all.sync.b32 %r2|%p2, 7, -1;")[2], 0xffffffffu);
  EXPECT_EQ(values("redux.sync.add.s32 %r2, %r1, -1;")[3], 496u);
  EXPECT_EQ(values("redux.sync.max.u32 %r2, %r1, -1;", 20)[3], 19u);
  EXPECT_EQ(values("neg.s32 %r3, %r1; redux.sync.min.s32 %r2, %r3, -1;")[3], 0xffffffe1u);
  EXPECT_EQ(values("elect.sync %r2|%p2, -1;")[3], 0u);
  EXPECT_EQ(values("activemask.b32 %r2;")[3], 0xffffffffu);
  EXPECT_EQ(values("bar.red.popc.u32 %r2, 0, %p1;", 64)[3], 5u);
  EXPECT_EQ(values("bar.red.or.pred %p2, 0, %p1; selp.u32 %r2, 1, 0, %p2;", 64)[63], 1u);
  EXPECT_EQ(values("barrier.cta.red.and.aligned.pred %p2, 0, %p1; selp.u32 %r2, 1, 0, %p2;", 64)[0],
            0u);
}

TEST(ptx_groups, a_warp_barrier_orders_its_lanes) {
  const std::string text = module_head + R"(
.entry k(.param .u64 out)
{
	.shared .align 4 .b8 word[4];
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	setp.ne.s32 %p1, %r1, 31;
	.loc 1 5 1
	@!%p1 st.shared.u32 [word], 9;
	bar.warp.sync -1;
	.loc 1 7 1
	ld.shared.u32 %r2, [word];
	red.global.add.u32 [%d1], %r2;
	ret;
})";
  EXPECT_EQ(outcome_of(text, grid(1, 32), 1), outcome("", {288}));
  const std::string broken = outcome_of(with(text, "bar.warp.sync -1;", ""), grid(1, 32), 1).first;
  EXPECT_TRUE(mentions(
      broken, {"(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)", "__syncwarp() between"}))
      << broken;
}

TEST(ptx_groups, a_read_only_load_is_of_what_its_launch_does_not_write) {
  const std::string text = module_head + R"(
.entry k(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %d<3>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	setp.ne.s32 %p1, %r1, 0;
	.loc 1 5 1
	@!%p1 st.global.u32 [%d1], 9;
	bar.sync 0;
	.loc 1 7 1
	ld.global.nc.u32 %r2, [%d1+4];
	red.global.add.u32 [%d1+8], %r2;
	ret;
})";
  EXPECT_EQ(outcome_of(text, grid(1, 64), 3), outcome("", {9, 0, 0}));
  const std::string broken = with(text, "[%d1+4]", "[%d1]");
  const std::string report = outcome_of(broken, grid(1, 64), 3).first;
  EXPECT_TRUE(mentions(
      report, {"(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)", "missing: an ordinary load"}))
      << report;
  EXPECT_EQ(outcome_of(with(broken, ".nc", ""), grid(1, 64), 3), outcome("", {9, 0, 576}));
}

TEST(ptx_groups, a_cluster_shares_its_memory) {
  const std::string text = module_head + R"(
.entry k(.param .u64 out)
{
	.shared .align 4 .b8 word[4];
	.reg .b32 %r<8>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %cluster_ctarank;
	.loc 1 5 1
	st.shared.u32 [word], %r1;
	.loc 1 6 1
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	.loc 1 7 1
	xor.b32 %r2, %r1, 1;
	mov.u32 %r3, word;
	mapa.shared::cluster.u32 %r4, %r3, %r2;
	ld.shared::cluster.u32 %r5, [%r4];
	cvta.shared.u64 %d2, %r4;
	ld.u32 %r6, [%d2];
	add.s32 %r6, %r6, %r5;
	mul.wide.u32 %d3, %r1, 4;
	add.s64 %d3, %d1, %d3;
	st.global.u32 [%d3], %r6;
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned;
	ret;
})";
  EXPECT_EQ(outcome_of(text, grid(2, 1, 2), 2), outcome("", {2, 0}));
  const std::string relaxed =
      outcome_of(with(text, "arrive.release", "arrive.relaxed"), grid(2, 1, 2), 2).first;
  EXPECT_TRUE(
      mentions(relaxed, {"(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)", "cluster-scope"}))
      << relaxed;
}

/// What every block finds: its place in its cluster, its cluster, its rank, that of its right
/// neighbour's shared memory, the extents of both, and the number in the memory of the next rank.
const std::string blocks_of_boxes = module_head + R"(
.entry k(.param .u64 out)
{
	.shared .align 4 .b8 word[4];
	.reg .b32 %r<40>;
	.reg .b64 %d<4>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	mov.u32 %r3, %ctaid.z;
	mov.u32 %r4, %nctaid.x;
	mov.u32 %r5, %nctaid.y;
	mad.lo.u32 %r6, %r3, %r5, %r2;
	mad.lo.u32 %r6, %r6, %r4, %r1;
	st.shared.u32 [word], %r6;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	mov.u32 %r7, %cluster_ctarank;
	mov.u32 %r8, %cluster_nctarank;
	add.u32 %r9, %r7, 1;
	rem.u32 %r9, %r9, %r8;
	mov.u32 %r10, word;
	mapa.shared::cluster.u32 %r11, %r10, %r9;
	ld.shared::cluster.u32 %r12, [%r11];
	getctarank.shared::cluster.u32 %r13, %r11;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	ld.param.u64 %d1, [out];
	mul.wide.u32 %d2, %r6, 64;
	add.s64 %d1, %d1, %d2;
	mov.u32 %r20, %cluster_ctaid.x;
	mov.u32 %r21, %cluster_ctaid.y;
	mov.u32 %r22, %cluster_ctaid.z;
	mov.u32 %r23, %cluster_nctaid.x;
	mov.u32 %r24, %cluster_nctaid.y;
	mov.u32 %r25, %cluster_nctaid.z;
	mov.u32 %r26, %clusterid.x;
	mov.u32 %r27, %clusterid.y;
	mov.u32 %r28, %clusterid.z;
	mov.u32 %r29, %nclusterid.x;
	mov.u32 %r30, %nclusterid.y;
	mov.u32 %r31, %nclusterid.z;
	st.global.v4.u32 [%d1], {%r20, %r21, %r22, %r23};
	st.global.v4.u32 [%d1+16], {%r24, %r25, %r26, %r27};
	st.global.v4.u32 [%d1+32], {%r28, %r29, %r30, %r31};
	st.global.v4.u32 [%d1+48], {%r7, %r8, %r12, %r13};
	ret;
})";

/// The same by the rule of the manual: a cluster is a box of the grid, x is counted first.
std::vector<std::uint32_t> expected_of_boxes(const simt::coordinates& grid,
                                             const simt::coordinates& cluster) {
  std::vector<std::uint32_t> all;
  const std::uint32_t blocks = cluster.x * cluster.y * cluster.z;
  for (std::uint32_t z = 0; z < grid.z; ++z)
    for (std::uint32_t y = 0; y < grid.y; ++y)
      for (std::uint32_t x = 0; x < grid.x; ++x) {
        const simt::coordinates in{x % cluster.x, y % cluster.y, z % cluster.z};
        const std::uint32_t rank = in.x + in.y * cluster.x + in.z * cluster.x * cluster.y;
        const std::uint32_t next = (rank + 1) % blocks;
        const std::uint32_t next_x = x - in.x + next % cluster.x;
        const std::uint32_t next_y = y - in.y + next / cluster.x % cluster.y;
        const std::uint32_t next_z = z - in.z + next / cluster.x / cluster.y;
        all.insert(all.end(),
                   {in.x, in.y, in.z, cluster.x, cluster.y, cluster.z, x / cluster.x, y / cluster.y,
                    z / cluster.z, grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z, rank,
                    blocks, (next_z * grid.y + next_y) * grid.x + next_x, next});
      }
  return all;
}

TEST(ptx_groups, a_cluster_is_a_box_of_the_grid) {
  simt::settings how = checked_for_races();
  how.gpu = simt::find_gpu_model("h200");
  const simt::scoped_settings scope(how);
  const program p(blocks_of_boxes);
  const simt::coordinates blocks{4, 8, 2};
  for (const simt::coordinates cluster : {simt::coordinates{1, 2, 1},
                                          {2, 2, 1},
                                          {1, 4, 1},
                                          {2, 4, 1},
                                          {1, 1, 2},
                                          {2, 2, 2},
                                          {4, 1, 1}}) {
    words<std::uint32_t> out(std::size_t{16} * 4 * 8 * 2);
    const simt::grid_shape shape{.blocks = blocks, .threads = {1, 1, 1}, .cluster = cluster};
    EXPECT_EQ(report_of([&] { p.run("k", shape, out.data()); }), "");
    EXPECT_EQ(out.all(), expected_of_boxes(blocks, cluster)) << cluster.x << cluster.y << cluster.z;
  }
  for (const simt::coordinates cluster : {simt::coordinates{3, 1, 1}, {1, 3, 1}, {1, 1, 4}}) {
    words<std::uint32_t> out(std::size_t{16} * 4 * 8 * 2);
    const simt::grid_shape shape{.blocks = blocks, .threads = {1, 1, 1}, .cluster = cluster};
    EXPECT_EQ(report_of([&] { p.run("k", shape, out.data()); }),
              "the grid does not divide into clusters");
  }
}

TEST(ptx_groups, a_cluster_along_y_orders_its_own_blocks_alone) {
  // Both blocks of a column store to the column's word, one after the other.
  const std::string text = module_head + R"(
.entry k(.param .u64 out)
{
	.reg .pred %p<2>;
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ctaid.y;
	mul.wide.u32 %d2, %r1, 4;
	add.s64 %d1, %d1, %d2;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra $wait;
	.loc 1 5 1
	st.global.u32 [%d1], 5;
$wait:
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra $end;
	.loc 1 7 1
	st.global.u32 [%d1], 7;
$end:
	ret;
})";
  const simt::grid_shape in_columns{
      .blocks = {2, 2, 1}, .threads = {1, 1, 1}, .cluster = {1, 2, 1}};
  EXPECT_EQ(outcome_of(text, in_columns, 2), outcome("", {7, 7}));
  simt::grid_shape in_rows = in_columns;
  in_rows.cluster = {2, 1, 1};
  EXPECT_TRUE(mentions(outcome_of(text, in_rows, 2).first,
                       {"(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)"}));
}

TEST(ptx_groups, a_grid_barrier_finds_its_workspace) {
  program p(module_head + R"(.entry k(.param .u64 out)
{
	.reg .b32 %r<4>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %envreg2;
	mov.u32 %r2, %envreg1;
	mov.b64 %d2, {%r1, %r2};
	st.global.u64 [%d1], %d2;
	ret;
})");
  words<std::uint64_t> out(1, 1);
  p.run("k", grid(1, 1), out.data());
  EXPECT_EQ(out[0], 0u);
  p.options.grid_workspace = 0x123456789abcdef0;
  p.run("k", grid(1, 1), out.data());
  EXPECT_EQ(out[0], 0x123456789abcdef0u);
}

}  // namespace ptx_test
