// Configuration of the hash-table workload at one point of a sweep.
#pragma once

#include <workloads/common/engine/engine_kind.hpp>

#include <cstdint>

namespace finesync::ht {

/// The inserts (ASPLOS'19 section 4.1, HT): threads pick keys from a pool at random and push them
/// onto the list of the table entry that the key hashes to.
struct problem {
  std::uint32_t collision_factor;  ///< distinct keys; fewer means more contention
  std::uint32_t inserts;           ///< list nodes; node i is insert i
  std::uint32_t table_size;        ///< entries, each with a list and a lock
};

/// What critical sections do, besides `section_work`.
enum class section_kind {
  push,   ///< push the node onto the list of its entry
  empty,  ///< access no memory: the rate of locks and messages
  count,  ///< add one to the counter of the entry
};

/// Which server has a key, see finesync/server/partition.cuh.
enum class partition_policy { balanced, modulo, range };

struct server_settings {
  unsigned percent = 50;  ///< share of the blocks, rounded, at least one block
  /// The share is a default: if the partition holds no more servers, there are fewer.
  bool percent_is_open = false;
  unsigned ring = 4096;
  unsigned locks = 4096;  ///< of a server, in its shared memory; 0: at most 4096, as many as fit
  unsigned local_buffer = 64;
  partition_policy partition = partition_policy::modulo;
  /// Arithmetic of a client's thread before each insert, unit: about 1,000 cycles.
  std::uint32_t client_work = 0;
};

/// An experiment verifies that every node is in its own entry's list exactly once, or that every
/// counter is the number of its entry's inserts. It measures retries per insert, lock transfer
/// latency and waiting times.
struct run_config {
  ht::problem problem;
  unsigned threads_per_block = 64;
  unsigned blocks_per_sm = 1;      ///< 0: as many as fit
  unsigned cluster_blocks = 0;     ///< that share private copies; 0: by the number of entries
  unsigned sms = 0;                ///< blocks_per_sm blocks for each of this many SMs; 0: all
  bool padded_locks = false;       ///< one line per lock
  std::uint32_t section_work = 0;  ///< arithmetic in the critical section, unit: about 1,000 cycles
  section_kind section = section_kind::push;
  server_settings servers = {};                                 ///< for servers only
  unsigned gpus = 1;                                            ///< with a grid each
  workload::engine_kind engine = workload::engine_kind::peers;  ///< of these GPUs
};

}  // namespace finesync::ht
