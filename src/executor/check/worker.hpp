// SPDX-License-Identifier: Apache-2.0
// Work in a process of its own, beside others of this one, that tells its result as text. A process
// waits for all of its children, so each run of a program has one.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace check {

class worker {
 public:
  /// Passes on a part of the result, for those who do not wait for all of it.
  using teller = std::function<void(std::string_view part)>;

  /// Begins at once. The process ends with this one: it gets SIGTERM when this one has ended.
  /// \param work gives the rest of the result. \throws std::system_error if there can be no more
  /// processes.
  explicit worker(const std::function<std::string(const teller& tell)>& work);
  /// Kills it if it has not ended.
  ~worker();
  worker(worker&& other) noexcept;
  worker& operator=(worker&&) = delete;

  /// Can be read whenever there is something to take.
  int descriptor() const { return from_; }
  /// Takes what is there. \returns the result, once it is whole.
  /// \throws std::runtime_error what the work has thrown, or that it has ended without a result.
  std::optional<std::string> take();
  /// What there is of the result until that.
  std::string_view so_far() const { return text_; }
  void send_signal(int which) const;

 private:
  std::string ended();

  pid_t process_ = 0;
  int from_ = -1;
  std::string text_;
};

}  // namespace check
