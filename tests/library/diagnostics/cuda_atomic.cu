// A kernel with libcu++, which the host executor lacks (check_errors.py).
#include <finesync/device/cell.cuh>

// error: the host executor has no <cuda/atomic>: use finesync/device/atomic_ref.cuh
#include <cuda/atomic>

__global__ void add(finesync::cell<unsigned>* counter) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*counter).fetch_add(1);
}
