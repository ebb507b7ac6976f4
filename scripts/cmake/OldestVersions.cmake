# The oldest versions of libraries that will do, where packaged ones are older (Ubuntu 22.04).
set(oldest_benchmark 1.7.1)  # reports the fields of --benchmark_context
