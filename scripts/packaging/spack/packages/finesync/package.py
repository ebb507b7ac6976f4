"""finesync for Spack 0.23 and newer, from the clone that this file lies in."""

from pathlib import Path

from spack.package import *

try:  # Spack 1.0 and newer
    from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError:
    pass

CLONE = Path(__file__).resolve().parents[5]


class Finesync(CMakePackage, CudaPackage):
    """Fine-grained synchronization on GPUs: header-only primitives, and, in libexec/finesync, their
    benchmarks, for the GPU (+cuda) or for the host executor, which needs none."""

    git = f"file://{CLONE}"

    license("Apache-2.0")
    version("main", branch="main")

    variant("programs", default=True, description="Build the benchmarks")
    variant("executor", default=True,
            description="Build the host executor, which runs kernels without a GPU, and finesync-check")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("git", type="build")
    depends_on("python@3.10:", type="build")
    depends_on("cuda@12.4:", when="+cuda")
    with when("+executor"):
        depends_on("boost+context")
        depends_on("fmt")
        depends_on("nlohmann-json")
        depends_on("cli11")
    with when("+programs"):
        depends_on("fmt")
        depends_on("benchmark@1.7.1:")
        depends_on("nlohmann-json")
        depends_on("cli11")

    conflicts("~executor", when="~cuda+programs", msg="programs run on a GPU or on the executor")
    conflicts("cuda_arch=none", when="+cuda+programs", msg="name the GPU, such as cuda_arch=90")

    generator("ninja")

    def cmake_args(self):
        arguments = [
            self.define("FINESYNC_BUILD_TESTS", False),
            self.define_from_variant("FINESYNC_BUILD_PROGRAMS", "programs"),
            self.define_from_variant("FINESYNC_HOST", "executor"),
            self.define_from_variant("FINESYNC_CHECK", "executor"),
            self.define_from_variant("FINESYNC_CUDA", "cuda"),
        ]
        if self.spec.satisfies("+cuda+programs"):
            arguments.append(self.define_from_variant("CMAKE_CUDA_ARCHITECTURES", "cuda_arch"))
        return arguments

    @run_after("install")
    def install_programs(self):
        if self.spec.satisfies("+programs"):
            cmake("--install", self.builder.build_directory, "--component", "programs")
