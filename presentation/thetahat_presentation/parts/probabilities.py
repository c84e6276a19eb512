"""Predicted probabilities: whether they come true, and which of two models has the better ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from thetahat_presentation.document import Cell, Json, Name, Number, Pair, PValue, Section, Table
from thetahat_presentation.numbers import format_count
from thetahat_presentation.parts.cautions import Place, PlacedCaution, place_cautions
from thetahat_presentation.parts.models import ModelsResult, build_estimate
from thetahat_presentation.parts.pairs import list_first_pairs

MOST_SENTENCES: Final = 3
"""Sentences about probabilities that stand below the verdict."""
SCORES: Final = {"brier": "Brier score", "log": "log loss"}
RATES: Final = {
    "sensitivity": "Sensitivity",
    "specificity": "Specificity",
    "ppv": "Positive predictive value",
    "npv": "Negative predictive value",
}
ALONE: Final = "Each interval holds by itself."


def describe_probabilities(shown: ModelsResult) -> list[str]:
    """Return what the probabilities of few models are like, and which one of a pair has better."""
    found = {name: of_model for name in shown.names if (of_model := _get(shown.models[name]))}
    pairs = [pair["probabilities"] for pair in shown.comparisons if _get(pair)]
    if len(found) > MOST_SENTENCES:
        return []
    of_pair = [str(pairs[0]["sentence"])] if len(pairs) == 1 and pairs[0]["sentence"] else []
    if len(found) == 1:
        return [str(each["sentence"]) for each in found.values()]
    return [*of_pair, *(f"{name}: {each['sentence']}" for name, each in found.items())]


def iterate_probability_cautions(shown: ModelsResult) -> Iterator[PlacedCaution]:
    """Yield the cautions about the probabilities of each model and pair."""
    for name, model in shown.models.items():
        of_model = _get(model)
        yield from place_cautions(of_model.get("cautions"), Place(name, "probabilities"))
        for label, of_class in (of_model.get("by_class") or {}).items():
            place = Place(name, f"probabilities of {label}")
            yield from place_cautions(of_class.get("cautions"), place)
    for pair in shown.comparisons:
        place = Place(f"{pair['a']} against {pair['b']}", "probabilities")
        yield from place_cautions(_get(pair).get("cautions"), place)


def build_probabilities_section(shown: ModelsResult) -> Section | None:
    """Return the tables about probabilities; None for a result without them."""
    models = {name: of_model for name in shown.names if (of_model := _get(shown.models[name]))}
    if not models:
        return None
    pairs = [pair for pair in list_first_pairs(shown) if _get(pair)]
    scores = list(next(iter(models.values()))["parts"])
    more = [
        _tabulate_events(f"Probabilities of each class by {name}", "Class", of_model["by_class"])
        for name, of_model in models.items()
        if of_model.get("by_class")
    ]
    tables = [
        _tabulate_events(_write_caption(next(iter(models.values()))), "Model", models),
        *(_tabulate_parts(name, models) for name in scores),
        *(_tabulate_part_differences(name, pairs) for name in scores if pairs),
        _tabulate_thresholds(models),
        _tabulate_threshold_differences(pairs),
        _tabulate_bins(models),
    ]
    return Section(
        name="probabilities",
        title="Do the probabilities come true?",
        tables=tables,
        more_title="Each class against the rest",
        more=more,
    )


def _get(part: Json) -> Json:
    return part.get("probabilities") or {}


def _write_caption(of_model: Json) -> str:
    event = of_model["event"]
    if event is None:
        return "Probabilities of the most probable class"
    return f"Probabilities of {event}"


def _tabulate_events(caption: str, heading: str, events: Mapping[str, Json]) -> Table:
    rows: list[list[Cell]] = []
    notes = ["Share of events minus mean probability: above 0 if probabilities are too low."]
    with_slope = any(each.get("recalibration") for each in events.values())
    for name, each in events.items():
        row: list[Cell] = [
            Name(name),
            Number(each["rate"]),
            Number(each["mean_probability"]),
            build_estimate(each["in_the_large"]),
        ]
        if with_slope:
            recalibration = each.get("recalibration") or {}
            row += [
                build_estimate(recalibration.get("slope")),
                build_estimate(recalibration.get("intercept")),
            ]
            reason = (recalibration.get("slope") or {}).get("reason")
            notes += [f"No slope of {name}: {reason}"] if reason else []
        if reason := each["spiegelhalter"].get("reason"):
            notes.append(f"No p of {name}: {reason}")
        rows.append([*row, PValue(each["spiegelhalter"].get("p_value"))])
    first = next(iter(events.values()))
    count = f"{format_count(first['n'])} rows"
    if first.get("clusters") is not None:
        count += f" in {format_count(first['clusters'])} clusters"
    columns = [heading, "Share of events", "Mean probability", "Difference"]
    if with_slope:
        columns += ["Slope", "Intercept"]
        notes.append("A slope below 1 says that probabilities are too extreme.")
    return Table(
        caption=f"{caption} ({count})",
        columns=[*columns, "p (Spiegelhalter)"],
        rows=rows,
        notes=[*notes, ALONE],
    )


def _tabulate_parts(score: str, models: Mapping[str, Json]) -> Table:
    rows: list[dict[str, Cell]] = []
    reasons: list[str] = []
    heading = SCORES[score].capitalize() if score == "log" else SCORES[score]
    for name, of_model in models.items():
        parts = of_model["parts"][score]
        rows.append(
            {
                "Model": Name(name),
                heading: Number(parts.get("score")),
                "Miscalibration": Number(parts.get("miscalibration")),
                "If calibrated": Number(parts.get("expected_miscalibration")),
                "p": PValue(parts.get("p_value")),
                "Discrimination": Number(parts["discrimination"]),
                "Uncertainty": Number(parts["uncertainty"]),
            }
        )
        reasons += [f"{name}: {parts['reason']}"] if parts.get("reason") else []
    about = (
        "Score = miscalibration - discrimination + uncertainty. Miscalibration is positive in "
        "every sample; p is how often calibrated probabilities have as much."
    )
    return Table.of_rows(f"Parts of the {SCORES[score]}", rows, [about, *reasons])


def _tabulate_part_differences(score: str, pairs: list[Json]) -> Table:
    rows: list[dict[str, Cell]] = []
    for pair in pairs:
        parts = pair["probabilities"]["parts"][score]
        row: dict[str, Cell] = {"Pair": Pair(pair["a"], pair["b"])}
        for part in ("score", "miscalibration", "discrimination"):
            row[part.capitalize()] = build_estimate(parts[part])
        rows.append(row)
    resamples = pairs[0]["probabilities"]["resamples"]
    notes = [
        "Lower scores and miscalibrations are better, and higher discriminations.",
        f"The parts' intervals rest on {format_count(resamples)} resamples. {ALONE}",
    ]
    return Table.of_rows(f"Differences of the {SCORES[score]} and its parts", rows, notes)


def _tabulate_thresholds(models: Mapping[str, Json]) -> Table:
    rows: list[list[Cell]] = [
        [
            Name(name),
            Number(each["threshold"]),
            Number(each["positive"]),
            *(build_estimate(each[rate]) for rate in RATES),
        ]
        for name, of_model in models.items()
        for each in of_model.get("thresholds") or ()
    ]
    return Table(
        caption="Rates if the event is predicted from a probability on",
        columns=["Model", "Threshold", "Positive rows", *RATES.values()],
        rows=rows,
        notes=[ALONE],
    )


def _tabulate_threshold_differences(pairs: list[Json]) -> Table:
    rows: list[list[Cell]] = [
        [
            Pair(pair["a"], pair["b"]),
            Number(each["threshold"]),
            *(build_estimate(each[rate]) for rate in RATES),
        ]
        for pair in pairs
        for each in pair["probabilities"].get("thresholds") or ()
    ]
    return Table(
        caption="Differences of these rates",
        columns=["Pair", "Threshold", *RATES.values()],
        rows=rows,
        notes=[ALONE],
    )


def _tabulate_bins(models: Mapping[str, Json]) -> Table:
    binned_models = {name: each["binned"] for name, each in models.items() if each.get("binned")}
    reasons = [
        f"{name}: {each['reason']}" for name, each in binned_models.items() if each.get("reason")
    ]
    return Table(
        caption="Calibration errors of bins",
        columns=["Model", "ECE", "ECE if calibrated", "p", "Debiased squared error"],
        rows=[
            [
                Name(name),
                Number(binned["expected_calibration_error"]),
                Number(binned.get("if_calibrated")),
                PValue(binned.get("p_value")),
                Number(binned["debiased_squared_error"]),
            ]
            for name, binned in binned_models.items()
        ],
        notes=[
            "Calibrated probabilities have an expected calibration error above 0, too.",
            *reasons,
        ],
    )
