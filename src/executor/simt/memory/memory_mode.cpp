// SPDX-License-Identifier: Apache-2.0
#include <simt/memory/corruption.hpp>
#include <simt/memory/memory_mode.hpp>
#include <simt/memory/weak_memory.hpp>

#include <algorithm>
#include <cstring>

namespace simt {

// Lengths that the compiler knows are copied by one instruction. Each has variables of its own: to
// read more bytes than were just written is slow.
word read_word(const void* address, std::size_t bytes) {
  const auto read = [&]<class T>(T value) {
    std::memcpy(&value, address, sizeof(value));
    return value;
  };
  if (bytes == 4) return {read(std::uint32_t{}), 0};
  if (bytes == 8) return {read(std::uint64_t{}), 0};
  if (bytes == 16) return read(word{});
  word value;
  std::memcpy(&value, address, bytes);
  return value;
}

void write_word(void* address, std::size_t bytes, word value) {
  const auto write = [&]<class T>(T what) { std::memcpy(address, &what, sizeof(what)); };
  if (bytes == 4) return write(static_cast<std::uint32_t>(value.low));
  if (bytes == 8) return write(value.low);
  if (bytes == 16) return write(value);
  const word copy = value;
  std::memcpy(address, &copy, bytes);
}

namespace {

std::uint64_t truncate(std::uint64_t value, std::size_t bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::int64_t sign_extend(std::uint64_t value, std::size_t bytes) {
  const unsigned shift = static_cast<unsigned>(64 - 8 * std::min<std::size_t>(bytes, 8));
  return static_cast<std::int64_t>(value << shift) >> shift;
}

bool less(std::uint64_t a, std::uint64_t b, const operation& op) {
  return op.is_signed ? sign_extend(a, op.bytes) < sign_extend(b, op.bytes) : a < b;
}

class strong_memory final : public memory_mode {
 public:
  effect access(const thread&, const operation& op, space, const void*) override {
    const effect done = apply(op);
    if (done.changed) note_change();
    return done;
  }
  void fence(const thread&, memory_order, scope) override {}
};

}  // namespace

word modified(const operation& op, word old) {
  const std::uint64_t a = old.low;
  const std::uint64_t b = op.operand.low;
  switch (op.kind) {
    case op_kind::exchange:
      return op.operand;
    case op_kind::compare_exchange:
      return old == op.expected ? op.operand : old;
    case op_kind::fetch_add:
      return {truncate(a + b, op.bytes), 0};
    case op_kind::fetch_and:
      return {a & b, 0};
    case op_kind::fetch_or:
      return {a | b, 0};
    case op_kind::fetch_xor:
      return {a ^ b, 0};
    case op_kind::fetch_min:
      return {less(b, a, op) ? b : a, 0};
    default:
      return {less(a, b, op) ? b : a, 0};
  }
}

effect apply(const operation& op) {
  const word old = read_word(op.address, op.bytes);
  if (op.kind == op_kind::plain_load || op.kind == op_kind::load) return {old, false};
  const bool is_store = op.kind == op_kind::plain_store || op.kind == op_kind::store;
  const word now = is_store ? op.operand : modified(op, old);
  if (now == old) return {old, false};
  write_word(op.address, op.bytes, now);
  return {old, true};
}

std::unique_ptr<memory_mode> make_memory(const settings& s, std::size_t threads,
                                         std::size_t cluster_blocks, const grid_layout& layout,
                                         std::span<const block_state> blocks) {
  if (s.memory == memory_kind::weak) {
    return std::make_unique<weak_memory>(s.seed, threads, cluster_blocks, layout, blocks);
  }
  if (auto corrupted = corrupted_memory()) return corrupted;
  return std::make_unique<strong_memory>();
}

}  // namespace simt
