"""Statements about all groups of rows at once: how often they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import chi2, ncx2

from thetahat.analyses.groups.columns import Grouping
from thetahat.analyses.groups.expected_coverage import (
    DIFFER,
    DIFFERENCES,
    GAPS,
    GROUPS,
    MANY_RATES,
    MEANS,
    NUMBERS,
    PAIR_GAPS,
    RARER,
    RATES,
    SHARED_CLUSTERS,
    SKEWED,
    SMALLEST,
    WORST,
)
from thetahat.analyses.groups.gaps import MOST_COMPARED
from thetahat.analyses.groups.model_groups import GroupOptions, describe_model
from thetahat.analyses.groups.pair_groups import PairCorrection, describe_pair
from thetahat.analyses.groups.result import GroupGap, GroupTest
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.groups.statements import judge_equality
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import (
    SHIFT,
    compute_power_of_bounds,
    measure_power_of_all,
)
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import BETWEEN, KeptPage, TableRow, format_share

LEVEL: Final = 0.95
MARGIN: Final = 0.1
MOST_GAPS: Final = MOST_COMPARED * (MOST_COMPARED - 1) // 2
SHARED_TIMES: Final = 4
"""Times as many samples of designs whose groups share clusters as of the others."""

_Shift: TypeAlias = float | FloatArray
Draw: TypeAlias = Callable[[np.random.Generator, "GroupDesign", _Shift], FloatArray]
"""Draws the (n, 2) losses of both models, the first mean larger by the third argument."""

TITLE: Final = "Groups"
ABOUT: Final = f"""
Groups of one column; the losses of a second model are drawn beside those of the first. Each column
is a share of samples with its standard error.

- `means`, `worst`, `gaps`, `differences`, `pair gaps`: all intervals of the means, the bound of the
  worst group, all intervals of the gaps, all intervals of the differences of the models and all
  intervals of the gaps between these differences hold. That is to be in {LEVEL:g} or more.
- `equal`, `depends`: the tests of equal means and of equal differences reject. That is to be in .05
  or less. `equal` needs groups with equal means; else there is a dash.
- `pass`, `fail`: a gate `no_group_worse` with the margin {MARGIN:g} finds the first model not worse
  in the first group, or worse in some group, although it is worse by exactly the margin in all.
  That is to be in .05 or less.
- `caution`: the intervals of the means have the caution `skewed_groups`.

The gaps of more than {MOST_COMPARED} groups have no intervals: there is a dash. What has no
interval or test counts as no failure: it is shown as such, and a gate is undecided.
Of designs whose groups share clusters there are {SHARED_TIMES} times as many samples as the command
says.

Each statement has its power in the last columns, as a share of that of an oracle that knows all
standard deviations. What is meant by a standard deviation is that of the mean, gap or difference.

- `means`, `gaps`, `differences`, `pair gaps`: how often an interval excludes a value that is
  {SHIFT:g} standard deviations from the true one, averaged over both sides and all groups or pairs;
  the oracle has normal tests that hold for all of them at {LEVEL:g}. Values that cannot be are left
  out.
- `worst`: how often the bound is less than {SHIFT:g} standard deviations (the largest ones of a
  group) above the true worst mean. The bound of the oracle, in the same samples, is the largest of
  the one-sided normal bounds of level {LEVEL:g} of the groups, which holds as it has the one of the
  worst group.
- `equal`, `depends`: how often they reject where the losses of the first model in the first group
  are larger by {SHIFT:g} standard deviations of its mean there; the oracle is the chi-squared test
  that knows the covariance of the groups.
- `pass`, `fail`: how often the gate is decided where the margin is {SHIFT:g} standard deviations of
  the difference larger (in the first group), or smaller (averaged over the groups); the oracle has
  the one-sided normal test, of level {LEVEL:g} for all groups together where it is `fail`.
