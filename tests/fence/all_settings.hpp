// What both machines' tests of the timed fences go through.
#pragma once

#include <workloads/fence/fence_cost.hpp>

namespace finesync::fence_cost {

/// see(how) for every place, access and thread.
template <class See>
void for_all_settings(unsigned rounds, See see) {
  for (const place touched :
       {place::nothing, place::own_side, place::other_side, place::shared_memory}) {
    for (const access how : {access::load, access::store, access::addition}) {
      for (const bool by_other_warp : {false, true})
        see(setup{.touched = touched,
                  .how = how,
                  .by_other_warp = by_other_warp,
                  .cleared = by_other_warp,
                  .rounds = rounds});
    }
  }
}

inline constexpr make_trial* all_fences[] = {make_release,         make_acquire,
                                             make_acq_rel,         make_seq_cst,
                                             make_release_cluster, make_release_block};

/// The ending of one run.
inline outcome ending(trial& fences) {
  fences.reset();
  fences.launch();
  return fences.check();
}

}  // namespace finesync::fence_cost
