"""Writes sources for CMake: `primitives` of a program, or the `tested` types of a family. Unchanged
files are not written. Prints the sources."""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from .entries import ROOT, Entry, family, is_made, lacked_axes, primitives_of

LIST_HEADER = """// Generated from the catalogue of primitives.
#pragma once

#include <workloads/common/catalogue_entry.hpp>
#include <workloads/@FOLDER@/run_config.hpp>

#include <span>

namespace finesync::@NAMESPACE@ {

/// The @FAMILY@ that this program runs.
std::span<const workload::catalogue_entry<run_config>> all_@FAMILY@();

}  // namespace finesync::@NAMESPACE@
"""
MAKERS = """// Generated from the catalogue of primitives.
#pragma once

#include <workloads/@FOLDER@/@FAMILY@.hpp>

namespace finesync::@NAMESPACE@ {

workload::make_experiment<run_config> @MAKERS@;

}  // namespace finesync::@NAMESPACE@
"""
LIST = """// Generated from the catalogue of primitives.
#include <workloads/@FOLDER@/@FAMILY@_makers.hpp>

namespace finesync::@NAMESPACE@ {

std::span<const workload::catalogue_entry<run_config>> all_@FAMILY@() {
  static const workload::catalogue_entry<run_config> all[] = {
@ENTRIES@  };
  return all;
}

}  // namespace finesync::@NAMESPACE@
"""
TESTED = """// Generated from the catalogue of primitives.
#pragma once

@INCLUDES@

#include <tests/tested_types.hpp>

namespace finesync::test {

@LISTS@}  // namespace finesync::test
"""
TESTED_LIST = """struct @KEY@_@FAMILY@_names : names_of_tested<@KEY@_@FAMILY@_names> {
  static constexpr const char* all[] = {@NAMES@};
};
using @KEY@_@FAMILY@ =
    tested_types<@KEY@_@FAMILY@_names,
                 @TYPES@>;

"""


def filled(template: str, values: dict[str, str], where: object = "") -> str:
    """A template with values for the names between two @."""
    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise SystemExit(f"{where}: nothing is called {match[0]}; there are "
                             + ", ".join(f"@{name}@" for name in values))
        return values[match[1]]
    return re.sub(r"@([A-Z_]+)@", value, template)


def write(path: Path, text: str) -> None:
    """Writes a file only if it changes, so that unchanged sources are not compiled again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def includes_of(headers: list[str]) -> str:
    """The #include lines of headers, each once."""
    return "\n".join(f"#include <{header}>" for header in dict.fromkeys(headers))


def source_of(entry: Entry, options: argparse.Namespace) -> str:
    """The source of a primitive. Template and experiment refer to each key of its types by name."""
    types, use = entry.get("types", {}), options.use
    named = entry.get("template", options.template)
    template = ROOT / "workloads" / (f"{options.folder}/{named}" if named else "common/primitive.cu.in")
    headers = [] if named else [entry["experiment_header"]] if "experiment_header" in entry else options.headers
    known = {
        "NAME": entry["name"], "NAMESPACE": options.namespace,
        "INCLUDES": includes_of([*entry.get("headers", []), *(f"workloads/{header}" for header in headers)]),
        **{flag.upper(): str(entry.get(f"server_{flag}", False)).lower()
           for flag in ("owns_data", "partitions_freely")},
        "TYPE": types.get(use, ""), "WITHOUT_BACKOFF": types.get(f"{use}_without_backoff", "void"),
        **{key.upper(): type_ for key, type_ in types.items()}}
    where = f"{template}: {entry['name']}"
    if not named:
        known["EXPERIMENT"] = filled(entry.get("experiment", options.experiment), known, where)
    return filled(template.read_text(encoding="utf-8"), known, where)


