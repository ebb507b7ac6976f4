// Instructions on matrices: what they access is checked as any access of a lane, the whole warp
// comes to them, and they order nothing. What they compute is in opcodes/.
#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

namespace {

/// 64 threads: warp 0 goes to $loads, warp 1 goes on. `tile` has 1024 bytes; %row is the address of
/// the lane's row of 16 bytes in its first half.
std::string kernel_of_two_warps(const std::string& warp_1, const std::string& warp_0) {
  return R"(
.version 8.0
.target sm_90
.address_size 64
.file 1 "/home/me/kernel.cu"
.entry k(.param .u64 out)
{
	.shared .align 32 .b8 tile[1024];
	.reg .pred %p<4>;
	.reg .b32 %r<16>, %row, %lane, %stride;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	mov.u32 %lane, %laneid;
	mov.u32 %stride, 16;
	shl.b32 %row, %lane, 4;
	mov.u32 %r2, tile;
	add.u32 %row, %row, %r2;
	mul.wide.u32 %d2, %lane, 4;
	add.u64 %d1, %d1, %d2;
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bra $loads;
	)" +
         warp_1 +
         R"(
	ret;
$loads:
	)" +
         warp_0 +
         R"(
	ret;
})";
}

std::pair<std::string, std::vector<std::uint32_t>> run_warps(const std::string& text,
                                                             std::uint32_t threads = 64) {
  const simt::scoped_settings scope(checked_for_races());
  const program p(text);
  words<std::uint32_t> out(32);
  const std::string report = report_of([&] { p.run("k", grid(1, threads), out.data()); });
  return {report, out.all()};
}

const std::string zeros = "{%r7, %r7, %r7, %r7}";
const std::string mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r3, %r4, %r5, %r6}, " +
                        zeros + ", {%r7, %r7}, " + zeros + ";";

}  // namespace

TEST(ptx_matrices, a_barrier_orders_stores_and_loads_of_matrices) {
  struct pair_of_accesses {
    const char *store, *load;
    std::uint32_t last;  ///< that lane 31 reads
  };
  const pair_of_accesses all[] = {
      {"st.shared.u32 [%row+12], %lane;",
       "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r3}, [%row];", 31},
      {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%row], {%r7, %r7, %r7, %lane};",
       "ld.shared.u32 %r3, [%row+12];", 31},
      {"st.shared.u32 [%row+12], %lane;",
       "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r4, %r5, %r6, %r7, %r8, %r9, %r10, "
       "%r3}, [tile], %stride;",
       31},
      {"wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [tile], {%lane, %r7, %r7, %r7, %r7, "
       "%r7, %r7, %r7}, %stride;",
       "ld.shared.u32 %r3, [tile+992];", 31},
  };
  for (const auto& [store, load, last] : all) {
    const auto with_barrier = [&, store = store, load = load](const std::string& barrier) {
      return run_warps(
          kernel_of_two_warps(std::string(".loc 1 5 1\n") + store + barrier,
                              barrier + "\n.loc 1 7 1\n" + load + "\nst.global.u32 [%d1], %r3;"));
    };
    const auto [report, out] = with_barrier("bar.sync 0;");
    EXPECT_EQ(report, "") << load;
    EXPECT_EQ(out[31], last) << load;
    const std::string broken = with_barrier("").first;
    EXPECT_TRUE(
        mentions(broken, {"shared memory", "plain store", "(/home/me/kernel.cu:5)", "plain load",
                          "(/home/me/kernel.cu:7)", "missing: __syncthreads() between them"}))
        << broken;
  }
}

TEST(ptx_matrices, rows_beyond_the_matrices_are_not_read) {
  const auto report_with = [](const std::string& load) {
    return run_warps(kernel_of_two_warps(".loc 1 5 1\nst.shared.u32 [%row+256], %r7;",
                                         ".loc 1 7 1\nldmatrix.sync.aligned.m8n8." + load))
        .first;
  };
  EXPECT_EQ(report_with("x2.shared.b16 {%r4, %r5}, [%row];"), "");
  const std::string overlaps = report_with("x4.shared.b16 {%r3, %r4, %r5, %r6}, [%row];");
  EXPECT_TRUE(mentions(overlaps, {"(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)"})) << overlaps;
}

TEST(ptx_matrices, products_do_not_order_accesses) {
  const auto report_with = [](const std::string& between) {
    return run_warps(kernel_of_two_warps("", R"(.loc 1 5 1
	st.shared.u32 [%row], %lane;
	)" + between + R"(
	.loc 1 7 1
	xor.b32 %row, %row, 16;
	ld.shared.u32 %r3, [%row];)"))
        .first;
  };
  EXPECT_EQ(report_with("bar.warp.sync -1;" + mma), "");
  const std::string broken = report_with(mma);
  EXPECT_TRUE(mentions(broken, {"(/home/me/kernel.cu:5)", "(/home/me/kernel.cu:7)"})) << broken;
}

TEST(ptx_matrices, the_whole_warp_comes_to_one_product) {
  const auto report_with = [](const std::string& warp_0, std::uint32_t threads = 32) {
    return run_warps(kernel_of_two_warps("", "setp.eq.u32 %p2, %lane, 9;\n.loc 1 7 1\n" + warp_0),
                     threads)
        .first;
  };
  EXPECT_EQ(report_with(mma), "");
  const std::string missing = report_with("@%p2 bra $end;\n.loc 1 8 1\n" + mma + "\n$end:");
  EXPECT_TRUE(mentions(missing, {"names lane 9 in mask 0xffffffff", "(/home/me/kernel.cu:8)"}))
      << missing;
  const std::string elsewhere =
      report_with("@%p2 bra $other;\n.loc 1 8 1\n" + mma + "ret;\n$other:\n.loc 1 9 1\n" + mma);
  EXPECT_TRUE(
      mentions(elsewhere, {"wrong warp mask", "in mask 0xffffffff, but", "(/home/me/kernel.cu:"}))
      << elsewhere;
  const std::string waits = report_with("@%p2 bar.sync 1, 64;\n.loc 1 8 1\n" + mma);
  EXPECT_TRUE(mentions(waits, {"deadlock", "(/home/me/kernel.cu:7)", "(/home/me/kernel.cu:8)"}))
      << waits;
  const std::string fewer = report_with(mma, 31);
  EXPECT_TRUE(
      mentions(fewer, {"the warp has fewer than 32 threads: mma.sync", "(/home/me/kernel.cu:7)"}))
      << fewer;
}

TEST(ptx_matrices, a_sum_is_rounded_once) {
  // 1 and two products of 2^-24 are the next number above 1.
  const std::string text = kernel_of_two_warps("", R"(mov.u32 %r8, 0x00010001;
	mov.u32 %r9, 0x3c003c00;
	setp.eq.u32 %p2, %lane, 0;
	selp.b32 %r8, %r8, 0, %p2;
	mov.u32 %r10, 0x3f800000;
	mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r3, %r4, %r5, %r6}, {%r8, %r7}, {%r9}, {%r10, %r7, %r7, %r7};
	st.global.u32 [%d1], %r3;)");
  const auto [report, out] = run_warps(text);
  EXPECT_EQ(report, "");
  EXPECT_EQ(out[0], 0x3f800001u);
}

}  // namespace ptx_test
