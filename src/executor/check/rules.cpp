// SPDX-License-Identifier: Apache-2.0
#include <check/rules.hpp>

#include <map>

namespace check {

std::string meaning_of(const std::string& rule) {
  static const std::map<std::string, std::string> all = {
      {"bad-address", "A thread accesses memory that is not allocated, or not its own."},
      {"bad-copy", "A copy or a memset leaves its memory, or goes the wrong way."},
      {"calls-nested-too-deeply", "The functions of a thread call each other without an end."},
      {"data-race",
       "Two threads access the same memory, one of them writes, and nothing orders them."},
      {"deadlock", "Threads wait for each other, and none can go on."},
      {"divergent-barrier", "Some threads of a block wait at a barrier that others do not reach."},
      {"failed-assertion", "An assert() of a kernel does not hold."},
      {"failed-launch", "A launch ended with an error."},
      {"failing-program",
       "The program ends with a status other than 0, and no fault was seen before."},
      {"launch-limit", "A launch took longer than its limit."},
      {"livelock", "Threads poll a word that no thread will change."},
      {"misaligned-address", "An access is not aligned to its size."},
      {"misused-barrier", "A barrier is used in a way that PTX leaves undefined."},
      {"raw-polling-loop",
       "A loop polls memory by an access that the compiler may move out of it."},
      {"refused-launch", "A kernel never ran, and the program did not look at the error."},
      {"schedule-dependent-result", "The program's exit status depends on the order of threads."},
      {"stack-overflow", "A thread's stack is used up."},
      {"uninitialized-memory", "A thread uses memory that nothing has written."},
      {"wait-for-a-block-that-is-not-resident",
       "A block waits for one that starts only after another has ended."},
      {"wrong-warp-mask",
       "The mask of a warp's instruction does not fit the threads that execute it."}};
  const auto found = all.find(rule);
  return found == all.end() ? "" : found->second;
}

}  // namespace check