"""


@dataclass(frozen=True, slots=True)
class GroupDesign:
    """Groups of rows, and the losses of two models."""

    name: str
    """What is drawn."""
    kind: str
    """What the losses are like, as ``expected_coverage`` tells them apart."""
    sizes: tuple[int, ...]
    """Rows of each group."""
    means: tuple[float, ...]
    """True mean loss of the first model in each group."""
    draw: Draw
    """Draws the losses of both models."""
    n_clusters: int = 0
    """Clusters that all groups share; 0 for independent rows."""

    def count_samples(self, repetitions: int) -> int:
        """Return the number of samples of this design."""
        return repetitions * (SHARED_TIMES if self.n_clusters else 1)

    @property
    def codes(self) -> IntArray:
        """(n,) group of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def clusters(self) -> IntArray | None:
        """(n,) cluster of each row, of sizes from 2 to 20; None for independent rows."""
        if not self.n_clusters:
            return None
        shares = np.geomspace(2, 20, self.n_clusters)
        ends = np.cumsum(shares) / shares.sum() * len(self.codes)
        order = np.random.default_rng(0).permutation(len(self.codes))
        clusters = np.empty(len(order), dtype=np.intp)
        clusters[order] = np.searchsorted(ends, np.arange(len(order)), side="right")
        return clusters


def _draw_errors(rng: np.random.Generator, design: GroupDesign, shift: _Shift) -> FloatArray:
    """Return losses of 0 and 1; the models err independently of each other."""
    rates = np.asarray(design.means)[design.codes]
    drawn = ndtr(_draw_standard(rng, design))
    return np.asarray((drawn < np.stack([rates + shift, rates], axis=1)) * 1.0)


def _draw_standard(rng: np.random.Generator, design: GroupDesign) -> FloatArray:
    """Return (n, 2) standard normal numbers, with a correlation of .3 within clusters."""
    own = rng.standard_normal((len(design.codes), 2))
    if design.clusters is None:
        return own
    common = rng.standard_normal((design.n_clusters, 2))[design.clusters]
    return np.asarray(np.sqrt(0.3) * common + np.sqrt(0.7) * own)


def _draw_normal(rng: np.random.Generator, design: GroupDesign, shift: _Shift) -> FloatArray:
    """Return normal losses whose spread grows with the group."""
    spread = 0.1 * (1 + design.codes)[:, None]
    means = np.asarray(design.means)[design.codes][:, None]
    return np.asarray(means + spread * _draw_standard(rng, design) + _raise_first(shift))


def _draw_squared(rng: np.random.Generator, design: GroupDesign, shift: _Shift) -> FloatArray:
    return np.asarray(_draw_standard(rng, design) ** 2 + _raise_first(shift))


def _draw_lognormal(rng: np.random.Generator, design: GroupDesign, shift: _Shift) -> FloatArray:
    return np.asarray(np.exp(_draw_standard(rng, design) - 0.5) + _raise_first(shift))


def _raise_first(shift: _Shift) -> FloatArray:
    """Return what is added to the losses of both models."""
    return np.asarray(np.multiply.outer(shift, [1.0, 0.0]))


