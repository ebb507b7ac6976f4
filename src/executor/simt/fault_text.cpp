// SPDX-License-Identifier: Apache-2.0
// The words of faults. Rules are no words: lists of known findings name them.
#include <simt/access_text.hpp>
#include <simt/fault.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace simt {

namespace {

struct kind_names {
  fault_kind kind;
  const char* rule;
  const char* words;
};

const kind_names& names_of(fault_kind kind) {
  using enum fault_kind;
  static constexpr kind_names all[] = {
      {deadlock, "deadlock", "deadlock"},
      {livelock, "livelock", "livelock"},
      {too_long, "launch-limit", "launch limit"},
      {not_resident, "wait-for-a-block-that-is-not-resident",
       "wait for a block that is not resident"},
      {divergent_barrier, "divergent-barrier", "divergent barrier"},
      {misused_barrier, "misused-barrier", "misused barrier"},
      {wrong_warp_mask, "wrong-warp-mask", "wrong warp mask"},
      {raw_polling, "raw-polling-loop", "raw polling loop"},
      {stack_overflow, "stack-overflow", "stack overflow"},
      {bad_address, "bad-address", "bad address"},
      {misaligned, "misaligned-address", "misaligned address"},
      {race, "data-race", "data race"},
      {unset_read, "uninitialized-memory", "uninitialized memory"},
      {unset_use, "uninitialized-memory", "uninitialized memory"},
      {instruction, "", ""}};
  return *std::ranges::find(all, kind, &kind_names::kind);
}

std::string text_of(const concerned_threads& which) {
  return which.who + place_text(which.site);
}

std::string all_after(const std::string& separator, const fault& what, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < what.threads.size(); ++i)
    text += separator + text_of(what.threads[i]);
  return text;
}

}  // namespace

const char* to_string(fault_kind kind) {
  return names_of(kind).words;
}

std::string rule_of(const fault& what) {
  return what.rule.empty() ? names_of(what.kind).rule : what.rule;
}

std::string sentence_of(const fault& what) {
  using enum fault_kind;
  const std::string missing = what.missing.empty() ? "" : "; " + what.missing;
  const auto thread = [&](std::size_t i) { return text_of(what.threads[i]); };
  switch (what.kind) {
    case deadlock:
    case livelock:
    case too_long:
    case not_resident:
      return what.reason + all_after("; ", what, 0) + missing;
    case race:
      return fmt::format("at {}, {} {} {}{}", what.address, thread(0), what.reason, thread(1),
                         missing);
    case unset_read:
    case unset_use:
      return fmt::format("at {}, which nothing has written before {}{}", what.address, thread(0),
                         missing);
    case instruction:
      return what.threads.empty()
                 ? what.reason
                 : fmt::format("{}: {}{}", what.reason, thread(0), all_after(", by ", what, 1));
    default:
      return fmt::format("{} {}{}{}", thread(0), what.reason, all_after("", what, 1), missing);
  }
}

std::string text_of(const fault& what) {
  const std::string sentence = sentence_of(what);
  return what.kind == fault_kind::instruction
             ? sentence
             : fmt::format("{}: {}", to_string(what.kind), sentence);
}

std::vector<std::string> places_of(const fault& what) {
  std::vector<std::string> places;
  for (const concerned_threads& each : what.threads)
    if (std::string line = source_line(each.site); !line.empty()) places.push_back(std::move(line));
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace simt
