// Copies and memsets that leave their memory, or go the wrong way, are reported and refused.
#include <gmock/gmock.h>
#include <tests/executor/cudart/calls.hpp>

#include <functional>

namespace cudart_test::copies_test {

namespace {

constexpr std::size_t minus_four = static_cast<std::size_t>(-4);
constexpr std::size_t half = std::size_t{1} << 63;  // of all addresses

class cuda_copies : public cuda_calls {
 protected:
  struct call {
    std::function<cudaError_t()> perform;
    std::string report;  ///< what it contains
    cudaError_t error = cudaErrorInvalidValue;
  };
  void expect_refused(const std::vector<call>& calls) {
    for (const auto& [perform, report, error] : calls) {
      SCOPED_TRACE(report);
      fill();
      const auto before = content();
      const std::string reported = report_of(perform, error);
      EXPECT_EQ(cudaGetLastError(), error);
      EXPECT_THAT(reported, testing::HasSubstr(report));
      EXPECT_EQ(std::count(reported.begin(), reported.end(), '\n'), 1) << reported;
      EXPECT_EQ(content(), before);
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);  // the program goes on
    }
  }
  static std::string report_of(const std::function<cudaError_t()>& perform,
                               cudaError_t error = cudaSuccess) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(perform(), error);
    return testing::internal::GetCapturedStderr();
  }
  byte* const to = m.to;
  byte* const from = m.from;
  byte* const host = m.host_to;
};

TEST_F(cuda_copies, stay_within_one_allocation) {
  void* freed = nullptr;
  ASSERT_EQ(cudaMallocHost(&freed, 32), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(freed), cudaSuccess);
  const cudaMemsetParams set{to, 16, 0, 4, 2, 5};
  const auto add_copy = [&](auto node, auto graph, auto after) {
    return cudaGraphAddMemcpyNode1D(node, graph, after, 1, to, from, 65, 3);
  };
  const auto add_set = [&](auto node, auto graph, auto after) {
    return cudaGraphAddMemsetNode(node, graph, after, 1, &set);
  };
  const void* const sym = &table_variable;
  std::array<byte, 100> large{};
  byte* const big = large.data();
  expect_refused({
      {[&] { return cudaMemcpy(host, from, 65, 2); }, "reads 65 bytes from 64 bytes of the "},
      {[&] { return cudaMemcpy(to, big, 99, 1); }, "writes 99 bytes to 64 bytes of the"},
      {[&] { return cudaMemcpy(to, from + 1, 64, 3); }, "from the last 63 of the 64 bytes of"},
      {[&] { return cudaMemcpy(to + 80, from, 4, 3); }, "to byte 80 of the 64 bytes of the"},
      {[&] { return cudaMemcpy(to, from, minus_four, 3); }, "reads 18446744073709551612"},
      {[&] { return cudaMemcpy(host, big, minus_four, 0); }, "not the device's"},
      {[&] { return cudaMemcpy(host, freed, 32, 4); }, "Host (32 bytes), which has been freed"},
      {[&] { return cudaMemcpyAsync(to, big, 66, 1, nullptr); }, "cudaMemcpyAsync()"},
      {[&] { return cudaMemcpy2D(to, 20, big, 8, 5, 4, 1); },
       "writes 4 rows of 5 bytes, 20 bytes apart, to 64 bytes"},
      {[&] { return cudaMemcpy2D(host, 8, from, half, 5, 3, 2); }, "reads 3 rows"},
      {[&] { return cudaMemcpy2DAsync(host, 8, from, 20, 5, 4, 2, nullptr); }, "2DAsync()"},
      {[&] { return cudaMemset(to, 0, 65); }, "cudaMemset() "},
      {[&] { return cudaMemset(host, 0, 4); }, "to memory that is not the device's\n"},
      {[&] { return cudaMemsetAsync(to, 0, 66, nullptr); }, "cudaMemsetAsync() "},
      {[&] { return cudaMemset2D(to, 20, 0, 5, 4); }, "cudaMemset2D() "},
      {[&] { return cudaMemset2DAsync(to, 20, 0, 5, 4, nullptr); }, "cudaMemset2DAsync() "},
      {[&] { return cudaMemcpyToSymbol(sym, big, 4, 61, 1); },
       "to the last 3 of the 64 bytes of the variable 'table'"},
      {[&] { return cudaMemcpyToSymbol(sym, big, 4, 512, 1); }, "to byte 512 of the 64 bytes of"},
      {[&] { return cudaMemcpyFromSymbol(host, sym, 4, minus_four, 2); }, "FromSymbol()"},
      {[&] { return cudaMemcpyToSymbolAsync(sym, big, 65, 0, 1, nullptr); }, "SymbolAsync()"},
      {[&] { return cudaMemcpyFromSymbolAsync(host, sym, 65, 0, 2, nullptr); }, "SymbolAsync()"},
      {[&] { return launch_graph(nullptr, add_copy); }, "cudaGraphAddMemcpyNode1D()"},
      {[&] { return launch_graph(nullptr, add_set); }, "5 rows of 8 bytes"},
  });
}

