// A program for finesync-check: its argument says which fault it has.
#include <sys/wait.h>
#include <tests/executor/cudart/runtime.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include <unistd.h>

namespace {

constexpr std::string_view text = R"(
.version 8.0
.target sm_90
.address_size 64
.file 1 "/home/me/kernel.cu"
.file 2 "/home/you/kernel.cu"

// The block whose exchange comes last leaves its number.
.visible .entry exchanges(.param .u64 out)
{
	.reg .b32 %r<3>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %ctaid.x;
	atom.relaxed.gpu.global.exch.b32 %r2, [%d1], %r1;
	ret;
}

// The first of two launches that may overlap.
.visible .entry first(.param .u64 out)
{
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	griddepcontrol.launch_dependents;
	.loc 1 30 3
	st.global.u32 [%d1], 1;
	ret;
}

// Reads before it waits for the first.
.visible .entry early(.param .u64 out)
{
	.reg .b32 %r<2>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	.loc 1 40 3
	ld.global.u32 %r1, [%d1];
	griddepcontrol.wait;
	ret;
}

// Reads after that.
.visible .entry late(.param .u64 out)
{
	.reg .b32 %r<2>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	griddepcontrol.wait;
	.loc 1 50 3
	ld.global.u32 %r1, [%d1];
	ret;
}

// Blocks 3 and 4 of 8 store one word.
.visible .entry middle(.param .u64 out)
{
	.reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %ctaid.x; add.u32 %r2, %r1, -3; setp.le.u32 %p1, %r2, 1;
	@%p1 st.global.u32 [%d1], %r1;
	ret;
}

// What block 0 stores comes to block 7 by way of block 3.
.visible .entry chain(.param .u64 out)
{
	.reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %ctaid.x;
	setp.eq.u32 %p1, %r1, 3; @%p1 bra $three;
	setp.eq.u32 %p1, %r1, 7; @%p1 bra $seven;
	setp.ne.u32 %p1, %r1, 0; @%p1 ret;
	st.global.u32 [%d1], 5; st.release.gpu.global.u32 [%d1+4], 1; ret;
$three:
	ld.acquire.gpu.global.u32 %r2, [%d1+4]; setp.eq.u32 %p2, %r2, 0; @%p2 bra $three;
	st.release.gpu.global.u32 [%d1+8], 1; ret;
$seven:
	ld.acquire.gpu.global.u32 %r2, [%d1+8]; setp.eq.u32 %p2, %r2, 0; @%p2 bra $seven;
	ld.global.u32 %r2, [%d1]; ret;
}

// Waits for a word that nothing writes.
.visible .entry waits(.param .u64 flag)
{
	.reg .pred %p<2>;
	.reg .b32 %r<2>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [flag];
$again:
	.loc 1 20 3
	ld.acquire.gpu.global.u32 %r1, [%d1];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra $again;
	ret;
}
)";

const char races_kernel = 0;
const char races_too_kernel = 0;
const char first_kernel = 0;
const char early_kernel = 0;
const char late_kernel = 0;
const char exchanges_kernel = 0;
const char waits_kernel = 0;
const char middle_kernel = 0;
const char chain_kernel = 0;

std::uint32_t word_after(const void* kernel, unsigned blocks, unsigned threads,
                         std::size_t bytes = sizeof(std::uint32_t)) {
  void* word = nullptr;
  std::uint32_t value = 0;
  cudaMalloc(&word, bytes);
  cudaMemset(word, 0, bytes);
  cudart_test::launch(kernel, blocks, threads, word);
  cudaMemcpy(&value, word, sizeof value, 2);
  cudaFree(word);
  return value;
}

/// Two launches share a word. The second may begin before the first ends.
void overlap(const void* second) {
  void* word = nullptr;
  cudaMalloc(&word, sizeof(std::uint32_t));
  cudart_test::launch(&first_kernel, 1, 1, word);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  const cudaLaunchConfig_t config{{1, 1, 1}, {1, 1, 1}, 0, nullptr, &attribute, 1};
  void* arguments[] = {&word};
  cudaLaunchKernelExC(&config, second, arguments);
  cudaFree(word);
}

