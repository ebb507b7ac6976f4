// SPDX-License-Identifier: Apache-2.0
// Matrices between memory and the registers of a warp. Each access is a plain one, of one lane:
// that which gives a row's address, and of wmma that which gets the elements.
#include <ptx/execute/accesses.hpp>
#include <ptx/execute/computing.hpp>
#include <ptx/execute/matrices.hpp>
#include <simt/memory/memory_mode.hpp>

namespace ptx {

namespace {
constexpr u32 whole_warp = 0xffffffff;
}  // namespace

void meet(const instruction& i, void* brought, simt::joint_work once) {
  if (simt::current->warp->existing != whole_warp) fail_at(i, partial_warp);
  simt::warp_together_at(&i, brought, once);
}

namespace {

// --- ldmatrix, stmatrix, movmatrix: 8x8 elements of 16 bits

constexpr u32 side = 8;  // rows and columns
constexpr std::size_t row_bytes = 16;

/// Of one lane: the row that it addresses, and its registers of each matrix.
struct lane_part {
  std::array<u16, side> row{};
  std::array<u32, 4> registers{};
  u32 matrices = 0;
};

/// Calls one(element in its row, register, shift in it) for each element of each matrix. A register
/// has two neighbours of a row; transposed: of a column.
template <bool IsTransposed, class One>
void for_elements(std::span<void* const> lanes, const One& one) {
  const auto part = [&](u32 lane) -> lane_part& { return *static_cast<lane_part*>(lanes[lane]); };
  for (u32 matrix = 0; matrix < part(0).matrices; ++matrix) {
    for (u32 row = 0; row < side; ++row) {
      for (u32 column = 0; column < side; ++column) {
        const u32 line = IsTransposed ? column : row, at = IsTransposed ? row : column;
        one(part(side * matrix + row).row[column], part(line * side / 2 + at / 2).registers[matrix],
            16 * (at % 2));
      }
    }
  }
}

template <bool IsTransposed>
void take_rows(std::span<void* const, simt::warp_size> lanes) {
  for_elements<IsTransposed>(
      lanes, [](u16 value, u32& to, u32 shift) { to |= static_cast<u32>(value) << shift; });
}
template <bool IsTransposed>
void make_rows(std::span<void* const, simt::warp_size> lanes) {
  for_elements<IsTransposed>(
      lanes, [](u16& value, u32 from, u32 shift) { value = static_cast<u16>(from >> shift); });
}

simt::operation access_of_row(const thread_state& t, const instruction& i, bool is_shared) {
  return {.kind = i.kind,
          .bytes = row_bytes,
          .address = is_shared ? address_of<true>(t, i) : address_of<false>(t, i)};
}

/// Whether the lane addresses a row.
bool has_row(const instruction& i) {
  return simt::current->lane < side * i.elements;
}

template <bool IsShared, bool IsTransposed>
const instruction* load_matrices(thread_state& t, const instruction& i) {
  lane_part mine{.matrices = i.elements};
  if (has_row(i)) {
    const simt::word row = simt::perform_at(&i, access_of_row(t, i, IsShared));
    simt::write_word(mine.row.data(), row_bytes, row);
  }
  meet(i, &mine, take_rows<IsTransposed>);
  for (u32 at = 0; at < i.elements; ++at) t.put(at == 0 ? i.to : i.from[at], mine.registers[at]);
  return &i + 1;
}

template <bool IsShared, bool IsTransposed>
const instruction* store_matrices(thread_state& t, const instruction& i) {
  lane_part mine{.matrices = i.elements};
  for (u32 at = 0; at < i.elements; ++at) mine.registers[at] = t.get<u32>(i.from[at + 1]);
  meet(i, &mine, make_rows<IsTransposed>);
  if (has_row(i)) {
    simt::operation row = access_of_row(t, i, IsShared);
    row.operand = simt::read_word(mine.row.data(), row_bytes);
    simt::perform_at(&i, row);
  }
  return &i + 1;
}

const instruction* transpose(thread_state& t, const instruction& i) {
  lane_part mine{.matrices = 1};
  mine.registers[0] = t.get<u32>(i.from[0]);
  meet(i, &mine, [](std::span<void* const, simt::warp_size> lanes) {
    make_rows<false>(lanes);
    for (void* const lane : lanes) static_cast<lane_part*>(lane)->registers = {};
    take_rows<true>(lanes);
  });
  t.put(i.to, mine.registers[0]);
  return &i + 1;
}

void take_form(decoder& d) {
  for (const char* const part : {".sync", ".aligned", ".m8n8", ".b16"})
    if (!d.take(part)) throw unsupported{};
}

template <template <bool, bool> class Which>
handler chosen(bool is_shared, bool is_transposed) {
  if (is_shared) return is_transposed ? Which<true, true>::execute : Which<true, false>::execute;
  return is_transposed ? Which<false, true>::execute : Which<false, false>::execute;
}
template <bool IsShared, bool IsTransposed>
struct load_of {
  static constexpr handler execute = load_matrices<IsShared, IsTransposed>;
};
template <bool IsShared, bool IsTransposed>
struct store_of {
  static constexpr handler execute = store_matrices<IsShared, IsTransposed>;
};

/// ldmatrix and stmatrix. \param list the operand with the registers.
template <template <bool, bool> class Which>
void decode_movement(decoder& d, std::size_t list, simt::op_kind kind) {
  take_form(d);
  const auto number = d.take_one_of({".x1", ".x2", ".x4"});
  const auto registers = registers_of(d.syntax(list));
  if (number.empty()) throw unsupported{};
  instruction one{.kind = kind, .elements = static_cast<u8>(number[2] - '0')};
  d.expect_count("register", registers.size(), one.elements);
  if (kind == simt::op_kind::plain_load) one.sources = 1;
  const bool is_transposed = d.take(".trans");
  const address_space named = take_space(d);
  const address_space space = joined_space(named, d.address(1 - list, one));
  if (space != address_space::shared && space != address_space::generic) throw unsupported{};
  one.execute = chosen<Which>(space == address_space::shared, is_transposed);
  for (std::size_t at = 0; at < registers.size(); ++at) {
    if (kind == simt::op_kind::plain_store)
      one.from[at + 1] = d.source(*registers[at], type_of<u32>());
    else
      (at == 0 ? one.to : one.from[at]) = d.destination(*registers[at]);
  }
  d.emit(one);
}

void decode_matrix_load(decoder& d) {
  decode_movement<load_of>(d, 0, simt::op_kind::plain_load);
}
void decode_matrix_store(decoder& d) {
  decode_movement<store_of>(d, 1, simt::op_kind::plain_store);
}
void decode_transposition(decoder& d) {
  take_form(d);
  if (!d.take(".trans")) throw unsupported{};
  decode_computation(d, transpose, {type_of<u32>()});
}

// --- wmma.load, wmma.store: from[0] the address, from[1] elements from line to line in memory

constexpr u32 widest_matrix_access = 16;

template <bool IsShared, bool IsAlongLines>
const instruction* access_matrix(thread_state& t, const instruction& i) {
  const matrix_site& site = matrix_site_of(t, i);
  const fragment& of = site.d;
  const bool is_load = i.kind == simt::op_kind::plain_load;
  const u32 bytes = bits_of(of.of) / 8, register_bytes = of.register_bits() / 8;
  std::array<std::byte, 64> elements{};  // of the lane
  for (u32 at = 0; at < of.registers && !is_load; ++at) {
    const u64 value = t.read(site.registers[at]);
    std::memcpy(&elements[at * register_bytes], &value, register_bytes);
  }
  meet(i, nullptr, [](std::span<void* const, simt::warp_size>) {});
  std::byte* const base =
      IsShared ? shared_address(t, t.get<u32>(i.from[0])) : generic_address(t.read(i.from[0]));
  const u64 stride = t.get<u32>(i.from[1]);
  const u32 run =
      IsAlongLines ? std::min({widest_matrix_access / bytes, of.elements(), u32{of.length}}) : 1;
  for (u32 index = 0; index < of.elements(); index += run) {
    const auto [line, position] = of.place_of(simt::current->lane, index);
    const u64 into = IsAlongLines ? line * stride + position : position * stride + line;
    simt::operation access{.kind = i.kind,
                           .bytes = static_cast<u8>(run * bytes),
                           .address = generic_address(reinterpret_cast<u64>(base) + into * bytes)};
    if (!is_load) access.operand = simt::read_word(&elements[index * bytes], access.bytes);
    const simt::word found = simt::perform_at(&i, access);
    if (is_load) simt::write_word(&elements[index * bytes], access.bytes, found);
  }
  for (u32 at = 0; at < of.registers && is_load; ++at) {
    u64 value = 0;
    std::memcpy(&value, &elements[at * register_bytes], register_bytes);
    t.write(site.registers[at], value);
  }
  return &i + 1;
}
template <bool IsShared, bool IsAlongLines>
struct access_of {
  static constexpr handler execute = access_matrix<IsShared, IsAlongLines>;
};

}  // namespace

void decode_wmma_access(decoder& d, bool is_load) {
  const auto what = is_load ? d.take_one_of({".a", ".b", ".c"}) : d.take_one_of({".d"});
  const bool is_column_major = take_is_column_major(d);
  const shape size = take_shape(d);
  const std::vector<element> all = take_elements(d);
  require(!what.empty() && all.size() == 1);
  const element of = all.front();
  const bool is_factor = what == ".a" || what == ".b";
  require(is_factor ? is_factor_of_wmma(size, of) : is_sum_of_wmma(size, of));
  matrix_site site;
  site.d = what == ".a"   ? factor_of_wmma(of, size.m, size.k, is_column_major)
           : what == ".b" ? factor_of_wmma(of, size.n, size.k, !is_column_major)
                          : fragment_of_wmma(of, size.m, size.n, false);
  const bool is_along_lines = is_factor || !is_column_major;

  instruction one{.kind = is_load ? simt::op_kind::plain_load : simt::op_kind::plain_store};
  const address_space named = take_space(d);
  const address_space space = joined_space(named, d.address(is_load ? 1 : 0, one));
  require(space == address_space::shared || space == address_space::global ||
          space == address_space::generic);
  one.execute = chosen<access_of>(space == address_space::shared, is_along_lines);
  const operand sum = d.temporary();
  d.emit({.execute = add_offset, .number = one.number, .to = sum, .from = one.from});
  one.from = {sum, d.operands() > 2
                       ? d.source(2, type_of<u32>())
                       : d.all().constant(is_along_lines ? site.d.length : site.d.lines)};
  add_registers(d, d.syntax(is_load ? 0 : 1), site.d, site, is_load);
  emit_with_site(d, std::move(site), one);
}

namespace {}  // namespace

std::span<const opcode_row> matrix_movement_rows() {
  static constexpr opcode_row rows[] = {
      {"ldmatrix", decode_matrix_load},
      {"stmatrix", decode_matrix_store},
      {"movmatrix", decode_transposition},
  };
  return rows;
}

}  // namespace ptx
