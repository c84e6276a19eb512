"""Everything that the page of one evaluation shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from thetahat_service.figures.result_types import has_models
from thetahat_service.pages.headlines import SELECTED, describe_selected
from thetahat_service.pages.kind_tables import describe_outcome, list_main_tables
from thetahat_service.pages.method_page import describe_family
from thetahat_service.pages.method_tables import (
    list_calibration_tables,
    list_method_tables,
    list_metric_tables,
    list_population_tables,
)
from thetahat_service.pages.result_view import (
    MAX_DOUBTS,
    MAX_SENTENCES,
    ResultView,
    ShownCaution,
    SourceDifferences,
    collect_cautions,
)
from thetahat_service.pages.study_shares import list_study_tables
from thetahat_service.pages.tables import Table
from thetahat_service.pages.texts import describe_target, join_words

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFigure:
    """A figure of a result.

    Parameters
    ----------
    name : str
        Its name in the result, from which its path follows.
    title, caption, alt : str
        Its title, how to read it, and what it shows in a sentence for people who do not see it.
    about : sequence of str
        Models that it is about; empty for all.
    """

    name: str
    title: str
    caption: str
    alt: str
    about: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultSections:
    """The result of an evaluation, section by section.

    Parameters
    ----------
    headline : str
        The verdict in one sentence.
    sentences, more_sentences : sequence of str
        The verdicts in words; the second ones are folded away.
    main : sequence of Table
        The tables that answer the question of the kind.
    models, pairs, more_pairs : Table or None
        The models, the differences of pairs, and those that are folded away; None where there are
        none.
    sources : SourceDifferences or None
        The difference by source; None where blocks are not sources.
    model_names : sequence of str
        The models, for the choice of a pair; empty where blocks are not sources.
    unit, units : str
        What a block is called, and several.
    higher_is_better : bool
        Whether the values are scores and not losses.
    has_intervals : bool
        Whether a difference of two models has an interval.
    doubts, cautions : sequence of ShownCaution
        What to know before a decision, and all cautions.
    scope : str
        What the numbers are about, in a sentence.
    metrics : sequence of Table
        The metrics of the models.
    population : sequence of Table
        The loss in the target population, where the request has weights or a sample of it.
    studies : sequence of Table
        How often such intervals and verdicts were right in the kept studies.
    calibration : sequence of Table
        How often the intervals contained the truth on samples of the data, where it was measured.
    methods : sequence of Table
        Numbers by method.
    used : sequence of tuple
        Family, name and parameters of each method that was used.
    """

    headline: str
    sentences: Sequence[str]
    more_sentences: Sequence[str]
    main: Sequence[Table]
    models: Table | None
    pairs: Table | None
    more_pairs: Table | None
    sources: SourceDifferences | None
    model_names: Sequence[str]
    unit: str
    units: str
    higher_is_better: bool
    has_intervals: bool
    doubts: Sequence[ShownCaution]
    cautions: Sequence[ShownCaution]
    scope: str
    metrics: Sequence[Table]
    population: Sequence[Table]
    studies: Sequence[Table]
    calibration: Sequence[Table]
    methods: Sequence[Table]
    used: Sequence[tuple[str, str, str]]


def describe_result(
    result: Json, request: Json, pair: tuple[str, str] | None = None
) -> ResultSections:
    """Return the sections of a result; ``pair`` names the models of the differences by source."""
    used = [_describe_method(method) for method in result["provenance"]["methods"]]
    main = list_main_tables(result)
    outcome = describe_outcome(result)
    if not has_models(result):
        cautions = collect_cautions(result)
        return ResultSections(
            headline=outcome[0] if outcome else "",
            sentences=outcome[1:],
            more_sentences=(),
            main=main,
            models=None,
            pairs=None,
            more_pairs=None,
            sources=None,
            model_names=(),
            unit="source",
            units="sources",
            higher_is_better=False,
            has_intervals=False,
            doubts=[c for c in cautions if c.severity != "info"][:MAX_DOUBTS],
            cautions=cautions,
            scope="",
            metrics=(),
            population=(),
            studies=(),
            calibration=(),
            methods=(),
            used=used,
        )
    kind: str = result["kind"]
    view = ResultView(result, request)
    # The headline of a single model says the same as its sentence.
    is_single = len(view.model_names) == 1
    sentences = [*outcome, *([] if is_single else view.sentences)]
    # Of many verdicts the headline and the figure show which matter.
    # Without any interval of a difference, every verdict says the same.
    has_intervals = any(pair["interval"] is not None for pair in view.pairs)
    is_short = len(sentences) <= MAX_SENTENCES and (has_intervals or len(view.pairs) < 2)
    n_shown = len(sentences) if is_short else len(outcome) + 1
    names = view.model_names if view.has_sources and len(view.model_names) > 1 else []
    chosen = pair or view.default_pair()
    return ResultSections(
        headline=(
            describe_selected(view.result["summary"])
            if kind == "selection" and view.model_names == [SELECTED]
            else view.headline
        ),
        sentences=sentences[:n_shown],
        more_sentences=sentences[n_shown:],
        main=main,
        models=view.tabulate_models(),
        pairs=view.tabulate_pairs() if view.pairs else None,
        more_pairs=view.tabulate_more_pairs(),
        sources=view.compare_by_source(*chosen) if names and chosen else None,
        model_names=names,
        unit=view.unit,
        units=view.units,
        higher_is_better=view.higher_is_better,
        has_intervals=has_intervals,
        doubts=view.doubts,
        cautions=view.cautions,
        scope=describe_scope(view),
        metrics=list_metric_tables(view.result, view.unit),
        population=list_population_tables(view.result),
        studies=list_study_tables(view.result, view.unit),
        calibration=list_calibration_tables(view.result, view.unit),
        methods=list_method_tables(view.result, view.unit),
        used=used,
    )


def describe_scope(view: ResultView) -> str:
    """Return what the numbers of a result are about, and what they are not about."""
    target = view.main_target
    if target is None:
        return (
            "No interval could be built, so the numbers do not say how far the means may be from "
            "the truth."
        )
    subject = "The verdicts are" if len(view.model_names) > 1 else "The interval is"
    about = f"{subject} about the {view.quantity} {describe_target(target, view.unit)}."
    if target == "these_sources" and not view.has_sources:
        return (
            f"{about} Nothing here says how the models do at a source that is not in the data, "
            "such as another site or customer."
        )
    if target == "new_source":
        return (
            f"{about} Nothing here says how the models do on more data from the same {view.units}."
        )
    if target == "these_models":
        return f"{about} How much results change with other training data is left out."
    return about


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


def _describe_method(method: Json) -> tuple[str, str, str]:
    """Return family, name and parameters of a method that was used."""
    name = method["name"]
    if method.get("as", name) != name:
        name = f"{name} (as {method['as']})"
    parameters = [
        f"{key} = {value}" for key, value in method["params"].items() if value is not None
    ]
    steps = list_steps(method.get("prepare"))
    if steps:
        parameters.append(f"after {join_words(steps)}")
    return describe_family(method["family"])[0], name, "; ".join(parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedFigures:
    """The figures of a result by the section that shows them.

    Parameters
    ----------
    main, models, pairs, sources, metrics, others : sequence of ShownFigure
        Figures of the kind's own question, of the models, of the pairs, of the sources, of the
        metrics, and those that are folded away.
    """

    main: Sequence[ShownFigure] = ()
    models: Sequence[ShownFigure] = ()
    pairs: Sequence[ShownFigure] = ()
    sources: Sequence[ShownFigure] = ()
    metrics: Sequence[ShownFigure] = ()
    others: Sequence[ShownFigure] = ()


MODEL_FIGURES: Final = ("forest",)
PAIR_FIGURES: Final = ("differences",)
FIGURES_OF_TESTS: Final = ("critical_differences", "posterior_probabilities")
"""Beginnings of the names of figures that answer which models differ where no difference has an
interval; the first of each."""
SOURCE_FIGURES: Final = "by_source"
METRIC_FIGURES: Final = "metric_"
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


def place_figures(figures: Sequence[ShownFigure], sections: ResultSections) -> PlacedFigures:
    """Return the figures of a result by section; those with no section of their own come last.

    Of the figures by source the page shows the one about its pair of models.
    """
    models = [figure for figure in figures if figure.name in MODEL_FIGURES]
    pairs = [each for each in figures if each.name in PAIR_FIGURES]
    if not sections.has_intervals:
        by_test = [[f for f in figures if f.name.startswith(start)] for start in FIGURES_OF_TESTS]
        pairs += [found[0] for found in by_test if found]
    sources = _choose_by_source(figures, sections.sources)
    starts = MAIN_FIGURES if sections.models else ("",)
    # Of many learners the first figure has the best ones; the others are folded away.
    main = [each for each in figures if each.name.startswith(starts) and each.name not in FURTHER]
    main = main[:MAX_MAIN_FIGURES]
    metrics = [each for each in figures if each.name.startswith(METRIC_FIGURES)]
    metrics = metrics[:MAX_METRIC_FIGURES] if sections.metrics else []
    placed = {each.name for each in (*models, *pairs, *sources, *main, *metrics)}
    return PlacedFigures(
        main=main,
        models=models if sections.models else (),
        pairs=pairs if sections.pairs else (),
        sources=sources,
        metrics=metrics,
        others=[each for each in figures if each.name not in placed],
    )


def _choose_by_source(
    figures: Sequence[ShownFigure], shown: SourceDifferences | None
) -> list[ShownFigure]:
    if shown is None:
        return []
    names = {shown.a, shown.b}
    return [
        figure
        for figure in figures
        if figure.name.startswith(SOURCE_FIGURES) and set(figure.about) == names
    ][:1]


def list_facts(row: Any, request: Json, result: Json | None) -> list[tuple[str, str, str]]:
    """Return what reproduces an evaluation: name, value and, where there is one, a link."""
    facts = [("Evaluation", str(row.id), "")]
    if "dataset" in request and request["dataset"] is not None:
        facts.append(("Data set", request["dataset"], f"/data-sets/{request['dataset']}"))
    for field, name in (("scheme", "Scheme"), ("loss", "Loss"), ("blocks", "Blocks")):
        if request.get(field) is not None:
            facts.append((name, _write_method(request[field]), ""))
    for field, name in (("level", "Level"), ("margin", "Margin"), ("correction", "Correction")):
        if request.get(field) is not None:
            facts.append((name, str(request[field]), ""))
    facts.append(("Seed", str(row.seed), ""))
    facts.append(("SHA-256 of the data", row.data_sha256, ""))
    facts.append(("SHA-256 of the request", row.request_sha256, ""))
    if result is not None:
        facts.append(("Release of thetahat", result["provenance"]["version"], ""))
    return facts


def _write_method(method: Any) -> str:
    """Return a method of a request in words: its name and its parameters."""
    if not isinstance(method, Mapping):
        return str(method)
    parameters = method.get("params") or {}
    inside = ", ".join(f"{key} = {value}" for key, value in parameters.items())
    return f"{method['name']} ({inside})" if inside else str(method["name"])