/// A memset and a launch in two streams; with an event between them, if that is wanted.
void use_two_streams(bool with_event) {
  constexpr unsigned non_blocking = 1;
  cudaStream_t clearing = nullptr;
  cudaStream_t working = nullptr;
  cudaEvent_t cleared = nullptr;
  cudaStreamCreateWithFlags(&clearing, non_blocking);
  cudaStreamCreateWithFlags(&working, non_blocking);
  cudaEventCreate(&cleared);
  void* word = nullptr;
  cudaMalloc(&word, sizeof(std::uint32_t));
  cudaMemsetAsync(word, 0, sizeof(std::uint32_t), clearing);
  cudaEventRecord(cleared, clearing);
  if (with_event) cudaStreamWaitEvent(working, cleared, 0);
  void* arguments[] = {&word};
  cudaLaunchKernel(&races_kernel, {1, 1, 1}, {1, 1, 1}, arguments, 0, working);
  cudaStreamSynchronize(working);
  cudaFree(word);
}

/// A process that is forked runs this, and leaves without destructors.
template <class Work>
void fork_off(bool waits, Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  if (waits) waitpid(child, nullptr, 0);
}

void have_children(std::string_view fault, void (*use)()) {
  if (fault == "child") fork_off(true, use);
  if (fault == "killed child") {
    fork_off(true, [=] {
      use();
      std::raise(SIGKILL);
    });
  }
  if (fault == "late child") {
    fork_off(false, [=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      use();
      word_after(&races_kernel, 1, 32);
    });
  }
  use();
  if (fault == "child after use") fork_off(true, use);
  std::exit(0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view fault = argc > 1 ? argv[1] : "";
  const cudart_test::registered_module program(std::string(text) +
                                               cudart_test::racing_kernel("races", 1) +
                                               cudart_test::racing_kernel("races_too", 2));
  program.kernel(&races_kernel, "races");
  program.kernel(&races_too_kernel, "races_too");
  program.kernel(&first_kernel, "first");
  program.kernel(&early_kernel, "early");
  program.kernel(&late_kernel, "late");
  program.kernel(&exchanges_kernel, "exchanges");
  program.kernel(&waits_kernel, "waits");
  program.kernel(&middle_kernel, "middle");
  program.kernel(&chain_kernel, "chain");
  std::printf("running with '%.*s'\n", static_cast<int>(fault.size()), fault.data());
  if (fault == "nothing") return 0;
  if (fault == "clears its environment") clearenv();
  if (fault.find("child") != fault.npos)
    have_children(fault, [] { word_after(&exchanges_kernel, 1, 1); });
  word_after(&exchanges_kernel, 1, 1);
  if (fault == "race" || fault == "two files" || fault == "clears its environment")
    word_after(&races_kernel, 1, 32);
  if (fault == "two files") word_after(&races_too_kernel, 1, 32);
  if (fault == "livelock") word_after(&waits_kernel, 1, 1);
  if (fault == "middle") word_after(&middle_kernel, 8, 1);
  if (fault == "chain") word_after(&chain_kernel, 8, 1, 3 * sizeof(std::uint32_t));
  if (fault == "asks")
    for (;;) cudaStreamQuery(nullptr);
  if (fault == "early") overlap(&early_kernel);
  if (fault == "late") overlap(&late_kernel);
  if (fault == "streams") use_two_streams(false);
  if (fault == "event") use_two_streams(true);
  if (fault == "order") return word_after(&exchanges_kernel, 8, 1) == 7 ? 0 : 3;
  if (fault == "failure") return 4;
  if (fault == "crash") std::raise(SIGSEGV);
  if (fault == "refusal") cudaCreateTextureObject();
  if (fault == "slow") std::this_thread::sleep_for(std::chrono::minutes(5));
  return 0;
}
