// A waiter that computes between two polls, and one that only counts them.

__device__ unsigned poll_once(const unsigned* flag) {
  unsigned seen;
  asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  return seen;
}

extern "C" __global__ void trap_long_poll(const unsigned* flag, unsigned* out) {
  unsigned sum = 0;
  unsigned seen = 0;
  do {
    seen = poll_once(flag);
    for (unsigned i = 0; i < 6; ++i) sum = (sum ^ seen) * 2654435761u + i;
  } while (seen == 0);
  out[threadIdx.x] = sum;
}

extern "C" __global__ void right_long_poll(const unsigned* flag, unsigned* out) {
  unsigned left = 2048;
  bool done = false;
  do {
    done = poll_once(flag) != 0;
    --left;
  } while (!done & (left != 0));
  out[threadIdx.x] = left;
}
