// SPDX-License-Identifier: Apache-2.0
#include <cudart/coverage.hpp>
#include <cudart/findings.hpp>
#include <ptx/coverage.hpp>

#include <map>

namespace cudart {

namespace {

/// Kernels live as long as the process.
std::map<const ptx::kernel*, std::string>& launched() {
  static auto& all = *new std::map<const ptx::kernel*, std::string>;
  return all;
}

}  // namespace

void note_launched(const ptx::kernel& kernel, const std::string& name) {
  launched()[&kernel] = name;
}

void report_coverage() {
  for (const auto& [kernel, name] : launched()) {
    const ptx::coverage all = ptx::coverage_of(*kernel);
    finding sites{.kind = finding_kind::coverage, .kernel = name, .subject = kernel->name};
    for (const ptx::covered_site& each : all.sites) {
      sites.text += each.has_run ? (each.is_barrier ? 'B' : 'A') : (each.is_barrier ? 'b' : 'a');
      sites.places.push_back(each.place);
    }
    report(sites);
    for (const ptx::inexact_instruction& each : all.inexact) {
      report({.kind = finding_kind::fidelity,
              .kernel = name,
              .text = each.opcode,
              .places = {each.place},
              .rule = each.is_skipped ? "skipped" : "approximate",
              .subject = each.feeds_address && each.feeds_branch ? "address or a branch"
                         : each.feeds_address                    ? "address"
                         : each.feeds_branch                     ? "branch"
                                                                 : ""});
    }
  }
}

}  // namespace cudart
