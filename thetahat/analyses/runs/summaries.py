"""The runs of items in the result of an evaluation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from thetahat.analyses.runs.components import Components, find_share_of_runs, split_variance
from thetahat.analyses.runs.pass_at import check_pass_at, compute_pass_all, compute_pass_at
from thetahat.analyses.runs.result import (
    PassAt,
    RunPlan,
    RunsOfModel,
    RunsOfPair,
    VarianceComponent,
)
from thetahat.analyses.runs.success_rates import add_expected_coverage, estimate_success_rate
from thetahat.analyses.runs.values import RunValues
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number, format_percent
from thetahat.values.types import Label


@dataclass(frozen=True, eq=False)
class RunParts:
    """The runs of all models, and what the request asks about them."""

    values: Mapping[str, RunValues]
    """The losses by model, before they were averaged."""
    items: Sequence[Label]
    """(I,) names of the items."""
    higher_is_better: bool
    """Whether the numbers are scores: a run then succeeds with 1, else with 0."""
    pass_at: tuple[int, ...] = ()
    """Numbers of runs of which at least one is to succeed."""

    def check(self) -> None:
        """Refuse numbers of runs that do not fit the losses."""
        check_pass_at(self.pass_at, [*self.values.items()], self.items)

    def summarise_model(self, name: str, layout: Layout, level: float) -> RunsOfModel | None:
        """Return the runs of a model; None where every item has one run."""
        runs = self.values.get(name)
        if runs is None or int(runs.counts.max()) == 1:
            return None
        parts = split_variance(runs)
        plans = () if parts is None else _plan(parts)
        flips = _compute_flip_rate(runs)
        found = {str(k): self._estimate_pass_at(runs, layout, k, level) for k in self.pass_at}
        is_crossed = parts is not None and parts.run is not None
        return RunsOfModel(
            items=len(runs.counts),
            runs_per_item=(int(runs.counts.min()), int(runs.counts.max())),
            design="crossed" if is_crossed else "nested",
            components=None if parts is None else _list_components(parts),
            standard_error_of_new_runs=None
            if parts is None or not is_crossed
            else math.sqrt(
                parts.compute_variance_of_mean(parts.n_items, parts.n_runs, new_runs=True)
            ),
            plans=plans,
            flip_rate=flips,
            pass_at=found or None,
            sentence=_write(runs, parts, plans, flips, found),
        )

    def summarise_pair(self, a: str, b: str) -> RunsOfPair | None:
        """Return the runs in the difference of two models; None where every item has one run."""
        pair = self.values.get(a), self.values.get(b)
        if pair[0] is None or pair[1] is None:
            return None
        if max(int(pair[0].counts.max()), int(pair[1].counts.max())) == 1:
            return None
        share = find_share_of_runs(pair[0], pair[1])
        if share is None:
            sentence = f"How much the runs add to the difference of {a} and {b} is not known."
        else:
            sentence = (
                f"The runs make {_write_share(min(share, 1.0))} of the variance of the difference "
                f"of {a} and {b}; the rest comes from the items."
            )
        return RunsOfPair(share_of_runs=share, sentence=sentence)

    def _estimate_pass_at(self, runs: RunValues, layout: Layout, k: int, level: float) -> PassAt:
        ones = np.rint(np.bincount(runs.item, weights=runs.values)).astype(np.intp)
        successes = ones if self.higher_is_better else runs.counts - ones
        one_of, all_of = (
            add_expected_coverage(
                estimate_success_rate(BlockLosses(layout, values=by_item), level), layout
            )
            for by_item in (
                compute_pass_at(runs.counts, successes, k),
                compute_pass_all(runs.counts, successes, k),
            )
        )
        of_one = {field.name: getattr(one_of, field.name) for field in fields(one_of)}
        return PassAt(**of_one, all_succeed=all_of)


def _list_components(parts: Components) -> dict[str, VarianceComponent]:
    n, r = parts.n_items, parts.n_runs
    of_mean = {"item": parts.item / n, "residual": parts.residual / (n * r)}
    variances = {"item": parts.item, "residual": parts.residual}
    if parts.run is not None:
        of_mean["run"], variances["run"] = parts.run / r, parts.run
    total = sum(of_mean.values())
    has_shares = total > 0 and min(of_mean.values()) >= 0
    return {
        name: VarianceComponent(
            variance=variances[name], share=of_mean[name] / total if has_shares else None
        )
        for name in variances
    }


def _plan(parts: Components) -> tuple[RunPlan, ...]:
    runs = max(1, round(parts.n_runs))
    choices = ((2 * parts.n_items, runs), (parts.n_items, 2 * runs))
    return tuple(
        RunPlan(
            items=items,
            runs=each,
            standard_error=math.sqrt(
                parts.compute_variance_of_mean(items, each, new_runs=parts.run is not None)
            ),
        )
        for items, each in choices
    )


def _compute_flip_rate(runs: RunValues) -> float | None:
    """Return how often two runs of an item differ, over the items with two runs or more."""
    if not runs.are_zero_one:
        return None
    n = runs.counts
    ones = np.bincount(runs.item, weights=runs.values)
    several = n > 1
    if not several.any():
        return None
    n, ones = n[several], ones[several]
    return float(np.mean(2 * ones * (n - ones) / (n * (n - 1))))


def _write_share(share: float) -> str:
    return format_percent(round(share, 2 if 0.01 <= share <= 0.99 else 4))


def _write(
    runs: RunValues,
    parts: Components | None,
    plans: tuple[RunPlan, ...],
    flips: float | None,
    found: Mapping[str, PassAt],
) -> str:
    least, most = int(runs.counts.min()), int(runs.counts.max())
    each = f"{most} runs each" if least == most else f"{least} to {most} runs each"
    n_items = len(runs.counts)
    sentences = [f"{n_items} {'item' if n_items == 1 else 'items'} with {each}"]
    if parts is None:
        sentences[0] += ": one item says nothing about other items"
    elif parts.item < 0:
        sentences[0] += ": the runs explain all of the variance, so that items look alike"
    else:
        of_runs = parts.residual / parts.n_runs
        if parts.item + of_runs > 0:
            share = of_runs / (parts.item + of_runs)
            sentences[0] += f": the runs make {_write_share(share)} of the variance over items"
    if runs.run is not None and runs.matrix is None:
        sentences.append(
            "Some items lack a run that others have, so runs of one name are not taken as alike"
        )
    if plans:
        items, more_runs = plans
        sentences.append(
            f"{items.items} items with {items.runs} runs would have a standard error of "
            f"{format_number(items.standard_error)}, {more_runs.items} items with "
            f"{more_runs.runs} runs one of {format_number(more_runs.standard_error)}"
        )
    if flips is not None:
        sentences.append(f"Two runs of an item differ in {_write_share(flips)}")
    sentences += [
        f"At least one of {k} runs succeeds in {_write_share(one.estimate)}, and all do in "
        f"{_write_share(one.all_succeed.estimate)}"
        for k, one in found.items()
        if k != "1"
    ]
    return ". ".join(sentences) + "."
