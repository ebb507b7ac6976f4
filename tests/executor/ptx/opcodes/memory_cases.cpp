// Loads, stores, addresses, copies; read-modify-writes with what they return and leave.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/domains.hpp>

namespace ptx_opcodes {

namespace {

using names = std::vector<std::string>;
using enum width;

const std::vector<width> two_words = {bits64, bits64};
const std::vector<width> four_words = {bits64, bits64, bits64, bits64};
const names memory_types = {"u8",  "s8",  "b8",  "u16", "s16", "b16", "u32",
                            "s32", "b32", "u64", "s64", "b64", "f32", "f64"};

/// %w or {%w, %x} or {%w, %x, %y, %z}
std::string list_of(std::string_view registers, unsigned elements) {
  if (elements == 1) return fmt::format("%{}", registers[0]);
  std::string list;
  for (unsigned i = 0; i < elements; ++i)
    list += fmt::format("{}%{}", i == 0 ? "{" : ", ", registers[i]);
  return list + "}";
}

std::string vector_of(unsigned elements) {
  return elements == 1 ? "" : fmt::format(".v{}", elements);
}

/// Loads and stores of all types and lengths in one space. Registers of 64 bits show how a value
/// is extended; those of reals fit.
void add_accesses(std::vector<opcode_case>& all, const std::string& space,
                  const std::string& pointer, const std::string& before = "") {
  const domain b64 = of_type("b64");
  for (const std::string& type : memory_types) {
    for (const unsigned elements : {1u, 2u, 4u}) {
      const unsigned bytes = bytes_of(type) * elements;
      if (bytes > 16) continue;
      const width one = type[0] == 'f' ? of_type(type).of : bits64;
      const std::string form = space + vector_of(elements) + "." + type;
      all.push_back(with_body(
          "ld" + form,
          fmt::format("{}st{}.v2.b64 [{}], {{%a, %b}}; ld{} {}, [{}+{}];", before, space, pointer,
                      form, list_of("wxyz", elements), pointer, bytes == 16 ? 0 : bytes),
          std::vector<width>(elements, one), {b64, b64}));
      const std::vector<domain> stored(elements, type[0] == 'f' ? of_type(type) : b64);
      all.push_back(with_body(
          "st" + form,
          fmt::format("{}mov.b64 %l1, -1; st{}.v2.b64 [{}], {{%l1, %l1}}; st{} [{}+{}], {}; "
                      "ld{}.v2.b64 {{%w, %x}}, [{}];",
                      before, space, pointer, form, pointer, bytes == 16 ? 0 : bytes,
                      list_of("abcd", elements), space, pointer),
          two_words, stored));
    }
  }
  all.push_back(with_body(
      "ld" + space + ".b128",
      fmt::format("{0}.reg .b128 %m; st{1}.v2.b64 [{2}], {{%a, %b}}; ld{1}.b128 %m, [{2}]; "
                  "st{1}.b128 [{2}+16], %m; ld{1}.v2.b64 {{%w, %x}}, [{2}+16];",
                  before, space, pointer),
      two_words, {b64, b64}));
}

void add_addresses(std::vector<opcode_case>& all) {
  const auto add = [&](const char* name, std::string body, std::vector<width> results) {
    all.push_back(with_body(name, std::move(body), std::move(results), {}));
  };
  const std::string generic =
      "cvt.u64.u32 %l1, %shared; cvta.shared.u64 %l1, %l1; cvta.local.u64 %l2, %local; ";
  add("cvta.to.shared.u64",
      generic +
          "cvta.to.shared.u64 %l3, %l1; cvt.u64.u32 %l4, %shared; sub.u64 %w, %l3, %l4; "
          "add.u64 %l1, %l1, 24; cvta.to.shared.u64 %l3, %l1; sub.u64 %x, %l3, %l4;",
      two_words);
  add("cvta.shared.u64",
      generic +
          "st.shared.u64 [%shared+8], 77; ld.u64 %w, [%l1+8]; st.u64 [%l1+16], 78; "
          "ld.shared.u64 %x, [%shared+16];",
      two_words);
  add("cvta.local.u64",
      generic +
          "st.local.u64 [%local+8], 77; ld.u64 %w, [%l2+8]; st.u64 [%l2+16], 78; "
          "ld.local.u64 %x, [%local+16]; cvta.to.local.u64 %l3, %l2; sub.u64 %y, %l3, %local;",
      {bits64, bits64, bits64});
  add("cvta.global.u64",
      "cvta.global.u64 %l1, %global; cvta.to.global.u64 %l2, %l1; sub.u64 %w, %l2, %global; "
      "st.u64 [%l1], 5; ld.global.u64 %x, [%global];",
      two_words);
  for (const char* space : {"global", "shared", "local", "const"}) {
    const std::string name = fmt::format("isspacep.{}", space);
    add(name.c_str(), generic + fmt::format("{0} %w, %global; {0} %x, %l1; {0} %y, %l2;", name),
        {predicate, predicate, predicate});
  }
}

void add_constants(std::vector<opcode_case>& all) {
  const std::string constants =
      ".const .align 16 .b8 table[32] = {1, 2, 127, 128, 255, 0, 254, 129, 10, 20, 30, 40, 200, "
      "210, "
      "220, 230, 9, 8, 7, 6, 5, 4, 3, 2, 1, 255, 255, 255, 0, 0, 128, 128};";
  const domain places = only(bits64, {0, 16});
  for (const std::string& type : memory_types) {
    for (const unsigned elements : {1u, 2u, 4u}) {
      if (bytes_of(type) * elements > 16) continue;
      const width one = type[0] == 'f' ? of_type(type).of : bits64;
      const std::string form = "ld.const" + vector_of(elements) + "." + type;
      opcode_case made =
          with_body(form,
                    fmt::format("mov.u64 %l1, table; add.u64 %l1, %l1, %a; {} {}, [%l1];", form,
                                list_of("wxyz", elements)),
                    std::vector<width>(elements, one), {places});
      made.around = constants;
      all.push_back(std::move(made));
    }
  }
}

}  // namespace

std::vector<opcode_case> memory_cases() {
  std::vector<opcode_case> all;
  add_accesses(all, ".global", "%global");
  add_accesses(all, ".shared", "%shared");
  add_accesses(all, ".local", "%local");
  add_accesses(all, "", "%global");
  add_constants(all);
  add_addresses(all);
  const domain b64 = of_type("b64"), b32 = of_type("b32");
  // Orders, scopes and hints change no value.
  for (const std::string how : {".weak", ".relaxed.cta", ".relaxed.cluster", ".relaxed.gpu",
                                ".relaxed.sys", ".volatile", ".mmio.relaxed.sys"}) {
    for (const std::string space : {".global", ".shared", ".shared::cta"}) {
      const bool is_global = space == ".global";
      if (how == ".mmio.relaxed.sys" && !is_global) continue;
      all.push_back(with_body("ld" + how + space + ".u32.ordered",
                              fmt::format("st{0}{1}.u32 [{2}], %a; ld{0}{1}.u32 %w, [{2}];", how,
                                          space, is_global ? "%global" : "%shared"),
                              {bits32}, {b32}));
    }
  }
  for (const std::string reach : {".cta", ".cluster", ".gpu", ".sys"}) {
    all.push_back(with_body("ld.acquire" + reach + ".global.u64",
                            fmt::format("st.release{0}.global.u64 [%global], %a; "
                                        "ld.acquire{0}.global.u64 %w, [%global];",
                                        reach),
                            {bits64}, {b64}));
  }
  for (const std::string hint : {".ca", ".cg", ".cs", ".cv", ".lu", ".L1::no_allocate.L2::128B"})
    all.push_back(with_body("ld.global" + hint + ".u32.hint",
                            fmt::format("ld.global{}.u32 %w, [%in];", hint), {bits32}, {b32}));
  for (const std::string hint : {".wb", ".cg", ".cs", ".wt"}) {
    all.push_back(
        with_body("st.global" + hint + ".u32.hint",
                  fmt::format("st.global{}.u32 [%global], %a; ld.global.u32 %w, [%global];", hint),
                  {bits32}, {b32}));
  }
  all.push_back(with_body("ld.global.nc.u32", "ld.global.nc.u32 %w, [%in];", {bits32}, {b32}));
  all.push_back(with_body("ldu.global.u32", "ldu.global.u32 %w, [%in];", {bits32}, {b32}));
  all.push_back(with_body("ld.param.u64", "ld.param.u64 %l1, [in]; ld.global.u64 %w, [%l1];",
                          {bits64}, {b64}));
  for (const auto& [how, bytes] : {std::pair("ca", 4), {"ca", 8}, {"ca", 16}, {"cg", 16}}) {
    for (const int read : {0, 4, 8, 16}) {
      if (read > bytes) continue;
      all.push_back(with_body(
          fmt::format("cp.async.{}.{}.{}", how, bytes, read),
          fmt::format("mov.b64 %l1, -1; st.shared.v2.b64 [%shared], {{%l1, %l1}}; "
                      "cp.async.{}.shared.global [%shared], [%in], {}, {}; cp.async.commit_group; "
                      "cp.async.wait_group 0; ld.shared.v2.b64 {{%w, %x}}, [%shared];",
                      how, bytes, read),
          two_words, {b64, b64}));
    }
  }
  return all;
}

std::vector<opcode_case> atomic_cases() {
  std::vector<opcode_case> all;
  struct operation {
    names types;
    const char* name;
  };
  const operation operations[] = {
      {{"u32", "s32", "u64", "f32", "f64", "noftz.f16", "noftz.bf16", "noftz.f16x2",
        "noftz.bf16x2"},
       "add"},
      {{"u32", "s32", "u64", "s64"}, "min"},
      {{"u32", "s32", "u64", "s64"}, "max"},
      {{"b32", "b64"}, "and"},
      {{"b32", "b64"}, "or"},
      {{"b32", "b64"}, "xor"},
      {{"u32"}, "inc"},
      {{"u32"}, "dec"},
      {{"b32", "b64"}, "exch"},
      {{"b16", "b32", "b64"}, "cas"},
  };
  for (const auto& [types, operation] : operations) {
    const bool is_cas = std::string_view(operation) == "cas";
    const bool is_reduction = !is_cas && std::string_view(operation) != "exch";
    for (const std::string& type : types) {
      const std::string plain = type.substr(type.find('.') + 1);
      const domain of = of_type(plain);
      const std::string bits = fmt::format("b{}", static_cast<unsigned>(of.of));
      const tolerance open{format_of(plain)};
      // %a: what memory holds; %b: the operand, or what is expected; %c: what is stored then.
      std::vector<domain> operands(is_cas ? 3 : 2, of);
      if (is_cas) operands[0].edges = operands[1].edges = {of.edges.begin(), of.edges.begin() + 3};
      for (const std::string space : {".global", ".shared", ""}) {
        const std::string pointer = space == ".shared" ? "%shared" : "%global";
        const std::string form = fmt::format("{}.{}.{}", space, operation, type);
        const std::string begin = fmt::format("st{}.{} [{}], %a; ", space, bits, pointer);
        const std::string end = fmt::format(" ld{}.{} %x, [{}];", space, bits, pointer);
        all.push_back(with_body("atom" + form,
                                fmt::format("{}atom{} %w, [{}], %b{};{}", begin, form, pointer,
                                            is_cas ? ", %c" : "", end),
                                {of.of, of.of}, operands, open));
        if (is_reduction && space != "") {
          all.push_back(with_body(
              "red" + form,
              fmt::format("{}red{} [{}], %b; mov.{} %w, %b;{}", begin, form, pointer, bits, end),
              {of.of, of.of}, operands, open));
        }
      }
    }
  }
  const domain b64 = of_type("b64"), b32 = of_type("b32");
  const std::string wide =
      ".reg .b128 %m, %n, %o; st.global.v2.b64 [%global], {%a, %b}; "
      "mov.b128 %m, {%c, %d}; ";
  const std::string wide_end = " mov.b128 {%w, %x}, %o; ld.global.v2.b64 {%y, %z}, [%global];";
  all.push_back(with_body("atom.global.exch.b128",
                          wide + "atom.global.exch.b128 %o, [%global], %m;" + wide_end, four_words,
                          {b64, b64, b64, b64}));
  all.push_back(with_body("atom.global.cas.b128",
                          wide +
                              "mov.b128 %n, {%b, %a}; mov.b128 %m, {%c, %b}; "
                              "atom.global.cas.b128 %o, [%global], %m, %n;" +
                              wide_end,
                          four_words,
                          {only(bits64, {0, 1, ~0ull}), only(bits64, {0, 1, ~0ull}),
                           only(bits64, {0, 1, ~0ull}), b64}));
  for (const std::string order : {".relaxed", ".acquire", ".release", ".acq_rel"}) {
    for (const std::string reach : {".cta", ".cluster", ".gpu", ".sys"}) {
      all.push_back(
          with_body("atom" + order + reach + ".global.add.u32.ordered",
                    fmt::format("st.global.u32 [%global], %a; atom{}{}.global.add.u32 %w, "
                                "[%global], %b; ld.global.u32 %x, [%global];",
                                order, reach),
                    {bits32, bits32}, {b32, only(bits32, {1})}));
    }
  }
  return all;
}

}  // namespace ptx_opcodes
