"""One repetition of a cell: a sample, the models' losses, and what the library says of them."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.comparisons import (
    allow_for_few_discordant,
    find_basis,
    find_basis_of_rates,
)
from thetahat.analyses.losses.inference import DOES_NOT_FIT
from thetahat.analyses.losses.method_selection import SelectedMethods, explain_misfit, select
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.paired_tests import run_paired_tests
from thetahat.analyses.losses.pairs import build_batches, compute_within_part
from thetahat.analyses.losses.recommended_intervals import RecommendedIntervalBuilder
from thetahat.analyses.losses.verdict_basis import (
    FewDiscordantBasis,
    PairedRatesBasis,
    VerdictBasis,
)
from thetahat.cross_validation import build_loss_table, build_rows, run_splits
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import PairedRatesInterval
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.schemes.base import Split
from thetahat.seeds import make_random_stream
from thetahat.tables.data import CLASSIFICATION, REGRESSION, Data
from thetahat.tables.features import Features
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import BlockKind, FloatArray, Target
from thetahat.variances import VARIANCES
from thetahat_replications.test_errors.designs import Cell
from thetahat_replications.test_errors.populations import (
    MODELS,
    N_FEATURES,
    DrawnRows,
    compute_linear_risk,
    draw_rows,
)

LEVEL: Final = 0.95
ALPHA: Final = 0.05
N_RESAMPLES: Final = 400
"""Resamples of tests by the bootstrap, a fifth of the service's default."""
COSTLY: Final = ("bootstrap_difference", "permutation", "bayesian_sign", "bayesian_signed_rank")
"""Tests that take milliseconds for each pair, which are computed in fewer repetitions."""
COSTLY_MULTIPLE: Final = ("cross_validation_with_confidence", "model_confidence_set")
"""Tests of several models that resample, likewise."""

Record = dict[str, float]
Bases = dict[tuple[str, Target], VerdictBasis]


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """One sample with the losses of the four models under one design."""

    table: LossTable
    """The losses."""
    truths: dict[str, float] | None
    """Risk of the fitted models, averaged over the splits, by model; None where unknown."""


def run_experiment(
    cell: Cell,
    seed: int,
    *,
    n: int | None = None,
    n_sources: int | None = None,
    models: Sequence[str] = MODELS,
    **scheme_parameters: int,
) -> Experiment:
    """Draw a sample and return the models' losses.

    ``n`` and ``n_sources`` are other sizes than those of the cell; the strength of the models stays
    the same.
    """
    design = cell.design
    rows = cell.n if n is None else n
    sources = design.n_sources if n_sources is None else n_sources
    drawn = draw_rows(
        cell.loss, design.groups, cell.n, rows, sources, make_random_stream(seed, "rows")
    )
    scheme = design.build_scheme(**scheme_parameters)
    data = {model: _build_data(cell, drawn, model) for model in models}
    first = data[models[0]]
    if cell.trained == "fixed":
        return Experiment(_build_fixed_table(cell, drawn, models), None)
    splits = list(scheme.splits(build_rows(first), seed))
    loss, learner = LOSSES[cell.loss](), _build_learner(cell)
    outcomes = {
        model: run_splits(model, learner, data[model], splits, loss, seed) for model in models
    }
    table = build_loss_table(first, scheme.block_kind, outcomes, loss)
    if cell.trained == "stable":
        tested = np.concatenate([split.test for split in splits])
        losses = {
            model: BlockLosses(table.layout, values=drawn.fixed_losses[model][tested])
            for model in models
        }
        return Experiment(replace(table, models=losses), None)
    truths = None
    if design.has_truths:
        truths = {model: _compute_risk(cell, drawn, model, splits, seed) for model in models}
    return Experiment(table, truths)


def _build_learner(cell: Cell) -> Any:
    method: Any = LEARNERS["linear_discriminant" if cell.loss == "zero_one" else "ridge"]
    return method()


