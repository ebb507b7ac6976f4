// The settings of single instructions that both machines' tests use.
#pragma once

#include <workloads/instructions/instructions.hpp>

namespace finesync::instructions {

/// see(config) for every form that an instruction may have, in both measures.
template <class See>
void for_all_forms(unsigned rounds, See see) {
  constexpr order orders[] = {order::relaxed, order::plain, order::acquire, order::release,
                              order::acq_rel};
  constexpr reach scopes[] = {reach::block, reach::cluster, reach::device, reach::system};
  for (const measure what : {measure::latency, measure::throughput})
    for (const space where : {space::global, space::shared, space::other_block})
      for (const reach scope : scopes)
        for (const order ordered : orders)
          for (const unsigned bits : {32u, 64u})
            for (const bool unused : {false, true})
              see(run_config{.what = what,
                             .where = where,
                             .scope = scope,
                             .ordered = ordered,
                             .bits = bits,
                             .result_unused = unused,
                             .threads_per_block = 64,
                             .rounds = rounds});
}

/// see(config) for words apart and packed, and one for all, in blocks of several sizes.
template <class See>
void for_all_layouts(unsigned rounds, See see) {
  for (const measure what : {measure::latency, measure::throughput})
    for (const space where : {space::global, space::shared, space::other_block})
      for (const unsigned stride : {0u, 4u, 128u})
        for (const unsigned threads : {1u, 32u, 64u})
          see(run_config{.what = what,
                         .where = where,
                         .scope = where == space::global   ? reach::device
                                  : where == space::shared ? reach::block
                                                           : reach::cluster,
                         .stride = stride,
                         .blocks_per_sm = 2,
                         .sms = 2,
                         .threads_per_block = threads,
                         .rounds = rounds});
}

}  // namespace finesync::instructions
