// The input of the last point, kept for the next: points of a sweep mostly share theirs, and a
// large one takes long to load.
#pragma once

#include <type_traits>

namespace finesync::workload {

/// What `load` made of the key at the last call of this thread, if the key is the same; otherwise
/// loaded now, when the last one is gone already: two might not fit. Of each type of `load`, and so
/// of each place that calls this, one is kept.
/// \param load () to a shared_ptr. What it throws leaves nothing kept.
template <class Key, class Load>
std::invoke_result_t<const Load&> last_input(const Key& key, const Load& load) {
  // Loaded in the initializer, so that it goes before what device memory itself needs.
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
