// The tables of plans that the autotuned barrier may use: those of measured GPUs, and files of
// one's own in the format of src/finesync/barriers/plans.
#pragma once

#include <finesync/barriers/measured_plans.cuh>

#include <string>
#include <string_view>
#include <vector>

namespace finesync::barrier {

/// The names of counter_topology's values, in their order.
inline constexpr std::string_view topology_names[] = {"flat_counters", "sm_counters",
                                                      "gather_broadcast"};

/// "auto" (that of the nearest GPU), then the tables of measured_gpus.
std::vector<std::string> known_plan_tables();

class loaded_plans {
 public:
  /// \param which a known table, or a file.
  /// \throws std::runtime_error, with one line, for a file that is no table.
  loaded_plans(std::string name, const std::string& which);

  /// Without plans for "auto". Valid as long as this object.
  plan_table table() const { return {name_, plans_}; }

 private:
  std::string name_;
  std::vector<measured_plan> plans_;
};

/// \param name of the text, for errors.
/// \throws std::runtime_error, with one line, for text that is no table.
std::vector<measured_plan> parse_plans(std::string_view text, const std::string& name);

}  // namespace finesync::barrier
