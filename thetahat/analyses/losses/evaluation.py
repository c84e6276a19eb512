"""A whole evaluation: from a loss table and choices to the tree that the service stores."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from thetahat.analyses.losses.bootstrap import Resampling
from thetahat.analyses.losses.brief_comparisons import SharedCautions, affordable, detail_of, doubt
from thetahat.analyses.losses.cautions import doubts
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.comparisons import Methods, compare
from thetahat.analyses.losses.covariance import covariance
from thetahat.analyses.losses.inference import infer
from thetahat.analyses.losses.method_selection import select
from thetahat.analyses.losses.models import model_told
from thetahat.analyses.losses.multiple_tests import compare_all
from thetahat.analyses.losses.not_applicable import LeftOut
from thetahat.analyses.losses.pairs import places
from thetahat.analyses.losses.refit_estimates import NOTHING_FOUND, FoundBySubject
from thetahat.analyses.losses.weighted_risks import ALL_RISKS, Risks, Weights, add_risks
from thetahat.intervals import INTERVALS
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.values.block_losses import LossTable
from thetahat.values.json_values import plain, told
from thetahat.variances import VARIANCES


def evaluate(  # noqa: PLR0913 - losses, choices and seed, and what may come with them
    table: LossTable,
    choices: Choices,
    seed: int,
    weights: Weights | None = None,
    found: FoundBySubject = NOTHING_FOUND,
    risks: Risks = ALL_RISKS,
) -> dict[str, Any]:
    """Return the result of an evaluation, all but its ``provenance``, as plain JSON values.

    Parameters
    ----------
    table : LossTable
        The losses of all models.
    choices : Choices
        What to report; ``check`` says beforehand whether it fits.
    seed : int
        The job's seed; the same table, choices and seed give the same numbers.
    weights : ndarray of float, mapping or None
        (n,) importance weights of the rows, or by model; they add ``risks`` and change nothing
        else.
    found : mapping
        What was estimated beforehand by fitting again, by model name and by pair of names.
    risks : mapping
        The estimators of weighted risks, by their key in the result.

    Raises
    ------
    EvaluationError
        A method that was named cannot be used on these losses. Defaulted ones are listed in
        ``not_applicable`` instead.
    """
    pairs = places(table.names, choices.control)
    n_pairs = len(pairs)
    detail = detail_of(choices.detail, n_pairs)
    shared = SharedCautions() if detail == "brief" else None
    methods = _methods_for(table, choices, in_brief=shared is not None)
    omnibus = select(
        "omnibus", choices.omnibus, MULTIPLE_TESTS, table.layout, choices, len(table.names)
    )
    in_full = shared is None or methods.intervals.named
    told_pairs = [(table.names[i], table.names[j]) for i, j in pairs] if in_full else []
    resampling = Resampling.of(table, methods.intervals, told_pairs, seed)
    methods = replace(
        methods,
        intervals=resampling.unasked(
            methods.intervals, named_variances=methods.variances.named, for_pairs=False
        ),
    )
    limits = (choices.range or table.loss_range) if choices.clip else None
    left_out = LeftOut()
    for selection in (methods.variances, methods.intervals, methods.tests, omnibus):
        left_out.take(selection)

    models = _models_told(table, methods, choices, limits, left_out, found, resampling)
    comparisons = compare(
        table, methods, choices, seed, limits, left_out, found, shared, resampling
    )
    told_once: dict[str, Any] = {}
    if shared is not None:
        told_once["comparison_tests"] = shared.tests()
        told_once["comparison_cautions"] = shared.settle(comparisons)
    cautions = doubts(
        table,
        clip_without_range=choices.clip and limits is None,
        n_pairs=n_pairs,
        correction=choices.correction,
    )
    result = {
        "models": models,
        "detail": detail,
        "comparisons": comparisons,
        **told_once,
        "omnibus": compare_all(table, omnibus, choices, seed, left_out),
        "covariance": covariance(table),
        "block_labels": plain(table.layout.block_labels),
        "not_applicable": left_out.listed(),
        "cautions": told([*cautions, *doubt(detail, choices.detail, n_pairs)]),
    }
    if weights is not None:
        add_risks(result, table, weights, choices, risks)
    return result


def _methods_for(table: LossTable, choices: Choices, *, in_brief: bool) -> Methods:
    """Return what is computed for each model and pair; in brief without what costs too much."""
    layout = table.layout
    tests = select("tests", choices.tests, PAIRED_TESTS, layout, choices)
    return Methods(
        select("variances", choices.variances, VARIANCES, layout, choices),
        select("intervals", choices.intervals, INTERVALS, layout, choices),
        affordable(tests) if in_brief else tests,
    )


def _models_told(  # noqa: PLR0913 - what is asked, on what, and where to note what was left out
    table: LossTable,
    methods: Methods,
    choices: Choices,
    limits: tuple[float, float] | None,
    left_out: LeftOut,
    found: FoundBySubject,
    resampling: Resampling,
) -> dict[str, Any]:
    """Return ``models``: the means, variances and intervals of each."""
    return {
        name: model_told(
            losses,
            infer(
                losses,
                methods.variances,
                methods.intervals,
                choices,
                limits,
                left_out,
                found.get(name, ()),
                resampling.of_model(name),
            ),
        )
        for name, losses in table.models.items()
    }
