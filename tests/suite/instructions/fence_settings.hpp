// The settings of the timed fences that both machines' tests use.
#pragma once

#include <workloads/instructions/fences.hpp>

namespace finesync::instructions::fences {

/// see(how) for every place, access and thread.
template <class See>
void for_all_settings(unsigned rounds, See see) {
  for (const place accessed : {place::none, place::near_l2, place::far_l2, place::shared_memory}) {
    for (const access kind : {access::load, access::store, access::addition}) {
      for (const bool by_other_warp : {false, true})
        see(run_config{.rounds = rounds,
                       .fence = {.accessed = accessed,
                                 .kind = kind,
                                 .by_other_warp = by_other_warp,
                                 .fenced_before = by_other_warp}});
    }
  }
}

}  // namespace finesync::instructions::fences
