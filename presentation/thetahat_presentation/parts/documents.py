"""The document of a result that compares models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from thetahat_presentation.document import (
    MOST_SENTENCES,
    Caution,
    Document,
    Findings,
    Json,
    Section,
)
from thetahat_presentation.numbers import format_count, format_number
from thetahat_presentation.parts.cautions import (
    PlacedCaution,
    group_cautions,
    list_other_cautions,
    split_failures,
    walk_named_cautions,
)
from thetahat_presentation.parts.costs import build_costs_section
from thetahat_presentation.parts.findings import find_about_models
from thetahat_presentation.parts.groups import build_groups_section, iterate_group_cautions
from thetahat_presentation.parts.judge import build_judge_section
from thetahat_presentation.parts.methods import list_method_tables
from thetahat_presentation.parts.metrics import list_metric_tables
from thetahat_presentation.parts.model_table import tabulate_models
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.parts.omnibus import tabulate_omnibus
from thetahat_presentation.parts.pair_additions import build_additions_section
from thetahat_presentation.parts.pairs import tabulate_more_pairs, tabulate_pairs
from thetahat_presentation.parts.population import list_population_tables
from thetahat_presentation.parts.probabilities import (
    build_probabilities_section,
    iterate_probability_cautions,
)
from thetahat_presentation.parts.runs import build_runs_section
from thetahat_presentation.parts.seeds import build_seeds_section
from thetahat_presentation.parts.sources import choose_pair, compare_by_source
from thetahat_presentation.parts.studied import (
    explain_unstudied,
    list_calibration_tables,
    list_study_tables,
)
from thetahat_presentation.parts.test_sets import describe_test_set
from thetahat_presentation.wording import list_names

MOST_ASKED: Final = 6
"""Names that a question lists."""


def build_models_document(  # noqa: PLR0913 - what a kind has of its own
    result: Json,
    request: Json,
    pair: tuple[str, str] | None,
    *,
    headline: str | None = None,
    outcome: Sequence[str] = (),
    main: Section | None = None,
    more_cautions: Sequence[PlacedCaution] = (),
) -> Document:
    """Return the document of a result with models.

    Parameters
    ----------
    result, request : mapping
        The result and the request.
    pair : tuple of str or None
        The models that are compared by source; None for the two best.
    headline : str or None
        The headline of a kind with another question than which model is best.
    outcome : sequence of str
        The answer to the kind's own question.
    main : Section or None
        The tables of the kind's own question.
    more_cautions : sequence of PlacedCaution
        Cautions of what the kind shows beside models.
    """
    shown = ModelsResult(result, request)
    counted = describe_test_set(result)
    sentences = [*outcome, *shown.list_sentences(), *counted]
    # Of many verdicts the headline and the table of pairs show which matter. Without any interval
    # of a difference, every verdict says the same.
    has_intervals = any(each["interval"] is not None for each in shown.comparisons)
    is_short = len(sentences) <= MOST_SENTENCES and (has_intervals or len(shown.comparisons) < 2)
    chosen = choose_pair(shown)
    sources = compare_by_source(shown, *(pair or chosen)) if chosen else None
    placed = [
        *shown.iterate_shown_cautions(),
        *iterate_group_cautions(shown),
        *iterate_probability_cautions(shown),
        *more_cautions,
    ]
    cautions = group_cautions(placed, list(shown.models))
    main = main and main.without_empty_tables()
    sections = [main, *_list_sections(shown, sources)]
    headline = shown.write_verdict() if headline is None else headline
    return Document(
        gate=_tell_gate(result),
        headline=headline,
        findings=find_about_models(shown, cautions)
        if main is None
        else _find(headline, [*outcome, *counted], main, cautions, shown.describe_scope()),
        sentences=sentences,
        n_first=len(sentences) if is_short else len(outcome) + 1,
        sections=_keep_content(sections),
        scope=shown.describe_scope(),
        cautions=cautions,
        other_cautions=list_other_cautions(result, cautions),
        model_names=shown.names if chosen else (),
        pair=(pair or chosen) if sources else None,
        unit=shown.unit,
        units=shown.units,
        higher_is_better=shown.higher_is_better,
        has_intervals=has_intervals,
    )


def build_other_document(result: Json, outcome: Sequence[str], main: Section) -> Document:
    """Return the document of a result that compares no models."""
    cautions = group_cautions(walk_named_cautions(result))
    main = main.without_empty_tables()
    headline = outcome[0] if outcome else ""
    return Document(
        headline=headline,
        findings=_find(headline, outcome[1:], main, cautions),
        sentences=outcome[1:],
        sections=_keep_content([main]),
        cautions=cautions,
        other_cautions=list_other_cautions(result, cautions),
    )


def _find(
    headline: str,
    outcome: Sequence[str],
    main: Section,
    cautions: Sequence[Caution],
    scope: str = "",
) -> Findings:
    """Return the answer to the own question of a kind."""
    failures, others = split_failures(cautions)
    return Findings(
        verdict=headline,
        tables=main.tables,
        sentences=outcome,
        caution=next((each for each in others if each.severity != "info"), None),
        limit=scope,
        failures=failures,
    )


def ask_about_models(result: Json, request: Json) -> list[str]:
    """Return the question of a comparison of models, and what the answer allows for."""
    shown = ModelsResult(result, request)
    target = shown.summary.get("target")
    is_as_trained = target == "these_models"
    about = f" {shown.about(target)}" if target and not is_as_trained else ""
    names = list(shown.models)
    if len(names) == 1:
        about = " as trained" if is_as_trained else about
        question = f"How large is the {shown.quantity} of {names[0]}{about}?"
    else:
        two, many = ("higher", "highest") if shown.higher_is_better else ("lower", "lowest")
        extreme = two if len(names) == 2 else many
        is_long = len(names) > MOST_ASKED
        which = f"{format_count(len(names))} models" if is_long else list_names(names, MOST_ASKED)
        which = f"{which}, as trained," if is_as_trained else which
        question = (
            f"Which of {which} has the {extreme} {shown.quantity}{about}, and is the difference "
            "more than chance?"
        )
    if shown.margin is None:
        return [question]
    return [question, f"Differences of up to {format_number(shown.margin)} do not matter."]


def _list_sections(shown: ModelsResult, sources: Section | None) -> list[Section | None]:
    size = "How high is the score?" if shown.higher_is_better else "How large is the error?"
    more_pairs = tabulate_more_pairs(shown)
    return [
        Section(name="models", title=size, tables=[tabulate_models(shown)]),
        Section(
            name="pairs",
            title="Which differ?",
            tables=[tabulate_pairs(shown), tabulate_omnibus(shown)],
            more_title=f"Pairs without {shown.reference} ({len(more_pairs.rows)} of them)",
            more=[more_pairs],
        ),
        build_judge_section(shown),
        build_groups_section(shown),
        build_costs_section(shown),
        build_probabilities_section(shown),
        build_additions_section(shown),
        build_runs_section(shown),
        build_seeds_section(shown),
        sources,
        Section(
            name="metrics",
            title="What do other metrics say?",
            tables=list_metric_tables(shown),
        ),
        Section(
            name="population",
            title="What does it say about the target population?",
            tables=list_population_tables(shown),
        ),
        Section(
            name="calibration",
            title="Do such intervals hold in simulations?",
            sentences=explain_unstudied(shown),
            tables=[*list_study_tables(shown), *list_calibration_tables(shown)],
            is_detail=True,
        ),
        Section(
            name="methods",
            title="Methods and numbers",
            more_title="Every interval, variance and test",
            more=list_method_tables(shown),
            is_detail=True,
        ),
    ]


def _tell_gate(result: Json) -> str:
    """Return whether the gate of a request passes, with the reason; empty without a gate."""
    gate = result.get("gate")
    return f"Gate: {gate['outcome']}. {gate['sentence']}" if gate else ""


def _keep_content(sections: Iterable[Section | None]) -> list[Section]:
    """Return the sections that say something, without tables that have no rows."""
    present = [section.without_empty_tables() for section in sections if section is not None]
    return [each for each in present if each.sentences or each.more or each.tables]