_UNEQUAL: Final = ((15, 20, 40, 60, 100), (0.3, 0.2, 0.1, 0.05, 0.1))
_TWELVE: Final = (
    (15, 15, 15, 20, 20, 40, 40, 60, 60, 100, 100, 100),
    (0.3, 0.3, 0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05, 0.1, 0.1, 0.1),
)
_IN_30: Final = "normal, four groups of 50 in 30 shared clusters"
_IN_10: Final = "normal, four groups of 50 in 10 shared clusters"
_IN_40: Final = "0/1, four groups of 60 in 40 shared clusters, rate .15"
DESIGNS: Final = (
    GroupDesign("0/1, five groups of 20, rate .1", RATES, (20,) * 5, (0.1,) * 5, _draw_errors),
    GroupDesign("0/1, 15 to 100 rows, rates .05 to .3", RATES, *_UNEQUAL, _draw_errors),
    GroupDesign(
        "normal, 12 to 60 rows, SD .1 to .4", NUMBERS, (60, 40, 25, 12), (0.5,) * 4, _draw_normal
    ),
    GroupDesign("squared normal, five groups of 30", SKEWED, (30,) * 5, (1.0,) * 5, _draw_squared),
    GroupDesign(_IN_30, NUMBERS, (50,) * 4, (0.5,) * 4, _draw_normal, n_clusters=30),
    GroupDesign(_IN_40, RATES, (60,) * 4, (0.15,) * 4, _draw_errors, n_clusters=40),
    GroupDesign("lognormal, five groups of 20", SKEWED, (20,) * 5, (1.0,) * 5, _draw_lognormal),
    GroupDesign("0/1, five groups of 100, rate .1", RATES, (100,) * 5, (0.1,) * 5, _draw_errors),
    GroupDesign(
        "normal, five groups of 100, SD .1 to .5", NUMBERS, (100,) * 5, (0.5,) * 5, _draw_normal
    ),
    GroupDesign(
        "squared normal, five groups of 100", SKEWED, (100,) * 5, (1.0,) * 5, _draw_squared
    ),
    GroupDesign(_IN_10, NUMBERS, (50,) * 4, (0.5,) * 4, _draw_normal, n_clusters=10),
    GroupDesign("0/1, 12 groups of 20, rate .1", MANY_RATES, (20,) * 12, (0.1,) * 12, _draw_errors),
    GroupDesign("0/1, 12 groups of 15 to 100, rates .05 to .3", MANY_RATES, *_TWELVE, _draw_errors),
    GroupDesign(
        "0/1, 12 groups of 100, rate .1", MANY_RATES, (100,) * 12, (0.1,) * 12, _draw_errors
    ),
    GroupDesign("0/1, 30 groups of 20, rate .1", MANY_RATES, (20,) * 30, (0.1,) * 30, _draw_errors),
    *(
        GroupDesign(
            f"normal, {g} groups of {n}, SD .1 to {g / 10:g}",
            NUMBERS,
            (n,) * g,
            (0.5,) * g,
            _draw_normal,
        )
        for g, n in ((12, 25), (12, 100), (30, 25))
    ),
    *(
        GroupDesign(
            f"squared normal, {g} groups of {n}", SKEWED, (n,) * g, (1.0,) * g, _draw_squared
        )
        for g, n in ((12, 30), (12, 100), (30, 30))
    ),
    GroupDesign("lognormal, 12 groups of 20", SKEWED, (20,) * 12, (1.0,) * 12, _draw_lognormal),
)


INTERVALS: Final = {
    "means": MEANS,
    "differences": DIFFERENCES,
    "gaps": GAPS,
    "pair gaps": PAIR_GAPS,
    "worst": WORST,
}
"""The intervals of the columns that results refer to."""
LARGE: Final = 40
"""Rows of the smallest group from which a design is not averaged with those of smaller groups."""


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often all intervals of groups held, over designs whose data are alike."""
    shares = {row["design"]: row for row in page.rows}
    together: dict[tuple[str, int, int, bool, bool], list[GroupDesign]] = {}
    for design in DESIGNS:
        n_groups, is_small = max(5, len(design.sizes)), min(design.sizes) < LARGE
        # of many groups, those of unequal size have almost three times as many rarer values
        of_its_own = design.kind == MANY_RATES and len(set(design.sizes)) > 1
        place = (design.kind, design.n_clusters, n_groups, is_small, of_its_own)
        together.setdefault(place, []).append(design)
    for column, interval in INTERVALS.items():
        for designs in together.values():
            if any(shares[design.name][column] == "-" for design in designs):
                continue
            yield tuple(
                StudiedShare(
                    interval=interval,
                    data=design.kind,
                    numbers=_count(design, interval),
                    population=design.name,
                    share=float(shares[design.name][column].split()[0]),
                    repetitions=design.count_samples(page.repetitions),
                )
                for design in designs
            )


def _count(design: GroupDesign, interval: str) -> dict[str, float]:
    """Return the numbers of a design by which data are compared with it."""
    numbers: dict[str, float] = {GROUPS: len(design.sizes), SMALLEST: min(design.sizes)}
    if design.kind in {RATES, MANY_RATES}:
        rates, sizes = np.asarray(design.means), np.asarray(design.sizes)
        if interval in {DIFFERENCES, PAIR_GAPS}:
            numbers[DIFFER] = float(sizes @ (2 * rates * (1 - rates)))
        else:
            numbers[RARER] = float(sizes @ rates)
    if design.n_clusters:
        numbers[SHARED_CLUSTERS] = design.n_clusters
    return numbers


STATEMENTS: Final = (
    *("means", "worst", "gaps", "differences", "pair gaps"),
    *("equal", "depends", "pass", "fail"),
)
COLUMNS: Final = BETWEEN.join(
    ["design", *STATEMENTS, "caution", *(f"{name}, power" for name in STATEMENTS)]
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the statements hold in each design, and their power."""
    for number, design in enumerate(DESIGNS):
        rng = np.random.default_rng([seed, number])
        yield _judge(design, design.count_samples(repetitions), rng)


