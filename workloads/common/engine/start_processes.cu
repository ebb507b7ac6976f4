#include "start_processes.hpp"

#include <bench/sweep.hpp>
#include <bench/usage_error.hpp>
#include <finesync/host/error.cuh>
#include <finesync/several_gpus/mpi/mpi_processes.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>

#include <cuda_runtime_api.h>

namespace finesync::workload {

namespace {

constexpr int failed = 2;  // the exit status

struct chosen_gpu {
  char uuid[16];
  char name[256];
  char problem[256];
};

/// Makes a device the current one: each process of a host has one, or sees only its own (Slurm).
chosen_gpu choose_gpu(const mpi_processes& mpi) {
  chosen_gpu mine = {};
  try {
    int devices = 0;
    check_cuda(cudaGetDeviceCount(&devices));
    const int device = static_cast<int>(mpi.rank_on_host()) % std::max(devices, 1);
    check_cuda(cudaSetDevice(device));
    cudaDeviceProp properties;
    check_cuda(cudaGetDeviceProperties(&properties, device));
    std::memcpy(mine.uuid, &properties.uuid, sizeof mine.uuid);
    std::snprintf(mine.name, sizeof mine.name, "%s", properties.name);
  } catch (const std::exception& problem) {
    std::snprintf(mine.problem, sizeof mine.problem, "%s", problem.what());
  }
  return mine;
}

/// \throws bench::usage_error, in all processes.
void expect_different_gpus_of_one_kind(const std::string& engine,
                                       const std::vector<chosen_gpu>& all) {
  const auto refuse = [&](std::size_t rank, const std::string& why) {
    throw bench::usage_error("--engine " + engine + ": process " + std::to_string(rank) + ": " +
                             why);
  };
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank].problem[0] != '\0') refuse(rank, all[rank].problem);
    if (std::strcmp(all[rank].name, all[0].name) != 0)
      refuse(rank,
             std::string("its GPU is ") + all[rank].name + ", that of process 0 " + all[0].name);
    for (std::size_t other = 0; other < rank; ++other)
      if (std::memcmp(all[rank].uuid, all[other].uuid, sizeof all[rank].uuid) == 0)
        refuse(rank, "it has the GPU of process " + std::to_string(other) +
                         "; each needs one of its own");
  }
}

}  // namespace

engine_processes start_processes(const std::string& engine, const start_library& start) {
  const auto mpi = std::make_shared<mpi_processes>();
  const chosen_gpu mine = choose_gpu(*mpi);
  expect_different_gpus_of_one_kind(engine, gather(*mpi, std::span<const chosen_gpu>(&mine, 1)));
  try {
    return {start(mpi), [mpi] { mpi->end_all(failed); }};
  } catch (const launch_error& problem) {
    throw bench::usage_error("--engine " + engine + ": " + problem.what());
  } catch (const std::exception& problem) {
    bench::print_error("process " + std::to_string(mpi->rank()), problem.what());
    mpi->end_all(failed);
  }
}

}  // namespace finesync::workload
