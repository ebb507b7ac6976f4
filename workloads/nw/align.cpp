// align: aligns two sequences by the strips of nw and prints them one below the other.
#include <bench/standard_streams.hpp>
#include <inputs/sequences/load.hpp>
#include <inputs/sequences/scorings.hpp>
#include <workloads/nw/matrix/sequences.hpp>
#include <workloads/nw/reference/alignment.hpp>
#include <workloads/nw/strips/strips.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

namespace finesync::nw {
namespace {

void align(const problem& what) {
  const inputs::scoring& by = inputs::scoring_named(what.scores);
  const inputs::sequence_pair pair = inputs::load_pair(what.input, by);
  const auto cut = [](const std::vector<std::uint8_t>& all, unsigned to) {
    return std::span(all).first(to == 0 ? all.size() : to);
  };
  const std::vector<std::int32_t> scores = scores_by_strips(what);
  const letters down = cut(pair.down.letters, what.rows);
  const letters across = cut(pair.across.letters, what.columns);
  const alignment found =
      trace_back(down, across, by, static_cast<std::int32_t>(what.gap),
                 [&](std::size_t i, std::size_t j) { return scores[i * (across.size() + 1) + j]; });
  std::printf("%s\n\n%s", summary_of(found).c_str(),
              printed(found, pair.down.name, pair.across.name).c_str());
}

int run(int argc, char** argv) {
  problem what;
  std::vector<std::string> files;
  CLI::App app(
      "Aligns two sequences end to end on a GPU (Needleman-Wunsch), and prints how.\n"
      "The matrix has 4 bytes for each pair of letters, and has to fit into its memory.");
  app.add_option("files", files, "two FASTA files, or one with both: A.fa#NAME")
      ->required()
      ->expected(1, 2);
  app.add_option("--substitution-matrix,--scores", what.scores, "what two letters are worth")
      ->check(CLI::IsMember({"blosum62", "nuc44"}))
      ->capture_default_str();
  app.add_option("--gap-penalty,--gap", what.gap, "what a gap costs for each letter, 1 to 100")
      ->capture_default_str();
  app.add_option("--rows", what.rows, "first letters of the first sequence; 0: all");
  app.add_option("--columns", what.columns, "of the second");
  try {
    app.parse(argc, argv);
    what.input = files.size() == 1 ? files[0] : files[0] + "," + files[1];
    align(what);
    return 0;
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : 2;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "align: %s\n", problem.what());
    return 2;
  }
}

}  // namespace
}  // namespace finesync::nw

int main(int argc, char** argv) {
  finesync::bench::occupy_standard_streams();
  return finesync::bench::with_output_written("align", finesync::nw::run(argc, argv));
}
