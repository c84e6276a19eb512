"""ROC curves and reliability diagrams of models that predict scores of two classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from thetahat_presentation.captions import write_level
from thetahat_presentation.wording import find_block_word
from thetahat_service.figures.by_source import build_numbered_name
from thetahat_service.figures.figure import Figure, Result
from thetahat_service.figures.lines import Intervals, Line, LinePlot, build_line_view

if TYPE_CHECKING:
    from thetahat_client.results import ScoreCurvesDict


MOST_MODELS: Final = 8
"""Models of one figure: there are as many colours."""
MOST_FIGURES: Final = 5
CHANCE: Final = "chance"
PERFECT: Final = "calibrated"


def build_score_curves(result: Result) -> Iterator[Figure]:
    """Yield the ROC curves, and the reliability of the models whose scores are probabilities.

    Where probabilities are described, their reliability has the steps of isotonic regression.
    """
    models = result.get("models") or {}
    curves = {
        name: model["score_curves"] for name, model in models.items() if model.get("score_curves")
    }
    order = sorted(curves, key=lambda name: models[name]["mean"]["macro"])
    for place, names in enumerate(_group_names(order), start=1):
        yield _build_roc({name: curves[name] for name in names}, place, find_block_word(result, 2))
    described = {
        name: model["probabilities"] for name, model in models.items() if model.get("probabilities")
    }
    if described:
        by_loss = sorted(described, key=lambda name: models[name]["mean"]["macro"])
        for place, names in enumerate(_group_names(by_loss), start=1):
            yield _build_steps({name: described[name] for name in names}, place)
        return
    reliable = [name for name in order if curves[name]["reliability"]]
    for place, names in enumerate(_group_names(reliable), start=1):
        yield _build_reliability({name: curves[name] for name in names}, place)


def _group_names(names: list[str]) -> list[list[str]]:
    """Return the names eight at a time, for the first figures."""
    starts = range(0, len(names), MOST_MODELS)
    return [names[start : start + MOST_MODELS] for start in starts][:MOST_FIGURES]


def _build_square(
    lines: list[Line], diagonal: str, x_title: str, y_title: str, intervals: Intervals
) -> LinePlot:
    """Return a square plot of shares against shares, with its diagonal as a dashed line."""
    reference = Line(name=diagonal, x=[0, 1], y=[0, 1], is_dashed=True, has_points=False, colour=-1)
    return LinePlot(
        lines=[*lines, reference],
        x_title=x_title,
        y_title=y_title,
        intervals=intervals,
        x_domain=(0.0, 1.0),
        y_domain=(0.0, 1.0),
        square=True,
    )


def _build_roc(curves: Mapping[str, ScoreCurvesDict], place: int, blocks: str) -> Figure:
    lines = [
        Line(
            name=name,
            x=curve["roc"]["false_positive_rate"],
            y=curve["roc"]["true_positive_rate"],
            has_points=False,
            colour=colour,
        )
        for colour, (name, curve) in enumerate(curves.items())
    ]
    first = next(iter(curves.values()))
    roc, label = first["roc"], first["positive_class"]
    drawn = _build_square(
        lines,
        CHANCE,
        f"share of the others that are taken for {label}",
        f"share of {label} that is found",
        "none",
    )
    return Figure(
        name=build_numbered_name("roc", place),
        title=f"ROC curves: how scores separate {label}",
        caption=(
            f"Each point of a line is a threshold of the score: how many of the {roc['positives']} "
            f"rows of class {label} are found, against how many of the {roc['negatives']} others "
            "are taken for it. A line further up and left is better; on the dashed line scores say "
            f"nothing. Scores of the first repeat, over all {blocks} together; there are no "
            "intervals, which the figure of the area under the curve has."
        ),
        alt=f"ROC curves of {len(curves)} models: {', '.join(curves)}.",
        about=tuple(curves),
        view=lambda style: build_line_view(drawn, style),
    )


def _build_steps(described: Mapping[str, Mapping[str, Any]], place: int) -> Figure:
    lines = [
        Line(
            name=name,
            x=of_model["curve"]["predicted"],
            y=of_model["curve"]["recalibrated"],
            lower=of_model["curve"].get("lower") or (),
            upper=of_model["curve"].get("upper") or (),
            has_points=False,
            colour=colour,
        )
        for colour, (name, of_model) in enumerate(described.items())
    ]
    first = next(iter(described.values()))
    event = first["event"]
    what = "that the most probable class is right" if event is None else f"of {event}"
    has_band = any(line.lower for line in lines)
    drawn = _build_square(
        lines,
        PERFECT,
        f"predicted probability {what}",
        "share of rows in which it is right" if event is None else f"share of {event}",
        "band" if has_band else "none",
    )
    level = write_level(first["in_the_large"]["level"])
    about_band = (
        f" A band holds the line of calibrated probabilities in {level} of samples at each point "
        "alone; the p-value of miscalibration is about the whole line."
        if has_band
        else " Rows are in clusters, so there is no band."
    )
    return Figure(
        name=build_numbered_name("reliability", place),
        title="Share of events by predicted probability",
        caption=(
            f"Each line is the share of events by predicted probability, by isotonic regression "
            f"over {first['n']} rows: below the dashed line probabilities are too high, above it "
            f"too low.{about_band}"
        ),
        alt=f"Reliability diagram of {len(described)} models: {', '.join(described)}.",
        about=tuple(described),
        view=lambda style: build_line_view(drawn, style),
    )


def _build_reliability(curves: Mapping[str, Mapping[str, Any]], place: int) -> Figure:
    lines = [
        Line(
            name=name,
            x=[entry["mean_score"] for entry in curve["reliability"]],
            y=[entry["share"] for entry in curve["reliability"]],
            lower=[entry["lower"] for entry in curve["reliability"]],
            upper=[entry["upper"] for entry in curve["reliability"]],
            colour=colour,
        )
        for colour, (name, curve) in enumerate(curves.items())
    ]
    first = next(iter(curves.values()))
    label, bins = first["positive_class"], first["reliability"]
    drawn = _build_square(
        lines, PERFECT, f"predicted probability of {label}", f"share of {label}", "bars"
    )
    n = sum(entry["n"] for entry in bins)
    return Figure(
        name=build_numbered_name("reliability", place),
        title="Share of events by predicted probability",
        caption=(
            f"Each point is a group of about {n // len(bins)} of {n} rows with similar predicted "
            f"probabilities of {label}: below the dashed line they are too high, above it too low. "
            f"Bars are {write_level(first['level'])} Wilson intervals, which take the rows as "
            "independent. Scores of the first repeat."
        ),
        alt=f"Reliability diagram of {len(curves)} models in {len(bins)} groups of rows.",
        about=tuple(curves),
        view=lambda style: build_line_view(drawn, style),
    )
