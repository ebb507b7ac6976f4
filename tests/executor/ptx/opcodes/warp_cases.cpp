// Collectives of a warp and of a block, special registers, branches and calls.
#include <fmt/format.h>
#include <tests/executor/ptx/opcodes/domains.hpp>

namespace ptx_opcodes {

namespace {

using enum width;
constexpr std::uint32_t whole = 0xffffffff;

/// Ends lanes that are not in the mask, which an operand has.
std::string for_lanes_of(char mask, const std::string& body) {
  return fmt::format(
      "mov.u32 %r1, %laneid; shr.u32 %r1, %{}, %r1; and.b32 %r1, %r1, 1; setp.eq.u32 %q, %r1, 0; "
      "@%q bra END; {}",
      mask, body);
}

opcode_case with_tuples(std::string name, std::string body, std::vector<width> results,
                        std::vector<width> operands, std::vector<values> tuples) {
  return {.name = std::move(name),
          .body = std::move(body),
          .operands = std::move(operands),
          .results = std::move(results),
          .tuples = std::move(tuples)};
}

/// Values of one warp after another: of_lane(warp, lane).
template <class OfLane>
std::vector<values> warps_of(unsigned warps, const OfLane& of_lane) {
  std::vector<values> all;
  for (unsigned warp = 0; warp < warps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane) all.push_back(of_lane(warp, lane));
  return all;
}

std::uint32_t scattered(std::uint32_t value) {
  return value * 2654435761u + 12345u;
}

void add_shuffles(std::vector<opcode_case>& all) {
  struct arguments {
    std::uint32_t by, limits, mask;
  };
  const auto add = [&](const char* how, const std::vector<arguments>& of_warps) {
    const std::string name = fmt::format("shfl.sync.{}.b32", how);
    const auto tuples =
        warps_of(static_cast<unsigned>(of_warps.size()), [&](unsigned warp, unsigned lane) {
          const arguments& one = of_warps[warp];
          const std::uint32_t by = one.by == whole ? scattered(lane) >> 27 : one.by;
          return values{scattered(32 * warp + lane), by, one.limits, one.mask};
        });
    all.push_back(with_tuples(name, for_lanes_of('d', name + " %w|%x, %a, %b, %c, %d;"),
                              {bits32, predicate}, {bits32, bits32, bits32, bits32}, tuples));
  };
  // Of masks with gaps, segments are read that lie in the mask.
  add("up", {{1, 0, whole},
             {0, 0, whole},
             {31, 0, whole},
             {33, 0, whole},
             {3, 0x1800, whole},
             {1, 4, whole},
             {2, 0x1c02, whole},
             {2, 0x1000, 0xffff}});
  add("down", {{1, 31, whole},
               {0, 31, whole},
               {31, 31, whole},
               {33, 31, whole},
               {3, 0x181f, whole},
               {1, 20, whole},
               {2, 0x1c02, whole},
               {2, 0x101f, 0xffff}});
  add("bfly", {{1, 31, whole},
               {0, 31, whole},
               {31, 31, whole},
               {48, 31, whole},
               {9, 0x181f, whole},
               {1, 20, whole},
               {2, 0x1c02, whole},
               {2, 0x101f, 0xffff0000}});
  add("idx", {{0, 31, whole},
              {31, 31, whole},
              {whole, 31, whole},
              {40, 31, whole},
              {5, 0x181f, whole},
              {12, 10, whole},
              {whole, 0x1c02, whole},
              {2, 0x101f, 0xffff}});
}

constexpr std::uint32_t masks[] = {whole, 0xffff, 0x80000001, 0xaaaaaaaa, 0x00010000, whole};

void add_votes(std::vector<opcode_case>& all) {
  // All lanes agree in half of the warps.
  const auto tuples = warps_of(12, [](unsigned warp, unsigned lane) {
    return values{warp < 6 ? warp % 2 : scattered(lane + warp) >> 31, masks[warp % 6]};
  });
  for (const char* how : {"all", "any", "uni"}) {
    const std::string name = fmt::format("vote.sync.{}.pred", how);
    all.push_back(with_tuples(name, for_lanes_of('b', name + " %w, %a, %b;"), {predicate},
                              {predicate, bits32}, tuples));
    all.push_back(with_tuples(name + ".negated", for_lanes_of('b', name + " %w, !%a, %b;"),
                              {predicate}, {predicate, bits32}, tuples));
  }
  const auto few = warps_of(6, [](unsigned warp, unsigned lane) {
    return values{scattered(lane + warp) >> 31, masks[warp]};
  });
  all.push_back(with_tuples("vote.sync.ballot.b32",
                            for_lanes_of('b', "vote.sync.ballot.b32 %w, %a, %b;"), {bits32},
                            {predicate, bits32}, few));
}

void add_matches_and_reductions(std::vector<opcode_case>& all) {
  for (const auto& [type, of] : {std::pair("b32", bits32), std::pair("b64", bits64)}) {
    const auto tuples = warps_of(6, [&, of = of](unsigned warp, unsigned lane) {
      const std::uint64_t high = of == bits64 ? std::uint64_t{lane % 3} << 40 : 0;
      return values{warp == 5 ? 7 : scattered(lane) >> 30 | high, masks[warp]};
    });
    all.push_back(with_tuples(fmt::format("match.any.sync.{}", type),
                              for_lanes_of('b', fmt::format("match.any.sync.{} %w, %a, %b;", type)),
                              {bits32}, {of, bits32}, tuples));
    all.push_back(
        with_tuples(fmt::format("match.all.sync.{}", type),
                    for_lanes_of('b', fmt::format("match.all.sync.{} %w|%x, %a, %b;", type)),
                    {bits32, predicate}, {of, bits32}, tuples));
  }
  const auto tuples = warps_of(6, [](unsigned warp, unsigned lane) {
    return values{warp == 3 ? ~scattered(lane) | 0xffff : scattered(32 * warp + lane), masks[warp]};
  });
  for (const char* how : {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32",
                          "and.b32", "or.b32", "xor.b32"}) {
    const std::string name = fmt::format("redux.sync.{}", how);
    all.push_back(with_tuples(name, for_lanes_of('b', name + " %w, %a, %b;"), {bits32},
                              {bits32, bits32}, tuples));
  }
  const auto masks_alone = warps_of(6, [](unsigned warp, unsigned) { return values{masks[warp]}; });
  all.push_back(with_tuples("elect.sync", for_lanes_of('a', "elect.sync %w|%x, %a;"),
                            {bits32, predicate}, {bits32}, masks_alone));
}

void add_barriers(std::vector<opcode_case>& all) {
  const auto tuples = warps_of(3, [](unsigned warp, unsigned lane) {
    return values{scattered(32 * warp + lane) >> 31, 1, 0};
  });
  for (const char* what : {"bar.red", "barrier.red", "barrier.cta.red"}) {
    all.push_back(with_tuples(
        fmt::format("{}.popc.u32", what),
        fmt::format("{0}.popc.u32 %w, 0, %a; {0}.popc.u32 %x, 0, !%a; {0}.popc.u32 %y, 0, %b;",
                    what),
        {bits32, bits32, bits32}, {predicate, predicate, predicate}, tuples));
    for (const char* how : {"and", "or"}) {
      all.push_back(with_tuples(
          fmt::format("{}.{}.pred", what, how),
          fmt::format("{0}.{1}.pred %w, 0, %a; {0}.{1}.pred %x, 0, %b; {0}.{1}.pred %y, 0, %c;",
                      what, how),
          {predicate, predicate, predicate}, {predicate, predicate, predicate}, tuples));
    }
  }
  const auto numbers =
      warps_of(3, [](unsigned warp, unsigned lane) { return values{scattered(32 * warp + lane)}; });
  // Each thread reads what the last one, counted from its own place, has stored.
  for (const char* what : {"bar.sync 0", "barrier.sync 0", "barrier.cta.sync.aligned 0",
                           "bar.sync 3, 96", "barrier.cta.sync 5, 96"}) {
    std::string name(what);
    for (char& c : name)
      if (c == ' ' || c == ',') c = '.';
    all.push_back(with_tuples(name,
                              fmt::format("st.shared.u32 [%shared], %a; {}; sub.u32 %r1, 95, "
                                          "%thread; mul.lo.u32 %r1, %r1, 64; mov.u32 %r2, "
                                          "shared_bytes; add.u32 %r2, %r2, %r1; ld.shared.u32 %w, "
                                          "[%r2];",
                                          what),
                              {bits32}, {bits32}, numbers));
  }
  const auto in_cluster = [&](std::string name, const std::string& body,
                              std::vector<width> results) {
    opcode_case cluster =
        with_tuples(std::move(name),
                    "st.shared.u32 [%shared], %a; barrier.cluster.arrive.aligned; "
                    "barrier.cluster.wait.aligned; mov.u32 %r1, %cluster_ctarank; "
                    "xor.b32 %r1, %r1, 1; cvt.u64.u32 %l1, %shared; cvta.shared.u64 %l1, %l1; " +
                        body + " barrier.cluster.arrive; barrier.cluster.wait;",
                    std::move(results), {bits32}, warps_of(2, [](unsigned warp, unsigned lane) {
                      return values{scattered(32 * warp + lane)};
                    }));
    cluster.directives = ".reqnctapercluster 2, 1, 1";
    cluster.cluster_blocks = 2;
    all.push_back(cluster);
  };
  const std::string map = "mapa.shared::cluster.u32 %r2, %shared, %r1; mapa.u64 %l2, %l1, %r1; ";
  in_cluster("mapa", map + "ld.shared::cluster.u32 %w, [%r2]; ld.u32 %x, [%l2];", {bits32, bits32});
  in_cluster("getctarank",
             map +
                 "getctarank.shared::cluster.u32 %w, %r2; getctarank.u64 %x, %l2; "
                 "getctarank.shared::cluster.u32 %y, %shared; getctarank.u64 %z, %l1;",
             {bits32, bits32, bits32, bits32});
}

void add_special_registers(std::vector<opcode_case>& all) {
  for (const char* name : {"laneid",
                           "tid.x",
                           "tid.y",
                           "tid.z",
                           "ntid.x",
                           "ntid.y",
                           "ntid.z",
                           "ctaid.x",
                           "ctaid.y",
                           "ctaid.z",
                           "nctaid.x",
                           "nctaid.y",
                           "nctaid.z",
                           "lanemask_eq",
                           "lanemask_lt",
                           "lanemask_le",
                           "lanemask_gt",
                           "lanemask_ge",
                           "cluster_ctarank",
                           "cluster_nctarank",
                           "cluster_ctaid.x",
                           "cluster_ctaid.y",
                           "cluster_ctaid.z",
                           "cluster_nctaid.x",
                           "cluster_nctaid.y",
                           "cluster_nctaid.z",
                           "clusterid.x",
                           "clusterid.y",
                           "clusterid.z",
                           "nclusterid.x",
                           "nclusterid.y",
                           "nclusterid.z",
                           "dynamic_smem_size"}) {
    all.push_back(with_tuples(fmt::format("mov.u32.{}", name),
                              fmt::format("mov.u32 %w, %{};", name), {bits32}, {},
                              std::vector<values>(64)));
    if (std::string_view(name).find("cluster") == std::string_view::npos) continue;
    opcode_case cluster = all.back();
    cluster.name += ".of_two";
    cluster.directives = ".reqnctapercluster 2, 1, 1";
    cluster.cluster_blocks = 2;
    all.push_back(cluster);
  }
  all.push_back(with_tuples("mov.pred.is_explicit_cluster", "mov.pred %w, %is_explicit_cluster;",
                            {predicate}, {}, std::vector<values>(1)));
  all.push_back(
      with_tuples("mov.u32.WARP_SZ", "mov.u32 %w, WARP_SZ;", {bits32}, {}, std::vector<values>(1)));
}

}  // namespace

std::vector<opcode_case> warp_cases() {
  std::vector<opcode_case> all;
  add_shuffles(all);
  add_votes(all);
  add_matches_and_reductions(all);
  add_barriers(all);
  add_special_registers(all);
  return all;
}

std::vector<opcode_case> control_cases() {
  std::vector<opcode_case> all;
  const domain truth = of_type("pred"), word = of_type("u32"), wide = of_type("b64");
  const auto add = [&](const char* name, const char* body, std::vector<width> results,
                       const std::vector<domain>& operands) {
    all.push_back(with_body(name, body, std::move(results), operands));
  };
  add("bra",
      "mov.u32 %w, 1; @%a bra FAR; mov.u32 %w, 2; FAR: @!%a bra NEAR; add.u32 %w, %w, 4; NEAR:",
      {bits32}, {truth});
  add("bra.uni", "mov.u32 %w, 1; bra.uni FAR; mov.u32 %w, 2; FAR:", {bits32}, {});
  add("bra.loop",
      "mov.u32 %w, 0; AGAIN: add.u32 %w, %w, %a; sub.u32 %a, %a, 1; "
      "setp.ne.u32 %q, %a, 0; @%q bra AGAIN;",
      {bits32}, {only(bits32, {1, 2, 3, 10, 100})});
  add("brx.idx",
      "mov.u32 %w, 0; TARGETS: .branchtargets FIRST, SECOND, THIRD, FIRST; brx.idx %a, TARGETS; "
      "FIRST: add.u32 %w, %w, 1; bra JOINED; SECOND: add.u32 %w, %w, 2; "
      "THIRD: add.u32 %w, %w, 4; JOINED:",
      {bits32}, {only(bits32, {0, 1, 2, 3})});
  add("exit", "st.global.u32 [%out], 1; @%a exit; mov.u32 %w, 2;", {bits32}, {truth});
  add("ret", "st.global.u32 [%out], 1; @%a ret; mov.u32 %w, 2;", {bits32}, {truth});
  const char* const function = R"(
.func (.param .b32 sum) f(.param .b32 x, .param .align 16 .b8 y[16])
{
	.reg .b32 %r<4>;
	.reg .b64 %l<3>;
	ld.param.b32 %r1, [x];
	ld.param.v2.b64 {%l1, %l2}, [y];
	xor.b64 %l1, %l1, %l2;
	mov.b64 {%r2, %r3}, %l1;
	add.u32 %r1, %r1, %r2;
	xor.b32 %r1, %r1, %r3;
	st.param.b32 [sum], %r1;
	ret;
})";
  const auto add_call = [&](const char* name, const char* call) {
    all.push_back(with_body(
        name,
        fmt::format("{{ .param .b32 x; .param .align 16 .b8 y[16]; .param .b32 sum; "
                    "st.param.b32 [x], %a; st.param.b64 [y], %b; st.param.b64 [y+8], %c; {} "
                    "ld.param.b32 %w, [sum]; }}",
                    call),
        {bits32}, {word, wide, wide}));
    all.back().around = function;
  };
  add_call("call.uni", "call.uni (sum), f, (x, y);");
  add_call(
      "call.by_address",
      "mov.u64 %l1, f; F: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 16 .b8 "
      "_[16]); call (sum), %l1, (x, y), F;");
  return all;
}

}  // namespace ptx_opcodes
