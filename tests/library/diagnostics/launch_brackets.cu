// The one thing of CUDA that cannot be explained by a compiler of C++: docs/library/using.md names
// its error (check_errors.py).
#include <finesync/device/cell.cuh>

__global__ void kernel() {}

int main() {
  // error: expected primary-expression before '<' token
  // error: expected primary-expression before '>' token
  // error: expected primary-expression before ')' token
  kernel<<<1, 32>>>();
}
