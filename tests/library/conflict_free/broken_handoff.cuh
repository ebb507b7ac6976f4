// A broken handoff policy.
#pragma once

#include <finesync/conflict_free/group_handoff.cuh>
#include <finesync/device/atomic_ref.cuh>

#include <cstdint>

namespace finesync::test {

/// A block uses whatever it finds.
struct in_haste {
  using datum = std::uint32_t;
  struct participant : handoff_by_version<datum>::participant {
    cell<std::uint64_t>* words;
    unsigned size;

    bool load_groups(const object_pair& objects, const object_pair& /*since*/,
                     cell<datum>* into) const {
      const detail::pair_places places(objects, size);
      for (unsigned i = threadIdx.x; i < 2 * size; i += blockDim.x) {
        into[i] =
            static_cast<datum>(atomic_ref<std::uint64_t, scope::device>(words[places.datum_at(i)])
                                   .load(memory_order::relaxed));
      }
      return true;
    }
  };
  participant join(unsigned size, const watchdog_ref& watchdog) const {
    return {{words, size, watchdog}, words, size};
  }
  cell<std::uint64_t>* words;
};

}  // namespace finesync::test
