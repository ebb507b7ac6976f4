// The main program of every workload: declare axes and primitives, then run().
#pragma once

#include <bench/axis.hpp>
#include <bench/command_line.hpp>
#include <bench/machine_interface.hpp>
#include <bench/primitive.hpp>

#include <string>

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
  /// Its tunable axes may be declared later; run() refuses those that are not there.
  /// \throws std::invalid_argument for an unusable or repeated declaration
  program& primitive(finesync::bench::primitive declared);
  /// The names that axes and values had in the version before. They are accepted where nothing has
  /// them today, with a line on stderr that says today's.
  program& aliases(finesync::bench::aliases former);

  /// Runs what the command line asks for; once per process, for Google Benchmark's state is global.
  /// \returns the exit status: 0 when every run was right (infeasible points are skipped); 1 when
  /// a row is wrong, timeout, livelock, deadlock or error, a candidate of --tune included; 2 with
  /// one line on stderr when the request is unusable, no point is feasible or results cannot be
  /// written; 130 or 143 when interrupted.
  int run(int argc, char** argv);

 private:
  int run_request(int argc, char** argv) const;

  declaration declared_;
  machine_interface machine_;
};

}  // namespace finesync::bench
