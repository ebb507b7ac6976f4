// Two processes that MPI started tell each other values.
#include <finesync/several_gpus/mpi/mpi_processes.hpp>

#include <cstdio>
#include <span>
#include <stdexcept>
#include <vector>

using namespace finesync;

namespace {

int wrong = 0;

void expect(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++wrong;
}

}  // namespace

int main() {
  {
    const mpi_processes all;
    expect(all.size() == 2 && all.size_on_host() == 2, "two processes on a host");
    expect(all.rank_on_host() < 2, "a rank on the host");
    for (unsigned round = 0; round < 3; ++round) {
      const std::vector<unsigned> mine{all.rank() + 10 * round, 7};
      expect(gather(all, std::span<const unsigned>(mine)) ==
                 std::vector<unsigned>{10 * round, 7, 10 * round + 1, 7},
             "the values of both");
    }
    const std::vector<char> text(all.rank() * 3, 'x');
    expect(gather_lists(all, text) == std::vector<std::vector<char>>{{}, {'x', 'x', 'x'}},
           "lists of different length");
    meet(all);
    std::byte too_small[1] = {};
    bool refused = false;
    try {
      all.gather(std::span<const std::byte>(too_small), std::span<std::byte>(too_small));
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    expect(refused, "a result of another size");
    if (all.rank() == 0 && wrong == 0) std::puts("both processes have met");
  }
  int ended = 0;
  MPI_Finalized(&ended);
  expect(ended != 0, "MPI has ended");
  return wrong == 0 ? 0 : 1;
}
