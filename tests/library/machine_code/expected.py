"""What the machine code of each kernel in kernels/ must do: one entry per primitive. Those for several
GPUs are in several_gpus.py.

`whole` gives all that a kernel does, in the language of specification.py. The others are for
kernels in which much goes on:
    between    "write, release, add" says that no path leads from a write to an addition past a
               release fence, and that all three occur
    at_least   fences and accesses of the source; the code has each so often, or more
    accesses   all kinds of strong accesses and fences that there may be, and must

A new primitive needs a kernel and an entry here; a kernel without an entry fails the test.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from entry import Expected, whole
from several_gpus import SEVERAL_GPUS

PLACES = {"device_memory": "gpu", "own_block": "shared", "cluster": "cluster", "own_part": "part"}
ORDERS = {"relaxed": "", "acquire": ".acquire", "release": ".release", "acq_rel": ".acq_rel",
          "seq_cst": ".sc"}

LOOPED = ("add", "max", "and", "or", "xor", "min")  # in shared memory, of 64 bits


def atomic(name: str, bits: int, order: str, place: str) -> str:
    """One access. The hardware has no 64-bit arithmetic on shared memory: a loop swaps the word
    for the result until nobody was quicker, behind the same fence."""
    if place != "own_block" or bits == 32 or name not in LOOPED:
        return f"{name}{bits}{ORDERS[order]}"
    return "release rmw64*" if order in ("release", "acq_rel") else "rmw64*"


# device/atomic_ref.cuh, device/fence.cuh, device/cluster.cuh: the names say it all.
ATOMICS = [
    whole(f"{name}_u{bits}_{order}_{place}", atomic(name, bits, order, place), scope)
    for name in ("ld", "st", "cas", "exch", *LOOPED)
    for bits in (32, 64)
    for order in ORDERS
    for place, scope in PLACES.items()
]
# device/atomic_value.cuh: as an integer of the same size, or between fences.
FENCES_BEFORE = {"release": "release ", "acq_rel": "release ", "seq_cst": "sc "}
FENCES_BEHIND = {"acquire": " acquire", "acq_rel": " acquire", "seq_cst": " acquire"}
VALUES = [
    whole(f"{name}_f{bits}_{order}_device_memory", atomic(name, bits, order, "device_memory"))
    for name in ("ld", "st", "cas", "exch") for bits in (32, 64) for order in ORDERS
] + [
    whole(f"{name}_{order}_device_memory",
          FENCES_BEFORE.get(order, "") + access + FENCES_BEHIND.get(order, "")
          * (access != "st8"))
    for name, access in (("ld_boolean", "ld8"), ("st_boolean", "st8"), ("add_f32", "add32"),
                         ("add_f64", "add64"))
    for order in ORDERS
]
FENCES = [
    whole(f"fence_{order}_{reach}", f"write {ORDERS[order][1:]} write", scope)
    for order in ("acquire", "release", "acq_rel", "seq_cst")
    for reach, scope in {"block": "cta", "cluster": "cluster", "device": "gpu",
                         "system": "sys"}.items()
]
# On sm_90 the code asks whether it was launched in clusters at all.
CLUSTER_SYNC = [
    whole("cluster_sync_relaxed", "write (arrive? (await | bar)) write"),
    whole("cluster_sync_acq_rel", "write (arrive.release? (await | bar)) write"),
]

# device/ptx/message_128.cuh, locks/ticket_and_value.cuh: one access, whichever parts of it are used.
MESSAGES = [
    whole("message_always_*", "ld128"),
    whole("message_sometimes_*", "ld128?"),
    whole("message_awaited_*", "ld128+"),
    whole("message_store", "st128"),
    *(whole(f"carried_{size}", f"ld{128 if size > 4 else 64}?") for size in range(1, 13)),
    *(whole(f"carried_store_{size}", f"st{128 if size > 4 else 64}") for size in range(1, 13)),
]

# locks/: a section of one read and one write.
LOCKS = [
    # Of device scope also as written by hand, see checks.longer_rounds. The second time round a poll
    # comes first, unless the compiler sees another way.
    *(whole(f"{lock}_{reach}", does, scope)
      for reach, scope in (("device*", "gpu"), ("system", "sys"))
      for lock, does in (("spin", "cas+ sc read write sc exch"),
                         ("tas", "cas.acquire+ read write st.release"),
                         ("backoff", "(ld* cas.acquire?)+ read write st.release"),
                         ("ticket", "add (ld acquire?)+ read write st.release"),
                         ("anderson", "add (ld acquire?)+ read write st.release"))),
    # With a watchdog a way out leads past the section.
    whole("spin_watched", "(cas watchdog* (sc read write sc exch)?)+"),
    *(whole(f"{lock}_watched", f"{does} (read write st.release)?")
      for lock, does in (("tas", "(cas.acquire watchdog*)+"),
                         ("backoff", "(ld* cas.acquire? watchdog*)+"),
                         ("ticket", "add (ld acquire? watchdog*)+"),
                         ("anderson", "add (ld acquire? watchdog*)+"))),
    whole("array_device", "add ld+ acquire read write release st"),
    whole("array_sleeping_device", "add (ld acquire?)+ st? read write release st"),
    whole("spin_block", "cas+ sc@cta read write sc@cta exch", "shared"),
    whole("tas_block", "cas.acquire+ read write st.release", "shared"),
    # Its polls are plain loads from shared memory.
    whole("backoff_block", "(read* cas.acquire?)+ read write st.release", "shared"),
    whole("ticket_block", "add acquire+ read write st.release", "shared"),
    whole("anderson_block", "add acquire+ read write st.release", "shared"),
    whole("array_block", "add acquire+ read write release", "shared"),
    # Two words of the own node, the queue's tail, the node before; later the node behind.
    whole("mcs_device",
          "st st release exch acquire st? (ld ld acquire?)* read write"
          " (release (ld acquire?)? (cas | st))+",
          neighbours=True, at_least="release acquire acquire acquire release"),
    *(whole(f"value_passing_{size}", f"add ld{bits}+ st{bits}")
      for size in range(1, 13) for bits in [128 if size > 4 else 64]),
    Expected("warp_combining_*", accesses="cas.acquire st.release", between=(
        "cas, .acquire, read", "write, .release, st")),
    # Two at a time, or one that is named twice. That none is passed over is in a count of them.
    whole("two_spin_in_order", "cas* sc read write sc exch exch?"),
    whole("two_ticket_in_order", "(add? (ld acquire?)*)* read write st.release+",
          at_least="add add ld ld acquire acquire"),
    whole("two_tas_at_once",
          "((ld ld)? cas cas? exch? exch?)+ acquire read write release st st?"),
    whole("escrow_move", "or64 (add64? add64 write)?", at_least="or64 add64 add64"),
    Expected("cohort_*", in_cluster=True, scope="cluster",
             at_least="arrive.release release acquire acquire acquire release acquire@gpu"
                      " release@gpu arrive.release await",
             accesses="arrive.release await bar release acquire exch st st64 cas"
                      " add@gpu ld@gpu st@gpu acquire@gpu release@gpu",
             between=("begin, await or bar, exch",  # the queue is set up
                      "exch, acquire, st",  # and the node before
                      "exch, acquire, read",
                      "write, release, st64",
                      "write, release, st@gpu",
                      "write, arrive.release or bar, end")),
]

# semaphores/
SEMAPHORES = [
    whole("spin_semaphore_passage",
          "(cas (sc read write? sc exch)?)+ read write (cas sc?)+ read write sc exch"),
    whole("priority_semaphore_passage",
          "(cas (cas (sc read write? sc exch)?)?)+ read write (cas (sc | or)? )+"
          " read write sc exch and?"),
    whole("spin_printed_passage",
          "(cas (sc read read? (read? write write? | write)? sc exch)?)+ read write"
          " (cas sc?)+ read write sc exch"),
    whole("priority_printed_passage",
          "(cas (cas (sc read read? (read? write write? | write)? sc exch)?)?)+ read write"
          " (cas (sc | or)?)+ read write sc exch and?"),
    Expected("priority_printed_block", at_least="sc sc sc sc cas cas cas exch exch or and",
             accesses="bar sc cas exch or and", between=(
                 "write, sc, exch", "exch, bar, read")),
    whole("cas_semaphore_passage", "(ld cas?)+ acquire read write release add?"),
    whole("shared_semaphore_cluster", "(ld cas?)+ acquire read write release add?", "cluster"),
    whole("shared_semaphore_block", "(read* cas?)+ acquire read write release add?", "shared"),
    whole("ticket_semaphore_passage",
          "add64? ld64+ acquire st64? read write"
          " (release add64? max64 max64? | release st64 | release max64 max64)",
          at_least="ld64 ld64 acquire release release release"),
]

# barriers/: what a block writes before, the others read behind.
LOOK = "ld, acquire or watchdog, read"
WAITS = ("write, bar, add", "ld, bar, read")
BARRIERS = [
    Expected("atomic_tree_wait", at_least="release acq_rel acq_rel acquire", between=(
        "write, bar, add", "cas, bar, read"), accesses="bar release acquire add cas"),
    Expected("lock_free_tree_wait", polls=True, at_least=4 * "acquire " + "release" + 3 * " acq_rel",
             between=("write, bar, st", "ld, bar, read"), accesses="bar release acquire ld st"),
    Expected("sense_reversing_wait", polls=True, at_least="release acq_rel acq_rel acquire",
             between=(*WAITS, "write, release, add"), accesses="bar release acquire add ld st"),
    # As printed: full fences, and polls between block barriers, each a compare-exchange; of a sense,
    # a load before it. That a fence follows the last poll alone is known by the vote of the barrier.
    Expected("atomic_tree_printed_wait", at_least=4 * "sc add cas sc ", accesses="bar sc add cas",
             between=("write, bar, add", "write, sc, add", "add, bar, cas", "cas, bar, cas",
                      "cas, sc, add", "cas, bar, read")),
    *(Expected(f"sense_reversing_{which}printed_wait", accesses="bar sc add cas ld st",
               at_least=2 * "sc add ld cas sc st sc " + "ld sc" + names_itself,
               between=("write, bar, add", "write, sc, add", "add, bar, ld", "add, ld, cas",
                        "cas, ld, cas", "cas, bar, cas", "st, sc, add", "ld, bar, read"))
      for which, names_itself in (("", " st ld"), ("static_", ""))),
    Expected("lock_free_tree_printed_wait", accesses="bar sc exch ld st",
             at_least=2 * "sc exch ld sc sc st sc st sc ld st st sc ",
             between=("write, bar, exch", "write, sc, exch", "exch, bar, ld", "ld, sc, exch",
                      "ld, sc or watchdog, read", "ld, bar, read")),
    # Who is first says how many members there are.
    Expected("team_join", accesses="cas ld", at_least="cas ld"),
    Expected("team_wait", polls=True, at_least="release acquire",
             between=(*WAITS, "write, release, add", "write, release, st", LOOK),
             accesses="bar release acquire add st ld"),
    # The root's lanes, the last of an SM, and all others add.
    Expected("counter_wait", polls=True, at_least="release release release release acquire acquire",
             between=(*WAITS, "write, release, add"), accesses="bar release acquire add ld"),
    Expected("carry_arrive", at_least="release release release acquire add64 add64 add64",
             accesses="bar release acquire add64", between=(
                 "write, bar, add64", "write, release, add64")),
    Expected("cluster_wait", polls=True, at_least="release@cluster await release acquire",
             accesses="bar release@cluster arrive await release add ld acquire",
             between=("write, bar, arrive", *WAITS, "write, release, add", LOOK)),
    # CUDA's own: an addition that releases, polls that acquire.
    Expected("cooperative_wait", polls_after_addition=True, accesses="bar add.release ld.acquire",
             between=("write, bar, add", "write, .release, add", "ld, .acquire, read")),
    Expected("cutlass_counter_wait", accesses="bar add.release ld.acquire",
             between=(*WAITS, "write, .release, add", "ld, .acquire, read")),
    whole("cluster_join", "ld?"),
    whole("cutlass_counter_join", "ld"),
    whole("cooperative_join", ""),
    Expected("counter_join", at_least="release acquire release acquire",
             between=("write, release, add64",),
             accesses="bar ld ld64 cas64 release add64 acquire"),
    *(Expected(f"{tree}_join", at_least="release acquire", between=("write16, release, add64",),
               accesses="bar ld64 cas64 release add64 acquire" + own_words)
      for tree, own_words in (("atomic_tree", ""), ("lock_free_tree", " ld"),
                              ("sense_reversing", " ld"), ("atomic_tree_printed", ""),
                              ("lock_free_tree_printed", ""), ("sense_reversing_*printed", " ld"))),
]

# host/l2_timing.cuh, which every barrier of counters brings along: fences that are timed, not
# used; and blocks that meet, and order nothing by it.
L2_MAP = [
    Expected("*time_lines*timed_loads*", at_least="ld ld ld ld", accesses="ld"),
    Expected("*time_lines*timed_fence*", at_least="release release ld",
             accesses="release ld st@shared exch@shared"),
    Expected("*time_line_meetings*", at_least="add ld", accesses="add ld"),
]

# server/: what hands a request, and its slot, from one to the other. Messages of the fast path are
# one or two units of 64 or 128 bits, each looked at in two places.
UNITS = {n: ["64"] if n <= 1 else ["128"] if n <= 3 else ["128", "128"] for n in range(7)}
CHANNELS = [
    Expected("basic_send_*", accesses="add ld acquire release or", between=(
        "ld, acquire or watchdog, write", "write, release, or")),
    Expected("basic_finish", accesses="bar add.release", between=("begin, .release, add",)),
    Expected("basic_receive_*", at_least="acquire release acquire .release@cta .release@cta",
             accesses="bar add@shared ld acquire and release .release@cta add",
             between=("ld, acquire or watchdog, read",)),
    Expected("paper_send_*", at_least="acquire release .release@cta .release@cta .release@cta",
             accesses="bar add@shared or@shared and@shared cas@shared .release@cta ld acquire"
                      " release add or",
             between=("write, release, or", "write, .release@cta, or")),
    Expected("paper_finish", at_least="acquire release .release .release@cta .release@cta",
             accesses="bar and@shared cas@shared .release@cta ld acquire release add or",
             between=("write, release, or",)),
    Expected("paper_receive_*", at_least="acquire acquire .release" + 3 * " .release@cta",
             accesses="bar add@shared .release@cta ld acquire release and add",
             between=("and, .release, add", "read, .release@cta, add@shared")),
    Expected("paper_handle", at_least="acquire acquire .release",
             accesses="ld acquire .release and add",
             between=("ld, acquire or watchdog, read", "and, .release, add")),
    Expected("paper_step", at_least="acquire release .release@cta .release@cta .release@cta",
             accesses="bar add@shared or@shared and@shared cas@shared .release@cta ld acquire"
                      " release add or",
             between=("write, release, or", "write, .release@cta, or")),
    *(Expected(f"fast_send_{n}", at_least=" .release@cta .release@cta",
               accesses=f"bar add@shared .release@cta ld add64 st{units[0]}")
      for n, units in UNITS.items()),
    Expected("fast_finish", accesses="bar add64 ld st128 .release add",
             between=("add64, .release, add",)),
    *(Expected(f"fast_receive_{n}_*", at_least=" ".join(f"ld{unit} ld{unit}" for unit in units),
               accesses=f"bar cas@shared .release@cta ld ld{units[0]} acquire add64 add")
      for n, units in UNITS.items()),
    # Ordered, the same and a fence of the device on either side.
    *(Expected(f"ordered_send_{n}", at_least=" release .release@cta .release@cta",
               accesses=f"bar add@shared .release@cta release ld add64 st{UNITS[n][0]}",
               between=(f"begin, release, st{UNITS[n][0]}",))
      for n in (1, 2)),
    Expected("ordered_finish", accesses="bar add64 ld st128 release .release add",
             between=("begin, release, st128", "add64, .release, add")),
    *(Expected(f"ordered_receive_{n}_*", at_least="acquire acquire",
               accesses=f"bar cas@shared .release@cta ld ld{UNITS[n][0]} acquire add64 add",
               between=(f"ld{UNITS[n][0]}, acquire or watchdog, write",))
      for n in (1, 2)),
    # server/reply.cuh: an answer is one access on either side, and a fence where memory comes too.
    *(whole(f"reply_send_relaxed_{n}", f"st{UNITS[n][0]}") for n in range(4)),
    *(whole(f"reply_send_release_acquire_{n}", f"release st{UNITS[n][0]}") for n in (1, 3)),
    *(Expected(f"reply_poll_relaxed_{n}", accesses=f"ld{UNITS[n][0]}") for n in range(4)),
    *(Expected(f"reply_poll_release_acquire_{n}", accesses=f"ld{UNITS[n][0]} acquire",
               between=(f"ld{UNITS[n][0]}, acquire, write",)) for n in (1, 3)),
    # Requests past the buffers: nothing of block scope.
    *(Expected(f"{name}_now", accesses=f"{more}add ld acquire release or", between=(
        "ld, acquire or watchdog, write", "write, release, or"))
      for name, more in {"basic": "", "paper": "bar "}.items()),
    Expected("fast_now", accesses="bar add64 ld st128"),
    Expected("ordered_now", accesses="bar add64 release ld st128",
             between=("begin, release, st128",)),
    # A whole grid, with messages of one unit: docs/library/examples/deposits.cu.
    Expected("*finesync*server_grid*", at_least="ld64 ld64 st64",
             accesses="bar add@shared cas@shared .release@cta ld ld64 st64 acquire .release"
                      " add64 add"),
]

# conflict_free/. Nothing in it but the flags has a fence, and each of these accesses is relaxed.
TIMETABLE = [
    whole("queue_atomic_per_request", "read add write"),
    whole("queue_atomic_per_warp", "read add? write"),
    # Where the second word is may be read when the first has been got.
    whole("pair_try", "read+ (exch@shared read? exch@shared?) write"),
    Expected("handoff_load_groups", accesses="ld64", at_least="ld64 ld64 ld64 ld64", neighbours=True),
    whole("handoff_store_groups", "st64*", at_least="st64"),
    Expected("group_rounds_await_and_advance", polls=True, accesses="ld acquire release st",
             between=("ld, acquire or watchdog, read", "write, release, st")),
]

# events/: what a producer writes before it arrives, a consumer reads after its wait. Polls are
# relaxed, and one fence follows the last.
EVENTS = [
    whole("event_counts*_arrive", "write bar (release add add)?"),
    Expected("event_counts_wait", polls=True, accesses="ld acquire bar", between=(
        LOOK, "ld, bar, read")),
    Expected("event_counts_by_warp_wait", polls=True, accesses="ld acquire", between=(LOOK,)),
    whole("cutlass_events_arrive", "write bar (acq_rel add)?"),
    whole("mpk_events_arrive", "write bar (.release add64)?"),
    whole("flag_events_arrive", "write bar (st.release)?"),
    *(Expected(f"{events}_wait", accesses=f"bar {poll}", between=(
        "ld, bar, read", f"{poll.split('.')[0]}, .acquire, read"))
      for events, poll in (("cutlass_events", "ld.acquire"), ("flag_events", "ld.acquire"))),
    Expected("mpk_events_wait", accesses="bar ld64.acquire", scope="sys", between=(
        "ld64, bar, read", "ld64, .acquire, read")),
    whole("event_words_put", "st128*", at_least="st128"),
    # A word each, with or without the watchdog; never one in parts.
    # Polls move the four registers of a word, too.
    *(Expected(f"event_words_take_{n}_*", polls=n == 1, poll_length=11, accesses="ld128",
               at_least=(n or 4) * "ld128 ")
      for n in (0, 1, 2)),
]

# queues/: one addition of the warp for its places, and whole words.
QUEUES = [
    Expected("*time_draws*", accesses="add add64", at_least="add add add64"),
    *(entry for name, ld, st in (("4_bytes", "ld64", "st64"), ("8_bytes", "ld128", "st128"),
                                 ("16_bytes", "ld128", "st128"))
      for entry in (
          Expected(f"slot_{name}_push", accesses=f"add {ld} {st}", at_least=f"add {ld} {st}"),
          Expected(f"slot_{name}_pop", accesses=f"add {ld} {st} ld64",
                   at_least=f"add {ld} ld64 {st}"))),
    Expected("slot_ordered_push", accesses="add release ld128 st128",
             at_least="add release ld128 st128", between=("begin, release, st128",)),
    Expected("slot_ordered_pop", accesses="add ld128 st128 ld64 acquire",
             at_least="add ld128 st128 acquire", between=("ld128, acquire, write",)),
    Expected("segment_8_bytes_push", accesses="bar add64 ld st128", at_least="bar add64 ld st128"),
    Expected("segment_8_bytes_pop", accesses="bar add64 ld128 ld64 add",
             at_least="bar add64 ld128 ld64 add add"),
    Expected("vyukov_4_bytes_push", accesses="add ld.acquire st.release",
             at_least="add ld.acquire st.release", between=("write, .release, st",)),
    Expected("vyukov_4_bytes_pop", accesses="add ld.acquire ld64 st.release",
             at_least="add ld.acquire ld64 st.release", between=("read, .release, st",)),
    Expected("slot_push_of_block", accesses="bar add ld128 st128",
             at_least="bar add ld128 st128", between=("add, bar, st128",)),
]

ALL = [*ATOMICS, *VALUES, *FENCES, *CLUSTER_SYNC, *MESSAGES, *LOCKS, *SEMAPHORES, *BARRIERS,
       *L2_MAP, *CHANNELS, *TIMETABLE, *EVENTS, *QUEUES, *SEVERAL_GPUS]


def expected_of(kernel: str) -> list[Expected]:
    """The entries for a kernel."""
    return [entry for entry in ALL if entry.kernels == kernel
            or ("*" in entry.kernels and fnmatchcase(kernel, entry.kernels))]
