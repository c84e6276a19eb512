"""Differences of pairs of models, against zero and the margin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from thetahat.analyses.losses.result import Decision
from thetahat.distributions import compute_upper_quantile
from thetahat_presentation.captions import SIDES, describe_ends, phrase, write_level
from thetahat_presentation.targets import name_target
from thetahat_presentation.wording import (
    describe_size,
    find_source_words,
    find_value_word,
    is_higher_better,
)
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.marks import (
    build_categories,
    build_layer,
    build_lines,
    build_number_axis,
    build_rows,
)
from thetahat_service.figures.ranges import CUT, Bar, build_arrowheads, cut_bar, find_domain, is_cut
from thetahat_service.figures.result_types import has_models
from thetahat_service.figures.style import Json, Palette, Style

if TYPE_CHECKING:
    from thetahat_service.figures.result_types import ComparisonJson, ModelsResult

MOST_PAIRS: Final = 45
"""Pairs that are all drawn; of more, only those with the best model are: ten models have 45."""
ROW: Final = 24
LOW_ROW: Final = 15
MANY: Final = 40
CLEARLY_BETTER: Final = "better, by more than the margin"
CLEARLY_WORSE: Final = "worse, by more than the margin"
MIRRORED: Final = {
    Decision.BETTER: Decision.WORSE,
    Decision.WORSE: Decision.BETTER,
    Decision.NOT_WORSE: Decision.UNDECIDED,
}
"""What a decision about a and b says of b and a; the others say the same of both."""
WORDS: Final = {
    Decision.BETTER: "better",
    Decision.WORSE: "worse",
    Decision.EQUIVALENT: "equivalent",
    Decision.NOT_WORSE: "not worse",
    Decision.UNDECIDED: "undecided",
}
SHAPES: Final = {
    CLEARLY_BETTER: "diamond",
    "better": "triangle-up",
    "equivalent": "square",
    "not worse": "stroke",
    "undecided": "circle",
    "worse": "triangle-down",
    CLEARLY_WORSE: "diamond",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRow:
    """The difference of one pair."""

    label: str
    """The pair, or the model that is compared with the best one."""
    a: str
    b: str
    """The models; the difference is a minus b."""
    bar: Bar
    """The difference with the interval that the verdict rests on."""
    verdict: str
    """What is decided of a beside b, in words."""
    p_value: float | None
    """Of no difference, corrected over the pairs if there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Differences:
    """The rows of a figure of differences, from the smallest to the largest."""

    rows: tuple[DifferenceRow, ...]
    """The pairs that are shown."""
    margin: float | None
    """Largest difference that does not matter."""
    rope: float | None
    """Half width of the region of practical equivalence, where it is another number."""
    axis: str
    """Title of the horizontal axis."""
    size: str
    """The rows, blocks and repeats that the differences rest on."""


def build_differences(result: Result) -> Iterator[Figure]:
    """Yield the figure of the differences, if several models were compared."""
    if not has_models(result) or not result["comparisons"]:
        return
    comparisons: Sequence[ComparisonJson] = result["comparisons"]
    higher, margin = is_higher_better(result), find_margin(result)
    reference = _find_reference(result, comparisons)
    beyond = PairsBeyondMargin.from_result(result)
    rows = [
        _build_row(comparison, reference, beyond)
        for comparison in comparisons
        if reference is None or reference in (comparison["a"], comparison["b"])
    ]
    rows.sort(key=lambda row: -row.bar.estimate if higher else row.bar.estimate)
    quantity = find_value_word(result)
    differences = Differences(
        rows=tuple(rows),
        margin=margin,
        rope=_find_rope(comparisons, margin),
        axis=f"{quantity}: first minus second model"
        if reference is None
        else f"{quantity} minus that of {reference}",
        size=describe_size(result, result["models"][rows[0].a]),
    )
    yield Figure(
        name="differences",
        title="Difference of each pair" if reference is None else f"Difference from {reference}",
        caption=_write_caption(result, differences, reference, len(comparisons)),
        alt=_describe(differences),
        view=lambda style: _build_view(differences, style),
    )


def find_margin(result: ModelsResult) -> float | None:
    """Return the largest difference that does not matter, if the request names one."""
    return result["summary"].get("margin")


def _find_rope(comparisons: Sequence[ComparisonJson], margin: float | None) -> float | None:
    """Return the half width of the region of a Bayesian test, unless it is the margin."""
    tests: list[dict[str, Any]] = [  # Bayesian tests have further fields
        {**test} for pair in comparisons[:1] for test in pair.get("tests", {}).values()
    ]
    ropes: set[float] = {test["rope"] for test in tests if test.get("rope")}
    return ropes.pop() if len(ropes) == 1 and ropes != {margin} else None


