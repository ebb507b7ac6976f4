// What the interpreter does not know ends the launch when a thread reaches it, with its name and
// line.
#include <tests/executor/ptx/launching.hpp>

namespace ptx_test {

namespace {

std::string kernel_with(const std::string& statement) {
  return R"(
.version 8.0
.file 1 "/home/me/x/../ref\303\274sed.cu"
.extern .func (.param .b32 result) elsewhere(.param .b32 x);
.entry k(.param .u32 x)
{
	.reg .pred %p<2>;
	.reg .f32 %f<4>;
	.reg .b32 %r<8>;
	.reg .b64 %d<4>;
	.param .b32 a;
	ld.param.u32 %r1, [x];
	setp.eq.s32 %p1, %r1, 0;
	@%p1 bra $end;
	.loc 1 12 5
	)" +
         statement + R"(
$end:
	ret;
})";
}

}  // namespace

TEST(ptx_refusal, names_instruction_and_line_when_it_is_reached) {
  struct refused {
    const char* statement;
    const char* name;
  };
  const refused all[] = {
      {"wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned"},
      {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0}, %d1, %d2, 1, 1, 1, 0, 0;",
       "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"},
      {"tcgen05.fence::before_thread_sync;", "tcgen05.fence::before_thread_sync"},
      {"mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%r1}, {%r1}, {%r1}, {%r1};",
       "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"},
      {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%r1}, {%r1}, {%r1}, {%r1};",
       "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"},
      {"mma.sync.aligned.m16n8k16.row.col.s32.f16.f16.s32 {%r1}, {%r1}, {%r1}, {%r1};",
       "mma.sync.aligned.m16n8k16.row.col.s32.f16.f16.s32"},
      {"mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1}, {%r1}, {%r1}, {%r1}, %r1, 0;",
       "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"},
      {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r3];",
       "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8"},
      {"wmma.load.a.sync.aligned.row.m8n8k32.shared.s4 {%r1}, [%r3];",
       "wmma.load.a.sync.aligned.row.m8n8k32.shared.s4"},
      {"tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [x, {%f0, %f1}];", "tex.2d.v4.f32.f32"},
      {"add.unheard.s32 %r1, %r2, %r3;", "add.unheard.s32"},
      {"add.f128 %r1, %r2, %r3;", "add.f128"},
      {"shfl.idx.b32 %r1, %r2, 0, 31;", "shfl.idx.b32"},
      {"vote.all.pred %p1, %p1;", "vote.all.pred"},
      {"cvt.rna.f32.f64 %f1, %d1;", "cvt.rna.f32.f64"},
      {"mad.cc.lo.u32 %r1, %r2, %r3, %r4;", "mad.cc.lo.u32"},
      {"ld.global.v8.f32 {%f0}, [%d1];", "ld.global.v8.f32"},
      {"call (a), elsewhere, (a);", "call"},
      {"bar.red.popc.u32 %r1, 3, %p1;", "bar.red.popc.u32"},
  };
  for (const auto& [statement, name] : all) {
    const program p(kernel_with(statement));
    EXPECT_EQ(report_of([&] { p.run("k", grid(1, 1), 0); }), "") << statement;
    EXPECT_EQ(
        report_of([&] { p.run("k", grid(1, 1), 1); }),
        "not supported: " + std::string(name) + " (/home/me/refüsed.cu:12), by block 0, thread 0");
  }
}

TEST(ptx_refusal, a_trap_is_told) {
  const program p(kernel_with("trap;"));
  EXPECT_EQ(report_of([&] { p.run("k", grid(2, 1), 1); }),
            "the kernel traps: trap (/home/me/refüsed.cu:12), by block 0, thread 0");
}

TEST(ptx_refusal, a_loop_without_operations_comes_to_an_end) {
  const program p(kernel_with("$here: bra $here;"));
  const std::string report = report_of([&] { p.run("k", grid(1, 1), 1); });
  EXPECT_TRUE(report.starts_with(
      "raw polling loop: block 0, thread 0 went through 134217728 basic blocks without any device "
      "operation (/home/me/refüsed.cu:12);"))
      << report;
}

TEST(ptx_refusal, lockstep_is_refused) {
  simt::settings how;
  how.schedule = simt::schedule_kind::lockstep;
  const simt::scoped_settings scope(how);
  const program p(kernel_with("trap;"));
  EXPECT_EQ(report_of([&] { p.run("k", grid(1, 1), 0); }), "kernels in PTX do not run in lockstep");
}

}  // namespace ptx_test
