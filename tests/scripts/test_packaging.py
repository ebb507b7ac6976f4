"""What containers, clusters and package managers are told is what the repository has."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from scratch import executable, ran
from test_setup import Machine

PACKAGING = ROOT / "scripts" / "packaging"
SETUP = (ROOT / "scripts" / "setup.sh").read_text(encoding="utf-8")
LIBRARIES = set(" ".join(re.findall(r"libraries\+?=\((.*?)\)", SETUP)).split()) - {"GTest"}
OPTIONS = {name for file in (ROOT / "CMakeLists.txt", *ROOT.glob("scripts/cmake/*.cmake"))
           for name in re.findall(r"\b(?:FINESYNC|CMAKE)_[A-Z_]+\b", file.read_text(encoding="utf-8"))}


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def read_yaml(text: str) -> Any:
    return pytest.importorskip("yaml").safe_load(text)


def version() -> str:
    return ".".join(re.findall(r"VERSION_[A-Z]+ (\d+)", text_of(ROOT / "src/finesync/version.hpp")))


def test_one_version_is_named_everywhere() -> None:
    own, (major, minor, _) = version(), version().split(".")
    assert f"define FINESYNC_ABI v{major}_{minor}\n" in text_of(ROOT / "src/finesync/version.hpp")
    number, day = re.findall(r"^## (\S+)(?: \((.*)\))?$", text_of(ROOT / "CHANGELOG.md"), re.M)[0]
    assert number == own, "the newest section of the changes"
    cited = read_yaml(text_of(ROOT / "CITATION.cff"))
    assert (str(cited["version"]), str(cited["date-released"])) == (own, day)
    users = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "tests" / "library" / "package").rglob("CMakeLists.txt")]
    asked = {(path.name, found) for path in users
             for found in re.findall(r"find_package\(finesync (\d\S*)", text_of(path))}
    assert {path for path, _ in asked} == {"using.md", "CMakeLists.txt"}
    assert {found for _, found in asked} == {f"{major}.{minor}"}


def test_the_image_is_set_up_by_what_its_context_holds(tmp_path: Path) -> None:
    steps = re.findall(r"^([A-Z]+) +(.*)$", text_of(PACKAGING / "Dockerfile"), re.MULTILINE)
    assert [name for name, _ in steps] == ["ARG", "FROM", "COPY", "RUN", "RUN", "ENV", "WORKDIR", "CMD"]
    does = dict(reversed(steps))
    context, place = does["COPY"].split()
    assert context == "."
    assert "-f scripts/packaging/Dockerfile scripts\n" in text_of(PACKAGING / "Dockerfile")
    image = tmp_path / "image"
    shutil.copytree(ROOT / "scripts", image / place.lstrip("/"))
    machine = Machine(tmp_path)
    machine.lacks("fmt", "GTest")
    run = does["RUN"].split(" && ")[0]
    ran(image / run.lstrip("/"), env={"PATH": str(machine.bin), "PYTHON": "python3", "TOOLS": str(machine.tools)})
    assert machine.called()[-1].endswith("libfmt-dev libgtest-dev")
    (command,) = re.findall(r'"(.*?)"', does["CMD"])
    assert (ROOT / command).exists()


@pytest.mark.parametrize(("name", "events"), [
    ("tests", {"push", "pull_request"}), ("nightly", {"schedule", "workflow_dispatch"}),
    ("page", {"push", "workflow_dispatch"}), ("release", {"push"})])
def test_the_workflow_runs_what_is_there(name: str, events: set[str]) -> None:
    workflow = read_yaml(text_of(ROOT / ".github" / "workflows" / f"{name}.yml"))
    commands = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    assert any(command.startswith(("./scripts/test.sh", "./scripts/report.py", "./scripts/packaging/")) for command in commands)
    assert all((ROOT / command.split()[0]).exists() for command in commands if command.startswith("."))
    assert set(workflow[True]) == events, "YAML reads 'on' as true"


@pytest.mark.parametrize(("changed", "part"), [
    ("README.md docs/library/locks.md", "documents"), ("scripts/sweep.py README.md", "scripts"),
    ("src/executor/ptx/module.cpp tests/executor/ptx/text_test.cpp", "executor"),
    ("src/executor/ptx/module.cpp src/finesync/version.hpp", ""), ("scripts/test.sh", ""),
    ("everything", "")])
def test_the_workflow_runs_what_a_change_reaches(changed: str, part: str, tmp_path: Path) -> None:
    steps = read_yaml(text_of(ROOT / ".github" / "workflows" / "tests.yml"))["jobs"]["reached"]["steps"]
    script = steps[-1]["run"].replace('$(git diff --name-only "$BEFORE" HEAD)', "$CHANGED")
    out = tmp_path / "out"
    subprocess.run(["bash", "-ec", script], check=True, env={
        **os.environ, "CHANGED": changed.replace(" ", "\n"), "GITHUB_OUTPUT": str(out)})
    assert out.read_text(encoding="utf-8") == f"part={part}\n"


def test_the_hook_before_a_commit_is_the_check_of_formats() -> None:
    (repository,) = read_yaml(text_of(ROOT / ".pre-commit-config.yaml"))["repos"]
    (hook,) = repository["hooks"]
    script, option = hook["entry"].split()
    assert repository["repo"] == "local" and (ROOT / script).exists()
    assert option in text_of(ROOT / script)
    (formatter,) = re.findall(r'"version (\d+)\."', text_of(ROOT / script))
    assert f"clang-format=={formatter}." in " ".join(hook["additional_dependencies"])


def test_the_wheel_is_of_this_version_and_of_parts_that_are_there() -> None:
    folder = ROOT / "src" / "executor"
    settings = pytest.importorskip("tomllib").loads(text_of(folder / "pyproject.toml"))["tool"]["scikit-build"]
    project = text_of(folder / settings["metadata"]["version"]["input"])
    (found,) = re.findall(settings["metadata"]["version"]["regex"].replace("?P<value>", ""), project)
    assert found == version()
    assert all(f"option({name} " in project for name in settings["cmake"]["define"] if name.startswith("FINESYNC_"))
    assert all(f"COMPONENT {name}" in project for name in settings["install"]["components"])
    assert all(f"add_executable({name} " in text_of(folder / "check" / "CMakeLists.txt")
               for name in settings["build"]["targets"])


def test_the_action_is_of_options_and_of_a_release_that_there_are() -> None:
    action = read_yaml(text_of(ROOT / ".github" / "actions" / "finesync-check" / "action.yml"))
    runs = "\n".join(step.get("run", "") for step in action["runs"]["steps"])
    used = text_of(ROOT / "docs" / "check" / "check.md")
    assert f"/.github/actions/finesync-check@v{version()}" in used
    (given,) = re.findall(r"with: \{(.*)\}", used)
    assert set(re.findall(r"(\w+):", given)) == set(action["inputs"])
    options = text_of(ROOT / "src" / "executor" / "check" / "options.cpp")
    assert all(f'"{name}"' in options for name in re.findall(r"finesync-check (--[a-z-]+)", runs))
    (pattern,) = re.findall(r"sed -nE 's/\.\*(.*)\.\*/\\1/p'", runs)
    assert re.findall(pattern, text_of(ROOT / "src" / "executor" / "CMakeLists.txt")) == [version()]


@pytest.mark.parametrize("preset", ["host", "cuda"])
def test_the_conda_recipe_builds_a_preset_of_what_the_environment_has(preset: str) -> None:
    text = text_of(PACKAGING / "conda" / "meta.yaml")
    file, pattern = re.findall(r'load_file_regex\("(.*?)".*?regex_pattern="(.*?)"', text, re.S)[0]
    found = re.search(pattern.replace("\\\\", "\\"), text_of(PACKAGING / "conda" / file))
    assert found and ".".join(found.groups()) == version()
    for template, replacement in (
            (r'{% if preset == "cuda" %}(.*?){% endif %}', r"\1" * (preset == "cuda")),
            (r"{% .*? %}", ""), (r"{{ preset }}", preset),
            (r'{{ compiler\("(\w+)"\) }}', r"\1-compiler"), (r"{{ version.*? }}", version())):
        text = re.sub(template, replacement, text, flags=re.S)
    recipe = read_yaml(text)
    assert (PACKAGING / "conda" / recipe["source"]["git_url"]).resolve() == ROOT
    needs = {name for names in recipe["requirements"].values() for name in names}
    assert ("cuda-compiler" in needs) == (preset == "cuda")
    environment = read_yaml(text_of(ROOT / "environment.yml"))["dependencies"]
    assert needs - {"cuda-compiler"} <= set(environment)
    assert set(recipe["requirements"]["host"]) == {
        re.sub(r"^boost$", "libboost-devel", name.lower()) for name in LIBRARIES}
    assert f"--preset {preset}" in (script := "\n".join(recipe["build"]["script"]))
    assert set(re.findall(r"-D(\w+)", script)) <= OPTIONS
    (program,) = re.findall(r"libexec/finesync/(\w+)", str(recipe["test"]))
    assert (ROOT / "workloads" / program).is_dir()


class Spack(types.ModuleType):
    """What a recipe calls, with stand-ins that note it."""

    def __init__(self) -> None:
        super().__init__("spack.package")
        self.noted: list[tuple[Any, ...]] = []
        self.__all__ = ["CMakePackage", "CudaPackage", "run_after", "when", "cmake"]
        for name in ("version", "variant", "depends_on", "conflicts", "license", "generator"):
            setattr(self, name, self.note(name))
            self.__all__.append(name)
        self.CMakePackage = type("CMakePackage", (), {
            "define": lambda self, name, value: f"-D{name}={value}",
            "define_from_variant": lambda self, name, variant: f"-D{name}=of {variant}"})
        self.CudaPackage = type("CudaPackage", (), {})
        self.run_after = lambda phase: lambda function: function
        self.when = lambda spec: self
        self.cmake = self.note("cmake")

    def note(self, name: str) -> Callable[..., None]:
        return lambda *words, **more: self.noted.append((name, *words))

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def of(self, name: str) -> list[str]:
        return [words[0] for noted, *words in self.noted if noted == name]


@pytest.mark.parametrize("asked", ["~cuda+programs", "+cuda+programs", "+cuda~programs"])
def test_the_recipe_of_spack_is_of_this_clone_and_its_options(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spack = Spack()
    monkeypatch.setitem(sys.modules, "spack", types.ModuleType("spack"))
    monkeypatch.setitem(sys.modules, "spack.package", spack)
    (recipe,) = (PACKAGING / "spack" / "packages").glob("*/package.py")
    package = runpy.run_path(str(recipe))["Finesync"]()
    assert package.git == f"file://{ROOT}"
    assert {re.sub("[-_]", "", name.split("@")[0].split("+")[0])
            for name in spack.of("depends_on")} == {
        *(re.sub("_", "", name.lower()) for name in LIBRARIES), "cxx", "cmake", "git", "python",
        "cuda"}
    package.spec = types.SimpleNamespace(satisfies=lambda spec: all(
        part in asked for part in re.findall(r"[+~]\w+", spec)))
    package.builder = types.SimpleNamespace(build_directory="build")
    arguments = package.cmake_args()
    names = re.findall(r"-D(\w+)", " ".join(arguments))
    assert set(names) <= OPTIONS
    assert ("CMAKE_CUDA_ARCHITECTURES" in names) == (asked == "+cuda+programs")
    assert {argument.split("=of ")[1] for argument in arguments if "=of " in argument} <= {
        *spack.of("variant"), "cuda", "cuda_arch"}
    package.install_programs()
    assert bool(spack.of("cmake")) == ("+programs" in asked)


def test_only_formats_are_checked_when_asked(tmp_path: Path) -> None:
    (tmp_path / "scripts" / "finesync").mkdir(parents=True)
    for name in ("test.sh", "finesync/lib.sh", "finesync/script.py"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts" / name)
    executable(tmp_path / "clang-format", "#!/bin/sh\necho version 13.0.0\n")

    def check(code: int) -> subprocess.CompletedProcess[str]:
        return ran(tmp_path / "scripts" / "test.sh", "--formats", code=code,
                   env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})

    done = check(0)
    assert "host build" not in done.stdout, done.stdout
    left_out = ", ".join(re.findall("^not run (.*):", done.stdout, re.M))
    assert left_out.endswith("formatting") and done.stdout.endswith(f"passed; not run here: {left_out}\n")
    (tmp_path / "bad.sh").write_text("if true\n", encoding="utf-8")
    assert "FAILED  bash syntax" in check(1).stdout


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no repository")
def test_one_revision_is_light() -> None:
    """So that a clone of --depth 1 is: 15 MB, packed."""
    packed = ran("bash", "-c", "git archive HEAD | xz -0 | wc -c", cwd=ROOT)
    assert 1_000_000 < int(packed.stdout) < 15_000_000


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no repository")
def test_subjects_of_commits_say_why() -> None:
    said = ran("git", "log", "-50", "--format=%s", cwd=ROOT).stdout.splitlines()
    wrong = [subject for subject in said
             if re.match(r"(?i)(wip\b|fixup!|squash!|merge\b.*(/|remote-tracking)|format(ting)?$)", subject)
             or len(subject) > 120]
    assert not wrong
