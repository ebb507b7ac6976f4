"""Which of many points took another time in a second run, by their repetitions.

A point has few repetitions, 3 to 10, and a run has thousands of points. A rank test of a single
point with 5 repetitions in each run cannot give less than p = 0.008, and nothing that small
survives a correction for thousands of points. The test is therefore a permutation test over all
points at once (Tusher, Tibshirani and Chu, "Significance analysis of microarrays", 2001):

1. A point's statistic is Yuen's: the difference of the trimmed means of the logarithms over its
   standard error. Where there are 5 repetitions or more, a fifth is trimmed at each end, so one
   outlier neither makes a difference nor hides one.
2. The repetitions of both runs are mixed and divided into two parts, each with half of either run.
   Many such divisions of all points with as many repetitions give the statistics of chance. This
   assumes no normal distribution, only that the noise of all points has one shape.
   Where two builds were measured in turns, each pair of repetitions stays together: the statistic
   is that of the pairs' differences, and chance swaps the two sides of half of the pairs.
3. A point's p is the share of those that are at least as large as its own, and Benjamini and
   Hochberg's procedure bounds the share of false ones among the points that are called changed.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

# With fewer, a spread cannot be told.
LEAST_REPETITIONS = 3
# Below this relative standard error, repetitions are alike only because the clock ticks.
_CLOCK = 1e-3
_POINTS_AT_ONCE = 500


def p_values_of_pairs(a: Numbers, b: Numbers, level: float) -> Numbers:
    """As p_values(), of repetitions that are pairs: each with that of the same place."""
    differences = np.log(b) - np.log(a)
    number = differences.shape[1]
    swaps = np.ones((math.comb(number, number // 2), number))
    for swap, places in zip(swaps, itertools.combinations(range(number), number // 2)):
        swap[list(places)] = -1
    if len(swaps) > (most := math.ceil(2 / level)):
        swaps = np.random.default_rng(1).permutation(swaps)[:most]
    return _shares(_statistics_of_pairs(differences),
                   np.concatenate([_statistics_of_pairs(differences * swap) for swap in swaps]))


def p_values(a: Numbers, b: Numbers, level: float) -> Numbers:
    """The p of each point, two-sided, from the times of its repetitions in both runs, a row a
    point; fine enough to be compared with `level`."""
    together = np.log(np.hstack([a, b]))
    chance = np.concatenate([
        _statistics(together[start:start + _POINTS_AT_ONCE, left],
                    together[start:start + _POINTS_AT_ONCE, right])
        for left, right in _divisions(a.shape[1], b.shape[1], math.ceil(2 / level))
        for start in range(0, len(a), _POINTS_AT_ONCE)])
    return _shares(_statistics(np.log(a), np.log(b)), chance)


def discoveries(p: Numbers, level: float) -> NDArray[np.bool_]:
    """The points whose p is small enough that among all of these the expected share of false ones
    is at most `level` (Benjamini and Hochberg, 1995)."""
    ordered = np.sort(p)
    bounds = level * np.arange(1, len(p) + 1) / len(p)
    below = ordered[ordered <= bounds]
    return p <= below[-1] if len(below) else np.zeros(len(p), dtype=bool)


def own_deviation(times: Numbers) -> float:
    """How far a repetition typically is from the median, relative to it: half the distance of the quartiles."""
    low, middle, high = np.quantile(times, [0.25, 0.5, 0.75])
    return float((high - low) / 2 / middle)


def _divisions(first: int, second: int, least: int) -> list[tuple[list[int], list[int]]]:
    """Divisions of the repetitions of two runs, all of them if they are few.

    Each part has the two runs in equal shares, as nearly as can be: points that changed would otherwise look like
    chance in divisions that are nearly the true one. Points that did not change do not mind which division it is."""
    swapped = round(first * second / (first + second))
    if math.comb(first, swapped) * math.comb(second, swapped) <= least:
        chosen = list(itertools.product(itertools.combinations(range(first), swapped),
                                        itertools.combinations(range(second), swapped)))
    else:
        # Seeded: the same files give the same answer.
        random = np.random.default_rng(1)
        chosen = [(tuple(random.permutation(first)[:swapped].tolist()),
                   tuple(random.permutation(second)[:swapped].tolist())) for _ in range(least)]
    divisions = []
    for out, into in chosen:
        left = [i for i in range(first) if i not in out] + [first + i for i in into]
        divisions.append((left, [i for i in range(first + second) if i not in left]))
    return divisions


def _shares(numbers: Numbers, chance: Numbers) -> Numbers:
    """The share of chance that is at least as large as each."""
    as_large = len(chance) - np.searchsorted(np.sort(chance), numbers)
    shares: Numbers = (1 + as_large) / (1 + len(chance))
    return shares


def _statistics_of_pairs(differences: Numbers) -> Numbers:
    """Yuen's statistic of each row of differences, without its sign."""
    mean, variance = _trimmed(differences)
    statistics: Numbers = np.abs(mean) / np.sqrt(variance + _CLOCK**2)
    return statistics


def _statistics(a: Numbers, b: Numbers) -> Numbers:
    """Yuen's statistic of each row, without its sign."""
    (mean_a, variance_a), (mean_b, variance_b) = _trimmed(a), _trimmed(b)
    statistics: Numbers = np.abs(mean_a - mean_b) / np.sqrt(variance_a + variance_b + _CLOCK**2)
    return statistics


def _trimmed(values: Numbers) -> tuple[Numbers, Numbers]:
    """Of each row the trimmed mean and the square of its standard error."""
    ordered = np.sort(values, axis=1)
    number = ordered.shape[1]
    cut = number // 5
    kept = number - 2 * cut
    winsorized = np.clip(ordered, ordered[:, [cut]], ordered[:, [number - 1 - cut]])
    squares = winsorized.var(axis=1) * number
    return ordered[:, cut:number - cut].mean(axis=1), squares / (kept * (kept - 1))
