// SPDX-License-Identifier: Apache-2.0
// The processes that MPI has started (mpirun, Slurm's srun), for gpu_processes.hpp. Host side;
// needs MPI.
#pragma once

#include "finesync/host/gpu_processes.hpp"

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <span>
#include <stdexcept>

#include <mpi.h>

namespace finesync::inline FINESYNC_ABI {

/// At most one at a time in a process.
class mpi_processes final : public process_group {
 public:
  /// Starts MPI, unless the program has; then it also ends it.
  mpi_processes() {
    int started = 0;
    MPI_Initialized(&started);
    starts_ = started == 0;
    if (starts_) MPI_Init(nullptr, nullptr);
    rank_ = number(MPI_Comm_rank, MPI_COMM_WORLD);
    size_ = number(MPI_Comm_size, MPI_COMM_WORLD);
    MPI_Comm of_host = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &of_host);
    rank_on_host_ = number(MPI_Comm_rank, of_host);
    size_on_host_ = number(MPI_Comm_size, of_host);
    MPI_Comm_free(&of_host);
  }
  ~mpi_processes() override {
    if (starts_) MPI_Finalize();
  }

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }
  /// Among the processes of this host.
  unsigned rank_on_host() const { return rank_on_host_; }
  unsigned size_on_host() const { return size_on_host_; }

  /// An error of MPI ends all processes, as MPI does unless a program says otherwise.
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    if (all.size() != mine.size() * size_)
      throw std::invalid_argument("mpi_processes::gather: the result has another size");
    if (mine.size() > std::size_t{std::numeric_limits<int>::max()})
      throw std::length_error("mpi_processes::gather: more than 2 GiB");
    const int bytes = static_cast<int>(mine.size());
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
  }

  /// For a failure of this process that the others do not know of: they may wait for it.
  [[noreturn]] void end_all(int status) const {
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
  }

 private:
  static unsigned number(int (*ask)(MPI_Comm, int*), MPI_Comm of) {
    int value = 0;
    ask(of, &value);
    return static_cast<unsigned>(value);
  }

  bool starts_;
  unsigned rank_;
  unsigned size_;
  unsigned rank_on_host_;
  unsigned size_on_host_;
};

}  // namespace finesync::inline FINESYNC_ABI
