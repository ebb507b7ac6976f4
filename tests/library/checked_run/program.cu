// A program that knows nothing of FINESYNC_CHECK (checked_run_test.py): its word says what it does.
#include <finesync/device/atomic_ref.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/error.cuh>
#include <finesync/host/launch.cuh>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

using namespace finesync;

namespace {

constexpr launch_shape two_blocks{.blocks = 2, .threads_per_block = 1};

__global__ void add(cell<unsigned>* words) {
  atomicAdd(&words[0], 1u);
}

__global__ void add_plainly(cell<unsigned>* words) {
  words[0] += 1u;
}

/// A race only if block 1 has come to its end before block 0 begins.
__global__ void race_of_the_second(cell<unsigned>* words) {
  if (blockIdx.x == 0) {
    atomicExch(&words[0], 1u);
    words[1] = 2;
    return;
  }
  for (unsigned i = 0; i < 16; ++i) {
    if (atomicAdd(&words[0], 0u) != 0) return;
  }
  words[1] = 3;
}

__global__ void wait_for_ever(cell<unsigned>* words) {
  while (atomicAdd(&words[0], 0u) == 0) {
  }
}

__global__ void fill_and_copy(cell<unsigned>* words) {
  for (unsigned i = 0; i < 20; ++i) words[i] = i + 1;
  for (unsigned i = 0; i < 20; ++i) words[20 + i] = words[i] + 100;
}

void print_copied() {
  const auto words = buffer<unsigned>::zeroed(40, "words");
  launch_cooperative(fill_and_copy, {.blocks = 1, .threads_per_block = 1}, words.device_data());
  for (const unsigned word : words.to_host()) std::printf("%u ", word);
}

unsigned first_word_after(void (*kernel)(cell<unsigned>*)) {
  const auto words = buffer<unsigned>::zeroed(2, "words");
  launch_cooperative(kernel, two_blocks, words.device_data());
  return words.to_host()[0];
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  std::printf("begins\n");
  if (what == "right") return first_word_after(add) == 2 ? 0 : 1;
  if (what == "copies") print_copied();
  if (what == "races") first_word_after(add_plainly);
  if (what == "races-at-times") first_word_after(race_of_the_second);
  if (what == "waits") first_word_after(wait_for_ever);
  if (what == "races-in-a-thread") std::thread([] { first_word_after(add_plainly); }).join();
  if (what == "forgives") try {
      first_word_after(add_plainly);
    } catch (const race_error&) {
    }
  if (what == "crashes") std::abort();
  if (what == "starts-another") return std::system((std::string(arguments[0]) + " right").c_str());
  if (what == "fails") return first_word_after(add) == 2 ? 7 : 0;
  return 0;
}