def _find_reference(result: ModelsResult, comparisons: Sequence[ComparisonJson]) -> str | None:
    """Return the model that all others are compared with; None if all pairs are shown."""
    first = {comparisons[0]["a"], comparisons[0]["b"]}
    shared = [name for name in first if all(name in (c["a"], c["b"]) for c in comparisons)]
    if len(comparisons) > 1 and shared:
        return str(shared[0])  # the control of the request
    if len(comparisons) <= MOST_PAIRS:
        return None
    return result["summary"]["best_model"]


def _build_row(
    comparison: ComparisonJson, reference: str | None, beyond: PairsBeyondMargin
) -> DifferenceRow:
    """Return the bar and the label of one comparison."""
    a, b, interval = comparison["a"], comparison["b"], comparison["interval"]
    decision = Decision(comparison["verdict"]["decision"])
    bar = (
        Bar(comparison["difference"], None, None)
        if interval is None
        else Bar(interval["estimate"], interval["lower"], interval["upper"])
    )
    is_worse = reference is None and decision is Decision.WORSE
    if reference == a or is_worse:  # a model minus the reference, or the better model first
        a, b, decision = b, a, MIRRORED.get(decision, decision)
        bar = Bar(
            -bar.estimate,
            None if bar.upper is None else -bar.upper,
            None if bar.lower is None else -bar.lower,
        )
    p_value = comparison["verdict"]["p_value_adjusted"]
    return DifferenceRow(
        label=f"{a} − {b}" if reference is None else a,
        a=a,
        b=b,
        bar=bar,
        verdict=_word_verdict(decision, is_beyond_margin=beyond.contains(comparison)),
        p_value=comparison["verdict"]["p_value"] if p_value is None else p_value,
    )


def _word_verdict(decision: Decision, *, is_beyond_margin: bool) -> str:
    """Return the verdict in words; a difference beyond the margin is told apart."""
    if is_beyond_margin and decision is Decision.BETTER:
        return CLEARLY_BETTER
    if is_beyond_margin and decision is Decision.WORSE:
        return CLEARLY_WORSE
    return WORDS[decision]


@dataclass(frozen=True, slots=True)
class PairsBeyondMargin:
    """The rule by which a difference is larger than the margin, allowing for all pairs.

    The interval of the difference must lie beyond the margin. If it holds for one pair alone, it
    is widened to the level ``1 - alpha / m`` for m pairs (Bonferroni).
    """

    margin: float | None
    """Largest difference that does not matter."""
    alpha: float
    """1 minus the level of the intervals."""
    n_pairs: int
    """m; 1 where the verdicts are not corrected."""

    @classmethod
    def from_result(cls, result: ModelsResult) -> PairsBeyondMargin:
        """Return the rule for the comparisons of a result."""
        pairs = result["comparisons"]
        is_corrected = any(
            pair["verdict"].get("p_value_adjusted") not in {None, pair["verdict"]["p_value"]}
            for pair in pairs
        )
        level = result["summary"]["level"]
        return cls(find_margin(result), 1 - level, len(pairs) if is_corrected else 1)

    def contains(self, pair: ComparisonJson) -> bool:
        """Return whether the difference of a pair is larger than the margin."""
        interval = pair["interval"]
        if self.margin is None or not interval or not interval["standard_error"]:
            return False
        lower, upper = interval["lower"], interval["upper"]
        if interval.get("simultaneous_pairs") and lower is not None and upper is not None:
            return lower > self.margin or upper < -self.margin
        quantile = compute_upper_quantile(
            self.alpha / (2 * self.n_pairs), interval["degrees_of_freedom"]
        )
        distance = abs(interval["estimate"]) - quantile * interval["standard_error"]
        return bool(distance > self.margin)


def choose_verdict_colour(verdict: str, palette: Palette) -> str:
    """Return the colour of a verdict, which is the same in every figure."""
    if verdict in (CLEARLY_BETTER, "better"):
        return palette.blue
    if verdict in (CLEARLY_WORSE, "worse"):
        return palette.vermilion
    return {"equivalent": palette.green, "not worse": palette.purple}.get(verdict, palette.faint)