def _build_data(cell: Cell, drawn: DrawnRows, model: str, more: FloatArray | None = None) -> Data:
    """Return the rows with the model's features; ``more`` are further rows of features."""
    features, y = drawn.features[model], drawn.y.astype(np.float64)
    if more is not None:
        features, y = np.vstack([features, more]), np.append(y, np.zeros(len(more)))
    names = tuple(f"x{column}" for column in range(N_FEATURES))
    classes = cell.loss == "zero_one"
    return Data(
        features=Features(names, tuple(np.ascontiguousarray(features.T))),
        y=y.astype(np.intp if classes else np.float64),
        task=CLASSIFICATION if classes else REGRESSION,
        classes=(0, 1) if classes else (),
        source=drawn.source if more is None else None,
        cluster=drawn.cluster if more is None else None,
    )


def _build_fixed_table(cell: Cell, drawn: DrawnRows, models: Sequence[str]) -> LossTable:
    """Return the losses of models that were trained elsewhere, by source or as one test set."""
    by_source = cell.design.blocks == BlockKind.SOURCE.value
    layout = build_layout(
        BlockKind.SOURCE if by_source else BlockKind.HOLDOUT,
        drawn.source if by_source and drawn.source is not None else np.zeros(len(drawn.y), np.intp),
        cluster=drawn.cluster,
        n_train=0 if by_source else None,
    )
    losses = {model: BlockLosses(layout, values=drawn.fixed_losses[model]) for model in models}
    return LossTable(layout, losses)


def _compute_risk(
    cell: Cell, drawn: DrawnRows, model: str, splits: Sequence[Split], seed: int
) -> float:
    """Return the average risk of the models of all splits, from their linear rules.

    A rule is read from its scores, or its predictions, at the origin and at each unit vector.
    """
    n, points = len(drawn.y), np.vstack([np.zeros(N_FEATURES), np.eye(N_FEATURES)])
    rows = np.arange(n, n + len(points))
    at_points = [Split(s.repeat, s.block, s.label, s.train, rows) for s in splits]
    data = _build_data(cell, drawn, model, points)
    outcomes = run_splits(
        model,
        _build_learner(cell),
        data,
        at_points,
        LOSSES[cell.loss](),
        seed,
        keep_predictions=True,
    )
    risks = []
    for outcome in outcomes:
        values = outcome.scores if cell.loss == "zero_one" else outcome.output
        assert values is not None  # noqa: S101 - both learners give them
        constant = float(values[0])
        risks.append(compute_linear_risk(cell.loss, model, cell.n, constant, values[1:] - constant))
    return math.fsum(risks) / len(risks)


def repeat_cell(cell: Cell, seed: int, index: int, n_costly: int) -> Record:
    """Return the numbers of one repetition, by name.

    Names are ``interval/PAIR/TARGET/FIELD``, ``test/PAIR/TEST``, ``multiple/MODELS/TEST`` and
    ``truth/PAIR``. A pair is named by the model that is compared with ``a``.
    """
    own_seed = make_seed(seed, cell.name, index)
    experiment = run_experiment(cell, own_seed)
    choices = Choices(control="a")
    record = record_bases(experiment.table)
    if experiment.truths is not None:
        for model in MODELS[1:]:
            record[f"truth/{model}"] = experiment.truths[model] - experiment.truths["a"]
    table = experiment.table
    for pair, difference in _list_differences(table):
        record[f"mean/{pair}"] = difference.moments.macro_mean
    record.update(_run_tests(table, choices, own_seed, costly=index < n_costly))
    for names in (MODELS[:3], MODELS):
        chosen = replace(table, models={name: table.models[name] for name in names})
        record.update(_run_multiple_tests(chosen, choices, own_seed, costly=index < n_costly))
    return record


def record_bases(table: LossTable, only: Target | None = None) -> Record:
    """Return what the verdicts of each pair and target rest on."""
    record: Record = {}
    for (pair, target), basis in find_bases(table, only).items():
        place, degrees = f"interval/{pair}/{target.value}", basis.degrees_of_freedom
        record[f"{place}/difference"] = basis.difference
        record[f"{place}/error"] = basis.standard_error
        record[f"{place}/degrees"] = math.inf if degrees is None else degrees
        if isinstance(basis, PairedRatesBasis | FewDiscordantBasis):
            for field in fields(PairedCounts):
                value = getattr(basis.counts, field.name)
                record[f"{place}/{field.name}"] = math.inf if value is None else value
    return record


def make_seed(seed: int, name: str, index: int) -> int:
    """Return the seed of one repetition of a cell."""
    return int(make_random_stream(seed, name, index).integers(2**62)) ^ zlib.crc32(name.encode())


