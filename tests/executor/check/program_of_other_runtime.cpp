// A program that uses the CUDA runtime, whichever it finds, and launches nothing.
extern "C" int cudaGetDeviceCount(int* count);

int main() {
  int count = 1;
  return cudaGetDeviceCount(&count);
}
