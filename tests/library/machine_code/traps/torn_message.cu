// ptxas reads a 128-bit word in two parts. docs/library/compiler_traps.md, trap 1.
//
// nvcc -arch=sm_90 -cubin torn_message.cu && nvdisasm -c torn_message.cubin
struct alignas(16) words {
  unsigned word[4];
};

__device__ words load(const words* from) {
  words w;
  asm volatile(
      "{.reg .b64 low, high; .reg .b128 all;\n"
      "ld.relaxed.gpu.b128 all, [%4];\n"
      "mov.b128 {low, high}, all;\n"
      "mov.b64 {%0, %1}, low; mov.b64 {%2, %3}, high;}"
      : "=r"(w.word[0]), "=r"(w.word[1]), "=r"(w.word[2]), "=r"(w.word[3])
      : "l"(from)
      : "memory");
  return w;
}

// The load is conditional, and two words are not used: two loads.
extern "C" __global__ void trap_torn_message(const words* from, unsigned* to, unsigned n) {
  words w = {};
  if (threadIdx.x < n) w = load(from + threadIdx.x);
  to[threadIdx.x] = w.word[0] ^ w.word[3];
}

// All words are used: one load.
extern "C" __global__ void right_torn_message(const words* from, unsigned* to, unsigned n) {
  words w = {};
  if (threadIdx.x < n) w = load(from + threadIdx.x);
  to[threadIdx.x] = w.word[0] ^ w.word[1] ^ w.word[2] ^ w.word[3];
}
