// SPDX-License-Identifier: Apache-2.0
// The main program of every workload: declare axes and primitives, then run().
#pragma once

#include <bench/axis.hpp>
#include <bench/command_line.hpp>
#include <bench/machine_interface.hpp>
#include <bench/primitive.hpp>

#include <string>
#include <vector>

namespace finesync::bench {

/// One benchmark executable:
///
///     return program("ht", "Hash table with one lock per bucket.")
///         .axis({.name = "collision-factor", .help = "...", .values = {256, 1024}, .min = 1})
///         .axis({.name = "tbs-per-sm", .help = "...", .values = {1}, .candidates = {2, 4, 8}})
///         .primitive({"spin", "test-and-set in global memory", make_spin, {"tbs-per-sm"}})
///         .run(argc, argv);
class program {
 public:
  program(std::string name, std::string description, machine_interface machine = real_machine());

  /// \throws std::invalid_argument for an unusable or repeated declaration
  program& axis(finesync::bench::axis declared);
  /// Its tunable axes may be declared later; run() rejects missing ones.
  /// \throws std::invalid_argument for an unusable or repeated declaration
  program& primitive(finesync::bench::primitive declared);

  /// Runs the command line's request; once per process, as Google Benchmark's state is global.
  /// \returns the exit status: 0 if every run was right or is declared to be wrong (infeasible
  /// points are skipped); 1 if a row is wrong, timeout, livelock, deadlock or error, a candidate of
  /// --tune included; 2 with one line on stderr if the request or an input is unusable, no point is
  /// feasible or results cannot be written; 3 if an error has left the machine unusable before the
  /// last point; 130 or 143 if interrupted.
  int run(int argc, char** argv);

  /// The same for words, the program's name included, that stand for those of the command line.
  /// Results name the latter.
  int run(const std::vector<std::string>& words, const std::vector<std::string>& command_line);

 private:
  int run_request(const std::vector<std::string>& words,
                  const std::vector<std::string>& command_line) const;

  declaration declared_;
  machine_interface machine_;
};

}  // namespace finesync::bench
