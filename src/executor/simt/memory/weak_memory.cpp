// SPDX-License-Identifier: Apache-2.0
#include <simt/memory/weak_memory.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace simt {

namespace {

constexpr std::size_t longest_buffer = 16;  // stores do not wait forever

bool overlaps(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

}  // namespace

weak_memory::weak_memory(std::uint64_t seed, std::size_t threads, std::size_t cluster_blocks,
                         const grid_layout& layout, std::span<const block_state> blocks)
    : random_(seed ^ 0x77656b6d656d6f72u),
      layout_(layout),
      blocks_(blocks),
      cluster_blocks_(cluster_blocks),
      first_block_(threads),
      first_cluster_(threads + blocks.size()),
      first_gpu_(first_cluster_ + (has_clusters() ? blocks.size() / cluster_blocks : 0)),
      buffers_(first_gpu_ + (has_several_gpus() ? layout.gpus() : 0) + 1),
      marks_(threads),
      caches_(blocks.size()),
      l2_(has_several_gpus() ? layout.gpus() : 0),
      acquired_(threads),
      published_(blocks.size()),
      published_l2_(layout.gpus(), 0) {
  // Most bugs need stores that wait and sectors that stay; some need the opposite. The same holds
  // for the outcomes of a machine that reorders nothing. So every seed has its own rates.
  constexpr std::uint32_t leaving[] = {1, 1, 4, 16, 64, 128};
  constexpr std::uint32_t draining[] = {16, 64, 64, 64, 128, 240};
  leaving_ = leaving[random_.below(6)];
  draining_ = draining[random_.below(6)];
}

effect weak_memory::access(const thread& by, const operation& op, space where,
                           const void* /*site*/) {
  if (op.kind == op_kind::plain_store || op.kind == op_kind::store) {
    store(by, op, where);
    return {};
  }
  if (is_rmw(op.kind) && releases(op.order)) publish(by, op.reach);
  // In PTX a sequentially consistent load is a fence, and then the load.
  if (!is_rmw(op.kind) && op.order == memory_order::seq_cst) {
    fence(by, memory_order::seq_cst, op.reach);
  }
  const effect done = is_rmw(op.kind) ? modify(by, op, where) : effect{read(by, op, where), false};
  if (acquires(op.order)) fence(by, memory_order::acquire, op.reach);
  return done;
}

weak_memory::pending_store weak_memory::made_pending(const thread& by, const operation& op,
                                                     const word& value, space where) {
  ++pending_;
  return {.address = op.address,
          .value = value,
          .bytes = op.bytes,
          .where = where,
          .block = static_cast<std::uint32_t>(block_of(by)),
          .thread = by.number,
          .releases = marks_[by.number].made};
}

void weak_memory::store(const thread& by, const operation& op, space where) {
  if (op.order == memory_order::seq_cst)
    publish(by, op.reach);
  else if (releases(op.order))
    mark(by, op.reach);
  if (buffers_[by.number].stores.size() >= longest_buffer) drain_one(by.number);
  enter(by.number, made_pending(by, op, op.operand, where));
}

effect weak_memory::modify(const thread& by, const operation& op, space where) {
  if (where == space::global && within_block(op.reach)) {
    // Atomic only for its block: between what the block sees and its buffer.
    if (marks_[by.number].widest) drain(by.number);
    const word old = read(by, op, where);
    const word now = modified(op, old);
    if (now == old) return {old, false};
    send(of_block(block_of(by)), made_pending(by, op, now, where));
    return {old, true};
  }
  publish_released(by);
  drain_overlapping(by, op);
  // Performed at the L2: the block's own copy is out of date.
  if (where == space::global) caches_[block_of(by)].drop(op.address, op.bytes);
  if (where == space::global && within_gpu(op.reach)) {
    // Atomic only for its GPU, in the same way.
    const word old = read_beyond_block(by, op);
    const word now = modified(op, old);
    if (now == old) return {old, false};
    send(of_gpu(block_of(by)), made_pending(by, op, now, where));
    return {old, true};
  }
  const effect done = apply(op);
  if (done.changed) note_change();
  if (where == space::global && has_several_gpus())
    l2_[gpu_of(block_of(by))].drop(op.address, op.bytes);
  return done;
}

word weak_memory::read(const thread& by, const operation& op, space where) {
  drain_overlapping(by, op);  // after this, none of its own stores is hidden from the thread
  const bool by_l1 = where == space::global && (op.kind == op_kind::plain_load || op.may_be_stale ||
                                                (within_block(op.reach) && op.bytes <= 8));
  sector_cache& cache = caches_[block_of(by)];
  if (!by_l1) {
    // The write that it reads comes before all that follows this read in order, so none of that may
    // find the block's older copy.
    if (where == space::global) cache.drop(op.address, op.bytes);
    return where == space::global ? read_beyond_block(by, op) : read_word(op.address, op.bytes);
  }
  if (has_clusters()) drain_sectors_of_cluster(by, op);
  // A sector may leave at any time, but the effect shows only now.
  if (random_.below(256) < leaving_) cache.drop(op.address, op.bytes);
  const cache_view& oldest = acquired_[by.number];
  if (!has_several_gpus()) return cache.read(op.address, op.bytes, oldest.l1, now_);
  sector_cache& l2 = l2_[gpu_of(block_of(by))];
  if (random_.below(256) < leaving_) l2.drop(op.address, op.bytes);
  return cache.read(op.address, op.bytes, oldest, now_, l2);
}

word weak_memory::read_beyond_block(const thread& by, const operation& op) {
  if (!has_several_gpus()) return read_word(op.address, op.bytes);
  sector_cache& l2 = l2_[gpu_of(block_of(by))];
  if (!within_gpu(op.reach) || random_.below(256) < leaving_) l2.drop(op.address, op.bytes);
  if (!within_gpu(op.reach)) return read_word(op.address, op.bytes);
  return l2.read(op.address, op.bytes, acquired_[by.number].l2, now_);
}

void weak_memory::publish_view(const thread& by, scope reach) {
  const cache_view& mine = acquired_[by.number];
  cache_view& of_block = published_[block_of(by)];
  of_block.l1 = std::max(of_block.l1, mine.l1);
  of_block.l2 = std::max(of_block.l2, mine.l2);
  if (reach < scope::device) return;
  std::uint64_t& of_gpu = published_l2_[gpu_of(block_of(by))];
  of_gpu = std::max(of_gpu, mine.l2);
}

void weak_memory::mark(const thread& by, scope reach) {
  release_marks& marks = marks_[by.number];
  ++marks.made[0];
  if (!within_block(reach)) ++marks.made[1];
  if (reach >= scope::device) ++marks.made[2];
  if (reach >= scope::system) ++marks.made[3];
  marks.widest = std::max(marks.widest, std::optional(reach));
  publish_view(by, reach);
}

void weak_memory::publish(const thread& by, scope reach) {
  const std::size_t block = block_of(by);
  drain(by.number);
  if (!within_block(reach)) drain(of_block(block));
  if (reach >= scope::device && has_clusters()) drain(of_cluster(block));
  if (reach >= scope::system && has_several_gpus()) drain(of_gpu(block));
  publish_view(by, reach);
  release_marks& marks = marks_[by.number];
  if (marks.widest <= reach) marks.widest.reset();
}

void weak_memory::publish_released(const thread& by) {
  const std::optional<scope> widest = marks_[by.number].widest;
  if (widest) publish(by, *widest);
}

void weak_memory::fence(const thread& by, memory_order order, scope reach) {
  if (order == memory_order::seq_cst)
    publish(by, reach);
  else if (releases(order))
    mark(by, reach);
  if (!acquires(order)) return;
  cache_view& mine = acquired_[by.number];
  const std::size_t block = block_of(by);
  mine.l1 = within_block(reach) ? std::max(mine.l1, published_[block].l1) : ++now_;
  if (!has_several_gpus()) return;
  if (within_block(reach))
    mine.l2 = std::max(mine.l2, published_[block].l2);
  else if (within_gpu(reach))
    mine.l2 = std::max(mine.l2, published_l2_[gpu_of(block)]);
  else
    mine.l2 = now_;
}

void weak_memory::step() {
  while (pending_ > 0 && random_.below(256) < draining_) {
    // The first non-empty buffer, from a random one on and in random strides. Otherwise buffers
    // that follow many empty ones would always go first. Odd strides visit all.
    const std::size_t mask = std::bit_ceil(buffers_.size()) - 1;
    const std::size_t stride = random_.next() | 1;
    std::size_t at = random_.next() & mask;
    while (at >= buffers_.size() || buffers_[at].stores.empty()) at = (at + stride) & mask;
    drain_one(at);
  }
}

// Stores under way to the block's shared memory are useless: another block may have its place when
// they arrive. The cluster's stores to global memory move on from a buffer of their own, as the
// next cluster in its place has not written them. The L1 stays: it belongs to the SM, and a new
// block does not empty it. Only an acquire orders the new block's reads after the old block's.
void weak_memory::retire(const block_state& ended) {
  if (has_several_gpus()) return;  // no other takes its place
  const std::size_t block = place_of(ended);
  const auto cluster = blocks_.subspan(block / cluster_blocks_ * cluster_blocks_, cluster_blocks_);
  forget_shared_of(ended, cluster);
  if (std::any_of(cluster.begin(), cluster.end(), [](const block_state& b) { return b.live > 0; }))
    return;
  // The oldest stores first.
  if (has_clusters()) leave_behind(of_cluster(block));
  for (const block_state& b : cluster) {
    leave_behind(of_block(place_of(b)));
    published_[place_of(b)] = {};
  }
  for (const block_state& b : cluster) {
    for (std::uint32_t thread = b.first_thread; thread < b.first_thread + b.threads; ++thread) {
      leave_behind(thread);
      acquired_[thread] = {};
      marks_[thread] = {};
    }
  }
}

void weak_memory::forget_shared_of(const block_state& ended,
                                   std::span<const block_state> its_cluster) {
  const auto forget = [&](std::size_t buffer) {
    pending_ -= std::erase_if(buffers_[buffer].stores, [&](const pending_store& s) {
      return s.address >= ended.shared && s.address < ended.shared_end;
    });
  };
  for (const block_state& b : its_cluster) {
    forget(of_block(place_of(b)));
    for (std::uint32_t i = 0; i < b.threads; ++i) forget(b.first_thread + i);
  }
}

/// The L1 drops stores that only the ended blocks have seen. Otherwise the next block in their
/// place could see such a store at first and later not. Of the epochs only those of the last stage
/// matter now: the others order what blocks see that have ended.
void weak_memory::leave_behind(std::size_t buffer) {
  const bool is_last_stage = stage_of(buffer) == stage_of(of_the_ended());
  std::uint32_t epoch = 0;
  for (const pending_store& store : buffers_[buffer].stores) {
    caches_[store.block].drop(store.address, store.bytes);
    const bool is_new = std::exchange(epoch, store.epoch) != store.epoch;
    if (is_last_stage && is_new) ++buffers_[of_the_ended()].epoch;
    send(of_the_ended(), store);
  }
  buffers_[buffer].stores.clear();
}

void weak_memory::settle() {
  for (std::size_t buffer = 0; buffer < buffers_.size(); ++buffer) drain(buffer);
}

std::size_t weak_memory::after(std::size_t buffer, const pending_store& store) const {
  const bool shared = store.where == space::shared;
  if (buffer < first_block_) return shared && !has_clusters() ? memory() : of_block(store.block);
  if (buffer < first_cluster_ && shared) return memory();
  if (buffer < first_cluster_ && has_clusters()) return of_cluster(store.block);
  if (buffer < first_gpu_ && has_several_gpus()) return of_gpu(store.block);
  return memory();
}

/// The stores of ended blocks go from there to memory, like those in the last stage.
std::size_t weak_memory::stage_of(std::size_t buffer) const {
  if (buffer < first_block_) return 0;
  if (buffer < first_cluster_) return 1;
  if (has_several_gpus() && buffer >= first_gpu_) return 3;
  return has_clusters() ? 2 : 1;
}

/// The first store after a release that orders this stage begins a new epoch.
void weak_memory::enter(std::size_t buffer, pending_store store) {
  const std::size_t stage = stage_of(buffer);
  std::uint32_t& arrived = marks_[store.thread].arrived[stage];
  store_buffer& to = buffers_[buffer];
  if (store.releases[stage] > arrived) {
    arrived = store.releases[stage];
    ++to.epoch;
  }
  store.epoch = to.epoch;
  to.stores.push_back(store);
}

void weak_memory::send(std::size_t to, const pending_store& store) {
  if (read_word(store.address, store.bytes) != store.value)
    note_change();  // visible to some thread
  // Written through: the block never reads older than its own store.
  if (store.where == space::global && to != of_the_ended()) {
    caches_[store.block].write(store.address, store.bytes, store.value);
    if (has_several_gpus() && to >= first_gpu_)
      l2_[gpu_of(store.block)].write(store.address, store.bytes, store.value);
  }
  if (to == memory()) {
    --pending_;
    write_word(store.address, store.bytes, store.value);
    return;
  }
  if (buffers_[to].stores.size() >= longest_buffer) drain_one(to);
  enter(to, store);
}

void weak_memory::drain_one(std::size_t from) {
  std::vector<pending_store>& stores = buffers_[from].stores;
  const auto later = std::find_if(stores.begin(), stores.end(), [&](const pending_store& s) {
    return s.epoch != stores.front().epoch;
  });
  std::size_t chosen = random_.below(static_cast<std::uint32_t>(later - stores.begin()));
  for (std::size_t older = chosen; older-- > 0;) {
    if (overlaps(stores[older].address, stores[older].bytes, stores[chosen].address,
                 stores[chosen].bytes)) {
      chosen = older;
    }
  }
  const pending_store store = stores[chosen];
  stores.erase(stores.begin() + static_cast<std::ptrdiff_t>(chosen));
  send(after(from, store), store);
}

void weak_memory::drain(std::size_t from) {
  for (const pending_store& store : buffers_[from].stores) send(after(from, store), store);
  buffers_[from].stores.clear();
}

// If a read-modify-write or a read touches a store still buffered by its thread, block or cluster,
// the whole buffers drain first. That is rare, and simpler than forwarding parts of words.
void weak_memory::drain_if_touched(std::size_t buffer, const void* address, std::size_t bytes) {
  const std::vector<pending_store>& stores = buffers_[buffer].stores;
  if (std::any_of(stores.begin(), stores.end(), [&](const pending_store& s) {
        return overlaps(s.address, s.bytes, address, bytes);
      }))
    drain(buffer);
}

/// An L1 fetches whole sectors from memory. What the cluster already sees of them must be there.
void weak_memory::drain_sectors_of_cluster(const thread& by, const operation& op) {
  constexpr std::uintptr_t sector = sector_cache::sector_bytes;
  const auto begin = reinterpret_cast<std::uintptr_t>(op.address);
  const std::uintptr_t first = begin / sector * sector;
  const std::uintptr_t end = (begin + op.bytes + sector - 1) / sector * sector;
  drain_if_touched(of_cluster(block_of(by)), reinterpret_cast<const void*>(first), end - first);
}

void weak_memory::drain_overlapping(const thread& by, const operation& op) {
  drain_if_touched(by.number, op.address, op.bytes);
  drain_if_touched(of_block(block_of(by)), op.address, op.bytes);
  if (has_clusters()) drain_if_touched(of_cluster(block_of(by)), op.address, op.bytes);
  // A GPU's buffer keeps the rest: its blocks read each other's stores all the time.
  if (has_several_gpus()) drain_touched(of_gpu(block_of(by)), op);
}

void weak_memory::drain_touched(std::size_t buffer, const operation& op) {
  const std::vector<pending_store> stores = std::exchange(buffers_[buffer].stores, {});
  std::vector<bool> goes(stores.size(), false);
  std::uint32_t last_epoch = 0;
  for (std::size_t i = stores.size(); i-- > 0;) {
    const auto touches = [&](const void* address, std::size_t bytes) {
      return overlaps(stores[i].address, stores[i].bytes, address, bytes);
    };
    goes[i] = stores[i].epoch < last_epoch || touches(op.address, op.bytes);
    for (std::size_t later = i + 1; later < stores.size() && !goes[i]; ++later)
      goes[i] = goes[later] && touches(stores[later].address, stores[later].bytes);
    if (goes[i]) last_epoch = std::max(last_epoch, stores[i].epoch);
  }
  for (std::size_t i = 0; i < stores.size(); ++i) {
    if (goes[i])
      send(after(buffer, stores[i]), stores[i]);
    else
      buffers_[buffer].stores.push_back(stores[i]);
  }
}

}  // namespace simt
