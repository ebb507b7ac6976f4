#include <simt/weak_memory.hpp>

#include <algorithm>
#include <cstring>

namespace simt {

namespace {

constexpr std::size_t sector_bytes = 32;
constexpr std::size_t longest_buffer = 16;  // stores do not wait for ever

bool overlaps(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(a);
  const auto second = reinterpret_cast<std::uintptr_t>(b);
  return first < second + b_bytes && second < first + a_bytes;
}

}  // namespace

weak_memory::weak_memory(std::uint64_t seed, std::size_t threads, std::size_t block_slots,
                         const block_state* blocks)
    : random_(seed ^ 0x77656b6d656d6f72u),
      blocks_(blocks),
      of_thread_(threads),
      of_block_(block_slots),
      caches_(block_slots),
      block_of_thread_(threads, 0) {}

effect weak_memory::access(const thread& by, const operation& op, space where) {
  block_of_thread_[by.number] = static_cast<std::uint32_t>(block_of(by));
  const bool is_store = op.kind == op_kind::plain_store || op.kind == op_kind::store;
  if (is_store) {
    if (releases(op.order)) fence(by, memory_order::release, op.reach);
    store_buffer& buffer = of_thread_[by.number];
    if (buffer.size() >= longest_buffer) drain_thread(by.number);
    buffer.push_back({op.address, op.operand, op.bytes, where});
    ++pending_;
    if (op.order == memory_order::seq_cst) fence(by, memory_order::seq_cst, op.reach);
    return {};
  }
  if (is_rmw(op.kind)) {
    if (releases(op.order)) fence(by, memory_order::release, op.reach);
    drain_overlapping(by, op);
    const effect done = apply(op);
    if (done.changed) note_change();
    if (where == space::global) {  // performed at the L2: the block's own copy is no longer right
      const std::uint64_t tag = global_memory().offset(op.address) / sector_bytes;
      cached_sector& sector = caches_[block_of(by)][tag % std::tuple_size_v<cache>];
      if (sector.tag == tag) sector.tag = ~std::uint64_t{0};
    }
    if (acquires(op.order)) fence(by, memory_order::acquire, op.reach);
    return done;
  }
  const word value = read(by, op, where);
  if (acquires(op.order)) fence(by, memory_order::acquire, op.reach);
  return {value, false};
}

void weak_memory::fence(const thread& by, memory_order order, scope reach) {
  const std::size_t block = block_of(by);
  if (releases(order)) {
    drain_thread(by.number);
    if (reach == scope::device) drain_block(block);
  }
  if (acquires(order) && reach == scope::device) drop_cache(block);
}

void weak_memory::step() {
  if (pending_ == 0 || random_.below(4) != 0) return;
  // A random start, then the first buffer that has something.
  const std::size_t buffers = of_thread_.size() + of_block_.size();
  std::size_t at = random_.below(static_cast<std::uint32_t>(buffers));
  for (std::size_t tried = 0; tried < buffers; ++tried, at = (at + 1) % buffers) {
    if (at < of_thread_.size()) {
      if (!of_thread_[at].empty()) return drain_one_of_thread(at);
    } else if (!of_block_[at - of_thread_.size()].empty()) {
      return drain_one_of_block(at - of_thread_.size());
    }
  }
}

void weak_memory::settle() {
  for (std::size_t thread = 0; thread < of_thread_.size(); ++thread) drain_thread(thread);
  for (std::size_t block = 0; block < of_block_.size(); ++block) drain_block(block);
}

word weak_memory::read(const thread& by, const operation& op, space where) {
  drain_overlapping(by, op);  // after this, no store of its own is hidden from the thread
  if (where == space::shared) return read_word(op.address, op.bytes);
  const bool may_be_stale =
      op.kind == op_kind::plain_load || (op.reach != scope::device && op.bytes <= 8);
  return may_be_stale ? read_through_cache(block_of(by), op) : read_word(op.address, op.bytes);
}

word weak_memory::read_through_cache(std::size_t block, const operation& op) {
  const std::uint64_t offset = global_memory().offset(op.address);
  const std::uint64_t tag = offset / sector_bytes;
  cached_sector& sector = caches_[block][tag % std::tuple_size_v<cache>];
  if (sector.tag != tag) {
    sector.tag = tag;
    const void* start = static_cast<const std::byte*>(op.address) - offset % sector_bytes;
    std::memcpy(sector.data.data(), start, sector_bytes);
  }
  return read_word(sector.data.data() + offset % sector_bytes, op.bytes);
}

void weak_memory::update_cache(std::size_t block, const pending_store& store) {
  const std::uint64_t offset = global_memory().offset(store.address);
  const std::uint64_t tag = offset / sector_bytes;
  cached_sector& sector = caches_[block][tag % std::tuple_size_v<cache>];
  if (sector.tag == tag)
    write_word(sector.data.data() + offset % sector_bytes, store.bytes, store.value);
}

void weak_memory::drop_cache(std::size_t block) {
  for (cached_sector& sector : caches_[block]) sector.tag = ~std::uint64_t{0};
}

std::size_t weak_memory::pick_drainable(const store_buffer& buffer) {
  std::size_t chosen = random_.below(static_cast<std::uint32_t>(buffer.size()));
  // Down to the oldest, as what it must wait for may have to wait for a third, of another width.
  for (std::size_t older = chosen; older-- > 0;) {
    if (overlaps(buffer[older].address, buffer[older].bytes, buffer[chosen].address,
                 buffer[chosen].bytes)) {
      chosen = older;
    }
  }
  return chosen;
}

void weak_memory::to_next_level(std::size_t block, const pending_store& store) {
  if (store.where == space::shared) return to_memory(store);
  if (read_word(store.address, store.bytes) != store.value) note_change();  // for the block
  if (of_block_[block].size() >= longest_buffer) drain_one_of_block(block);
  of_block_[block].push_back(store);
  update_cache(block, store);
}

void weak_memory::to_memory(const pending_store& store) {
  --pending_;
  const effect done = apply({.kind = op_kind::plain_store,
                             .bytes = store.bytes,
                             .address = store.address,
                             .operand = store.value});
  if (done.changed) note_change();
}

void weak_memory::drain_one_of_thread(std::size_t thread) {
  store_buffer& buffer = of_thread_[thread];
  const auto chosen = buffer.begin() + static_cast<std::ptrdiff_t>(pick_drainable(buffer));
  const pending_store store = *chosen;
  buffer.erase(chosen);
  to_next_level(block_of_thread_[thread], store);
}

void weak_memory::drain_one_of_block(std::size_t block) {
  store_buffer& buffer = of_block_[block];
  const auto chosen = buffer.begin() + static_cast<std::ptrdiff_t>(pick_drainable(buffer));
  const pending_store store = *chosen;
  buffer.erase(chosen);
  update_cache(block, store);  // written through: the block never reads older than its own store
  to_memory(store);
}

void weak_memory::drain_thread(std::size_t thread) {
  for (const pending_store& store : of_thread_[thread]) {
    to_next_level(block_of_thread_[thread], store);
  }
  of_thread_[thread].clear();
}

void weak_memory::drain_block(std::size_t block) {
  while (!of_block_[block].empty()) drain_one_of_block(block);
}

// A read-modify-write, or a read, of something that the thread (or its block) has still in a buffer
// sends the whole buffers on first: rare, and simpler than forwarding parts of words.
void weak_memory::drain_overlapping(const thread& by, const operation& op) {
  const auto touches = [&](const pending_store& s) {
    return overlaps(s.address, s.bytes, op.address, op.bytes);
  };
  const store_buffer& own = of_thread_[by.number];
  if (std::any_of(own.begin(), own.end(), touches)) drain_thread(by.number);
  const std::size_t block = block_of(by);
  const store_buffer& shared = of_block_[block];
  if (std::any_of(shared.begin(), shared.end(), touches)) drain_block(block);
}

}  // namespace simt
