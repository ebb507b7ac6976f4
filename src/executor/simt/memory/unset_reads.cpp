// SPDX-License-Identifier: Apache-2.0
#include <simt/access_text.hpp>
#include <simt/memory/unset_reads.hpp>

#include <fmt/format.h>

namespace simt {

/// Any other read may be one whose value is not used: of what lies beyond the data in its tile, of
/// padding, or of the bytes around the one that is changed. An exchange may be a mere store.
bool unset_reads::is_sure_to_matter(const operation& op) {
  if (op.kind == op_kind::exchange || !global_.are_unset(op.address, op.bytes)) return false;
  return is_rmw(op.kind) || global_.is_untouched(op.address);
}

void unset_reads::tell(const operation& op, const void* site) {
  using enum fault_kind;
  if (told_.contains({site, unset_use})) return;
  const fault_kind kind = is_sure_to_matter(op) ? unset_use : unset_read;
  if (!told_.insert({site, kind}).second) return;
  const bool is_untouched = kind == unset_use && global_.is_untouched(op.address);
  found_ = {kind, is_untouched, op, site, current};
  report_();
}

fault unset_reads::taken() {
  const auto [kind, is_untouched, op, site, by] = *std::exchange(found_, std::nullopt);
  const std::string who = launch_.resident.name_of(*by);
  return {.kind = kind,
          .threads = {{fmt::format("the {} by {}", access_text(op.kind, op.reach, op.bytes), who),
                       {site}}},
          .address = global_.place(op.address),
          .missing = is_untouched ? "no byte of the allocation was set" : ""};
}

}  // namespace simt
