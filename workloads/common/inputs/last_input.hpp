// Keeps the input of the last point: points of a sweep mostly share it, and a large input takes
// long to load.
#pragma once

#include <type_traits>

namespace finesync::workload {

/// The result of `load` for the key. If this thread's last call had the same key, its result is
/// reused; otherwise it is freed first, because two might not fit, and `load` runs. One result is
/// kept for each type of `load`, so for each place of call.
/// \param load () to a shared_ptr. If it throws, nothing is kept.
template <class Key, class Load>
std::invoke_result_t<const Load&> last_input(const Key& key, const Load& load) {
  // Loaded in the initializer, so that it is destroyed before the state that device memory needs.
  thread_local auto kept = load();
  thread_local Key kept_for = key;
  if (kept_for != key || !kept) {
    kept.reset();
    kept = load();
    kept_for = key;
  }
  return kept;
}

}  // namespace finesync::workload
