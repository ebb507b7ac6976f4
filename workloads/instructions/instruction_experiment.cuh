// The experiment for any instruction.
#pragma once

#include "context.cuh"
#include "kernels.cuh"
#include "run_config.hpp"

#include <bench/experiment.hpp>
#include <finesync/host/buffer.cuh>
#include <finesync/host/launch_shape.cuh>
#include <finesync/host/watchdog.cuh>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace finesync::instructions {

/// A form of an instruction: its kernels, and what an experiment has to know of it.
struct form {
  using kernel = void(launched, watchdog_ref);

  std::string name;  ///< of its C++ type, as kernels have it
  kernel* chain;
  kernel* many;
  unsigned threads_together;  ///< threads that do one operation; 0: all of a block
  unsigned most_threads = 1024;
  bool in_clusters = false;
  unsigned word_bytes = 0;  ///< 0: it has no words
  bool words_in_shared = false;
  bool words_of_next_block = false;
  unsigned threads_per_word = 1;
  unsigned char initial = 0;
  /// Of one with words: whether a word and what its threads' instructions returned are right.
  bool (*right)(std::uint64_t last, std::uint64_t seen, std::uint64_t threads,
                std::uint64_t executions) = nullptr;
  /// Of others: the sum of what a thread of a block is given.
  std::uint64_t (*expected)(unsigned thread, unsigned threads, unsigned executions) = nullptr;
};

/// A type's name, as the compiler spells it.
template <class Type>
std::string name_of() {
  const std::string_view all = __PRETTY_FUNCTION__;
  const auto begin = all.find("Type = ") + std::string_view("Type = ").size();
  return std::string(all.substr(begin, all.find_first_of(";]", begin) - begin));
}

template <class Instruction>
form form_of() {
  form made{.name = name_of<Instruction>(),
            .chain = time_chain<Instruction>,
            .many = run_many<Instruction>,
            .threads_together = Instruction::threads_together};
  if constexpr (requires { Instruction::most_threads; })
    made.most_threads = Instruction::most_threads;
  if constexpr (requires { Instruction::of_clusters; }) made.in_clusters = true;
  if constexpr (requires { typename Instruction::word; }) {
    using word = typename Instruction::word;
    made.word_bytes = sizeof(word);
    made.words_in_shared = Instruction::in != state_space::global;
    made.in_clusters = made.words_of_next_block = Instruction::in == state_space::other_block;
    made.initial = Instruction::initial;
    if constexpr (requires { Instruction::threads_per_word; })
      made.threads_per_word = Instruction::threads_per_word;
    made.right = [](std::uint64_t last, std::uint64_t seen, std::uint64_t threads,
                    std::uint64_t executions) {
      return Instruction::right({static_cast<word>(last), static_cast<word>(seen),
                                 static_cast<word>(threads), static_cast<word>(executions)});
    };
  } else {
    made.expected = Instruction::expected;
  }
  return made;
}

class instruction_experiment final : public bench::experiment {
 public:
  instruction_experiment(const form& of, const run_config& config);

  void reset() override;
  void launch() override;
  bench::outcome verify() override;
  bench::counters measure() override;
  bench::parameters effective_parameters() const override;
  double operations() const override;

 private:
  unsigned threads() const { return shape_.blocks * shape_.threads_per_block; }
  unsigned executions() const { return in_a_row * (1 + config_.rounds); }
  std::uint64_t word_of(unsigned block, unsigned thread) const;
  bench::outcome verify_words(const std::vector<std::uint64_t>& seen) const;
  bench::outcome verify_threads(const std::vector<std::uint64_t>& seen) const;
  bench::outcome verify_times() const;
  std::vector<std::uint32_t> cycles_of_rounds(bool with) const;
  bench::counters latency() const;
  bench::counters throughput() const;

  form form_;
  run_config config_;
  launch_shape shape_;
  unsigned block_bytes_;
  buffer<std::uint32_t> words_;
  buffer<std::uint64_t> seen_;
  buffer<std::uint32_t> cycles_;
  buffer<std::uint64_t> spans_;
  watchdog watchdog_;
};

template <class Instruction>
std::unique_ptr<bench::experiment> experiment_with(const run_config& config) {
  return std::make_unique<instruction_experiment>(form_of<Instruction>(), config);
}

}  // namespace finesync::instructions
