"""Everything that the page of one evaluation shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat_presentation.document import Document, Json
from thetahat_presentation.wording import capitalise, join_words, name_method
from thetahat_service.figures.figure import Figure
from thetahat_service.pages.method_page import describe_family, write_method


def list_steps(prepare: Any) -> list[str]:
    """Return the preparation steps of a learner in words; steps of some columns name these."""
    steps = []
    for step in prepare or ():
        if isinstance(step, str):
            steps.append(step)
        elif "name" in step:
            steps.append(str(step["name"]))
        else:
            steps += [
                f"{join_words(list_steps(group.get('prepare'))) or 'no step'} of "
                f"{join_words([str(column) for column in group['columns']])}"
                for group in step.get("groups") or ()
            ]
    return steps


def list_used_methods(result: Json) -> list[tuple[str, str, str]]:
    """Return family, name and parameters of each method that was used."""
    return [_describe_method(method) for method in result["provenance"]["methods"]]


def _describe_method(method: Json) -> tuple[str, str, str]:
    """Return family, name and parameters of a method that was used."""
    name = capitalise(name_method(method["name"]))
    if method.get("as", method["name"]) != method["name"]:
        name = f"{name} (as {method['as']})"
    return describe_family(method["family"])[0], name, "; ".join(list_parameters(method))


def list_parameters(method: Mapping[str, Any]) -> list[str]:
    """Return the parameters and the preparation steps of a method that was used."""
    parameters = [
        f"{key} = {value}" for key, value in method["params"].items() if value is not None
    ]
    steps = list_steps(method.get("prepare"))
    return [*parameters, f"after {join_words(steps)}"] if steps else parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFigures:
    """The figures of a result by the section that shows them."""

    by_section: Mapping[str, Sequence[Figure]] = dataclasses.field(default_factory=dict)
    """Figures by the name of a section."""
    others: Sequence[Figure] = ()
    """Those that are folded away."""


MODEL_FIGURES: Final = ("forest",)
PAIR_FIGURES: Final = ("differences",)
FIGURES_OF_TESTS: Final = ("critical_differences", "posterior_probabilities")
"""Beginnings of the names of figures that answer which models differ where no difference has an
interval; the first of each."""
SOURCE_FIGURES: Final = "by_source"
METRIC_FIGURES: Final = "metric_"
GROUP_FIGURES: Final = "groups_"
COST_FIGURE: Final = "quality_cost"
MAX_GROUP_FIGURES: Final = 4
MAX_METRIC_FIGURES: Final = 4
MAX_CURVE_FIGURES: Final = 25
"""Figures of learning curves that a result can have: 200 learners, eight in each."""
MAIN_FIGURES: Final = (
    "candidates",
    "nested_selection",
    "learning_curve",
    "saturation",
    "risks",
    "weights",
)
"""Beginnings of the names of figures that answer the question of a kind."""
MAX_MAIN_FIGURES: Final = 3
FURTHER: Final = frozenset(f"learning_curve_{place}" for place in range(2, MAX_CURVE_FIGURES + 1))


def place_figures(figures: Sequence[Figure], document: Document) -> PlacedFigures:
    """Return the figures of a result by section; those with no section of their own come last.

    Of the figures by source the page shows the one about its pair of models.
    """
    sections = {section.name for section in document.sections}
    models = [each for each in figures if each.name in MODEL_FIGURES]
    pairs = [each for each in figures if each.name in PAIR_FIGURES]
    if not document.has_intervals:
        by_test = [[f for f in figures if f.name.startswith(start)] for start in FIGURES_OF_TESTS]
        pairs += [found[0] for found in by_test if found]
    sources = _choose_by_source(figures, document.pair)
    starts = MAIN_FIGURES if "models" in sections else ("",)
    # Of many learners the first figure has the best ones; the others are folded away.
    main = [each for each in figures if each.name.startswith(starts) and each.name not in FURTHER]
    metrics = [each for each in figures if each.name.startswith(METRIC_FIGURES)]
    placed = {
        "main": main[:MAX_MAIN_FIGURES],
        "models": models,
        "pairs": pairs,
        "sources": sources,
        "groups": [f for f in figures if f.name.startswith(GROUP_FIGURES)][:MAX_GROUP_FIGURES],
        "costs": [each for each in figures if each.name == COST_FIGURE],
        "metrics": metrics[:MAX_METRIC_FIGURES],
    }
    by_section = {name: placed[name] for name in placed if name in sections}
    names = {figure.name for shown in by_section.values() for figure in shown}
    others = [each for each in figures if each.name not in names]
    return PlacedFigures(by_section=by_section, others=others)


def _choose_by_source(figures: Sequence[Figure], pair: tuple[str, str] | None) -> list[Figure]:
    if pair is None:
        return []
    return [
        figure
        for figure in figures
        if figure.name.startswith(SOURCE_FIGURES) and set(figure.about) == set(pair)
    ][:1]


def list_facts(row: Any, request: Json, result: Json | None) -> list[tuple[str, str, str]]:
    """Return what reproduces an evaluation: name, value and, where there is one, a link."""
    facts = [("Evaluation", str(row.id), "")]
    if "dataset" in request and request["dataset"] is not None:
        facts.append(("Data set", request["dataset"], f"/data-sets/{request['dataset']}"))
    for field, name in (("scheme", "Scheme"), ("loss", "Loss"), ("blocks", "Blocks")):
        if request.get(field) is not None:
            value = request[field]
            words = name_method(value) if isinstance(value, str) else write_method(value)
            facts.append((name, words, ""))
    for field, name in (("level", "Level"), ("margin", "Margin"), ("correction", "Correction")):
        if request.get(field) is not None:
            facts.append((name, str(request[field]), ""))
    facts.append(("Seed", str(row.seed), ""))
    facts.append(("SHA-256 of the data", row.data_sha256, ""))
    facts.append(("SHA-256 of the request", row.request_sha256, ""))
    if result is not None:
        facts.append(("Release of thetahat", result["provenance"]["version"], ""))
    return facts
