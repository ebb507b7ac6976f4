#include <tests/executor/ptx/hostile/modules.hpp>
#include <tests/executor/ptx/opcodes/opcode_case.hpp>

namespace ptx_hostile {

namespace {

constexpr const char* head = R"(.version 8.3
.target sm_90
.address_size 64
.file 1 "/home/me/hostile.cu"
)";

constexpr const char* calls = R"(
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.extern .func (.param .b64 result) malloc(.param .b64 bytes);
.extern .func free(.param .b64 what);
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.func (.param .b32 result) factorial(.param .b32 x);
.func (.param .b32 result) twice(.param .b32 x)
{
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [x];
	shl.b32 %r2, %r1, 1;
	st.param.b32 [result], %r2;
	ret;
}
.global .align 8 .u64 functions[2] = {twice, factorial};
.global .align 1 .b8 text[24] = {37, 45, 53, 100, 32, 37, 46, 49, 102, 32, 37, 115, 37, 42, 120, 37, 37};
.const .align 4 .u32 numbers[4] = {1, 2, 3, 4};
.func (.param .b32 result) factorial(.param .b32 x)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.local .align 4 .b8 kept[8];
	ld.param.u32 %r1, [x];
	st.local.u32 [kept], %r1;
	mov.u32 %r2, 1;
	setp.lt.u32 %p1, %r1, 2;
	@%p1 bra $end;
	sub.s32 %r3, %r1, 1;
	{
		.param .b32 p;
		.param .b32 r;
		st.param.b32 [p], %r3;
		call.uni (r), factorial, (p);
		ld.param.b32 %r4, [r];
	}
	ld.local.u32 %r1, [kept];
	mul.lo.s32 %r2, %r4, %r1;
$end:
	st.param.b32 [result], %r2;
	ret;
}
.visible .entry k(.param .u64 out, .param .u32 x, .param .align 8 .b8 pair[16]) .maxntid 64
{
	.local .align 16 .b8 depot[64];
	.reg .pred %p<4>;
	.reg .b32 %r<16>;
	.reg .b64 %d<16>;
	.loc 1 3 1
	ld.param.u64 %d1, [out];
	cvta.to.global.u64 %d1, %d1;
	ld.param.u32 %r1, [x];
	ld.param.v2.u32 {%r5, %r6}, [pair+8];
	and.b32 %r2, %r1, 1;
	mul.wide.u32 %d2, %r2, 8;
	mov.u64 %d3, functions;
	add.s64 %d3, %d3, %d2;
	ld.global.u64 %d4, [%d3];
	{
		.param .b32 p;
		.param .b32 r;
		st.param.b32 [p], 5;
		proto: .callprototype (.param .b32 _) _ (.param .b32 _);
		call (r), %d4, (p), proto;
		ld.param.b32 %r3, [r];
	}
	.loc 1 7 1
	mov.u64 %d5, depot;
	cvta.local.u64 %d6, %d5;
	st.u32 [%d6], %r3;
	st.local.f64 [depot+8], 0d3FF8000000000000;
	mov.u64 %d7, text;
	st.u64 [%d6+16], %d7;
	st.u32 [%d6+24], 7;
	st.u32 [%d6+28], 12;
	{
		.param .b64 f;
		.param .b64 v;
		.param .b32 r;
		st.param.b64 [f], %d7;
		st.param.b64 [v], %d6;
		call.uni (r), vprintf, (f, v);
		ld.param.b32 %r7, [r];
	}
	{
		.param .b64 n;
		.param .b64 r;
		st.param.b64 [n], 64;
		call.uni (r), malloc, (n);
		ld.param.b64 %d8, [r];
	}
	st.u32 [%d8+60], %r7;
	{
		.param .b64 n;
		st.param.b64 [n], %d8;
		call.uni free, (n);
	}
	table: .branchtargets $zero, $one, $zero, $end;
	and.b32 %r8, %r7, 3;
	brx.idx %r8, table;
$zero:
	ld.const.u32 %r9, [numbers+4];
	bra $end;
$one:
	mov.u32 %r9, 11;
	bra $end;
$end:
	st.global.u32 [%d1], %r9;
	setp.ne.s32 %p1, %r1, 77;
	@%p1 ret;
	{
		.param .b64 a;
		.param .b64 b;
		.param .b32 c;
		.param .b64 d;
		.param .b64 e;
		st.param.b64 [a], %d7;
		st.param.b64 [b], %d7;
		st.param.b32 [c], 12;
		st.param.b64 [d], %d7;
		st.param.b64 [e], 1;
		call.uni __assertfail, (a, b, c, d, e);
	}
	trap;
}
)";

