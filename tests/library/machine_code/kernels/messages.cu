// Messages of 128 bits with any subset of the words used: read in sequence, on a condition, and
// until they have arrived. And the values that locks pass, 1 to 12 bytes with some used.
#include "kernels.cuh"

#include <finesync/device/numbering.cuh>
#include <finesync/device/ptx/message_128.cuh>
#include <finesync/locks/ticket_and_value.cuh>

namespace {

/// Stores the words of a message whose bits are set in Used.
template <unsigned Used>
__device__ void use(const message_128& m, u32* out) {
  const u32 words[] = {static_cast<u32>(m.low), static_cast<u32>(m.low >> 32),
                       static_cast<u32>(m.high), static_cast<u32>(m.high >> 32)};
  for (unsigned i = 0; i < 4; ++i)
    if ((Used >> i & 1) != 0) out[4 * threadIdx.x + i] = words[i];
}

template <unsigned Bytes>
struct letter {
  unsigned char byte[Bytes];
};

}  // namespace

#define READ(used)                                                                                 \
  extern "C" __global__ void message_always_##used(cell<message_128>* slots, u32* out) {           \
    assume_one_dimension();                                                                        \
    use<used>(load_message(slots[threadIdx.x]), out);                                              \
  }                                                                                                \
  extern "C" __global__ void message_sometimes_##used(cell<message_128>* slots, u32* out, u32 n) { \
    assume_one_dimension();                                                                        \
    message_128 m = {};                                                                            \
    if (threadIdx.x < n) m = load_message(slots[threadIdx.x]);                                     \
    use<used>(m, out);                                                                             \
  }                                                                                                \
  extern "C" __global__ void message_awaited_##used(cell<message_128>* slots, u32* out) {          \
    assume_one_dimension();                                                                        \
    message_128 m;                                                                                 \
    do m = load_message(slots[threadIdx.x]);                                                       \
    while (m.high >> 63 == 0);                                                                     \
    use<used>(m, out);                                                                             \
  }

READ(1)
READ(2)
READ(3)
READ(4)
READ(5)
READ(6)
READ(7)
READ(8)
READ(9)
READ(10)
READ(11)
READ(12)
READ(13)
READ(14)
READ(15)

extern "C" __global__ void message_store(cell<message_128>* slots, u64 low) {
  assume_one_dimension();
  store_message(slots[threadIdx.x], {low, threadIdx.x});
}

#define CARRIED(size)                                                                          \
  extern "C" __global__ void carried_##size(cell<ticket_and_value<letter<size>>::slot>* slots, \
                                            unsigned char* out, u32 first, u32 last, u32 n) {  \
    assume_one_dimension();                                                                    \
    using passed_value = ticket_and_value<letter<size>>;                                       \
    passed_value::slot both = {};                                                              \
    if (threadIdx.x < n) both = passed_value::load(slots[threadIdx.x]);                        \
    passed_value::keep_128_bits(both);                                                         \
    const u32 ticket = passed_value::ticket_of(both);                                          \
    const letter<size> word = passed_value::value_of(both);                                    \
    if (ticket == first) out[threadIdx.x] = word.byte[0];                                      \
    if (ticket == last) out[threadIdx.x] = word.byte[size - 1];                                \
  }                                                                                            \
  extern "C" __global__ void carried_store_##size(                                             \
      cell<ticket_and_value<letter<size>>::slot>* slots, u32 ticket, letter<size> word) {      \
    assume_one_dimension();                                                                    \
    ticket_and_value<letter<size>>::store(slots[threadIdx.x], ticket, word);                   \
  }

CARRIED(1)
CARRIED(2)
CARRIED(3)
CARRIED(4)
CARRIED(5)
CARRIED(6)
CARRIED(7)
CARRIED(8)
CARRIED(9)
CARRIED(10)
CARRIED(11)
CARRIED(12)
