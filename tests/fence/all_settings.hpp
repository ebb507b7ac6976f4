// What both machines' tests of the timed fences go through.
#pragma once

#include <workloads/fence/fences.hpp>

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

}  // namespace finesync::fence_cost
