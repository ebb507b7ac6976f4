// SPDX-License-Identifier: Apache-2.0
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
  bool signals_host = false;   ///< atomic, and the host may rely on what it sees
  const void* site = nullptr;  ///< of a kernel's instruction, or null
  auto operator<=>(const access_kind&) const = default;
};
using accesses = std::map<access_kind, byte_set>;

/// Bytes that operations use, in whole pages.
struct page_uses {
  byte_set written;
  byte_set read;
  bool operator==(const page_uses&) const = default;
};
inline constexpr std::uint64_t page_bytes = 4096;

/// What a launch accesses. A launch may overlap the end of the one before it in its stream
/// (programmatic dependent launch): then its blocks' accesses before griddepcontrol.wait are
/// apart.
class launch_accesses : public simt::access_observer {
 public:
  /// \param of the bytes that matter; null: all
  /// \param fences_system the kernel has a fence of system scope: then each atomic access may
  /// signal the host something, otherwise those of system scope
  explicit launch_accesses(const byte_set* of = nullptr, bool fences_system = false)
      : of_(of), fences_system_(fences_system) {}

  void saw(const simt::operation& op, bool wrote, const void* site) override;
  /// The running thread's block has come to griddepcontrol: .wait, or .launch_dependents.
  void at_dependency(bool waits);

  const accesses& before_wait() const { return before_wait_; }
  const accesses& after_wait() const { return after_wait_; }
  bool launches_dependents() const { return launches_dependents_; }

 private:
  const byte_set* of_;
  bool fences_system_;
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
  /// \param report is called for each pair of accesses that race, once per range of bytes.
  explicit overlap_detector(std::function<void(const finding&)> report)
      : report_(std::move(report)) {}

  stream_order order;

  /// A copy, a memset, ... of the stream.
  void add(const host_operation& what, std::uint32_t stream, const accesses& done);

  /// A launch. \\param overlaps it may begin before the one before it in its stream has ended.
  void add_launch(const host_operation& what, std::uint32_t stream, const launch_accesses& done,
                  bool overlaps);

  /// Forgets what has accessed these bytes: the memory is freed.
  void forget(const byte_range::interval_type& bytes) { memory_.erase(bytes); }

  /// The host may access this memory, too. Kept are the offsets of its bytes.
  void share_with_host(std::uint64_t offset, std::size_t bytes);
  /// The memory that begins there.
  void unshare_with_host(std::uint64_t offset);
  const byte_set& shared_with_host() const { return shared_; }

  /// What operations use of that memory that the host has not waited for.
  page_uses not_awaited();

  /// The host accesses a byte of it. If it sees an operation's atomic store that signals the host,
  /// it is taken to have waited for that operation: it may be the end of a handshake. \param from
  /// the code that does
  void add_host_access(std::uint64_t offset, bool writes, const void* from);

 private:
  /// An operation that the host has not waited for.
  struct not_awaited_operation {
    std::uint32_t number = 0;
    operation_stamp stamp;
    page_uses pages;
  };
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
  void keep_for_host(std::uint32_t operation, const operation_stamp& stamp, const accesses& done);
  simt::concerned_threads concerned(const record& which) const;
  finding described(const record& earlier, const record& later, std::uint64_t offset,
                    const std::string& missing) const;

  std::function<void(const finding&)> report_;
  std::vector<known_operation> operations_;
  boost::icl::split_interval_map<std::uint64_t, std::set<record>> memory_;
  std::map<std::uint32_t, latest_launch> latest_;
  byte_set shared_;
  std::vector<not_awaited_operation> not_awaited_;
};

}  // namespace cudart
