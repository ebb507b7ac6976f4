// Kernels over a graph, right and with a planted fault, of the kinds of the Indigo suite (Liu et
// al., ISPASS'22): patterns times granularity times type times fault. All are in this program: its
// argument is the name of one; without an argument it prints all names, which end with the fault.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

enum class unit { thread, warp, block };
enum class fault { none, atomic, bounds, guard, sync };

constexpr int block_threads = 64;
constexpr int blocks = 3;
constexpr int vertices = 40;

/// The neighbours of v are list[first[v]] ... list[first[v + 1] - 1].
struct graph {
  const int* first;
  const int* list;
};

/// Who works on one vertex together.
template <unit U>
struct team {
  static constexpr int lanes = U == unit::thread ? 1 : U == unit::warp ? 32 : block_threads;
  static constexpr int in_block = block_threads / lanes;
  int lane;
  int number;
  int count;
  __device__ team()
      : lane(static_cast<int>(threadIdx.x) % lanes),
        number(static_cast<int>(blockIdx.x) * in_block + static_cast<int>(threadIdx.x) / lanes),
        count(static_cast<int>(gridDim.x) * in_block) {}
  __device__ void sync() const {
    if (U == unit::warp) __syncwarp();
    if (U == unit::block) __syncthreads();
  }
};

template <fault F>
__device__ int end_of_vertices() {
  return F == fault::bounds ? vertices + 1 : vertices;
}

/// The largest value of the team's lanes, by shared memory, to lane 0.
template <unit U, class T, fault F>
__device__ T largest_of(const team<U>& all, T value) {
  __shared__ T of_threads[block_threads];
  T* const mine = of_threads + threadIdx.x;
  *mine = value;
  if (F != fault::sync) all.sync();
  for (int half = team<U>::lanes / 2; half > 0; half /= 2) {
    if (all.lane < half && mine[half] > *mine) *mine = mine[half];
    if (F != fault::sync) all.sync();
  }
  const T largest = *mine;
  all.sync();
  return largest;
}

// Each kernel reads `in`, one value per vertex, and writes `out`.

/// out[v]: the largest value of the neighbours.
template <unit U, class T, fault F>
__global__ void pull(graph g, const T* in, T* out) {
  const team<U> all;
  for (int v = all.number; v < end_of_vertices<F>(); v += all.count) {
    T largest = 0;
    for (int j = g.first[v] + all.lane; j < g.first[v + 1]; j += team<U>::lanes)
      if (in[g.list[j]] > largest) largest = in[g.list[j]];
    if (U != unit::thread) largest = largest_of<U, T, F>(all, largest);
    if (F == fault::guard || all.lane == 0) out[v] = largest;
  }
}

/// The same, from the other end of each edge.
template <unit U, class T, fault F>
__global__ void push(graph g, const T* in, T* out) {
  const team<U> all;
  for (int v = all.number; v < end_of_vertices<F>(); v += all.count) {
    const T value = in[v];
    for (int j = g.first[v] + all.lane; j < g.first[v + 1]; j += team<U>::lanes) {
      T* const at = out + g.list[j];
      if (F == fault::atomic) {
        if (*at < value) *at = value;
      } else if (F != fault::guard || *at < value) {
        atomicMax(at, value);
      }
    }
  }
}

/// out[0]: how many vertices have an odd value.
template <unit U, class T, fault F>
__global__ void count_vertices(graph, const T* in, T* out) {
  const team<U> all;
  for (int v = all.number; v < end_of_vertices<F>(); v += all.count) {
    if (in[v] % 2 == 0 || (F != fault::guard && all.lane != 0)) continue;
    if (F == fault::atomic)
      ++*out;
    else
      atomicAdd(out, T{1});
  }
}

/// out[0]: how many edges lead to a larger value.
template <unit U, class T, fault F>
__global__ void count_edges(graph g, const T* in, T* out) {
  const team<U> all;
  for (int v = all.number; v < end_of_vertices<F>(); v += all.count) {
    for (int j = g.first[v] + all.lane; j < g.first[v + 1]; j += team<U>::lanes) {
      if (in[v] >= in[g.list[j]]) continue;
      if (F == fault::atomic)
        ++*out;
      else
        atomicAdd(out, T{1});
    }
  }
}

/// out[1], ..., out[out[0]]: all vertices with an odd value, in any order.
template <unit U, class T, fault F>
__global__ void gather(graph, const T* in, T* out) {
  const team<U> all;
  for (int v = all.number; v < end_of_vertices<F>(); v += all.count) {
    if (in[v] % 2 == 0 || (F != fault::guard && all.lane != 0)) continue;
    const T place = F == fault::atomic ? out[0]++ : atomicAdd(out, T{1});
    out[1 + place] = static_cast<T>(v);
  }
}

/// out[0]: the largest value of all, by one addition per block's team.
template <unit U, class T, fault F>
__global__ void reduce(graph, const T* in, T* out) {
  const team<U> all;
  T largest = 0;
  for (int v = all.number * team<U>::lanes + all.lane; v < end_of_vertices<F>();
       v += all.count * team<U>::lanes)
    if (in[v] > largest) largest = in[v];
  largest = largest_of<U, T, F>(all, largest);
  if (all.lane != 0) return;
  if (F == fault::atomic) {
    if (*out < largest) *out = largest;
  } else if (F != fault::guard || *out < largest) {
    atomicMax(out, largest);
  }
}

struct test {
  std::string name;
  std::function<bool()> is_right;
};

