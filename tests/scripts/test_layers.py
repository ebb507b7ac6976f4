"""The imports of the scripts go one way: an import upward, or in a circle, is an error."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from conftest import ROOT

SCRIPTS = ROOT / "scripts"
# The packages that each package may import, apart from itself.
BELOW = {"finesync_catalogue": set(),
         "finesync.query": set(),
         "finesync.results": {"finesync_catalogue", "finesync.query"},
         "finesync.compare": {"finesync.results", "finesync.query"},
         "finesync.sweep": {"finesync.results", "finesync.query"},
         "finesync.papers": {"finesync.results", "finesync.query"},
         "finesync.claims": {"finesync.results", "finesync.query", "finesync.sweep", "finesync.papers"},
         "finesync.items": {"finesync.results", "finesync.query", "finesync.sweep", "finesync.papers",
                            "finesync.claims"},
         "finesync.figures": {"finesync.results", "finesync.query", "finesync.compare", "finesync.papers",
                              "finesync.claims", "finesync.items"},
         "finesync.report": {"finesync.results", "finesync.query", "finesync.compare", "finesync.papers",
                             "finesync.claims", "finesync.items", "finesync.figures",
                             "finesync.freshness"},
         "finesync.script": {"finesync.results"},
         "finesync.freshness": {"finesync.results"},
         "finesync.recorder": {"finesync.results", "finesync.script"},
         "finesync.reproduce": {"finesync.results", "finesync.query", "finesync.sweep", "finesync.claims",
                                "finesync.script"},
         "finesync_inputs": {"finesync.results"},
         "finesync_mutation": {"finesync.results"}}
MOST_FILES = 20


def modules_of(folder: Path) -> dict[str, Path]:
    """The modules of the packages below a folder, by their full names."""
    found = {}
    for path in folder.glob("finesync*/**/*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(name: str, path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules that a module imports, of those that are given, also for types only."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            # `from package import module` imports the module; any other name is in the package.
            found |= {f"{source}.{alias.name}" if f"{source}.{alias.name}" in modules else source
                      for alias in node.names}
    return {other for other in found if other in modules and other != name}


def package_of(name: str) -> str:
    """The package of a module that BELOW names."""
    return next((package for package in BELOW if f"{name}.".startswith(f"{package}.")), "")


def complaints(folder: Path) -> list[str]:
    """What is wrong with the imports below a folder, a line each."""
    modules = modules_of(folder)
    imports = {name: imports_of(name, path, modules) for name, path in modules.items()}
    upward = [f"{name} imports {other}, which is not below it"
              for name, others in imports.items() for other in others
              if package_of(name) != package_of(other)
              and package_of(other) not in BELOW.get(package_of(name), ())]
    left = dict(imports)
    while free := [name for name, others in left.items() if not others & set(left)]:
        for name in free:
            del left[name]
    # What is left is a circle, or stands above one.
    return sorted(upward) + ([f"in a circle, or above one: {', '.join(sorted(left))}"] if left else [])


def test_the_scripts_import_downward_only() -> None:
    assert complaints(SCRIPTS) == []
    assert {package_of(name) for name in modules_of(SCRIPTS)} - {""} == set(BELOW)


@pytest.mark.parametrize("folder", [SCRIPTS, *(path for path in SCRIPTS.rglob("*")
                                               if path.is_dir() and path.name != "__pycache__")],
                         ids=lambda folder: folder.name)
def test_no_folder_of_the_scripts_holds_many_files(folder: Path) -> None:
    assert sum(path.is_file() for path in folder.iterdir()) <= MOST_FILES


@pytest.mark.parametrize(("changes", "said"), [
    ({}, []),
    ({"results/low.py": "from ..figures import high\n"},
     ["finesync.results.low imports finesync.figures.high, which is not below it"]),
    ({"results/low.py": "if True:\n    import finesync.sweep.run\n"},
     ["finesync.results.low imports finesync.sweep.run, which is not below it"]),
    ({"results/low.py": "from .lower import B\n", "results/lower.py": "from .low import A\n"},
     ["in a circle, or above one: finesync.figures.high, finesync.results.low, "
      "finesync.results.lower, finesync.sweep.run"])])
def test_an_import_upward_or_in_a_circle_is_found(tmp_path: Path, changes: dict[str, str], said: list[str]) -> None:
    tree = {"results/low.py": "A = 1\n", "results/lower.py": "B = 1\n",
            "sweep/run.py": "from ..results.low import A\n",
            "figures/high.py": "from ..results import low, lower\n", **changes}
    for name, text in tree.items():
        path = tmp_path / "finesync" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = [line for line in complaints(tmp_path) if changes == {} or line in said]
    assert found == said