def _judge(design: GroupDesign, repetitions: int, rng: np.random.Generator) -> TableRow:
    layout = build_layout(
        BlockKind.HOLDOUT, np.zeros(len(design.codes), dtype=np.intp), cluster=design.clusters
    )
    grouping = Grouping("g", ("g",), design.codes, tuple((g,) for g in range(len(design.sizes))))
    rows = GroupRows.build(grouping, layout)
    samples = [_judge_sample(design, rows, rng, place, layout) for place in range(repetitions)]
    found = {name: np.array([sample[name] for sample in samples]) for name in samples[0]}
    judged = {
        **_measure_intervals(design, found),
        **_measure_tests(design, rows, rng, found),
        **_measure_gates(found["at margin"]),
    }
    return (
        design.name,
        *(format_share(judged[s][0], repetitions) if s in judged else "-" for s in STATEMENTS),
        f"{found['caution'].mean():.2f}",
        *(judged[s][1] if s in judged else np.nan for s in STATEMENTS),
    )


def _measure_intervals(
    design: GroupDesign, found: Mapping[str, FloatArray]
) -> dict[str, tuple[float, float]]:
    """Return how often all intervals of each kind hold, and their power."""
    truth = np.asarray(design.means)
    true_gaps = _list_pairs(np.subtract.outer(truth, truth))
    judged = {}
    for name, values in {
        "means": truth,
        "gaps": true_gaps,
        "differences": 0 * truth,
        "pair gaps": 0 * true_gaps,
    }.items():
        if len(values) > MOST_GAPS:
            continue
        lower, upper = found[name][..., 1], found[name][..., 2]
        holds = np.isnan(lower) | ((lower <= values) & (values <= upper))
        is_rate = name == "means" and design.kind in {RATES, MANY_RATES}
        possible = (0.0 if is_rate else -np.inf, np.inf)
        power = measure_power_of_all(found[name], values, possible)
        judged[name] = float(holds.all(axis=1).mean()), power
    means, bounds = found["means"][..., 0], found["worst"]
    spread = means.std(axis=0, ddof=1)
    of_oracle = (means + ndtri(LEVEL) * spread).max(axis=1)
    limit = truth.max() + SHIFT * spread.max()
    share, ideal = (float(np.mean(each < limit)) for each in (bounds, of_oracle))
    judged["worst"] = float(np.mean(~(bounds < truth.max()))), share / ideal if ideal else np.nan
    return judged


def _measure_tests(
    design: GroupDesign, rows: GroupRows, rng: np.random.Generator, found: Mapping[str, FloatArray]
) -> dict[str, tuple[float, float]]:
    """Return how often each test rejects, and its power if one group of one model is worse."""
    raised = SHIFT * float(found["means"][:, 0, 0].std(ddof=1))
    shift = np.where(design.codes == 0, raised, 0.0)
    rejects, means = np.empty((2, len(found["rejects"]))), []
    for place in range(rejects.shape[1]):
        a, b = design.draw(rng, design, shift).T
        moments = [rows.compute_moments(values) for values in (a, a - b)]
        means.append([each.means for each in moments])
        rejects[:, place] = [
            _rejects(judge_equality(each, rows, prefers_wald=prefers_wald))
            for each, prefers_wald in zip(moments, (False, True), strict=True)
        ]
    judged = {}
    for test, name in enumerate(("equal", "depends")):
        if name == "equal" and len(set(design.means)) > 1:
            continue
        covariance = np.cov(np.array(means)[:, test].T)
        if design.clusters is None:
            covariance = np.diag(np.diag(covariance))
        oracle = compute_power_of_equality(covariance, raised)
        share = float(found["rejects"][:, test].mean())
        judged[name] = share, float(rejects[test].mean()) / oracle
    return judged


def compute_power_of_equality(covariance: FloatArray, raised: float) -> float:
    """Return the power of the chi-squared test of equal means that knows their covariance.

    The first of the (G, G) means is larger than the others, which are equal.
    """
    n_others = len(covariance) - 1
    contrasts = np.hstack([np.ones((n_others, 1)), -np.eye(n_others)])
    inverse = np.linalg.pinv(contrasts @ covariance @ contrasts.T, hermitian=True)
    quantile = chi2.ppf(LEVEL, n_others)
    return float(ncx2.sf(quantile, n_others, raised**2 * inverse.sum()))