template <class T>
class problem {
 public:
  problem() {
    for (int v = 0; v < vertices; ++v) {
      in.push_back(static_cast<T>(1 + (v * 7 + 3) % 29));
      first.push_back(static_cast<int>(list.size()));
      for (const int step : {1, 5, 17}) list.push_back((v + step) % vertices);
      if (v % 3 == 0) list.push_back(0);
    }
    first.push_back(static_cast<int>(list.size()));
  }

  using kernel = void (*)(graph, const T*, T*);
  /// What the kernel leaves in `words` words, zero before.
  std::vector<T> run(kernel which, int words) const {
    graph g{};
    T* values = nullptr;
    T* result = nullptr;
    std::vector<T> out(static_cast<std::size_t>(words));
    g.first = on_device(first);
    g.list = on_device(list);
    values = on_device(in);
    cudaMalloc(&result, out.size() * sizeof(T));
    cudaMemset(result, 0, out.size() * sizeof(T));
    which<<<blocks, block_threads>>>(g, values, result);
    cudaMemcpy(out.data(), result, out.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return out;
  }

  bool is_pulled(kernel which) const {
    const std::vector<T> out = run(which, vertices);
    std::vector<T> expected(vertices, 0);
    for_edges([&](int v, int to) { expected[v] = std::max(expected[v], in[to]); });
    return out == expected;
  }
  bool is_pushed(kernel which) const {
    const std::vector<T> out = run(which, vertices);
    std::vector<T> expected(vertices, 0);
    for_edges([&](int v, int to) { expected[to] = std::max(expected[to], in[v]); });
    return out == expected;
  }
  bool counts_vertices(kernel which) const { return run(which, 1)[0] == odd(); }
  bool counts_edges(kernel which) const {
    T expected = 0;
    for_edges([&](int v, int to) { expected += in[v] < in[to]; });
    return run(which, 1)[0] == expected;
  }
  bool is_gathered(kernel which) const {
    const std::vector<T> out = run(which, 1 + vertices);
    T sum = 0;
    T expected = 0;
    for (int v = 0; v < vertices; ++v) expected += in[v] % 2 == 0 ? 0 : static_cast<T>(v);
    for (T i = 1; i <= out[0] && i <= vertices; ++i) sum += out[i];
    return out[0] == odd() && sum == expected;
  }
  bool is_reduced(kernel which) const {
    T expected = 0;
    for (const T each : in) expected = std::max(expected, each);
    return run(which, 1)[0] == expected;
  }

 private:
  template <class Value>
  static Value* on_device(const std::vector<Value>& values) {
    Value* at = nullptr;
    cudaMalloc(&at, values.size() * sizeof(Value));
    cudaMemcpy(at, values.data(), values.size() * sizeof(Value), cudaMemcpyHostToDevice);
    return at;
  }
  template <class Function>
  void for_edges(const Function& function) const {
    for (int v = 0; v < vertices; ++v)
      for (int j = first[v]; j < first[v + 1]; ++j) function(v, list[j]);
  }
  T odd() const {
    T count = 0;
    for (const T each : in) count += each % 2;
    return count;
  }

  std::vector<T> in;
  std::vector<int> first;
  std::vector<int> list;
};

template <unit U, class T, fault F>
void add(std::vector<test>& all, const std::string& of) {
  const std::string name = of + (F == fault::none     ? "none"
                                 : F == fault::atomic ? "atomic"
                                 : F == fault::bounds ? "bounds"
                                 : F == fault::guard  ? "guard"
                                                      : "sync");
  using work = problem<T>;
  constexpr bool is_team = U != unit::thread;
  if (F != fault::atomic && (is_team || (F != fault::guard && F != fault::sync)))
    all.push_back({"pull-" + name, [] { return work().is_pulled(pull<U, T, F>); }});
  if (F != fault::sync)
    all.push_back({"push-" + name, [] { return work().is_pushed(push<U, T, F>); }});
  if (F != fault::sync && (is_team || F != fault::guard)) {
    all.push_back(
        {"vertices-" + name, [] { return work().counts_vertices(count_vertices<U, T, F>); }});
    all.push_back({"gather-" + name, [] { return work().is_gathered(gather<U, T, F>); }});
  }
  if (F != fault::sync && F != fault::guard)
    all.push_back({"edges-" + name, [] { return work().counts_edges(count_edges<U, T, F>); }});
  if (is_team) all.push_back({"reduce-" + name, [] { return work().is_reduced(reduce<U, T, F>); }});
}

template <unit U, class T>
void add_faults(std::vector<test>& all, const std::string& of) {
  add<U, T, fault::none>(all, of);
  add<U, T, fault::atomic>(all, of);
  add<U, T, fault::bounds>(all, of);
  add<U, T, fault::guard>(all, of);
  add<U, T, fault::sync>(all, of);
}

template <class T>
void add_units(std::vector<test>& all, const std::string& of) {
  add_faults<unit::thread, T>(all, "thread-" + of);
  add_faults<unit::warp, T>(all, "warp-" + of);
  add_faults<unit::block, T>(all, "block-" + of);
}

int main(int argc, char** argv) {
  std::vector<test> all;
  add_units<int>(all, "int-");
  add_units<unsigned>(all, "unsigned-");
  for (const test& each : all) {
    if (argc < 2) std::puts(each.name.c_str());
    if (argc == 2 && each.name == argv[1]) return each.is_right() ? 0 : 1;
  }
  return argc < 2 ? 0 : 2;
}
