"""Posterior distributions of differences, with the regions of Bayesian tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thetahat.special_functions import gammaln
from thetahat.values.types import FloatArray
from thetahat_presentation.captions import phrase, write_level
from thetahat_presentation.wording import find_value_word, is_higher_better, name_method
from thetahat_service.figures.by_source import build_numbered_name, choose_pairs
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.marks import (
    build_categories,
    build_layer,
    build_lines,
    build_number_axis,
    build_rows,
)
from thetahat_service.figures.result_types import has_models
from thetahat_service.figures.style import Json, Style

if TYPE_CHECKING:
    from thetahat_service.figures.result_types import ComparisonJson, ModelsResult

POINTS: Final = 241
SPREADS: Final = 4.5
"""Scales on both sides of the location that are drawn."""
HEIGHT: Final = 240
ROW: Final = 22
MOST_ROWS: Final = 60
PREFIX: Final = "bayesian_"
"""The beginning of the names of Bayesian tests, which rows of them need not repeat."""
NOT_NEGATIVE: Final = "datum.value < 0 ? '' : datum.label"
"""The labels of an axis of densities, which goes below 0 for the bar of the interval."""
ANSWERS: Final = ("first model better", "practically equivalent", "second model better")


def build_posteriors(result: Result) -> Iterator[Figure]:
    """Yield the probabilities of all Bayesian tests, and the densities of those that have one."""
    if not has_models(result):
        return
    comparisons: Sequence[ComparisonJson] = result["comparisons"]
    rows: list[tuple[ComparisonJson, str, Mapping[str, object]]] = [
        (pair, name, test)
        for pair in _select_with_best(result, comparisons)
        for name, test in pair.get("tests", {}).items()
        if test.get("p_rope") is not None
    ]
    if not rows:
        return
    yield _build_probabilities(result, rows, len(comparisons))
    place = 0
    for pair in choose_pairs(result, comparisons):
        for name, test in pair.get("tests", {}).items():
            if test.get("scale") and test.get("degrees_of_freedom"):
                place += 1
                yield _build_density(result, pair, name, test, place)


def _select_with_best(
    result: ModelsResult, comparisons: Sequence[ComparisonJson]
) -> Sequence[ComparisonJson]:
    if len(comparisons) * 3 <= MOST_ROWS:
        return comparisons
    best = result["summary"]["best_model"]
    return [pair for pair in comparisons if best in (pair["a"], pair["b"])]


def describe_regions(result: ModelsResult, a: str, b: str) -> tuple[str, str, str]:
    """Return what the regions below, inside and above the region of equivalence mean."""
    low, high = (b, a) if is_higher_better(result) else (a, b)
    return f"{low} is better", "practically equivalent", f"{high} is better"


def _build_probabilities(
    result: ModelsResult, rows: Sequence[tuple[ComparisonJson, str, Mapping[str, Any]]], n: int
) -> Figure:
    values: list[Json] = []
    is_first_low = not is_higher_better(result)  # then a difference below 0 means that it is better
    several = len({name for _, name, _ in rows}) > 1
    for pair, name, test in rows:
        test_name = name_method(name.removeprefix(PREFIX))
        label = f"{pair['a']} − {pair['b']}" + (f", {test_name}" if several else "")
        start = 0.0
        ends = (test["p_left"], test["p_right"])
        first, second = ends if is_first_low else ends[::-1]
        for word, share in zip(ANSWERS, (first, test["p_rope"], second), strict=True):
            values.append(
                {"row": label, "region": word, "share": share, "from": start, "to": start + share}
            )
            start += share
    shown = len({value["row"] for value in values})
    ropes = {test["rope"] for *_, test in rows if test.get("rope") is not None}
    width = f" of half width {phrase(ropes.pop())}" if len(ropes) == 1 else ""
    subset = "" if shown >= n else " Of many pairs, those with the best model are shown."
    first = rows[0]
    return Figure(
        name="posterior_probabilities",
        title="How probable is each answer?",
        caption=(
            "Each row is a Bayesian test of a pair of models, first minus second. The parts of a "
            "bar are the posterior probabilities that the first is better, that the difference is "
            f"in the region of practical equivalence{width}, and that the second is better; they "
            f"sum to 1.{subset}"
        ),
        alt=(
            f"Posterior probabilities of {shown} tests; for {first[0]['a']} and {first[0]['b']} by "
            f"{name_method(first[1])}: {phrase(first[2]['p_left'])} below, "
            f"{phrase(first[2]['p_rope'])} inside "
            f"and {phrase(first[2]['p_right'])} above the region."
        ),
        view=lambda style: _build_probability_view(values, style),
    )


def _build_probability_view(values: list[Json], style: Style) -> Json:
    palette = style.palette
    rows = list(dict.fromkeys(value["row"] for value in values))
    scale = {"domain": [0, 1], "nice": False}
    colours = [palette.blue, palette.green, palette.vermilion]
    encoding: Json = {
        "y": build_rows("row", rows, **style.shorten_labels()),
        "x": {"field": "from", **build_number_axis("posterior probability", scale=scale)},
        "x2": {"field": "to"},
        "color": build_categories("region", ANSWERS, colours),
        "tooltip": [
            {"field": "row"},
            {"field": "region"},
            {"field": "share", "title": "probability", "format": ".3~f"},
        ],
    }
    return {**style.fit_height(ROW * len(rows)), **build_layer("bar", encoding, values=values)}


def compute_student_density(
    x: FloatArray, location: float, scale: float, degrees: float
) -> FloatArray:
    """Return the density of a shifted and scaled t distribution."""
    constant = gammaln((degrees + 1) / 2) - gammaln(degrees / 2) - 0.5 * np.log(degrees * np.pi)
    t = (x - location) / scale
    return np.asarray(np.exp(constant - (degrees + 1) / 2 * np.log1p(t**2 / degrees)) / scale)


def _build_density(
    result: ModelsResult, pair: ComparisonJson, name: str, test: Mapping[str, Any], place: int
) -> Figure:
    a, b, rope = pair["a"], pair["b"], test["rope"] or 0.0
    words = describe_regions(result, a, b)
    location, scale = test["location"], test["scale"]
    low = min(location - SPREADS * scale, -1.5 * rope)
    high = max(location + SPREADS * scale, 1.5 * rope)
    x = np.unique(np.concatenate([np.linspace(low, high, POINTS), [-rope, rope]]))
    density = compute_student_density(x, location, scale, test["degrees_of_freedom"])
    values = [
        {"difference": at, "density": height, "region": region}
        for region, word, is_inside in (
            (words[0], "left", x <= -rope),
            (words[1], "rope", (x >= -rope) & (x <= rope)),
            (words[2], "right", x >= rope),
        )
        if word != "rope" or rope > 0
        for at, height in zip(x[is_inside].tolist(), density[is_inside].tolist(), strict=True)
    ]
    shares = (test["p_left"], test["p_rope"], test["p_right"])
    interval = test["credible_interval"]
    says = ", ".join(
        f"{word} with probability {phrase(share)}"
        for word, share in zip(words, shares, strict=True)
    )
    return Figure(
        name=build_numbered_name("posterior", place),
        title=f"Posterior of {a} minus {b}",
        caption=(
            f"The curve is the posterior density of the difference by {name_method(name)}; its "
            "coloured parts "
            f"are the regions: {says}. The dashed lines end the region of practical equivalence, "
            f"{phrase(rope)} on both sides of 0. The bar below is the "
            f"{write_level(interval['level'])} credible interval, "
            f"{phrase(interval['lower'])} to {phrase(interval['upper'])}."
        ),
        alt=f"Posterior density of {a} minus {b}: {says}.",
        about=(a, b),
        view=lambda style: _build_density_view(
            values,
            words,
            rope,
            test,
            f"{find_value_word(result)}: {a} minus {b}",
            style,
            is_higher=is_higher_better(result),
        ),
    )


def _build_density_view(  # noqa: PLR0913 - the parts of a picture
    values: list[Json],
    words: Sequence[str],
    rope: float,
    test: Mapping[str, Any],
    title: str,
    style: Style,
    *,
    is_higher: bool,
) -> Json:
    palette = style.palette
    x = build_number_axis(title, scale={"nice": False, "zero": False})
    y = build_number_axis("density", stack=None, axis={"labelExpr": NOT_NEGATIVE})
    colours = [palette.blue, palette.green, palette.vermilion]
    if is_higher:
        colours.reverse()
    interval = test["credible_interval"]
    below = -0.05 * max(value["density"] for value in values)
    legend = {"labelLimit": round(style.width / 3)}
    ends = (-rope, rope) if rope else (0.0,)
    return {
        **style.fit_height(HEIGHT),
        "layer": [
            build_layer(
                "area",
                {
                    "x": {"field": "difference", **x},
                    "y": {"field": "density", **y},
                    "color": build_categories("region", words, colours, legend=legend),
                },
                values=values,
                opacity=0.75,
                line=False,
            ),
            build_lines("at", x, *ends, strokeDash=[5, 3], color=palette.ink),
            build_layer(
                "rule",
                {
                    "x": {"field": "low", **x},
                    "x2": {"field": "high"},
                    "y": {"field": "y", **y},
                },
                values=[{"low": interval["lower"], "high": interval["upper"], "y": below}],
                strokeWidth=4,
                color=palette.ink,
            ),
        ],
    }
