// SPDX-License-Identifier: Apache-2.0
// A child process with its own environment, an empty input, and a limit of time.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <signal.h>

namespace check {

struct process_end {
  bool is_signal = false;      ///< ended by a signal
  bool out_of_time = false;    ///< killed here
  bool out_of_memory = false;  ///< the same
  int code = 0;                ///< exit status, or the signal
};

/// A pipe in the file system that child processes write to. No full disk and no limit of file sizes
/// cuts what they write.
class named_pipe {
 public:
  /// \param passed_on is given each part that is read.
  /// \throws std::system_error if it cannot be made.
  explicit named_pipe(const std::string& path,
                      std::function<void(std::string_view part)> passed_on = {});
  ~named_pipe();
  named_pipe(const named_pipe&) = delete;
  named_pipe& operator=(const named_pipe&) = delete;

  int descriptor() const { return reading_; }
  void read_what_is_there();
  const std::string& text() const { return text_; }

 private:
  int reading_;
  int writing_;  ///< so that there is no end of file before the last writer's
  std::function<void(std::string_view)> passed_on_;
  std::string text_;
};

/// What the processes of a run may take.
struct limits {
  unsigned seconds = 60;
  /// Bytes that they must leave free of the computer's memory, or else the system would kill them.
  std::size_t left_free = std::size_t{256} << 20;
};

/// Asks a process what it is doing: the runtime reports it, and ends the process. Others ignore it.
inline constexpr int what_are_you_doing = SIGURG;

using environment = std::vector<std::pair<std::string, std::string>>;

/// This process's variables with these besides, or instead: "NAME=value".
std::vector<std::string> environment_with(const environment& added);

/// As exec() takes them. They live as long as the texts.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

/// Kills the children of this process. Those of a child are its own when it has ended.
void kill_children();

/// Runs the command, and all processes that it starts, to their ends, or kills them at a limit: of
/// time after they were asked what they do. The command is looked for in PATH.
/// \param added variables that the child has besides those of this process, or instead.
/// \param shows_output else its standard output and error go nowhere.
/// \param report read until then.
/// \throws std::runtime_error if it cannot be started.
process_end run_process(const std::vector<std::string>& command, const environment& added,
                        bool shows_output, const limits& most, named_pipe& report);

/// From now on SIGINT and SIGTERM end the child instead of this process.
void pass_signals_to_child();

/// Whether one has come.
bool was_interrupted();

/// Does the work in a process of its own, which ends with all that it has started if this one is
/// killed. \returns its status.
int in_process_of_its_own(const std::function<int()>& work);

}  // namespace check
