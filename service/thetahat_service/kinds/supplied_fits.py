"""Losses of extra fits that a client has made, for estimators that need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.refit_estimates import ModelOrPair, RefitEstimate
from thetahat.analyses.losses.result import MethodUsed
from thetahat.error_paths import errors_located_at
from thetahat.errors import InvalidParameter, Loc, shorten_value
from thetahat.refit_estimators import RequestedRefit, check_independent_rows, compute_estimates
from thetahat.values.block_losses import MAX_LOSS, LossTable
from thetahat.values.types import FloatArray, IntArray
from thetahat_service.kinds.fields.list_items import LossItem, NumberItem
from thetahat_service.kinds.fields.locations import locate_errors_within
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.numbers import check_number, read_number_array

if TYPE_CHECKING:
    from thetahat.refit_estimators._supplied_fits import SuppliedRefit


class ResampledLosses(Schema):
    """Losses of models that were fitted to bootstrap resamples of the data."""

    resamples: list[list[int]] = Field(
        min_length=2,
        description="The row numbers of each resample, counted from 0: as many as the data have "
        "rows, drawn with replacement.",
    )
    losses: dict[str, list[list[LossItem]]] = Field(
        min_length=1,
        description="By model, for each resample the loss of every row of the data; null for rows "
        "that are in the resample, whose losses are not used.",
    )
    correct_noise: bool = Field(
        False,
        strict=True,
        description="Whether to subtract from the variance the part that comes from having few "
        "resamples.",
    )
    average: Literal["instance", "split"] = Field(
        "instance",
        description="Whether the error is averaged over instances (the leave-one-out bootstrap) or "
        "over resamples.",
    )


class HalvesLosses(Schema):
    """Mean losses of models that were fitted to subsamples of the data and of their halves."""

    subsamples: dict[str, list[NumberItem]] = Field(
        min_length=1, description="By model, the mean loss of each of J subsamples of all data."
    )
    halves: dict[str, list[list[list[NumberItem]]]] = Field(
        min_length=1,
        description="By model, for each cut of the data in two halves, two lists: the mean losses "
        "of J subsamples of either half. All test parts have the same size.",
    )


class SuppliedFits(Schema):
    """Losses of extra fits, by the estimator that uses them."""

    out_of_bag: ResampledLosses | None = Field(
        None, description="Losses under bootstrap resamples, for the out-of-bag error."
    )
    conservative_z: HalvesLosses | None = Field(
        None, description="Mean losses of subsamples and halves, for the conservative variance."
    )


class SuppliedFitsField(Schema):
    """The losses of extra fits in a request."""

    fits: SuppliedFits | None = Field(
        None,
        description="Losses of extra fits of the same models, under bootstrap resamples or under "
        "subsamples of halves of the data. They add the out-of-bag error and the conservative "
        "variance to the result.",
    )


class SuppliedEstimators(NamedTuple):
    """Estimators with the losses of the fits that they need."""

    refits: tuple[SuppliedRefit, ...] = ()
    """The methods, each with the losses of every model."""

    @property
    def methods(self) -> tuple[RequestedRefit, ...]:
        """The methods."""
        return tuple(method for method, _ in self.refits)

    def compute(self, choices: Choices) -> dict[ModelOrPair, list[RefitEstimate]]:
        """Return the estimates for every model and every pair."""
        estimates: dict[ModelOrPair, list[RefitEstimate]] = {}
        for method, losses in self.refits:
            for subject, new_estimates in compute_estimates([method], losses, choices).items():
                estimates.setdefault(subject, []).extend(new_estimates)
        return estimates

    def list_methods_used(self) -> list[MethodUsed]:
        """Return the methods as records, without the resamples."""
        parameters = {
            "out_of_bag": ("n_resamples", "correct_noise", "average"),
            "conservative_z": ("n_halvings", "n_subsamples"),
        }
        return [
            MethodUsed(
                family="variances",
                name=method.name,
                params={field: getattr(method.method, field) for field in parameters[method.name]},
            )
            for method in self.methods
        ]


def read_supplied_fits(fits: SuppliedFits | None, table: LossTable) -> SuppliedEstimators:
    """Read the losses of extra fits; they must be of the models of the table."""
    if fits is None:
        return SuppliedEstimators()
    if table.left_out is not None:
        raise InvalidParameter(
            f"{table.left_out.n_rows} rows are left out of the losses, and the losses in fits are "
            "of all rows. Send losses of the remaining rows only, or leave fits out.",
            loc=("fits",),
        )
    if table.higher_is_better:
        raise InvalidParameter(
            "The field fits has losses, of which lower ones are better, and better is 'higher'. "
            "Send losses, or leave fits out.",
            loc=("fits",),
        )
    refits: list[SuppliedRefit] = []
    with locate_errors_within(("fits",)):
        if fits.out_of_bag is not None:
            with locate_errors_within(("out_of_bag",)):
                refits.append(_read_out_of_bag(fits.out_of_bag, table.names))
        if fits.conservative_z is not None:
            with locate_errors_within(("conservative_z",)):
                refits.append(_read_conservative_z(fits.conservative_z, table.names))
    estimators = SuppliedEstimators(tuple(refits))
    layout = table.layout
    for method in estimators.methods:
        with errors_located_at(("fits", method.name)):
            check_independent_rows(
                (method,),
                layout.kind,
                source=False,
                cluster=layout.cluster is not None,
                time=False,
            )
    return estimators


def _read_out_of_bag(sent_values: ResampledLosses, names: Sequence[str]) -> SuppliedRefit:
    from thetahat.refit_estimators._supplied_fits import count_copies, supply_out_of_bag  # noqa: PLC0415 - seldom needed

    _check_models(sent_values.losses, names, "losses")
    counts = count_copies([_format_row_numbers(rows) for rows in sent_values.resamples])
    n, n_resamples = len(counts[0]), len(counts)
    losses: dict[str, list[FloatArray]] = {}
    for model in names:
        of_model = sent_values.losses[model]
        if len(of_model) != n_resamples:
            raise InvalidParameter(
                f"The model {model!r} has losses of {len(of_model)} resamples, and there are "
                f"{n_resamples}. Give one list for each resample.",
                loc=("losses", model),
                value=len(of_model),
            )
        losses[model] = [
            _read_out_losses(values, copies == 0, n, ("losses", model, b))
            for b, (values, copies) in enumerate(zip(of_model, counts, strict=True))
        ]
    return supply_out_of_bag(
        counts,
        losses,
        correct_noise=sent_values.correct_noise,
        average=sent_values.average,
    )


def _format_row_numbers(rows: list[int]) -> IntArray:
    return np.array([min(max(row, -1), 2**62) for row in rows], dtype=np.intp)


def _read_out_losses(values: list[Any], is_out: np.ndarray, n: int, loc: Loc) -> FloatArray:
    """Return (n,) losses of one resample; those of rows in the resample are 0."""
    if len(values) != n:
        raise InvalidParameter(
            f"There are {len(values)} losses, and a resample has {n} rows. Give the loss of every "
            "row of the data, null for rows that are in the resample.",
            loc=loc,
            value=len(values),
        )
    losses = np.zeros(n)
    for row in np.flatnonzero(is_out).tolist():
        loss = check_number(values[row], (*loc, row))
        if abs(loss) > MAX_LOSS:
            raise InvalidParameter(
                f"The loss {loss:g} is larger than {MAX_LOSS:g} in size. Rescale the losses.",
                loc=(*loc, row),
                value=shorten_value(loss),
            )
        losses[row] = loss
    return losses


def _read_conservative_z(sent_values: HalvesLosses, names: Sequence[str]) -> SuppliedRefit:
    from thetahat.refit_estimators._supplied_fits import supply_conservative_z  # noqa: PLC0415 - seldom needed

    for field in ("subsamples", "halves"):
        _check_models(getattr(sent_values, field), names, field)
    subsamples = {
        m: read_number_array(sent_values.subsamples[m], ("subsamples", m), largest=MAX_LOSS)
        for m in names
    }
    n_subsamples = len(subsamples[names[0]])
    n_halvings = len(sent_values.halves[names[0]])
    halves: dict[str, FloatArray] = {}
    for model in names:
        _check_number("subsamples", len(subsamples[model]), n_subsamples, ("subsamples", model))
        cuts = sent_values.halves[model]
        _check_number("cuts", len(cuts), n_halvings, ("halves", model))
        halves[model] = np.empty((n_halvings, 2, n_subsamples))
        for m, cut in enumerate(cuts):
            loc: Loc = ("halves", model, m)
            _check_number("halves", len(cut), 2, loc)
            for h, half in enumerate(cut):
                _check_number("subsamples", len(half), n_subsamples, (*loc, h))
                halves[model][m, h] = read_number_array(half, (*loc, h), largest=MAX_LOSS)
    return supply_conservative_z(subsamples, halves)


def _check_number(noun: str, number: int, expected: int, loc: Loc) -> None:
    """Refuse lists of different length, and empty ones."""
    if number != expected or number == 0:
        raise InvalidParameter(
            f"There are {number} {noun} here, and {max(expected, 1)} are needed: every model, cut "
            "and half has the same number.",
            loc=loc,
            value=number,
        )


def _check_models(losses: Mapping[str, object], names: Sequence[str], field: str) -> None:
    """Refuse losses of other models than those of the request."""
    for model in dict.fromkeys([*losses, *names]):
        if model not in losses or model not in names:
            reason = "is missing here" if model in names else "is none of the request's losses"
            raise InvalidParameter(
                f"The model {model!r} {reason}. Give the same models in {field} as in the losses "
                f"of the request: {', '.join(names)[:200]}.",
                loc=(field, model),
                value=model,
            )
