"""The bootstrap of a statistic: its estimate, its bias and its intervals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from thetahat_presentation.document import Cell, Document, Json, Name, Number, Section, Table
from thetahat_presentation.kinds.base import ModelPair, Presentation
from thetahat_presentation.numbers import (
    count,
    format_count,
    format_estimate,
    format_interval,
    format_level,
)
from thetahat_presentation.parts.documents import build_other_document
from thetahat_presentation.parts.models import build_interval
from thetahat_presentation.wording import capitalise, join_words, name_method

MOST_ROWS: Final = 200
MOST_COMPONENTS: Final = 4
"""Components of a vector up to which a sentence has their estimates."""
MOST_COVARIANCES: Final = 12
"""Components up to which their covariances are shown; the result always has them."""
HEADLINE_INTERVALS: Final = ("bca", "student_t", "percentile")
"""The intervals that a sentence has, the first one that there is; as the library ranks them."""
NUMBERS: Final = {
    "estimate": "Estimate",
    "standard_error": "Standard error",
    "replicates_mean": "Mean of the replicates",
    "bias": "Bias",
    "bias_corrected": "Estimate minus bias",
    "variance": "Variance",
}


def view(result: Json, request: Json, pair: ModelPair | None) -> Document:
    """Return the estimate with its intervals, or the components of a vector."""
    del request, pair
    tables = _tabulate_components(result) if "components" in result else _tabulate(result)
    main = Section(name="main", title="Bootstrap", tables=tables)
    return build_other_document(result, [_describe(result)], main)


def ask(result: Json, request: Json) -> list[str]:
    """Return the question."""
    del request
    statistic = name_method(result["statistic"])
    if "components" in result:
        return [f"What are the components of the {statistic}, and how uncertain are they together?"]
    return [f"How large is the {statistic}, and how uncertain is it?"]


def _tabulate(result: Json) -> list[Table]:
    error = result["standard_error"]
    intervals = Table(
        caption=f"Intervals about the {name_method(result['statistic'])}",
        columns=["Method", "Level", "Interval"],
        rows=[
            [
                Name(name_method(each["method"])),
                format_level(each["level"]),
                build_interval(each, error),
            ]
            for each in result.get("intervals", ())
        ],
    )
    estimate = Table(
        caption="The estimate",
        columns=["Number", "Value"],
        rows=[[words, Number(result[key])] for key, words in NUMBERS.items() if key in result],
        notes=[f"{count(result['n_resamples'], 'resample')} of {_describe_rows(result['n'])}."],
    )
    return [intervals, estimate]


def _describe_rows(n: int | list[int]) -> str:
    """Return the number of rows of a sample, or of each of two."""
    sizes = [n] if isinstance(n, int) else n
    return f"{' and '.join(map(format_count, sizes))} rows"


def _tabulate_components(result: Json) -> list[Table]:
    """Return the components of a vector, and the covariance of the components."""
    components = result["components"][:MOST_ROWS]
    methods = [name_method(each["method"]) for each in components[0]["intervals"]]
    names = [each["name"] for each in components]
    levels = {each["level"] for each in components[0]["intervals"]}
    level = "".join(f"{format_level(one)} " for one in levels)
    estimates = Table(
        caption=f"The {name_method(result['statistic'])}, with {level}intervals",
        columns=["Component", "Estimate", "Standard error", "Bias", *methods],
        rows=[
            [
                Name(each["name"]),
                Number(each["estimate"], each["standard_error"]),
                Number(each["standard_error"]),
                Number(each["bias"]),
                *(build_interval(one, each["standard_error"]) for one in each["intervals"]),
            ]
            for each in components
        ],
    )
    if len(names) > MOST_COVARIANCES:
        return [estimates]
    rows: list[list[Cell]] = [
        [Name(name), *map(Number, row[: len(names)])]
        for name, row in zip(names, result["covariance_of_components"], strict=False)
    ]
    caption = "Covariance of the components over the resamples"
    return [estimates, Table(caption=caption, columns=["Component", *names], rows=rows)]


def _describe(result: Json) -> str:
    statistic = name_method(result["statistic"])
    resamples = count(result["n_resamples"], "resample")
    if "components" not in result:
        return f"The {statistic} is {_write_with_interval(result)}, from {resamples}."
    components = result["components"]
    text = f"{capitalise(statistic)} with {count(len(components), 'component')}"
    if len(components) <= MOST_COMPONENTS:
        text += f": {join_words(list(_list_components(components)))}"
    return f"{text}, from {resamples}."


def _list_components(components: list[Json]) -> Iterator[str]:
    return (f"{each['name']} {_write_with_interval(each)}" for each in components)


def _write_with_interval(estimate: Json) -> str:
    """Return an estimate with one interval in brackets."""
    error = estimate["standard_error"]
    intervals = {interval["method"]: interval for interval in estimate.get("intervals", ())}
    best = next((intervals[name] for name in HEADLINE_INTERVALS if name in intervals), None)
    if best is None or best["lower"] is None or best["upper"] is None:
        return format_estimate(estimate["estimate"], error)
    text, ends = format_interval(estimate["estimate"], best["lower"], best["upper"], error)
    name = f"{format_level(best['level'])} {name_method(best['method'])} interval"
    return f"{text} ({name} {ends})"


PRESENTATION = Presentation(name="bootstrap", title="Bootstrap", view=view, ask=ask)
