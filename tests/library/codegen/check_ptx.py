"""Checks the PTX of single accesses and fences, and of what block-scope atomics are on shared memory.

usage: check_ptx.py ATOMICS.ptx SHARED.ptx

Each kernel of the first file is one operation, which its name tells: its PTX must have the
operation's fence and instruction, with that order, scope and width, the weak accesses of the
kernel's data, and no branch, call or local memory. Every synchronizing access of the second file is
block-scope and on shared memory: each must name that space, no test of the space may be left, and
the kernels of all operations must have exactly the orders that their source names. Tries itself on
spoilt copies of both files first.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

KERNEL = re.compile(r"\.entry (\w+)\(.*?^}", re.MULTILINE | re.DOTALL)
OPCODE = re.compile(r"(?<![\w%$.])((?:atom|red|ld|st|fence|membar)\.[\w.:]+|call|bra)\b")
NAME = re.compile(r"(\w+?)_([us]\d\d)_(relaxed|acquire|release|acq_rel|seq_cst)_(\w+)")
FENCE_NAME = re.compile(r"fence_(acquire|release|acq_rel|seq_cst)_(\w+)")
SCOPES = {"system": "sys", "device": "gpu", "block": "cta"}
STRONG = ("relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio")

# What a kernel does, with the weak accesses of its data before and after.
OPERATIONS = {"load": "ld st", "store": "ld st", "exchange": "ld atom.exch st",
              "compare_exchange": "ld ld atom.cas st",
              **{f"fetch_{name}": f"ld atom.{name} st"
                 for name in ("add", "and", "or", "xor", "min", "max")}}
MESSAGES = {"message_load": ["ld.relaxed.gpu.b128", "st"],
            "message_store": ["ld", "ld", "st.relaxed.gpu.b128"]}
KERNELS = 350

# Changes to the file of single accesses, each to the first match in the kernel named.
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
    ("message_store", r"relaxed\.gpu", "relaxed.cta"),
    ("message_load", r"\.b128 t,", ".v2.u64 t,"),
]

# The operations of the kernel all_operations on shared memory, in its order. Of 64 bits, arithmetic
# says its release by a fence (shared_atomic.cuh).
ON_SHARED = ["st release", "ld acquire", "exch acq_rel", "add relaxed", "and acquire",
             "or release", "xor acq_rel", "min relaxed", "fence.sc.cta", "max acq_rel",
             "cas acquire"]
ON_SHARED_64 = ["st release", "ld acquire", "exch acq_rel", "add relaxed", "and acquire",
                "fence.acq_rel.cta", "or relaxed", "fence.acq_rel.cta", "xor acquire",
                "min relaxed", "fence.sc.cta", "max acquire", "cas acquire"]
FEWEST_ON_SHARED = 4 * 10 + 4 * 2  # operations of each word type, and two of each lock
BLOCK_ACCESS = re.compile(r"^\s*(?:@!?%p\d+\s+)?((?:atom|red|ld|st)\.\S*\.cta\S*)", re.MULTILINE)
SHARED_EVENT = re.compile(
    r"^\s+(?:(atom|ld|st)\.(\w+)\.cta\.shared\.(\w+)|(fence\.\w+\.cta))", re.MULTILINE)

# Changes to the kernel of 32 bits.
SHARED_SPOILS = [("cta.shared.cas", "cta.cas"), ("cta.shared.b32", "cta.b32"),
                 ("st.release.cta", "st.relaxed.cta"), ("ld.acquire.cta", "ld.relaxed.cta"),
                 ("acq_rel.cta.shared.xor", "release.cta.shared.xor"),
                 ("fence.sc.cta", "fence.acq_rel.cta")]


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
    operation, word, order, reach = named.groups()
    scope = SCOPES[reach]
    is_signed_or_not = operation in ("fetch_min", "fetch_max")
    found = []
    for part in OPERATIONS[operation].split():
        kind, _, what = part.partition(".")
        if kind != "atom" and kind != {"load": "ld", "store": "st"}.get(operation):
            found.append(kind)
            continue
        if order == "seq_cst":
            found.append(f"fence.sc.{scope}")
            order = "relaxed" if operation == "store" else "acquire"
        width = word if is_signed_or_not else "b" + word[1:]
        found.append(".".join(filter(None, (kind, order, scope, what, width))))
    return found


def accesses(kernel: str) -> list[str]:
    """What the PTX of a kernel does to memory, in the words of expected(): a weak access is "ld" or
    "st", which space a strong one names does not matter, nor how a word without a sign is called."""
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
        order = {m: place for place, m in enumerate((*STRONG, *SCOPES.values()))}
        found.append(".".join([kind, *sorted(modifiers, key=lambda m: order.get(m, len(order)))]))
    return found


def complaints_of_atomics(ptx: str) -> list[str]:
    """What is wrong with the file of single accesses; empty when nothing is."""
    version = tuple(map(int, re.search(r"\.version (\d+)\.(\d+)", ptx).groups()))
    one_way = version >= (8, 6) and int(re.search(r"\.target sm_(\d+)", ptx)[1]) >= 90
    kernels = {match[1]: match[0] for match in KERNEL.finditer(ptx)}
    found = [] if len(kernels) == KERNELS else [f"{len(kernels)} kernels instead of {KERNELS}"]
    return found + [f"{name}: {accesses(text)} instead of {expected(name, one_way)}"
                    for name, text in kernels.items()
                    if accesses(text) != expected(name, one_way)]


def operations_on_shared(kernel: str) -> list[str]:
    """What a kernel does to shared memory, with orders."""
    return [fence or f"{operation if kind == 'atom' else kind} {order}"
            for kind, order, operation, fence in SHARED_EVENT.findall(kernel)]


def complaints_of_shared(ptx: str) -> list[str]:
    """What is wrong with the file of shared memory; empty when nothing is."""
    named = BLOCK_ACCESS.findall(ptx)
    found = [f"{access} does not name shared memory" for access in named
             if ".shared" not in access]
    if len(named) < FEWEST_ON_SHARED:
        found.append(f"only {len(named)} synchronizing accesses")
    kernels = [match for match in KERNEL.finditer(ptx) if "all_operations" in match[1]]
    if len(kernels) != 4:
        found.append(f"{len(kernels)} kernels of all operations instead of 4")
    for match in kernels:
        wanted = ON_SHARED_64 if ".cas.b64" in match[0] else ON_SHARED
        if operations_on_shared(match[0]) != wanted:
            found.append(f"{match[1]}: {operations_on_shared(match[0])}")
    if "isspacep" in ptx:
        found.append("the space is tested at run time")
    return found


def spoilt(atomics: str, shared: str) -> list[tuple[str, list[str]]]:
    """Each change to the files, and the complaints about it."""
    copies = []
    for kernel, pattern, wrong in SPOILS:
        start = atomics.index(f".entry {kernel}(")
        changed = re.sub(pattern, wrong, atomics[start:], count=1)
        copies.append((f"{kernel}: {pattern}", complaints_of_atomics(atomics[:start] + changed)
                       if changed != atomics[start:] else []))
    start = next(match.start() for match in KERNEL.finditer(shared)
                 if "all_operations" in match[1] and ".cas.b32" in match[0])
    changes = {right: shared[:start] + shared[start:].replace(right, wrong, 1)
               for right, wrong in SHARED_SPOILS}
    changes["a test"] = shared + "\nisspacep.shared %p1, %rd1;\n"
    changes["no access"] = BLOCK_ACCESS.sub("", shared)
    copies += [(what, complaints_of_shared(copy) if copy != shared else [])
               for what, copy in changes.items()]
    return copies


def main() -> int:
    """Entry point."""
    atomics, shared = (Path(path).read_text(encoding="utf-8") for path in sys.argv[1:])
    found = complaints_of_atomics(atomics) + complaints_of_shared(shared)
    found = found or [f"accepted when spoilt: {what}"
                      for what, complaints in spoilt(atomics, shared) if not complaints]
    print("\n".join(found) or "all accesses name their order, scope, width and space")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
