// Events in a user's kernel: blocks as the stages of a pipeline, over a stream of tiles. The first
// stage hands its tiles on in plain memory, announced by event counts, the second in the words of
// events, and every stage tells the one before by an event count when a place is free again. See
// docs/library/events.md; the tests compile it for both machines and run it.
#include <finesync/device/watchdog.cuh>
#include <finesync/events/event_counts.cuh>
#include <finesync/events/event_words.cuh>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace finesync;

namespace {

constexpr unsigned tiles = 40;
constexpr unsigned values = 96;  // of a tile
constexpr unsigned places = 2;   // tiles on their way between two stages

// Numbers of the events of counts.
constexpr unsigned squared = 0;      // a tile of the first stage is there
constexpr unsigned square_read = 1;  // the second has read it
constexpr unsigned sum_read = 2;     // the third has read the second's

// Tile t is in place t % places. Its round is t + 1: rounds count from 1, as words hold 0 at first.
__global__ void run(event_counts<>::ref_type events, event_words<>::ref_type words,
                    const cell<std::uint32_t>* input, cell<std::uint32_t>* tile_of_place,
                    cell<std::uint32_t>* output, watchdog_ref watchdog) {
  const auto is_there = events.at(squared);
  const auto is_read = events.at(square_read);
  const auto is_free = events.at(sum_read);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    const unsigned place = tile % places;
    cell<std::uint32_t>* const squares = tile_of_place + place * values;
    // The tile that lay in this place has been read: of the first tiles there is none.
    const std::uint32_t read = tile < places ? 0 : tile - places + 1;
    if (blockIdx.x == 0) {
      if (!is_read.wait(read, watchdog)) return;
      for (unsigned i = threadIdx.x; i < values; i += blockDim.x)
        squares[i] = input[tile * values + i] * input[tile * values + i];
      is_there.arrive();
    } else if (blockIdx.x == 1) {
      if (!is_there.wait(tile + 1, watchdog) || !is_free.wait(read, watchdog)) return;
      words.share_of(place).put(tile + 1, [&](unsigned, unsigned word) {
        const cell<std::uint32_t>* const three = squares + 3 * word;
        return event_data{three[0] + 1, three[1] + 1, three[2] + 1};
      });
      is_read.arrive();
    } else {
      const auto store = [&](unsigned, unsigned word, const event_data& three) {
        cell<std::uint32_t>* const out = output + tile * values + 3 * word;
        out[0] = three.first;
        out[1] = three.second;
        out[2] = three.third;
      };
      if (!words.share_of(place).take(tile + 1, watchdog, store)) return;
      is_free.arrive();
    }
  }
}

}  // namespace

int main() {
  std::vector<std::uint32_t> numbers(tiles * values);
  std::iota(numbers.begin(), numbers.end(), 0u);
  buffer<std::uint32_t> input(numbers.size());
  input.copy_from(numbers);
  buffer<std::uint32_t> tile_of_place(places * values);
  buffer<std::uint32_t> output(numbers.size());
  event_counts<> events(3);
  event_words<> words(places, values * sizeof(std::uint32_t));
  const watchdog timeout;
  launch_cooperative(run, {.blocks = 3, .threads_per_block = 64}, events.ref(), words.ref(),
                     input.device_data(), tile_of_place.device_data(), output.device_data(),
                     timeout.ref());
  unsigned right = 0;
  const std::vector<std::uint32_t> found = output.to_host();
  for (std::uint32_t i = 0; i < found.size(); ++i) right += found[i] == i * i + 1;
  std::printf("%u of %u values right\n", right, tiles * values);
  return timeout.fired() || right != tiles * values ? 1 : 0;
}
