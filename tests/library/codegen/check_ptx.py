"""Checks the PTX of single accesses, fences and messages.

usage: check_ptx.py ATOMICS.ptx

Each kernel is one operation, which its name tells: its PTX must have the operation's fence and
instruction, with that order, scope, width and space, the weak accesses of the kernel's data, and no
branch, call or local memory, nor a test of a space. Tries itself on spoilt copies first.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

KERNEL = re.compile(r"\.entry (\w+)\(.*?^}", re.MULTILINE | re.DOTALL)
OPCODE = re.compile(r"(?<![\w%$.])((?:atom|red|ld|st|fence|membar)\.[\w.:]+|isspacep|call|bra)\b")
NAME = re.compile(r"(\w+?)_([us]\d\d)_(relaxed|acquire|release|acq_rel|seq_cst)_(\w+)")
FENCE_NAME = re.compile(r"fence_(acquire|release|acq_rel|seq_cst)_(\w+)")
SCOPES = {"system": "sys", "device": "gpu", "block": "cta", "shared": "cta"}
STRONG = ("relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio")

# What a kernel does, with the weak accesses of its data before and after.
OPERATIONS = {"load": "ld st", "store": "ld st", "exchange": "ld atom.exch st",
              "compare_exchange": "ld ld atom.cas st",
              **{f"fetch_{name}": f"ld atom.{name} st"
                 for name in ("add", "and", "or", "xor", "min", "max")}}
MESSAGES = {"message_load": ["ld.relaxed.gpu.b128", "st"],
            "message_store": ["ld", "ld", "st.relaxed.gpu.b128"]}
KERNELS = 462

# Changes, each to the first match in the kernel named.
SPOILS = [
    ("fence_acq_rel_device", r"acq_rel\.gpu", "acq_rel.cta"),
    ("fence_release_system", r"\.sys", ".gpu"),
    ("fence_release_block", r"fence\.acq_rel\.cta;", ""),
    ("fetch_add_u64_acq_rel_system", r"\.sys", ".gpu"),
    ("fetch_or_u32_seq_cst_device", r"fence\.sc\.gpu;", ""),
    ("exchange_u64_acq_rel_block", r"exch\.acq_rel", "exch.acquire"),
    ("load_u32_acquire_device", r"ld\.acquire\.gpu", "ld.volatile"),
    ("load_u32_relaxed_device", r"ld\.relaxed\.gpu", "ld"),
    ("load_u32_relaxed_device", r"ld\.relaxed\.gpu", "ld.global.u32 %r1, [%rd1];\nld.relaxed.gpu"),
    ("load_u64_relaxed_block", r"st\.global", "st.local"),
    ("load_u64_acquire_block", r"ld\.acquire", "call.uni (retval0), helper;\nld.acquire"),
    ("fetch_min_s32_relaxed_device", r"\.s32", ".u32"),
    ("fetch_min_u64_relaxed_device", r"atom\.min", "atom.max"),
    ("store_u64_relaxed_block", r"st\.(.*)\.b64", r"st.\1.b32"),
    ("compare_exchange_u32_acquire_shared", r"cta\.shared", "cta"),
    ("load_u64_acquire_shared", r"ld\.acquire", "ld.relaxed"),
    ("fetch_xor_u32_acq_rel_shared", r"acq_rel\.cta", "release.cta"),
    ("fetch_max_u64_seq_cst_shared", r"fence\.sc", "fence.acq_rel"),
    ("store_u32_release_shared", r"st\.release", "isspacep.shared %p1, %rd1;\nst.release"),
    ("message_store", r"relaxed\.gpu", "relaxed.cta"),
    ("message_load", r"\.b128 t,", ".v2.u64 t,"),
]


def strong_access(operation: str, what: str, word: str, order: str, reach: str) -> list[str]:
    """An access with the fences before it. On shared memory a sequentially consistent one is a release,
    too, which libcu++ has not; and arithmetic of 64 bits, a loop in machine code, says its release by
    a fence (shared_atomic.cuh)."""
    scope, shared = SCOPES[reach], "shared" if reach == "shared" else ""
    kind, _, name = what.partition(".")
    is_loop = shared and operation.startswith("fetch") and word.endswith("64")
    fences = []
    if order == "seq_cst":
        fences.append(f"fence.sc.{scope}")
        order = "relaxed" if kind == "st" else "acquire"
        if shared and not is_loop:
            order = {"st": "release", "ld": "acquire", "atom": "acq_rel"}[kind]
    if is_loop and order in ("release", "acq_rel"):
        fences.append("fence.acq_rel.cta")
        order = "acquire" if order == "acq_rel" else "relaxed"
    width = word if name in ("min", "max") else "b" + word[1:]
    return [*fences, ".".join(filter(None, (kind, order, scope, shared, name, width)))]


def expected(kernel: str, one_way: bool) -> list[str] | None:
    """The accesses and fences of a kernel, or None if its name is no operation's. `one_way`: the
    target has fences that only acquire or only release."""
    if fence := FENCE_NAME.fullmatch(kernel):
        order, reach = fence.groups()
        full = order in ("acquire", "release") and not (one_way and reach != "block")
        order = "acq_rel" if full else order.replace("seq_cst", "sc")
        return ["st", f"fence.{order}.{SCOPES[reach]}", "st"]
    named = NAME.fullmatch(kernel)
    if not named:
        return MESSAGES.get(kernel)
    operation, *rest = named.groups()
    strong = {"load": "ld", "store": "st"}.get(operation, "atom")
    return [access for what in OPERATIONS[operation].split()
            for access in (strong_access(operation, what, *rest) if what.startswith(strong) else [what])]


def accesses(kernel: str) -> list[str]:
    """What the PTX of a kernel does to memory, in the words of expected(): a weak access is "ld" or
    "st"; of a strong one it matters whether it names shared memory, not how a word without a sign is
    called."""
    found = []
    for opcode in OPCODE.findall(kernel):
        kind, *modifiers = opcode.split(".")
        if "param" in modifiers:
            continue
        if kind in ("ld", "st") and not set(STRONG) & set(modifiers):
            found.append("local memory" if "local" in modifiers else kind)
            continue
        modifiers = [m for m in modifiers if m != "global"]
        if kind == "atom" and not set(STRONG) & set(modifiers):  # what PTX means by none
            modifiers += ["relaxed", "gpu"]
        if not {"min", "max"} & set(modifiers):
            modifiers = [re.sub(r"^[us](\d+)$", r"b\1", m) for m in modifiers]
        modifiers.sort(key=lambda m: 0 if m in STRONG else 1 if m in SCOPES.values() else 2)
        found.append(".".join([kind, *modifiers]))
    return found


def complaints(ptx: str) -> list[str]:
    """What is wrong with the PTX; empty when nothing is."""
    version = tuple(map(int, re.search(r"\.version (\d+)\.(\d+)", ptx).groups()))
    one_way = version >= (8, 6) and int(re.search(r"\.target sm_(\d+)", ptx)[1]) >= 90
    kernels = {match[1]: match[0] for match in KERNEL.finditer(ptx)}
    found = [] if len(kernels) == KERNELS else [f"{len(kernels)} kernels instead of {KERNELS}"]
    return found + [f"{name}: {accesses(text)} instead of {expected(name, one_way)}"
                    for name, text in kernels.items()
                    if accesses(text) != expected(name, one_way)]


def accepted(ptx: str) -> list[str]:
    """The changes to the file that are not complained of."""
    found = []
    for kernel, pattern, wrong in SPOILS:
        start = ptx.index(f".entry {kernel}(")
        changed = re.sub(pattern, wrong, ptx[start:], count=1)
        if changed == ptx[start:] or not complaints(ptx[:start] + changed):
            found.append(f"accepted when spoilt: {kernel}: {pattern}")
    return found


def main() -> int:
    """Entry point."""
    ptx = Path(sys.argv[1]).read_text(encoding="utf-8")
    found = complaints(ptx) or accepted(ptx)
    print("\n".join(found) or "all accesses name their order, scope, width and space")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
