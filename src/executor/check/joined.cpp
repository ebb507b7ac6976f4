// SPDX-License-Identifier: Apache-2.0
#include <check/joined.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace check {

namespace {

using cudart::finding;
using cudart::finding_kind;

std::string schedule_name(simt::schedule_kind which) {
  for (const auto& [name, value] : cudart::schedules())
    if (value == which) return name;
  return {};
}

bool has_failed(const finished_run& run) {
  return run.end == ending::killed_by_signal || (run.end == ending::exited && run.status != 0);
}

std::string ending_text(const finished_run& run) {
  if (run.end == ending::killed_by_signal) return fmt::format("was ended by signal {}", run.status);
  return fmt::format("exits with {}", run.status);
}

bool has_explanation(const finished_run& run) {
  return std::any_of(run.findings.begin(), run.findings.end(), [](const finding& each) {
    return each.kind == finding_kind::race || each.kind == finding_kind::failure ||
           each.kind == finding_kind::refusal;
  });
}

/// Adds what the run has seen that may be the reason.
void add_hints(const finished_run& run, finding& to) {
  for (const finding& each : run.findings) {
    if (each.kind != finding_kind::hint) continue;
    to.text += fmt::format("; perhaps because of {}", each.text);
    to.kernel = each.kernel;
    to.places.insert(to.places.end(), each.places.begin(), each.places.end());
  }
}

/// A status other than 0, where no finding of the run says why.
void add_unexplained_failure(const std::vector<finished_run>& runs, joined_report& to) {
  std::vector<unsigned> failed;
  std::size_t succeeded = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (has_failed(runs[i])) {
      if (!has_explanation(runs[i])) failed.push_back(static_cast<unsigned>(i + 1));
    } else if (runs[i].end == ending::exited) {
      ++succeeded;
    }
  }
  if (failed.empty()) return;
  const unsigned first = failed.front();
  joined_finding added;
  added.runs = failed;
  added.what.kind = finding_kind::failure;
  const std::string how = ending_text(runs[first - 1]);
  if (succeeded == 0) {
    added.what.rule = "failing-program";
    added.what.text = fmt::format("the program {}, and no fault was seen before", how);
    added.what.subject = added.what.text;
  } else {
    added.what.rule = "schedule-dependent-result";
    added.what.subject = "the program's result depends on the schedule";
    added.what.text =
        fmt::format("{}: it {} in {}, and with 0 in {} of {} runs", added.what.subject, how,
                    name_of(first, runs[first - 1]), succeeded, runs.size());
  }
  add_hints(runs[first - 1], added.what);
  to.findings.push_back(std::move(added));
}

/// What the processes of a run said when its time was up.
std::string last_words(const finished_run& run) {
  std::string text;
  for (const finding& each : run.findings)
    if (each.kind == finding_kind::last_words) text += (text.empty() ? ": " : "; ") + each.text;
  return text;
}

void add_unchecked(const request& asked, const std::vector<finished_run>& runs, joined_report& to) {
  std::set<std::string> reasons;
  bool is_stopped = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const finished_run& run = runs[i];
    const std::string name = name_of(static_cast<unsigned>(i + 1), run);
    for (const finding& each : run.findings)
      if (each.kind == finding_kind::refusal || each.kind == finding_kind::sample)
        reasons.insert(each.text);
    is_stopped = is_stopped || run.end == ending::stopped;
    const bool ended_itself = run.end == ending::exited || run.end == ending::killed_by_signal;
    if (!run.lacks.empty() && ended_itself && !is_refused(run))
      reasons.insert(fmt::format("the report of {} is not whole: {}", name, run.lacks));
    if (run.end == ending::out_of_time) {
      reasons.insert(fmt::format("{} was ended after {} s (--time-limit){}", name,
                                 asked.seconds_per_run, last_words(run)));
    }
    if (run.end == ending::out_of_memory) {
      reasons.insert(fmt::format("{} was ended before it took the last of this computer's memory{}",
                                 name, asked.at_once > 1 ? " (--jobs 1: one run at a time)" : ""));
    }
  }
  if (is_stopped)
    reasons.insert("what comes after the first finding (--stop-at-first)");
  else if (runs.size() < asked.runs && reasons.empty())
    reasons.insert(fmt::format("interrupted after {} of {} runs", runs.size(), asked.runs));
  to.unchecked.assign(reasons.begin(), reasons.end());
}

}  // namespace

joined_report joined(const request& asked, const std::vector<finished_run>& runs) {
  joined_report report;
  std::map<std::string, std::size_t> place_of;
  std::set<std::string> kernels;
  const std::string itself = fmt::format("process {}", fmt::join(asked.command, " "));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    for (const finding& each : runs[i].findings) {
      if (each.kind == finding_kind::launch) kernels.insert(each.kernel);
      if (each.kind != finding_kind::race && each.kind != finding_kind::failure) continue;
      const auto [at, is_new] = place_of.emplace(key_of(each), report.findings.size());
      if (is_new) report.findings.push_back({each, {}, {}});
      if (is_new && each.during == itself) report.findings.back().what.during.clear();
      // Once, though several processes of the run may have it.
      std::vector<unsigned>& in = report.findings[at->second].runs;
      if (in.empty() || in.back() != i + 1) in.push_back(static_cast<unsigned>(i + 1));
    }
  }
  report.kernels.assign(kernels.begin(), kernels.end());
  if (!kernels.empty()) add_unexplained_failure(runs, report);
  add_unchecked(asked, runs, report);
  return report;
}

std::string options_of(const finished_run& run) {
  if (run.schedule == simt::schedule_kind::round_robin)
    return fmt::format("--schedule {}", schedule_name(run.schedule));
  return fmt::format("--schedule {} --seed {}", schedule_name(run.schedule), run.seed);
}

std::string name_of(unsigned number, const finished_run& run) {
  if (run.schedule == simt::schedule_kind::round_robin)
    return fmt::format("run {} ({})", number, schedule_name(run.schedule));
  return fmt::format("run {} ({}, seed {})", number, schedule_name(run.schedule), run.seed);
}

verdict verdict_of(const joined_report& report) {
  for (const joined_finding& each : report.findings)
    if (each.suppressed_by.empty()) return verdict::found;
  return report.unchecked.empty() ? verdict::nothing_found : verdict::not_checked;
}

}  // namespace check
