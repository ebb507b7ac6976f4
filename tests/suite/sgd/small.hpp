// Few ratings: real ones, and conflicting ones.
#pragma once

#include <workloads/sgd/run_config.hpp>

#include <tests/suite/inputs/scratch_folder.hpp>

#include <cstdint>
#include <fstream>
#include <string>

namespace finesync::sgd {

inline const std::string real_ratings = RATINGS_FOLDER "/movietweetings-12k.dat";

inline run_config small(std::uint32_t ratings = 200) {
  return {.problem = {.input = real_ratings, .ratings = ratings}, .least_long = 3};
}

/// The path of a file of this name, in a folder of the process, as tests run concurrently.
inline std::string made_file(const std::string& name) {
  static const inputs::scratch_folder folder;
  return folder / name;
}

/// Every user rates every movie four times.
inline run_config crowded() {
  run_config all = small(0);
  all.problem.input = made_file("crowded.dat");
  std::ofstream file(all.problem.input);
  for (unsigned i = 0; i < 120; ++i)
    file << 1 + i % 6 << "::" << 1 + i / 6 % 5 << "::" << 1 + i * 7 % 5 << "::0\n";
  return all;
}

/// Many ratings by few users: a server's lane gets several, one after the other, and finds their
/// users locked.
inline run_config busy() {
  run_config all = small(0);
  all.threads_per_block = 32;
  all.problem.input = made_file("busy.dat");
  std::ofstream file(all.problem.input);
  for (unsigned i = 0; i < 800; ++i)
    file << 1 + i % 3 << "::" << 1 + i % 32 << "::" << 1 + i * 7 % 5 << "::0\n";
  return all;
}

/// Most users rate one movie: in a tile, more ratings than a run has.
inline run_config popular() {
  run_config all = small(0);
  all.problem.input = made_file("popular.dat");
  all.groups = 2;
  all.least_long = 8;
  std::ofstream file(all.problem.input);
  for (unsigned i = 0; i < 250; ++i)
    file << 1 + i % 100 << "::" << 1 + (i % 5 == 0 ? i / 5 % 6 : 0) << "::" << 1 + i * 7 % 5
         << "::0\n";
  return all;
}

/// So many movies that on four SMs, and so in four groups, their locks take a third of a block's
/// shared memory.
inline run_config with_many_movies() {
  run_config all = small(0);
  all.problem.input = made_file("many.dat");
  std::ofstream file(all.problem.input);
  for (unsigned i = 0; i < 18'000; ++i) file << 1 + i % 50 << "::" << 1 + i << "::3::0\n";
  return all;
}

}  // namespace finesync::sgd
