// Parts of a block in a user's kernel: one block per SM stands for four small ones. Each part
// counts the letters of its own piece of a text and waits for its own threads only; then all parts
// of the grid meet, and each adds up some letters. The tests compile it for both machines and run
// it.
#include <finesync/barriers/autotuned_barrier.cuh>
#include <finesync/barriers/block_parts.cuh>
#include <finesync/device/atomic_ref.cuh>
#include <finesync/device/shared_storage.cuh>
#include <finesync/device/watchdog.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/gpu.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdio>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned letters = 26;
constexpr unsigned parts = 4;

struct counts_of_parts {
  cell<unsigned> counts[parts][letters];
};

template <class Barrier>
__global__ void count_letters(Barrier barrier, const cell<unsigned>* text, unsigned length,
                              cell<unsigned>* of_parts, cell<unsigned>* totals,
                              watchdog_ref watchdog) {
  auto participant = barrier.join(watchdog);
  auto& shared = shared_storage<counts_of_parts>();
  const block_part part(parts);
  cell<unsigned>* mine = shared.counts[part.index()];

  for (unsigned i = part.thread(); i < letters; i += part.threads()) mine[i] = 0u;
  part.sync();
  for (unsigned i = part.index_in_grid() * part.threads() + part.thread(); i < length;
       i += part.number_in_grid() * part.threads())
    atomic_ref<unsigned, scope::block>(mine[unsigned{text[i]}]).fetch_add(1, memory_order::relaxed);
  part.sync();
  for (unsigned i = part.thread(); i < letters; i += part.threads())
    of_parts[part.index_in_grid() * letters + i] = unsigned{mine[i]};

  if (!participant.wait()) return;  // all parts of all blocks
  for (unsigned letter = part.index_in_grid(); letter < letters; letter += part.number_in_grid()) {
    if (part.thread() != 0) continue;
    unsigned total = 0;
    for (unsigned p = 0; p < part.number_in_grid(); ++p) total += of_parts[p * letters + letter];
    totals[letter] = total;
  }
}

}  // namespace

int main() {
  std::vector<unsigned> given(20000);
  std::vector<unsigned> right(letters, 0);
  for (unsigned i = 0; i < given.size(); ++i) ++right[given[i] = (i * i + i / 7) % letters];

  const launch_shape shape{.blocks = static_cast<unsigned>(current_gpu().sms),
                           .threads_per_block = parts * 64,
                           .shared_bytes = sizeof(counts_of_parts)};
  buffer<unsigned> text(given.size());
  text.copy_from(given);
  buffer<unsigned> of_parts(shape.blocks * parts * letters);
  buffer<unsigned> totals(letters);
  const autotuned_barrier barrier(shape);
  const watchdog timeout;
  launch_cooperative(count_letters<decltype(barrier.ref())>, shape, barrier.ref(),
                     text.device_data(), static_cast<unsigned>(given.size()),
                     of_parts.device_data(), totals.device_data(), timeout.ref());
  stream().synchronize();
  if (timeout.fired()) {
    std::puts("given up: a block waited too long");
    return 1;
  }
  const bool same = totals.to_host() == right;
  std::printf("%zu letters, four parts a block: %s\n", given.size(), same ? "right" : "wrong");
  return same ? 0 : 1;
}
