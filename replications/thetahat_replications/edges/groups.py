"""Statements about all groups of rows at once: how often they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from scipy.special import ndtr

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
from thetahat.analyses.groups.rows import GroupRows
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import is_inside
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage, TableRow, format_share

LEVEL: Final = 0.95
MARGIN: Final = 0.1
SHARED_TIMES: Final = 4
"""Times as many samples of designs whose groups share clusters as of the others."""

Draw: TypeAlias = Callable[[np.random.Generator, "GroupDesign", float], FloatArray]
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


def _draw_errors(rng: np.random.Generator, design: GroupDesign, shift: float) -> FloatArray:
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


def _draw_normal(rng: np.random.Generator, design: GroupDesign, shift: float) -> FloatArray:
    """Return normal losses whose spread grows with the group."""
    spread = 0.1 * (1 + design.codes)[:, None]
    means = np.asarray(design.means)[design.codes][:, None]
    return np.asarray(means + spread * _draw_standard(rng, design) + [shift, 0.0])


def _draw_squared(rng: np.random.Generator, design: GroupDesign, shift: float) -> FloatArray:
    return np.asarray(_draw_standard(rng, design) ** 2 + [shift, 0.0])


def _draw_lognormal(rng: np.random.Generator, design: GroupDesign, shift: float) -> FloatArray:
    return np.asarray(np.exp(_draw_standard(rng, design) - 0.5) + np.array([shift, 0.0]))


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


GAP: Final = 2
PAIR_GAP: Final = 4
EQUAL: Final = 5
"""Places of three columns after that of the design."""
COLUMNS: Final = (
    "design | means | worst | gaps | differences | pair gaps | equal | depends | pass | fail | "
    "caution"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the statements hold in each design."""
    for number, design in enumerate(DESIGNS):
        rng = np.random.default_rng([seed, number])
        yield _judge(design, design.count_samples(repetitions), rng)


def _judge(design: GroupDesign, repetitions: int, rng: np.random.Generator) -> TableRow:
    layout = build_layout(
        BlockKind.HOLDOUT, np.zeros(len(design.codes), dtype=np.intp), cluster=design.clusters
    )
    grouping = Grouping("g", ("g",), design.codes, tuple((g,) for g in range(len(design.sizes))))
    rows = GroupRows.build(grouping, layout)
    holds = np.array(
        [_judge_sample(design, rows, rng, place, layout) for place in range(repetitions)]
    )
    shares = holds.mean(axis=0)
    written = [format_share(float(share), repetitions) for share in shares]
    if len(set(design.means)) > 1:
        written[EQUAL] = "-"
    if len(design.sizes) > MOST_COMPARED:
        written[GAP] = written[PAIR_GAP] = "-"
    return (design.name, *written[:-1], f"{shares[-1]:.2f}")


def _judge_sample(
    design: GroupDesign, rows: GroupRows, rng: np.random.Generator, place: int, layout: Layout
) -> tuple[bool, ...]:
    """Return whether each statement holds; of tests and gates whether they err."""
    a, b = _read_losses(design.draw(rng, design, 0.0), layout)
    options = GroupOptions(level=LEVEL, margin=MARGIN, seed=place)
    correction = PairCorrection(alpha=1 - LEVEL, n_pairs=1, n_groupings=1)
    truth = np.asarray(design.means)
    model = describe_model(a, rows, options)
    pair = describe_pair(("a", "b"), (a, b), rows, options, correction)
    means = all(
        item.interval is None or is_inside(item.interval.lower, item.interval.upper, value)
        for item, value in zip(model.items, truth, strict=True)
    )
    worst = model.worst is None or model.worst.upper_bound is None
    if model.worst is not None and model.worst.upper_bound is not None:
        worst = model.worst.upper_bound >= truth.max()
    gaps = all(
        is_inside(gap.lower, gap.upper, truth[_find(gap.group)] - truth[_find(gap.against)])
        for gap in model.gaps.items or ()
        if gap.against is not None
    )
    differences = all(
        item.interval is None or is_inside(item.interval.lower, item.interval.upper, 0.0)
        for item in pair.items
    )
    pair_gaps = all(is_inside(gap.lower, gap.upper, 0.0) for gap in pair.gaps.items or ())
    equal = model.equal_means.p_value is not None and model.equal_means.p_value < 1 - LEVEL
    depends = pair.depends_on_group.p_value
    worse = _read_losses(design.draw(rng, design, MARGIN), layout)
    at_margin = describe_pair(("a", "b"), worse, rows, options, correction)
    at_most = at_margin.items[0].worse_by_at_most
    at_least = [item.worse_by_at_least for item in at_margin.items]
    return (
        means,
        worst,
        gaps,
        differences,
        pair_gaps,
        equal,
        depends is not None and depends < 1 - LEVEL,
        at_most is not None and at_most < MARGIN,
        any(each is not None and each > MARGIN for each in at_least),
        any(caution.code == "skewed_groups" for caution in model.cautions),
    )


def _read_losses(losses: FloatArray, layout: Layout) -> tuple[BlockLosses, BlockLosses]:
    first, second = (BlockLosses(layout, values=losses[:, i].copy()) for i in range(2))
    return first, second


def _find(group: Mapping[str, object]) -> int:
    return int(str(group["g"]))
