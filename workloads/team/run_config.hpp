// Configuration of the team workload at one point of a sweep.
#pragma once

namespace finesync::team {

/// The blocks of a grid, one per SM, form teams of equal size, and all teams pass barriers of their
/// own at the same time. Blocks that are left over do nothing.
///
/// An experiment verifies that no block passes early: every thread writes a word before each
/// barrier and reads that of the next member after it. If the timed rounds do nothing else than
/// wait, it does so in a further run.
struct run_config {
  unsigned threads_per_block = 128;
  unsigned team_size = 0;  ///< blocks of a team; 0: all of the grid
  /// Whether the teams are the rows of a matrix of blocks and, in turn, its columns.
  bool crossing = false;
  unsigned words = 0;  ///< 1: timed rounds write and read words, too
  unsigned rounds = 1000;
};

}  // namespace finesync::team