def line_of(entry: Entry, options: argparse.Namespace, maker: str) -> str:
    """A primitive in the list of all, with the axes that some primitives of the program lack."""
    use, lacks = options.use, entry.get("lacks", ())
    axes = [*entry.get("axes", ()), *(axis for axis in lacked_axes(options.program) if axis not in lacks)]
    if is_made(entry, use):
        axes += ["backoff"] if f"{use}_without_backoff" in entry.get("types", {}) else []
        axes += options.axes
    defaults = ", ".join(f"{{{_quoted(axis)}, {value}}}" for axis, value in entry.get("defaults", {}).items())
    return (f"      {{{_quoted(entry['name'])}, {_quoted(entry.get('help', ''))}, {maker}, "
            f"{{{', '.join(map(_quoted, axes))}}}, {{{defaults}}}, "
            f"{_quoted(entry.get('may_be_wrong', ''))}, {str(is_aside(entry)).lower()}}},\n")


def is_aside(entry: Entry) -> bool:
    """Whether it repeats a paper, or is a step towards another primitive."""
    return "_printed" in entry["name"] or any(
        header.startswith("workloads/printed/") for header in entry.get("headers", []))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def make_primitives(options: argparse.Namespace) -> list[Path]:
    """The sources of a program's primitives, without hand-written ones."""
    into = options.into / "workloads" / options.folder
    sources, makers, lines = [into / f"{options.family}.cpp"], [], ""
    for entry in primitives_of(options.family, options.program, options.use, options.without):
        maker = f"make_{entry['name']}"
        if entry.get("cuda_only") and not options.cuda:
            maker = "workload::needs_a_gpu<run_config>"
        elif entry.get("needs") in options.lacks:
            maker = f"workload::needs_{entry['needs']}<run_config>"
        else:
            makers.append(maker)
            if is_made(entry, options.use):
                sources.append(into / f"{maker}.cu")
                write(sources[-1], source_of(entry, options))
        lines += line_of(entry, options, maker)
    values = {"FAMILY": options.family, "FOLDER": options.folder, "NAMESPACE": options.namespace,
              "MAKERS": ", ".join(makers), "ENTRIES": lines}
    write(into / f"{options.family}.hpp", filled(LIST_HEADER, values))
    write(into / f"{options.family}_makers.hpp", filled(MAKERS, values))
    write(sources[0], filled(LIST, values))
    return sources


def make_tested(options: argparse.Namespace) -> list[Path]:
    """The lists of the types that tests explore, one for each key of entries that begins with
    "test_types", and of locks one of the types that their names alone give.
    tests/library/<family>/test_types.hpp may have code that only these types need."""
    lists: dict[str, dict[str, str]] = {}
    headers: list[str] = []
    for entry in family(options.family, program=""):
        tested = [key for key in entry if key.startswith("test_types")]
        headers += entry.get("headers", []) if tested else []
        for key in tested:
            lists.setdefault(key, {}).update(entry[key])
        if any(header.startswith("finesync/locks/") for header in entry.get("headers", [])):
            headers += entry["headers"]
            named = {entry["name"]: f"{entry['name']}_lock<scope::device>"}
            lists.setdefault("types_by_name", {}).update(named)
    extra = f"tests/library/{options.family}/test_types.hpp"
    headers += [extra] if (ROOT / extra).exists() else []
    texts = [filled(TESTED_LIST, {
        "KEY": key, "FAMILY": options.family, "TYPES": ",\n                 ".join(types.values()),
        "NAMES": "".join(f'"{test}", ' for test in types)}) for key, types in lists.items()]
    write(options.into / "tests" / "catalogue" / f"{options.family}.hpp",
          filled(TESTED, {"INCLUDES": includes_of(headers), "LISTS": "".join(texts)}))
    return []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_subparsers(required=True)
    of_program = what.add_parser("primitives")
    of_program.set_defaults(make=make_primitives)
    for name in ("program", "folder", "namespace", "use"):
        of_program.add_argument(f"--{name}", required=True)
    for name in ("template", "experiment"):
        of_program.add_argument(f"--{name}", default="")
    of_program.add_argument("--headers", nargs="*", default=[])
    of_program.add_argument("--axes", nargs="*", default=[])
    of_program.add_argument("--without", nargs="*", default=[])
    of_program.add_argument("--cuda", action="store_true")
    of_program.add_argument("--lacks", nargs="*", default=[])
    tested = what.add_parser("tested")
    tested.set_defaults(make=make_tested)
    for command in (of_program, tested):
        command.add_argument("--family", required=True)
        command.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    sys.stdout.write(";".join(str(path) for path in options.make(options)))


if __name__ == "__main__":
    main()
