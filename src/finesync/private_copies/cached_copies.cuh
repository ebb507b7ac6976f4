// SPDX-License-Identifier: Apache-2.0
// Private copies (private_copies.cuh) of any keys: a block finds the copy of an object by a hash of
// its key, in its shared memory. It has copies of the objects that came first; a section on another
// runs on the object itself. Keys that come often come early, so that few sections do.
//
// The contract is that of private_copies of one block, but for the traffic: a section also reads
// the word that names the copy's key, or up to `probes` of them; the first section of an object in
// a block claims its copy by a compare-exchange.
#pragma once

#include "finesync/device/numbering.cuh"
#include "finesync/device/require.cuh"
#include "finesync/private_copies/mergeable_service.cuh"

#include <cstddef>
#include <cstdint>

namespace finesync::inline FINESYNC_ABI {

template <mergeable_service Service>
class cached_copies {
 public:
  using argument = typename Service::argument;
  using word = typename Service::word;

  /// A section looks at no more places than that.
  static constexpr unsigned probes = 4;

  /// Of a set, which is a block.
  __host__ __device__ static constexpr std::uint32_t places(std::uint32_t copies) { return copies; }
  __host__ __device__ static constexpr std::size_t shared_bytes(std::uint32_t copies) {
    return copies * (sizeof(word) + sizeof(std::uint32_t));
  }

  /// All threads of the block construct it together, with the same arguments. \param copies a power
  /// of two, 2 or more. \param shared memory of the block, shared_bytes() bytes, aligned to the
  /// word.
  __device__ cached_copies(std::uint32_t copies, const Service& service, unsigned char* shared)
      : copies_(copies),
        first_place_(block_rank() * copies),
        values_(reinterpret_cast<cell<word>*>(shared)),
        keys_(reinterpret_cast<cell<std::uint32_t>*>(shared + copies * sizeof(word))),
        service_(service) {
    require_on_executor(copies > 1 && (copies & (copies - 1)) == 0,
                        "the number of copies is a power of two");
    for (std::uint32_t i = thread_rank(); i < copies; i += block_threads()) {
      values_[i] = service_.identity();
      keys_[i] = no_key;
    }
    __syncthreads();
  }

  /// Runs a section. \param key any.
  __device__ void run(std::uint32_t key, const argument& with) const {
    const std::uint32_t at = place_of(key);
    if (at == nowhere) return service_.run(key, with);
    const copy_ref copy(values_[at]);
    if constexpr (std::is_void_v<returned>)
      service_.apply(copy, with);
    else
      service_.follow(key, with, service_.apply(copy, with), first_place_ + at);
  }

  /// Adds the copies to the objects. All threads of the block call it once, after their last
  /// section.
  __device__ void merge() const {
    __syncthreads();
    for (std::uint32_t i = thread_rank(); i < copies_; i += block_threads()) {
      const std::uint32_t key = keys_[i];
      if (key != no_key) service_.merge(key, values_[i], first_place_ + i);
    }
  }

 private:
  using copy_ref = atomic_ref<word, scope::block>;
  using returned = detail::returned_by<Service, copy_ref>;

  static constexpr std::uint32_t no_key = 0xffffffffu;
  static constexpr std::uint32_t nowhere = 0xffffffffu;

  /// Where the copy of a key is, claimed if it is new and a place is free; nowhere if none is.
  __device__ std::uint32_t place_of(std::uint32_t key) const {
    if (key == no_key) return nowhere;
    // Fibonacci hashing: the upper bits of the product spread neighbours.
    const std::uint32_t first = (key * 0x9e3779b9u) >> (__clz(static_cast<int>(copies_)) + 1);
    for (unsigned probe = 0; probe < probes; ++probe) {
      const std::uint32_t at = (first + probe) & (copies_ - 1);
      const atomic_ref<std::uint32_t, scope::block> owner(keys_[at]);
      std::uint32_t found = owner.load(memory_order::relaxed);
      if (found == no_key && owner.compare_exchange(found, key, memory_order::relaxed)) return at;
      if (found == key) return at;
    }
    return nowhere;
  }

  std::uint32_t copies_;
  std::uint32_t first_place_;
  cell<word>* values_;
  cell<std::uint32_t>* keys_;
  Service service_;
};

}  // namespace finesync::inline FINESYNC_ABI
