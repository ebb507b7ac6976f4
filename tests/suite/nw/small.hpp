// Short sequences of random letters.
#pragma once

#include <workloads/nw/run_config.hpp>

#include <tests/suite/inputs/scratch_folder.hpp>

#include <filesystem>
#include <random>
#include <string>

namespace finesync::nw {

/// A file with two sequences of random amino acids, the same for the same lengths. It is removed
/// when the program ends.
inline std::string random_file(unsigned rows, unsigned columns) {
  static const inputs::scratch_folder folder;
  const std::string file = folder / (std::to_string(rows) + "x" + std::to_string(columns) + ".fa");
  if (std::filesystem::exists(file)) return file;
  std::mt19937 random(1000 * rows + columns);
  std::string text;
  for (const unsigned length : {rows, columns}) {
    text += ">random\n";
    for (unsigned i = 0; i < length; ++i) text += "ARNDCQEGHILKMFPSTWYVBZX"[random() % 23];
    text += "\n";
  }
  inputs::write_text(file, text);
  return file;
}

/// Tiles with few threads, so that there are several.
inline run_config small(unsigned rows, unsigned columns, unsigned tile) {
  return {.problem = {.input = random_file(rows, columns)}, .tile = tile};
}

}  // namespace finesync::nw