TEST_F(cuda_copies, have_rows_that_fit_between_one_and_the_next) {
  constexpr auto pitch = cudaErrorInvalidPitchValue;
  expect_refused({
      {[&] { return cudaMemcpy2D(to, 7, from, 8, 8, 3, 3); },
       "writes 3 rows of 8 bytes, 7 bytes apart, which is less than a row", pitch},
      {[&] { return cudaMemcpy2D(to, 8, from, 7, 8, 3, 3); },
       "reads 3 rows of 8 bytes, 7 bytes apart, which is less than a row", pitch},
      {[&] { return cudaMemcpy2D(host, 0, from, 8, 8, 1, 2); }, "writes 1 rows", pitch},
      {[&] { return cudaMemcpy2DAsync(to, 7, host, 8, 8, 3, 1, nullptr); }, "2DAsync()", pitch},
  });
}

TEST_F(cuda_copies, go_the_way_that_they_say) {
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 4), cudaSuccess);
  for (const int kind : {0, 1, 2, 3, 4})
    EXPECT_EQ(report_of([&] { return cudaMemcpy(pinned, shared_table, 4, kind); }), "");
  EXPECT_EQ(report_of([&] { return cudaMemcpy(host, m.host_from, 4, 0); }), "");
  EXPECT_EQ(report_of([&] { return cudaMemcpy(host, nullptr, 0, 2); }), "");
  EXPECT_EQ(report_of([&] { return cudaMemcpy2D(to, 1, nullptr, 1, 1, 0, 1); }), "");
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  constexpr auto direction = cudaErrorInvalidMemcpyDirection;
  expect_refused({
      {[&] { return cudaMemcpy(to, host, 5, 2); },
       "from memory that is not the device's, though its kind is cudaMemcpyDeviceToHost"},
      {[&] { return cudaMemcpy(host, from, 5, 1); }, "its kind is cudaMemcpyHostToDevice"},
      {[&] { return cudaMemcpy(host, from, 6, 3); }, "to memory that is not the device's, though"},
      {[&] { return cudaMemcpy(to, host, 6, 0); }, "kind is cudaMemcpyHostToHost"},
      {[&] { return cudaMemcpy(to, from, 6, 5); }, "has the kind 5", direction},
      {[&] { return cudaMemcpy(to, from, 6, -1); }, "has the kind -1", direction},
  });
}

TEST_F(cuda_copies, survive_addresses_that_the_program_does_not_have) {
  void* const last = reinterpret_cast<void*>(-1);
  expect_refused({
      {[&] { return cudaMemcpy(host, nullptr, 4, 2); }, "reads 4 bytes from a null pointer"},
      {[&] { return cudaMemcpy(to, nullptr, 4, 1); }, "reads 4 bytes from a null pointer"},
      {[&] { return cudaMemcpy(nullptr, from, 4, 2); }, "writes 4 bytes to a null pointer"},
      {[&] { return cudaMemcpy(host, last, 4, 4); },
       "reads 4 bytes from memory that the program lacks"},
      {[&] { return cudaMemcpy(last, from, 4, 2); }, "writes 4 bytes to memory that"},
      {[&] { return cudaMemset(nullptr, 0, 4); }, "cudaMemset() "},
  });
}

TEST_F(cuda_copies, are_done_though_their_sides_overlap) {
  const auto rows_of = [&](int source, int target, std::size_t width) {
    return report_of([&] { return cudaMemcpy2D(to + target, 8, to + source, 8, width, 3, 3); });
  };
  for (const auto& [source, target, width] :
       {std::tuple(0, 4, 4), {8, 4, 4}, {0, 24, 8}, {3, 3, 8}})
    EXPECT_EQ(rows_of(source, target, static_cast<std::size_t>(width)), "");
  EXPECT_NE(rows_of(0, 20, 5), "");  // the last row alone
  fill();
  const byte moved = to[3];
  EXPECT_THAT(report_of([&] { return cudaMemcpy(to + 1, to, 5, 3); }),
              testing::HasSubstr("writes bytes that it reads: source and target overlap"));
  EXPECT_EQ(to[4], moved);
  EXPECT_NE(report_of([&] { return cudaMemcpyAsync(to, to + 4, 5, 3, nullptr); }), "");
}

}  // namespace

}  // namespace cudart_test::copies_test
