// SPDX-License-Identifier: Apache-2.0
#include <simt/races/sync_paths.hpp>

#include <algorithm>
#include <set>

namespace simt {

sync_followers::sync_followers(const sync_log& log, std::uint32_t thread, std::uint32_t first,
                               std::uint32_t end, const uncounted_accesses& data) {
  threads_[thread] = add({thread, first});
  for (std::uint32_t i = std::max(first, log.first()); i < end; ++i) {
    const sync_event& event = log.at(i);
    if (event.kind == sync_kind::meeting) {
      std::optional<std::size_t> from;
      const auto is_closer = [&](std::size_t which) {
        return !from || which == 0 || (*from != 0 && steps_[which].event > steps_[*from].event);
      };
      event.for_members([&](std::uint32_t each) {
        if (const auto found = threads_.find(each); found != threads_.end())
          if (is_closer(found->second)) from = found->second;
      });
      if (!from) continue;
      const std::uint32_t source = steps_[*from].thread;
      event.for_members([&](std::uint32_t each) {
        if (each != thread && each != source) threads_[each] = add({each, i, from});
      });
      continue;
    }
    if (event.kind == sync_kind::begin) threads_.erase(event.thread);
    if (data.has(event)) continue;
    const auto word = words_.find(event.where);
    if (event.reads() && event.thread != thread && word != words_.end() &&
        steps_[word->second].thread != event.thread)
      threads_[event.thread] = add({event.thread, i, word->second});
    if (!event.writes()) continue;
    if (event.kind == sync_kind::store && word != words_.end()) words_.erase(word);
    if (const auto by = threads_.find(event.thread); by != threads_.end())
      if (!words_.contains(event.where)) words_[event.where] = add({event.thread, i, by->second});
  }
}

std::vector<sync_followers::step> sync_followers::path_to(std::uint32_t thread) const {
  std::vector<step> path;
  for (std::optional<std::size_t> at = threads_.at(thread); at; at = steps_[*at].before)
    path.push_back(steps_[*at]);
  std::reverse(path.begin(), path.end());
  return path;
}

sync_leaders::sync_leaders(const sync_log& log, std::uint32_t thread, std::uint32_t end,
                           const uncounted_accesses& data) {
  std::set<std::uint32_t> leading{thread};
  std::set<const void*> read;  // by leading threads, since it was written
  for (std::uint32_t i = end; i-- > log.first();) {
    const sync_event& event = log.at(i);
    if (event.kind == sync_kind::meeting) {
      bool leads = false;
      event.for_members([&](std::uint32_t each) { leads = leads || leading.contains(each); });
      if (leads) event.for_members([&](std::uint32_t each) { leading.insert(each); });
      continue;
    }
    if (event.kind == sync_kind::begin) leading.erase(event.thread);
    if (data.has(event)) continue;
    if (event.writes() && read.contains(event.where)) {
      writes_.try_emplace(event.thread, i);
      leading.insert(event.thread);
      if (event.kind == sync_kind::store) read.erase(event.where);
    }
    if (event.reads() && leading.contains(event.thread)) {
      reads_.try_emplace(event.where, i);
      read.insert(event.where);
    }
  }
}

}  // namespace simt
