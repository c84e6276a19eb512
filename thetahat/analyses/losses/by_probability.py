"""The models and comparisons of an evaluation by their predicted probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.result import Comparison, ModelResult
from thetahat.analyses.probabilities.events import (
    BinaryEvent,
    EventRows,
    PredictedProbabilities,
    find_class_events,
    find_main_events,
)
from thetahat.analyses.probabilities.model_probabilities import (
    ProbabilitySettings,
    describe_event_probabilities,
    describe_model_probabilities,
)
from thetahat.analyses.probabilities.options import (
    DEFAULT_RESAMPLES,
    FEWEST_RESAMPLES,
    Probabilities,
)
from thetahat.analyses.probabilities.pair_probabilities import (
    describe_pair_probabilities,
    resample_parts,
)
from thetahat.analyses.probabilities.result import EventProbabilities
from thetahat.seeds import make_random_stream
from thetahat.values.layout import Layout

MOST_DRAWN: Final = 200_000_000
"""Outcomes that are drawn by default for all models together: about ten seconds."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProbabilitiesOfTable:
    """The predicted probabilities of a table of losses, and what is asked about them."""

    options: Probabilities
    """What the request asks for."""
    predicted: PredictedProbabilities
    """The probabilities of all classes, in the order of the table's rows."""


def add_probabilities(  # noqa: PLR0913 - what an evaluation consists of
    of_table: ProbabilitiesOfTable,
    layout: Layout,
    choices: Choices,
    seed: int,
    models: Mapping[str, ModelResult],
    comparisons: tuple[Comparison, ...],
) -> tuple[dict[str, ModelResult], tuple[Comparison, ...]]:
    """Return the models and comparisons with what their probabilities are like."""
    options, predicted = of_table.options, of_table.predicted
    rows = EventRows.choose(layout)
    events = find_main_events(predicted, rows)
    by_class: dict[str, dict[str, BinaryEvent]] = {}
    if options.each_class:
        by_class = {
            str(label): find_class_events(predicted, rows, code)
            for code, label in enumerate(predicted.classes)
        }
    n_events = len(models) * (1 + len(by_class))
    settings = _choose_settings(options, layout, len(rows.rows), n_events, choices)
    described: dict[str, ModelResult] = {}
    for place, (name, model) in enumerate(models.items()):
        of_classes: dict[str, EventProbabilities] = {
            label: describe_event_probabilities(
                of_label[name],
                settings,
                make_random_stream(seed, "probabilities", place, 1 + code),
            )
            for code, (label, of_label) in enumerate(by_class.items())
        }
        main = describe_event_probabilities(
            events[name], settings, make_random_stream(seed, "probabilities", place, 0)
        )
        found = describe_model_probabilities(main, of_classes or None, rows.cautions)
        described[name] = replace(model, probabilities=found)
    if not comparisons:
        return described, comparisons
    rng = make_random_stream(seed, "probabilities of pairs")
    scores = tuple(dict.fromkeys(options.parts))
    resampled = resample_parts(events, scores, settings.n_samples, rng)
    compared = tuple(
        replace(
            pair,
            probabilities=describe_pair_probabilities(
                (pair.a, pair.b), (events[pair.a], events[pair.b]), resampled, settings
            ),
        )
        for pair in comparisons
    )
    return described, compared


def _choose_settings(
    options: Probabilities, layout: Layout, n_rows: int, n_events: int, choices: Choices
) -> ProbabilitySettings:
    """Return the settings; by default fewer samples are drawn of very many rows."""
    n_samples = options.band_resamples
    default = None
    if n_samples is None:
        wanted = DEFAULT_RESAMPLES
        n_samples = max(FEWEST_RESAMPLES, min(wanted, MOST_DRAWN // (n_rows * n_events)))
        default = wanted if n_samples < wanted else None
    return ProbabilitySettings(
        options=options,
        level=choices.level,
        n_samples=n_samples,
        are_trained_here=not layout.has_fixed_models,
        default_samples=default,
    )