def _list_differences(table: LossTable) -> Iterator[tuple[str, BlockLosses]]:
    """Yield the difference of each model and ``a``, with ``a`` subtracted."""
    for pairs, _ in build_batches(table, "a"):
        for pair in pairs:
            yield pair.a, pair.losses.difference


def find_bases(table: LossTable, only: Target | None = None) -> Bases:
    """Return the recommended interval of each pair and target, on which a verdict would rest."""
    choices = Choices(control="a")
    layout = table.layout
    variances = _select_without_resampling("variances", VARIANCES, layout, choices)
    intervals = _select_without_resampling("intervals", INTERVALS, layout, choices)
    on_variance = tuple(
        entry
        for entry in intervals.methods
        if isinstance(entry.method, PairedRatesInterval)
        or entry.method.info.interval.form.value in {"t", "normal"}
    )
    intervals = intervals._replace(methods=on_variance)
    bases: Bases = {}
    for target in Target if only is None else (only,):
        with_target = replace(choices, target=target)
        builder = RecommendedIntervalBuilder.prepare(layout, target, variances, intervals)
        for pairs, _ in build_batches(table, "a"):
            for pair in pairs:
                built = builder.build_best(
                    pair.losses.difference, with_target, None, OmittedMethods(), pair.counts
                )
                within = target is Target.NEW_SOURCE
                basis: VerdictBasis | None = None
                if built is not None and built.of_rates is not None and pair.counts is not None:
                    basis = find_basis_of_rates(built.interval, built.of_rates, pair.counts)
                elif built is not None and pair.constant is None:
                    basis = find_basis(
                        built, compute_within_part(pair.losses.difference) if within else None
                    )
                    if basis is not None:
                        basis = allow_for_few_discordant(basis, built, pair)
                if basis is not None:
                    bases[pair.a, target] = basis
    return bases


def _select_without_resampling(
    family: str, registry: Mapping[str, Any], layout: Any, choices: Choices
) -> SelectedMethods[Any]:
    selected = select(family, None, registry, layout, choices)
    kept = tuple(
        entry
        for entry in selected.methods
        if not any(name == "n_resamples" for name in entry.method.__dataclass_fields__)
    )
    return selected._replace(methods=kept, named=False)


def _run_tests(table: LossTable, choices: Choices, seed: int, *, costly: bool) -> Record:
    selected = select("tests", None, PAIRED_TESTS, table.layout, choices)
    methods = tuple(
        entry._replace(method=_reduce_resamples(entry.method))
        for entry in selected.methods
        if costly or entry.name not in COSTLY
    )
    selected = SelectedMethods(methods, named=False)
    record: Record = {}
    for pairs, batch in build_batches(table, "a"):
        outcomes = run_paired_tests(batch, selected, choices, seed, OmittedMethods())
        for pair, of_pair in zip(pairs, outcomes, strict=True):
            for key, outcome in of_pair.items():
                value = outcome.p_value
                if outcome.posterior is not None:
                    # twice the smaller tail, as a two-sided p-value would be
                    value = 2 * min(1 - outcome.posterior.p_left, 1 - outcome.posterior.p_right)
                record[f"test/{pair.a}/{key}/{outcome.target.value}"] = (
                    math.nan if value is None else value
                )
    return record


def _reduce_resamples(method: Any) -> Any:
    if "n_resamples" in method.__dataclass_fields__:
        return replace(method, n_resamples=N_RESAMPLES)
    return method


def _run_multiple_tests(table: LossTable, choices: Choices, seed: int, *, costly: bool) -> Record:
    names = "".join(table.names)
    selected = select("omnibus", None, MULTIPLE_TESTS, table.layout, choices, len(table.names))
    record: Record = {}
    for entry in selected.methods:
        if explain_misfit(entry.method, table.layout, len(table.names)) is not None:
            continue
        if entry.name in COSTLY_MULTIPLE and not costly:
            continue
        with suppress(*DOES_NOT_FIT):
            method = _reduce_resamples(entry.method)
            outcome = method.test(table, make_random_stream(seed, f"omnibus/{entry.key}"))
            record[f"multiple/{names}/{entry.key}/{outcome.target.value}"] = outcome.p_value
    return record
