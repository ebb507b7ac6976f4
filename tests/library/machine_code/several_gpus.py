"""What the machine code of the kernels for several GPUs must do, as in expected.py."""

from __future__ import annotations

from entry import Expected, whole

UNITS = {1: 64, 2: 128}  # of a message, by the words of its argument

SEVERAL_GPUS = [
    # barriers.cu: a block's addition ends at its GPU; the root's, after its own fence, at all.
    Expected("gpus_wait", polls=True, at_least="release acquire release@sys acquire@sys",
             between=("write, bar, add", "ld, bar, read", "write, release, add",
                      "ld, acquire or watchdog, add@sys", "write, release@sys, add@sys",
                      "ld@sys, acquire@sys or watchdog, read"),
             accesses="bar release add ld acquire release@sys add@sys ld@sys acquire@sys"),
    # The release word is read before the block, and then the GPU, has joined.
    Expected("gpus_join", at_least="ld@sys release acquire",
             between=("ld@sys, bar, add64", "ld@sys, release, add64"),
             accesses="bar ld@sys ld ld64 release add64 acquire"),
    # locks.cu: one lane draws for all. A grant is a maximum on each of up to eight GPUs.
    whole("gpus_array", "add64? ld+ acquire read write release max64*", "sys",
          at_least="add64" + 8 * " max64"),
    whole("gpus_value_passing", "add64? ld64+ max64*", "sys", at_least="add64" + 8 * " max64"),
    Expected("gpus_cohort", polls=True, at_least="acquire release acquire@sys release@sys",
             accesses="add ld ld128 st128 acquire release"
                      " add64@sys ld@sys max64@sys acquire@sys release@sys",
             between=("ld128, acquire or watchdog, read",
                      "ld@sys, acquire@sys or acquire or watchdog, read",
                      "write, release@sys, max64@sys", "write, release or release@sys, st128")),
    # channel_gpus.cu: as on one GPU but at system scope, which the count of clients that have finished
    # does not need. Space is given back by additions, and the end of a ring is one word.
    *(Expected(f"gpus_send_{n}", scope="sys", at_least=" .release@cta .release@cta",
               accesses=f"bar add@shared .release@cta ld add64 st{bits}")
      for n, bits in UNITS.items()),
    Expected("gpus_finish", scope="sys",
             accesses="bar add64 ld st128 .release@gpu add@gpu .acquire@gpu st64",
             between=("add64, .release@gpu, add@gpu", "add@gpu, .acquire@gpu, st64")),
    *(Expected(f"gpus_receive_{n}_*", scope="sys", at_least=f"ld{bits} ld{bits}",
               accesses=f"bar cas@shared .release@cta ld64 ld{bits} add64 add")
      for n, bits in UNITS.items()),
    Expected("gpus_ordered_send_1", scope="sys", at_least="release .release@cta .release@cta",
             accesses="bar add@shared .release@cta release ld add64 st64",
             between=("begin, release, st64",)),
    Expected("gpus_ordered_finish", scope="sys",
             accesses="bar add64 ld st128 release .release@gpu add@gpu .acquire@gpu st64",
             between=("begin, release, st128", "add64, .release@gpu, add@gpu",
                      "add@gpu, .acquire@gpu, st64")),
    Expected("gpus_ordered_receive_1_*", scope="sys", at_least="acquire ld64 ld64",
             accesses="bar cas@shared .release@cta ld64 acquire add64 add",
             between=("ld64, acquire or watchdog, write",)),
]
