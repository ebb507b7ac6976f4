#include "server_inserter.cuh"

#include <finesync/locks/spin_ordered_lock.cuh>
#include <finesync/server/basic_channel.cuh>

namespace finesync::hash_table {

std::unique_ptr<trial> make_server_basic(const setup& how) {
  using execution = one_by_one<spin_ordered_lock<scope::block>>;
  return std::make_unique<served_inserter<basic_channel<std::uint32_t>, execution, push_service>>(
      how);
}

}  // namespace finesync::hash_table
