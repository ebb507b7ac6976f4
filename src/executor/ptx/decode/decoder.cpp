// SPDX-License-Identifier: Apache-2.0
// Statements of a function: modifiers, operands, branches.
#include <ptx/decode/decoder.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

namespace ptx {

namespace {

constexpr std::size_t most_local_bytes = 512 * 1024;  // of a thread, as on a GPU

std::string text_of(const statement& s) {
  std::string text(s.opcode);
  for (const std::string_view modifier : s.modifiers) text += modifier;
  return text;
}

}  // namespace

void decoder::refuse(std::string_view why) const {
  throw error(fmt::format("PTX line {}: {}: {}", now_->text_line, text_of(*now_), why));
}

void decoder::expect_count(std::string_view what, std::size_t found, std::size_t expected) const {
  if (found == expected) return;
  refuse(
      fmt::format("expected {} {}{}, found {}", expected, what, expected == 1 ? "" : "s", found));
}

// --- modifiers

bool decoder::has(std::string_view modifier) const {
  return std::find(left_.begin(), left_.end(), modifier) != left_.end();
}

bool decoder::take(std::string_view modifier) {
  return std::erase(left_, modifier) > 0;
}

std::optional<type> decoder::take_type() {
  for (auto at = left_.begin(); at != left_.end(); ++at) {
    const auto found = type_named(*at);
    if (!found) continue;
    left_.erase(at);
    return found;
  }
  return {};
}

type decoder::require_type() {
  const auto found = take_type();
  if (!found) throw unsupported{};
  return *found;
}

std::string_view decoder::take_one_of(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (take(name)) return name;
  return {};
}

std::string_view decoder::take_first(bool (*fits)(std::string_view)) {
  const auto at = std::find_if(left_.begin(), left_.end(), fits);
  if (at == left_.end()) return {};
  const std::string_view found = *at;
  left_.erase(at);
  return found;
}

void decoder::take_all_beginning_with(std::string_view prefix) {
  std::erase_if(left_, [&](std::string_view one) { return one.starts_with(prefix); });
}

// --- operands

const operand_syntax& decoder::syntax(std::size_t i) const {
  if (i >= now_->operands.size()) refuse(fmt::format("operand {} is missing", i + 1));
  return now_->operands[i];
}

bool decoder::is_address(std::size_t i) const {
  return syntax(i).what == operand_syntax::kind::address;
}

const register_range* decoder::find_register(std::string_view name, std::uint32_t& slot) const {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  std::uint32_t number = 0;
  const bool is_numbered =
      digits < name.size() &&
      std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc{};
  for (std::uint32_t at = now_->scope;; at = syntax_.scopes[at].parent) {
    const auto& registers = syntax_.scopes[at].registers;
    if (const auto found = registers.find(name);
        found != registers.end() && found->second.count == 0) {
      slot = found->second.first_slot;
      return &found->second;
    }
    if (const auto found = registers.find(name.substr(0, digits));
        is_numbered && found != registers.end() && number < found->second.count) {
      slot = found->second.first_slot + number * (found->second.of.bytes == 16 ? 2 : 1);
      return &found->second;
    }
    if (at == syntax_.scopes[at].parent) return nullptr;
  }
}

std::optional<operand> decoder::register_named(std::string_view name, std::size_t bytes) const {
  std::uint32_t slot = 0;
  const register_range* const range = find_register(name, slot);
  if (range == nullptr) return {};
  if (bytes == 16 && range->of.bytes != 16) refuse("expected a register of 128 bits");
  return operand::of_register(slot);
}

const decoder::memory_place* decoder::find_memory(std::string_view name) const {
  for (std::uint32_t at = now_->scope;; at = syntax_.scopes[at].parent) {
    if (const auto found = memory_[at].find(name); found != memory_[at].end())
      return &found->second;
    if (at == syntax_.scopes[at].parent) return nullptr;
  }
}

std::optional<operand> decoder::address_of(std::string_view name, std::int64_t addend,
                                           address_space& space) {
  const memory_place* const mine = find_memory(name);
  if (mine == nullptr) return all_.variable_address(name, addend, space);
  space = mine->space;
  if (mine->kind == memory_place::how::shared)
    return all_.constant(mine->at + static_cast<std::uint64_t>(addend));
  const operand to = temporary();
  if (mine->kind == memory_place::how::local)
    emit({.execute = take_local_address, .number = offset_sum(addend, mine->at), .to = to});
  else
    emit({.execute = add_offset,
          .number = addend,
          .to = to,
          .from = {operand::of_register(mine->at)}});
  return to;
}

operand decoder::source(const operand_syntax& from, const type& of) {
  if (from.what == operand_syntax::kind::number) {
    if (of.bytes == 16) refuse("expected a register of 128 bits");
    if (const auto real = real_value(from.text)) {
      if (of.what != type_class::real && of.what != type_class::bits)
        refuse("expected an integer, not a real number");
      return all_.constant(of.bytes == 8 ? std::bit_cast<std::uint64_t>(*real)
                                         : std::bit_cast<std::uint32_t>(static_cast<float>(*real)));
    }
    const auto value = integer_value(from.text);
    if (!value) refuse(fmt::format("'{}' is not a number", from.text));
    return all_.constant(from.is_negated ? 0 - *value : *value);
  }
  if (from.what != operand_syntax::kind::name) refuse("expected a register, a number or a name");
  operand found;
  if (const auto its_register = register_named(from.text, of.bytes)) {
    found = *its_register;
    if (from.offset != 0) {
      const operand sum = temporary();
      emit({.execute = add_offset, .number = from.offset, .to = sum, .from = {found}});
      found = sum;
    }
  } else if (const auto special = special_register(from.text)) {
    found = temporary();
    emit({.execute = read_special, .number = *special, .to = found});
  } else if (address_space space{}; const auto known = address_of(from.text, from.offset, space)) {
    found = *known;
  } else {
    refuse(fmt::format("'{}' is not declared", from.text));
  }
  if (!from.is_negated) return found;
  if (of.what != type_class::predicate) refuse("only a predicate can be negated");
  const operand opposite = temporary();
  emit({.execute = negate_predicate, .to = opposite, .from = {found}});
  return opposite;
}

operand decoder::destination(const operand_syntax& to, std::size_t bytes) {
  if (to.what != operand_syntax::kind::name || to.is_negated || to.offset != 0)
    refuse("the destination is not a register");
  if (to.text == "_") return temporary();
  const auto known = register_named(to.text, bytes);
  if (!known) refuse(fmt::format("the register '{}' is not declared", to.text));
  return *known;
}

void decoder::destinations(std::size_t i, instruction& of) {
  const operand_syntax& both = syntax(i);
  if (both.what == operand_syntax::kind::pair) {
    of.to = destination(both.parts[0]);
    of.also_to = destination(both.parts[1]);
  } else {
    of.to = destination(both);
    of.also_to = temporary();
  }
}

operand decoder::temporary() {
  into_.slots += 2;  // perhaps 128 bits
  return operand::of_register(into_.slots - 2);
}

address_space decoder::address(std::size_t i, instruction& of) {
  const operand_syntax& all = syntax(i);
  if (all.what != operand_syntax::kind::address || all.parts.size() != 1)
    refuse("expected an address in brackets");
  const operand_syntax& base = all.parts.front();
  of.number = base.offset;
  if (base.what == operand_syntax::kind::number) {
    of.from[0] = source(base, {type_class::unsigned_integer, 8});
    return address_space::generic;
  }
  if (base.what != operand_syntax::kind::name || base.is_negated)
    refuse("expected an address in brackets");
  if (std::uint32_t slot = 0; find_register(base.text, slot) != nullptr) {
    of.from[0] = operand::of_register(slot);
    return address_space::generic;
  }
  address_space space{};
  const auto known = address_of(base.text, 0, space);
  if (!known) refuse(fmt::format("'{}' is not declared", base.text));
  of.from[0] = *known;
  return space;
}

std::optional<decoder::local_variable> decoder::local_named(std::string_view name) const {
  const memory_place* const place = find_memory(name);
  if (place == nullptr || place->kind != memory_place::how::local) return {};
  return local_variable{place->at, place->bytes};
}

// --- code

void decoder::emit(instruction one) {
  one.statement = index_;
  into_.code.push_back(one);
}

std::uint32_t decoder::label_of(std::string_view name, std::uint32_t scope) const {
  for (std::uint32_t at = scope;; at = syntax_.scopes[at].parent) {
    const auto& labels = syntax_.scopes[at].labels;
    if (const auto found = labels.find(name); found != labels.end()) return found->second;
    if (at == syntax_.scopes[at].parent)
      refuse(fmt::format("the label '{}' is not declared", name));
  }
}

void decoder::emit_branch(handler what, std::string_view label, operand condition) {
  branches_.push_back({into_.code.size(), label_of(label, now_->scope)});
  emit({.execute = what, .from = {condition}});
}

std::vector<std::string_view> decoder::branch_targets(const operand_syntax& list) const {
  std::vector<std::string_view> labels;
  for (const operand_syntax& one : list.parts) labels.push_back(one.text);
  for (std::uint32_t at = now_->scope; labels.empty(); at = syntax_.scopes[at].parent) {
    const auto& known = syntax_.scopes[at].branch_targets;
    if (const auto found = known.find(list.text); found != known.end()) return found->second;
    if (at == syntax_.scopes[at].parent)
      refuse(fmt::format("the list of labels '{}' is not declared", list.text));
  }
  return labels;
}

void decoder::emit_branch_table(handler what, operand index,
                                const std::vector<std::string_view>& labels) {
  table made{into_.code.size(), {}};
  for (const std::string_view label : labels) made.to.push_back(label_of(label, now_->scope));
  tables_.push_back(std::move(made));
  emit({.execute = what, .from = {index}});
}

void decoder::decode_statement() {
  left_ = now_->modifiers;
  begins_.push_back(static_cast<std::uint32_t>(into_.code.size()));
  std::optional<std::size_t> guard;
  if (!now_->guard.empty()) {
    operand_syntax predicate{.text = now_->guard};
    const operand condition = source(predicate, {type_class::predicate, 1});
    if (now_->opcode == "bra") {
      expect_count("label", now_->operands.size(), 1);
      return emit_branch(now_->is_guard_negated ? jump_unless : jump_if, syntax(0).text, condition);
    }
    guard = into_.code.size();
    emit({.execute = now_->is_guard_negated ? jump_if : jump_unless, .from = {condition}});
  }
  const std::size_t first = into_.code.size();
  const auto slots = into_.slots;
  const std::size_t branches = branches_.size(), tables = tables_.size();
  try {
    const auto last_type = left_.empty() ? std::nullopt : type_named(left_.back());
    const bool is_real = last_type && last_type->what == type_class::real;
    const decode_opcode decode = find_opcode(now_->opcode, is_real);
    if (decode == nullptr) throw unsupported{};
    decode(*this);
    if (!left_.empty()) throw unsupported{};
  } catch (const unsupported&) {
    into_.code.resize(first);
    into_.slots = slots;
    branches_.resize(branches);
    tables_.resize(tables);
    emit({.execute = refuse_instruction});
  }
  if (guard) into_.code[*guard].jump = static_cast<std::int32_t>(into_.code.size() - *guard);
}

void decoder::place_variables() {
  into_.slots = syntax_.register_slots;
  into_.first_pointer = into_.slots;
  memory_.resize(syntax_.scopes.size());
  const auto add_pointer = [&](const memory_syntax& what) {
    memory_[0][what.name] = {memory_place::how::pointer, into_.slots++, address_space::parameter,
                             what.bytes};
  };
  for (const memory_syntax& result : syntax_.results) add_pointer(result);
  for (const memory_syntax& parameter : syntax_.parameters) add_pointer(parameter);
  for (std::size_t scope = 0; scope < syntax_.scopes.size(); ++scope) {
    for (const memory_syntax& what : syntax_.scopes[scope].variables) {
      if (what.space == address_space::shared) {
        memory_[scope][what.name] = {memory_place::how::shared, all_.place_shared(what.name, what),
                                     address_space::shared, what.bytes};
      } else if (what.space == address_space::local || what.space == address_space::parameter) {
        into_.local_bytes = aligned(into_.local_bytes, what.alignment);
        memory_[scope][what.name] = {memory_place::how::local,
                                     static_cast<std::uint32_t>(into_.local_bytes), what.space,
                                     what.bytes};
        into_.local_bytes += what.bytes;
        if (into_.local_bytes > most_local_bytes)
          throw error(fmt::format("{} has more than 512 KiB of local memory", syntax_.name));
      } else {
        throw error(fmt::format("{} declares a variable that is not .local, .shared or .param",
                                syntax_.name));
      }
    }
  }
}

void decoder::resolve_branches() {
  const auto jump = [&](std::size_t from, std::uint32_t statement) {
    return static_cast<std::int32_t>(begins_[statement]) - static_cast<std::int32_t>(from);
  };
  for (const branch& one : branches_) into_.code[one.at].jump = jump(one.at, one.to);
  for (const table& one : tables_) {
    into_.code[one.at].number = static_cast<std::int64_t>(into_.branch_tables.size());
    auto& jumps = into_.branch_tables.emplace_back();
    for (const std::uint32_t to : one.to) jumps.push_back(jump(one.at, to));
  }
}

void decoder::run() {
  place_variables();
  for (const statement& one : syntax_.statements) {
    now_ = &one;
    index_ = static_cast<std::uint32_t>(&one - syntax_.statements.data());
    decode_statement();
  }
  begins_.push_back(static_cast<std::uint32_t>(into_.code.size()));
  emit({.execute = return_from_function});
  resolve_branches();
  share_slots(into_);
}

}  // namespace ptx
