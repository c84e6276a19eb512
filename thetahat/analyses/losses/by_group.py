"""The models and comparisons of an evaluation by groups of rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from thetahat.analyses.groups.columns import (
    Grouping,
    collect_units,
    find_group_cautions,
    group_units,
)
from thetahat.analyses.groups.model_groups import GroupMetrics, GroupOptions, describe_model
from thetahat.analyses.groups.pair_groups import PairCorrection, describe_pair
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.pair_family import PairFamily
from thetahat.analyses.losses.result import Comparison, ModelResult
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.cautions import Caution
from thetahat.intervals.clopper_pearson import ClopperPearson
from thetahat.intervals.wilson import Wilson
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import IntArray

MeasureGroups: TypeAlias = Callable[[GroupRows, GroupOptions], Mapping[str, GroupMetrics]]
"""Returns the metrics of every model in every group."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupsOfTable:
    """The groups of a table of losses."""

    groupings: tuple[Grouping, ...]
    """The groups of the rows of the table, by column or intersection."""
    unused: tuple[str, ...] = ()
    """Group columns that group_by does not name."""
    measure: MeasureGroups | None = None
    """Computes metrics in groups, where the request names any."""

    def take(self, rows: IntArray) -> GroupsOfTable:
        """Return the groups of rows by their numbers."""
        return replace(self, groupings=tuple(each.take(rows) for each in self.groupings))

    def check(self, layout: Layout) -> None:
        """Raise an exception for a layout whose instances have no groups or several."""
        units = collect_units(layout)
        for grouping in self.groupings:
            group_units(grouping, units)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The cautions about the columns."""
        return find_group_cautions(self.groupings, self.unused)


def _asks_for_exact_rates(choices: Choices) -> bool:
    """Return whether the intervals that a request names have exact ones of rates, not Wilson's."""
    named = {type(entry.method) for entry in choices.intervals or ()}
    return ClopperPearson in named and Wilson not in named


def add_groups(  # noqa: PLR0913 - what an evaluation consists of
    groups: GroupsOfTable,
    table: LossTable,
    choices: Choices,
    family: PairFamily,
    seed: int,
    models: Mapping[str, ModelResult],
    comparisons: tuple[Comparison, ...],
) -> tuple[dict[str, ModelResult], tuple[Comparison, ...]]:
    """Return the models and comparisons with what they are in each group."""
    options = GroupOptions(
        level=choices.level,
        margin=choices.margin,
        seed=seed,
        has_gaps=choices.includes(ResultPart.GROUP_GAPS),
        has_exact_rates=_asks_for_exact_rates(choices),
    )
    alpha = family.pair_alpha
    correction = PairCorrection(
        alpha=alpha,
        n_pairs=1 if alpha == family.alpha else family.n_pairs,
        n_groupings=len(groups.groupings),
    )
    by_key = {each.key: GroupRows.build(each, table.layout) for each in groups.groupings}
    measured = {}
    if groups.measure is not None:
        measured = {key: groups.measure(rows, options) for key, rows in by_key.items()}
    with_groups = {
        name: replace(
            model,
            groups={
                key: describe_model(
                    table.models[name], rows, options, measured.get(key, {}).get(name)
                )
                for key, rows in by_key.items()
            },
        )
        for name, model in models.items()
    }
    compared = tuple(
        replace(
            pair,
            groups={
                key: describe_pair(
                    (pair.a, pair.b),
                    (table.models[pair.a], table.models[pair.b]),
                    rows,
                    options,
                    correction,
                )
                for key, rows in by_key.items()
            },
        )
        for pair in comparisons
    )
    return with_groups, compared