def _write_caption(
    result: ModelsResult, differences: Differences, reference: str | None, n_comparisons: int
) -> str:
    size = differences.size
    interval = next((c["interval"] for c in result["comparisons"] if c["interval"]), None)
    side = "above" if is_higher_better(result) else "below"
    if reference is None:
        text = [f"Each row is a pair of models over {size}: {side} 0 the first one is better."]
    else:
        text = [f"Each row is a model beside {reference} over {size}: {side} 0 it is better."]
        if n_comparisons > len(differences.rows):
            text.append(
                f"Of {n_comparisons} pairs only those with the best model, {reference}, are shown."
            )
    if interval is not None:
        level = write_level(result["summary"]["level"])
        held = _describe_correction(interval.get("simultaneous_pairs"))
        sided = SIDES[str(interval["alternative"])]
        text.append(
            f"A bar is the {level} confidence interval{sided} for "
            f"{name_target(interval['target'], find_source_words(result))}, "
            f"{held}; colour and shape show the verdict."
        )
    if differences.margin:
        text.append(
            f"The band is the margin, {phrase(differences.margin)}: differences inside it do not "
            "matter."
        )
    if differences.rope:
        text.append(
            f"The dashed lines are the region of practical equivalence, {phrase(differences.rope)} "
            "on both sides of 0."
        )
    if any(is_cut(row.bar, _find_domain(differences)) for row in differences.rows):
        text.append(CUT)
    return " ".join(text)


def _describe_correction(n_pairs: int | None) -> str:
    """Return what an interval allows for, as the end of a sentence."""
    return f"for all {n_pairs} pairs at once" if n_pairs else "not corrected for several pairs"


def _describe(differences: Differences) -> str:
    counts: dict[str, int] = {}
    for row in differences.rows:
        counts[row.verdict] = counts.get(row.verdict, 0) + 1
    if len(differences.rows) == 1:
        row = differences.rows[0]
        ends = describe_ends(row.bar.lower, row.bar.upper)
        return f"{row.label}: {phrase(row.bar.estimate)}, {ends}; {row.verdict}."
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
    first, last = differences.rows[0], differences.rows[-1]
    return (
        f"{len(differences.rows)} differences from {phrase(first.bar.estimate)} ({first.label}) to "
        f"{phrase(last.bar.estimate)} ({last.label}): {verdicts}."
    )


def _find_domain(differences: Differences) -> tuple[float, float]:
    limits = [limit for limit in (differences.margin, differences.rope) if limit]
    also = [0.0, *limits, *(-limit for limit in limits)]
    return find_domain([row.bar for row in differences.rows], also)


def _build_view(differences: Differences, style: Style) -> Json:
    palette = style.palette
    domain = _find_domain(differences)
    values = [
        {
            "pair": row.label,
            "a": row.a,
            "b": row.b,
            "verdict": row.verdict,
            "p_value": row.p_value,
            "size": differences.size,
            **cut_bar(row.bar, domain),
        }
        for row in differences.rows
    ]
    shown = [word for word in SHAPES if any(row.verdict == word for row in differences.rows)]
    is_long = len(values) > MANY
    pairs = [row.label for row in differences.rows]
    labels = style.shorten_labels(are_small=is_long)
    columns = {"columns": style.count_legend_columns(shown)}
    colours = [choose_verdict_colour(word, palette) for word in shown]
    shared: Json = {
        "y": build_rows("pair", pairs, grid=True, labelPadding=8, **labels),
        "color": build_categories("verdict", shown, colours, legend=columns),
        "tooltip": [
            {"field": "pair", "title": "pair"},
            {"field": "estimate", "title": "difference", "format": ".4~g"},
            {"field": "interval", "title": "interval"},
            {"field": "size", "title": "over"},
            {"field": "p_value", "title": "p", "format": ".3~g"},
            {"field": "verdict", "title": "verdict"},
        ],
    }
    x = build_number_axis(
        differences.axis,
        scale={"domain": list(domain), "nice": False},
        axis={"orient": "top" if is_long else "bottom"},
    )
    shapes = build_categories("verdict", shown, [SHAPES[word] for word in shown], legend=columns)
    return {
        **style.fit_height(len(values) * (LOW_ROW if is_long else ROW)),
        "data": {"values": values},
        "layer": [
            *build_reference_marks(differences.margin, differences.rope, x, palette),
            build_layer(
                "rule",
                {**shared, "x": {"field": "from", **x}, "x2": {"field": "to"}},
                strokeWidth=2.5,
            ),
            *build_arrowheads(values, shared, x),
            build_layer(
                "point",
                {**shared, "x": {"field": "estimate", **x}, "shape": shapes},
                filled=True,
                size=40 if is_long else 75,
                opacity=1,
            ),
        ],
    }


def build_reference_marks(
    margin: float | None, rope: float | None, x: Json, palette: Palette
) -> list[Json]:
    """Return the layers of the margin's band, the region of equivalence, and zero."""
    layers: list[Json] = []
    if margin:
        band: Json = {"x": {"field": "left", **x}, "x2": {"field": "right"}}
        ends = [{"left": -margin, "right": margin}]
        layers.append(build_layer("rect", band, values=ends, color=palette.green, opacity=0.15))
    if rope:
        layers.append(build_lines("at", x, -rope, rope, color=palette.green, strokeDash=[4, 3]))
    return [*layers, build_lines("zero", x, 0, color=palette.ink, strokeWidth=1)]
