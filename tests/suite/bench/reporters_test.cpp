#include <bench/reporters.hpp>

#include <gtest/gtest.h>

#include <sstream>

namespace {

using finesync::bench::row_filter;

// Says on stderr what Google Benchmark says before the first row.
class talkative : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    GetErrorStream() << "Run on (2 X 3000 MHz CPU s)\n"
                        "***WARNING*** CPU scaling is enabled\n"
                        "***WARNING*** Library was built as DEBUG. Timings may be affected.\n";
    return true;
  }
  void ReportRuns(const std::vector<Run>&) override { GetErrorStream() << "a row\n"; }
};

TEST(row_filter, leaves_out_what_the_build_of_google_benchmark_would_do_to_its_own_times) {
  talkative target;
  const finesync::bench::point_records none;
  row_filter filter(target, none, row_filter::pace::every_point);
  std::ostringstream out;
  std::ostringstream errors;
  filter.SetOutputStream(&out);
  filter.SetErrorStream(&errors);
  EXPECT_TRUE(filter.ReportContext({}));
  EXPECT_EQ(errors.str(), "Run on (2 X 3000 MHz CPU s)\n***WARNING*** CPU scaling is enabled\n");
  target.ReportRuns({});
  EXPECT_NE(errors.str().find("a row"), std::string::npos) << "later errors are not held back";
}

}  // namespace
