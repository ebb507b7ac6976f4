// Races between launches, copies and other operations that streams do not order.
#pragma once

#include <cudart/findings.hpp>
#include <cudart/stream_order.hpp>
#include <simt/settings.hpp>

#include <boost/icl/interval_set.hpp>
#include <boost/icl/split_interval_map.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cudart {

/// Offsets in global memory: right-open ranges of bytes.
using byte_set = boost::icl::interval_set<std::uint64_t>;
using byte_range = boost::icl::interval<std::uint64_t>;

/// How an operation accesses bytes.
struct access_kind {
  bool writes = false;
  bool is_atomic = false;
  const void* site = nullptr;  ///< of a kernel's instruction, or null
  auto operator<=>(const access_kind&) const = default;
};
using accesses = std::map<access_kind, byte_set>;

/// What a launch accesses. A launch may overlap the end of the one before it in its stream
/// (programmatic dependent launch): then its blocks' accesses before griddepcontrol.wait are
/// apart.
class launch_accesses : public simt::access_observer {
 public:
  void saw(const simt::operation& op, bool wrote, const void* site) override;
  /// The running thread's block has come to griddepcontrol: .wait, or .launch_dependents.
  void at_dependency(bool waits);

  const accesses& before_wait() const { return before_wait_; }
  const accesses& after_wait() const { return after_wait_; }
  bool launches_dependents() const { return launches_dependents_; }

 private:
  accesses before_wait_;
  accesses after_wait_;
  std::set<std::uint32_t> waited_;  ///< blocks
  bool launches_dependents_ = false;
};

/// An operation of the host, for reports.
struct host_operation {
  std::string text;            ///< "cudaMemsetAsync", "kernel sum"
  std::string kernel;          ///< empty: none
  const void* from = nullptr;  ///< where the program called it, or null
};

/// Which bytes operations have accessed, as far as later ones may still race with them.
class overlap_detector {
 public:
  /// \param tell is told of each pair of accesses that race, once per range of bytes.
  explicit overlap_detector(std::function<void(const finding&)> tell) : tell_(std::move(tell)) {}

  stream_order order;

  /// A copy, a memset, ... of the stream.
  void add(const host_operation& what, std::uint32_t stream, const accesses& done);

  /// A launch. \\param overlaps it may begin before the one before it in its stream has ended.
  void add_launch(const host_operation& what, std::uint32_t stream, const launch_accesses& done,
                  bool overlaps);

 private:
  struct known_operation {
    host_operation what;
    std::uint32_t stream = 0;
    std::uint64_t number = 0;
  };
  struct record {
    std::uint32_t operation = 0;
    access_kind how;
    auto operator<=>(const record&) const = default;
  };
  /// What a launch may overlap: the launch before it in its stream.
  struct latest_launch {
    std::uint64_t number = 0;
    bool launches_dependents = false;
  };

  void check(std::uint32_t operation, const operation_stamp& stamp, const accesses& done,
             bool before_wait);
  void keep(std::uint32_t operation, const operation_stamp& stamp, const accesses& done);
  finding described(const record& earlier, const record& later, std::uint64_t offset,
                    bool before_wait) const;

  std::function<void(const finding&)> tell_;
  std::vector<known_operation> operations_;
  boost::icl::split_interval_map<std::uint64_t, std::set<record>> memory_;
  std::map<std::uint32_t, latest_launch> latest_;
};

}  // namespace cudart
