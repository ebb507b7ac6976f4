// A program for finesync-check: its argument says which fault it has.
#include <tests/cudart/runtime.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>

namespace {

constexpr std::string_view text = R"(
.version 8.0
.target sm_90
.address_size 64
.file 1 "/home/me/kernel.cu"

// Every thread stores to one word.
.visible .entry races(.param .u64 out)
{
	.reg .b32 %r<2>;
	.reg .b64 %d<2>;
	ld.param.u64 %d1, [out];
	mov.u32 %r1, %tid.x;
	.loc 1 7 3
	st.global.u32 [%d1], %r1;
	ret;
}

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
const char exchanges_kernel = 0;
const char waits_kernel = 0;

std::uint32_t word_after(const void* kernel, unsigned blocks, unsigned threads) {
  void* word = nullptr;
  std::uint32_t value = 0;
  cudaMalloc(&word, sizeof value);
  cudaMemset(word, 0, sizeof value);
  cudart_test::launch(kernel, blocks, threads, word);
  cudaMemcpy(&value, word, sizeof value, 2);
  cudaFree(word);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view fault = argc > 1 ? argv[1] : "";
  const cudart_test::registered_module program(text);
  program.kernel(&races_kernel, "races");
  program.kernel(&exchanges_kernel, "exchanges");
  program.kernel(&waits_kernel, "waits");
  std::printf("running with '%.*s'\n", static_cast<int>(fault.size()), fault.data());
  if (fault == "nothing") return 0;
  word_after(&exchanges_kernel, 1, 1);
  if (fault == "race") word_after(&races_kernel, 1, 32);
  if (fault == "livelock") word_after(&waits_kernel, 1, 1);
  if (fault == "order") return word_after(&exchanges_kernel, 8, 1) == 7 ? 0 : 3;
  if (fault == "failure") return 4;
  if (fault == "crash") std::raise(SIGSEGV);
  if (fault == "refusal") cudaCreateTextureObject();
  if (fault == "slow") std::this_thread::sleep_for(std::chrono::minutes(5));
  return 0;
}