def _measure_gates(at_margin: FloatArray) -> dict[str, tuple[float, float]]:
    """Return how often gates err, from (R, G, 3) differences and bounds, and their power."""
    differences, at_most, at_least = np.moveaxis(at_margin, -1, 0)
    reach = SHIFT * differences.std(axis=0, ddof=1)
    passes = float(np.mean(at_most[:, 0] < MARGIN + reach[0]))
    fails = float(np.mean(at_least > MARGIN - reach))
    of_all = LEVEL ** (1 / len(reach))
    return {
        "pass": (
            float(np.mean(at_most[:, 0] < MARGIN)),
            passes / float(compute_power_of_bounds(SHIFT)),
        ),
        "fail": (
            float(np.mean((at_least > MARGIN).any(axis=1))),
            fails / float(compute_power_of_bounds(SHIFT, of_all)),
        ),
    }


def _judge_sample(
    design: GroupDesign, rows: GroupRows, rng: np.random.Generator, place: int, layout: Layout
) -> dict[str, FloatArray]:
    """Return estimates with the ends of their intervals, bounds, and whether tests reject."""
    a, b = _read_losses(design.draw(rng, design, 0.0), layout)
    options = GroupOptions(level=LEVEL, margin=MARGIN, seed=place)
    correction = PairCorrection(alpha=1 - LEVEL, n_pairs=1, n_groupings=1)
    model = describe_model(a, rows, options)
    pair = describe_pair(("a", "b"), (a, b), rows, options, correction)
    worse = _read_losses(design.draw(rng, design, MARGIN), layout)
    at_margin = describe_pair(("a", "b"), worse, rows, options, correction)
    bound = None if model.worst is None else model.worst.upper_bound
    means = _list_ends((item.mean, item.interval) for item in model.items)
    differences = _list_ends((item.difference, item.interval) for item in pair.items)
    return {
        "means": means,
        "gaps": _list_gaps(model.gaps.items or (), means[:, 0]),
        "differences": differences,
        "pair gaps": _list_gaps(pair.gaps.items or (), differences[:, 0]),
        "worst": np.asarray(np.nan if bound is None else bound),
        "rejects": np.array([_rejects(model.equal_means), _rejects(pair.depends_on_group)]),
        "at margin": np.array(
            [
                (item.difference, item.worse_by_at_most, item.worse_by_at_least)
                for item in at_margin.items
            ],
            dtype=np.float64,
        ),
        "caution": np.asarray(any(each.code == "skewed_groups" for each in model.cautions)),
    }


def _rejects(test: GroupTest) -> bool:
    return test.p_value is not None and test.p_value < 1 - LEVEL


def _list_ends(items: Iterable[tuple[float | None, Interval | None]]) -> FloatArray:
    """Return the (G, 3) estimates and ends; NaN where there is no interval."""
    ends = [
        (estimate, *((None, None) if each is None else (each.lower, each.upper)))
        for estimate, each in items
    ]
    return np.array(ends, dtype=np.float64)


def _list_gaps(gaps: Sequence[GroupGap], means: FloatArray) -> FloatArray:
    """Return the (P, 3) gaps of all pairs and their ends; NaN where there is no interval."""
    n_groups = len(means)
    found = np.full((n_groups, n_groups, 3), np.nan)
    found[..., 0] = np.subtract.outer(means, means)
    for gap in gaps:
        group, against = read_groups(gap)
        found[group, against, 1:] = gap.lower, gap.upper
    return _list_pairs(found)


def _list_pairs(of_all: FloatArray) -> FloatArray:
    """Return what each pair has, of (G, G, ...) numbers: a group, and one before it."""
    return np.asarray(of_all[np.tril_indices(len(of_all), -1)])


def read_groups(gap: GroupGap) -> tuple[int, int | None]:
    """Return the group of a gap, and the one that it is from; None for all rows."""
    return int(str(gap.group["g"])), None if gap.against is None else int(str(gap.against["g"]))


def _read_losses(losses: FloatArray, layout: Layout) -> tuple[BlockLosses, BlockLosses]:
    first, second = (BlockLosses(layout, values=losses[:, i].copy()) for i in range(2))
    return first, second
