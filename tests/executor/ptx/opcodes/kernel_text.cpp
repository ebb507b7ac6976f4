// The text of a case's kernel, and all cases.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/opcode_case.hpp>

namespace ptx_opcodes {

namespace {

constexpr std::string_view operand_names = "abcd", result_names = "wxyz";

std::string declared(std::string_view names, const std::vector<width>& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += all[i] == width::predicate
                ? fmt::format("\t.reg .pred %{};\n", names[i])
                : fmt::format("\t.reg .b{} %{};\n", static_cast<unsigned>(all[i]), names[i]);
  }
  return text;
}

}  // namespace

std::string kernel_text(const opcode_case& of) {
  const auto uses = [&](std::string_view name) { return of.body.find(name) != std::string::npos; };
  std::string text = fmt::format(R"(.version 8.3
.target sm_90
.address_size 64
{}
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 scratch) {}
{{
	.reg .pred %p, %q;
	.reg .b32 %r<8>, %thread, %number;
	.reg .b64 %l<8>, %in, %out;
{}{}	mov.u32 %thread, %tid.x;
	mov.u32 %number, %ctaid.x;
	mov.u32 %r0, %ntid.x;
	mad.lo.u32 %number, %number, %r0, %thread;
	ld.param.u64 %in, [in];
	mul.wide.u32 %l0, %number, 32;
	add.u64 %in, %in, %l0;
	ld.param.u64 %out, [out];
	add.u64 %out, %out, %l0;
)",
                                 of.around, of.directives, declared(operand_names, of.operands),
                                 declared(result_names, of.results));
  if (uses("%global")) {
    text += R"(	.reg .b64 %global;
	ld.param.u64 %global, [scratch];
	mul.wide.u32 %l0, %number, 64;
	add.u64 %global, %global, %l0;
)";
  }
  if (uses("%shared")) {
    text += fmt::format(R"(	.shared .align 16 .b8 shared_bytes[{}];
	.reg .b32 %shared;
	mov.u32 %shared, shared_bytes;
	mad.lo.u32 %shared, %thread, 64, %shared;
)",
                        64 * of.tuples.size() / of.cluster_blocks);
  }
  if (uses("%local")) {
    text += R"(	.local .align 16 .b8 local_bytes[64];
	.reg .b64 %local;
	mov.u64 %local, local_bytes;
)";
  }
  for (std::size_t i = 0; i < of.operands.size(); ++i) {
    const char name = operand_names[i];
    if (of.operands[i] == width::predicate) {
      text +=
          fmt::format("\tld.global.u32 %r0, [%in+{}];\n\tsetp.ne.u32 %{}, %r0, 0;\n", 8 * i, name);
    } else {
      text += fmt::format("\tld.global.b{} %{}, [%in+{}];\n", static_cast<unsigned>(of.operands[i]),
                          name, 8 * i);
    }
  }
  text += fmt::format("\t{}\n", of.body);
  for (std::size_t i = 0; i < of.results.size(); ++i) {
    const char name = result_names[i];
    if (of.results[i] == width::predicate) {
      text +=
          fmt::format("\tselp.u32 %r0, 1, 0, %{};\n\tst.global.u32 [%out+{}], %r0;\n", name, 8 * i);
    } else {
      text += fmt::format("\tst.global.b{} [%out+{}], %{};\n", static_cast<unsigned>(of.results[i]),
                          8 * i, name);
    }
  }
  return text + "END:\n\tret;\n}\n";
}

std::uint32_t fingerprint(const opcode_case& of) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  const auto add = [&](std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i)
      hash = (hash ^ static_cast<std::uint32_t>(value >> (8 * i) & 255)) * 16777619u;
  };
  for (const std::string* text : {&of.body, &of.around, &of.directives})
    for (const char c : *text) add(static_cast<unsigned char>(c), 1);
  for (const width one : of.operands) add(static_cast<std::uint64_t>(one), 1);
  for (const width one : of.results) add(static_cast<std::uint64_t>(one), 1);
  for (const values& tuple : of.tuples)
    for (const std::uint64_t one : tuple) add(one, 8);
  return hash;
}

const std::vector<opcode_case>& all_cases() {
  static const std::vector<opcode_case> all = [] {
    std::vector<opcode_case> made;
    for (const auto family : {integer_cases, bit_cases, real_cases, approximate_cases,
                              comparison_cases, conversion_cases, memory_cases, atomic_cases,
                              warp_cases, control_cases, matrix_cases, wmma_cases}) {
      for (opcode_case& one : family()) made.push_back(std::move(one));
    }
    return made;
  }();
  return all;
}

}  // namespace ptx_opcodes
