#include "run_program.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace bench_test {
namespace {

// Appends `text` as one word for a shell.
void append_word(std::string& command, const std::string& text) {
  command.append(" '");
  for (const char c : text) {
    if (c == '\'') {
      command.append("'\\''");
    } else {
      command.push_back(c);
    }
  }
  command.push_back('\'');
}

}  // namespace

finished_program run_program(const std::string& program, const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment,
                             const std::string& preparation) {
  const scratch_directory scratch;
  // exec: the status must be the program's, not the shell's.
  std::string command = preparation + "exec env";
  for (const std::string& setting : environment) append_word(command, setting);
  append_word(command, program);
  for (const std::string& argument : arguments) append_word(command, argument);
  command.append(" >");
  append_word(command, scratch / "out");
  command.append(" 2>");
  append_word(command, scratch / "err");
  const int status = std::system(command.c_str());
  finished_program result;
  result.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  result.out = read_file(scratch / "out");
  result.err = read_file(scratch / "err");
  return result;
}

scratch_directory::scratch_directory() {
  std::string pattern = std::filesystem::temp_directory_path() / "bench_test_XXXXXX";
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
  path_ = pattern;
}

scratch_directory::~scratch_directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

nlohmann::json read_json(const std::filesystem::path& file) {
  return nlohmann::json::parse(read_file(file));
}

std::vector<nlohmann::json> rows_with(const nlohmann::json& results, const std::string& field,
                                      const nlohmann::json& value) {
  std::vector<nlohmann::json> rows;
  for (const auto& row : results.at("benchmarks"))
    if (row.contains(field) && row.at(field) == value) rows.push_back(row);
  return rows;
}

}  // namespace bench_test
