// Runs the fake programs as a user would, as Google Benchmark can run only once per process.
#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace bench_test {

struct finished_program {
  int exit_status = -1;  ///< 128 + signal if it was killed
  std::string out;
  std::string err;
};

/// Runs `program` with `arguments` and `NAME=VALUE` additions to the environment, in a shell that
/// first executes `preparation`.
finished_program run_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment = {},
                             const std::string& preparation = "");

/// Runs the fake program in the same way.
inline finished_program run_fake(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& environment = {},
                                 const std::string& preparation = "") {
  return run_program(FAKE_PROGRAM, arguments, environment, preparation);
}

/// An empty directory for one test, removed with it.
class scratch_directory {
 public:
  scratch_directory();
  ~scratch_directory();
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& text);

/// Parses strictly: a NaN or an unfinished file throws.
nlohmann::json read_json(const std::filesystem::path& file);

/// The rows of a results file whose `field` is `value`.
std::vector<nlohmann::json> rows_with(const nlohmann::json& results, const std::string& field,
                                      const nlohmann::json& value);

}  // namespace bench_test