constexpr const char* copies = R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.shared .align 16 .b8 tile[512];
	.shared .align 8 .b8 bar[16];
	.reg .pred %p<4>;
	.reg .b32 %r<12>;
	.reg .b64 %d<8>;
	.reg .b128 %q<2>;
	ld.param.u64 %d1, [in];
	ld.param.u64 %d2, [out];
	mov.u32 %r1, %tid.x;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, tile;
	mov.u32 %r4, bar;
	setp.eq.s32 %p1, %r1, 0;
	@!%p1 bra $wait;
	mbarrier.init.shared::cta.b64 [%r4], 1;
	fence.mbarrier_init.release.cluster;
	mbarrier.arrive.expect_tx.shared::cta.b64 %d3, [%r4], 256;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%d1], 256, [%r4];
$wait:
	bar.sync 0;
$again:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;
	@!%p2 bra $again;
	add.s32 %r5, %r3, %r2;
	ld.shared.u32 %r6, [%r5];
	cp.async.ca.shared.global [%r5], [%d1], 4;
	cp.async.commit_group;
	cp.async.wait_group 0;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	@!%p1 bra $end;
	cp.async.bulk.global.shared::cta.bulk_group [%d2], [%r3], 128;
	cp.async.bulk.commit_group;
	cp.async.bulk.wait_group.read 0;
	mov.b128 %q1, {%d1, %d2};
	st.shared.b128 [%r3], %q1;
	ld.shared.b128 %q0, [%r3];
	atom.shared.exch.b128 %q1, [%r3], %q0;
	mov.b128 {%d5, %d6}, %q1;
$end:
	ret;
}
)";

constexpr const char* clusters = R"(
.visible .entry k(.param .u64 out) .reqnctapercluster 2, 1, 1
{
	.shared .align 8 .b8 words[256];
	.reg .pred %p<4>;
	.reg .b32 %r<16>;
	.reg .b64 %d<8>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %cluster_ctarank;
	xor.b32 %r2, %r1, 1;
	mov.u32 %r3, words;
	mapa.shared::cluster.u32 %r4, %r3, %r2;
	mov.u32 %r5, %tid.x;
	shl.b32 %r6, %r5, 2;
	add.s32 %r7, %r4, %r6;
	st.shared::cluster.u32 [%r7], %r5;
	barrier.cluster.arrive.release.aligned;
	barrier.cluster.wait.acquire.aligned;
	add.s32 %r8, %r3, %r6;
	ld.shared.u32 %r9, [%r8];
	cvt.u64.u32 %d2, %r3;
	cvta.shared.u64 %d3, %d2;
	mapa.u64 %d4, %d3, %r2;
	isspacep.shared %p1, %d4;
	getctarank.u64 %r11, %d4;
	red.relaxed.cluster.global.add.u32 [%d1], %r9;
	atom.acq_rel.gpu.cas.b32 %r10, [%d1+4], 0, %r1;
	shfl.sync.bfly.b32 %r12|%p2, %r9, 1, 31, -1;
	vote.sync.ballot.b32 %r13, %p2, 0xffffffff;
	match.any.sync.b32 %r14, %r9, 0xffffffff;
	bar.warp.sync 0xffffffff;
	bar.arrive 1, 96;
	bar.red.popc.u32 %r15, 0, %p2;
	nanosleep.u32 100;
	membar.gl;
	barrier.cluster.arrive.aligned;
	barrier.cluster.wait.aligned;
	ret;
}
)";

constexpr const char* matrices = R"(
.visible .entry k(.param .u64 out)
{
	.shared .align 16 .b8 tile[1024];
	.reg .b32 %r<16>;
	.reg .f32 %f<16>;
	.reg .b64 %d<4>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %laneid;
	mov.u32 %r2, tile;
	shl.b32 %r3, %r1, 4;
	add.s32 %r3, %r2, %r3;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r4, %r5, %r6, %r7}, [%r3];
	ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8, %r9}, [%r3];
	mov.f32 %f0, 0f3F800000;
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r4, %r5, %r6, %r7}, {%r8, %r9}, {%f0, %f0, %f0, %f0};
	stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r3], {%r4, %r5};
	movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r4;
	wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}, [%d1], 16;
	wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1], {%f8, %f9, %f10, %f11, %f12, %f13, %f14, %f15}, 16;
	ret;
}
)";

}  // namespace

std::vector<std::string> whole_modules() {
  std::vector<std::string> all;
  for (const char* const body : {calls, copies, clusters, matrices})
    all.push_back(std::string(head) + body);
  return all;
}

std::vector<std::string> single_instructions() {
  std::vector<std::string> all;
  for (const ptx_opcodes::opcode_case& one : ptx_opcodes::all_cases())
    all.push_back(kernel_text(one));
  return all;
}

}  // namespace ptx_hostile
