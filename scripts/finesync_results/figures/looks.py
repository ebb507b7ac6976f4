"""One look per primitive, the same in every figure.

Colours are those of Okabe and Ito, told apart by colour-blind readers; each primitive also has a
marker and a hatch of its own, so that a grey print still tells them apart. Within one workload no
two look alike. Libraries are dashed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """Name in print, colour, marker, hatch, and line dashes of a primitive."""

    label: str
    colour: str
    marker: str
    hatch: str
    dashes: str


_LOCKS = {
    "spin": Look("spin", "#4d4d4d", "o", "", "-"),
    "spin_ordered": Look("spin, ordered", "#56b4e9", "v", "////", "-"),
    "backoff": Look("back-off", "#0072b2", "s", "", "-"),
    "ebo": Look("exponential back-off (EBO)", "#0072b2", "s", "", "-"),
    "ttas": Look("test and test-and-set", "#d55e00", "P", "xxxx", "-"),
    "ticket": Look("ticket", "#009e73", "^", "\\\\\\\\", "-"),
    "ring": Look("ring", "#e69f00", "D", "....", "-"),
    "combining": Look("warp-combining", "#d55e00", "P", "xxxx", "-"),
    "array": Look("array queue", "#332288", "h", "//", "-"),
    "mcs": Look("MCS queue", "#882255", "p", "oo", "-"),
    "cohort": Look("cluster cohort", "#44aa99", "8", "++++", "-"),
    "carrying": Look("carrying", "#9ecae1", "d", "||||", "-."),
    "libcudacxx": Look("libcu++", "#7f7f7f", "H", "--", "--"),
    "lockfree": Look("lock-free (no lock)", "#cc79a7", "X", "----", "--"),
    "tuned_lock": Look("tuned lock", "#9ecae1", "d", "////", "-"),
}

_SERVERS = {
    "server_basic": Look("server, basic", "#d4c200", "<", "++++", "-."),
    "server_paper": Look("server, as in the paper", "#8c6d1f", ">", "oo", "-."),
    "server_fast": Look("server, fast", "#000000", "*", "", "-."),
}

_BARRIERS = {
    "atomic_tree": Look("atomic tree", "#4d4d4d", "o", "", "-"),
    "sense_reversing": Look("sense-reversing tree (SRB)", "#0072b2", "s", "////", "-"),
    "lock_free_tree": Look("lock-free tree", "#56b4e9", "v", "....", "-"),
    "cooperative": Look("cooperative groups (CCG)", "#d55e00", "P", "xxxx", "--"),
    "graph_relaunch": Look("graph relaunch", "#8c6d1f", ">", "oo", "--"),
    "cluster": Look("cluster", "#009e73", "^", "\\\\\\\\", "-"),
    "one_hop": Look("one hop", "#e69f00", "D", "++++", "-"),
    "gather_scatter": Look("gather and scatter", "#d4c200", "<", "\\\\", "-"),
    "sm_groups": Look("SM groups", "#9ecae1", "d", "||||", "-"),
    "adaptive": Look("adaptive", "#000000", "*", "", "-"),
}

_SEMAPHORES = {
    "spin_backoff": Look("spin, back-off", "#0072b2", "s", "////", "-"),
    "priority": Look("priority", "#e69f00", "D", "....", "-"),
    "priority_backoff": Look("priority, back-off", "#d55e00", "P", "xxxx", "-"),
    "word": Look("one word", "#009e73", "^", "\\\\\\\\", "-"),
    "ticketed": Look("ticketed", "#000000", "*", "", "-"),
}

_FENCES = {
    "release": Look("release", "#0072b2", "s", "", "-"),
    "acquire": Look("acquire", "#56b4e9", "v", "////", "-"),
    "acq_rel": Look("acquire and release", "#009e73", "^", "\\\\\\\\", "-"),
    "seq_cst": Look("sequentially consistent", "#4d4d4d", "o", "xxxx", "-"),
    "release_cluster": Look("release, cluster", "#e69f00", "D", "....", "-"),
    "release_block": Look("release, block", "#d4c200", "<", "++++", "-"),
}

LOOKS = {**_LOCKS, **_SERVERS, **_BARRIERS, **_SEMAPHORES, **_FENCES}
