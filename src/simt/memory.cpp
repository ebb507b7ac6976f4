#include <simt/memory.hpp>
#include <simt/weak_memory.hpp>

#include <algorithm>
#include <cstring>

namespace simt {

// If the compiler knows the length, copying is one instruction.
word read_word(const void* address, std::size_t bytes) {
  word value;
  switch (bytes) {
    case 4:
      std::memcpy(&value.low, address, 4);
      break;
    case 8:
      std::memcpy(&value.low, address, 8);
      break;
    default:
      std::memcpy(&value, address, bytes);
  }
  return value;
}

void write_word(void* address, std::size_t bytes, const word& value) {
  switch (bytes) {
    case 4:
      std::memcpy(address, &value.low, 4);
      break;
    case 8:
      std::memcpy(address, &value.low, 8);
      break;
    default:
      std::memcpy(address, &value, bytes);
  }
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
  effect access(const thread&, const operation& op, space) override {
    const effect done = apply(op);
    if (done.changed) note_change();
    return done;
  }
  void fence(const thread&, memory_order, scope) override {}
};

}  // namespace

word modified(const operation& op, const word& old) {
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
  return std::make_unique<strong_memory>();
}

}  // namespace simt
