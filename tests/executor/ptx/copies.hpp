// Kernels that copy a tile asynchronously, and show it in reverse order.
#pragma once

#include <tests/executor/ptx/launching.hpp>

#include <numeric>

namespace ptx_test {

using numbers = std::vector<std::uint32_t>;

/// 64 threads in each block; `in` holds 0, 1, 2, ... and each block writes its tile to `out`, in
/// reverse order.
inline outcome run_copies(const std::string& body, const simt::settings& how = checked_for_races(),
                          std::uint32_t blocks = 1) {
  const simt::scoped_settings scope(how);
  const program p(R"(
.version 8.0
.file 1 "/home/me/copies.cu"
.entry k(.param .u64 in, .param .u64 out)
{
	.shared .align 16 .b8 tile[256];
	.shared .align 8 .b8 bar[16];
	.reg .pred %p<4>;
	.reg .b32 %r<12>;
	.reg .b64 %d<8>;
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, tile;
	add.s32 %r4, %r3, %r2;
	xor.b32 %r5, %r4, 252;
	mov.u32 %r7, %ctaid.x;
	mad.lo.s32 %r7, %r7, 256, %r2;
	cvt.u64.u32 %d3, %r7;
	add.s64 %d3, %d2, %d3;
	setp.eq.s32 %p1, %r1, 0;
)" + body + R"(
	.loc 1 30 1
	ld.shared.u32 %r6, [%r5];
	st.global.u32 [%d3], %r6;
	ret;
})");
  words<std::uint32_t> in(64), out(std::size_t{64} * blocks);
  std::iota(in.data(), in.data() + 64, 0u);
  const simt::grid_shape shape = grid(blocks, 64, blocks);
  const std::string report = report_of([&] { p.run("k", shape, in.data(), out.data()); });
  return {report, out.all()};
}

inline numbers reversed_numbers() {
  numbers all(64);
  std::iota(all.rbegin(), all.rend(), 0u);
  return all;
}

}  // namespace ptx_test
