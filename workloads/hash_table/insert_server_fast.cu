#include "server_inserter.cuh"

#include <finesync/locks/spin_ordered_lock.cuh>
#include <finesync/server/fast_channel.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_server_fast(const setup& how) {
  using execution = combined_by_key<spin_ordered_lock<scope::block>>;
  return std::make_unique<
      served_inserter<fast_channel<std::uint32_t>, execution, owned_push_service>>(how);
}

}  // namespace finesync::hash_table
