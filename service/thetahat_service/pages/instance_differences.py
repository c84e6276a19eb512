"""The instances on which two models differ most, as the page of an evaluation shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from thetahat_presentation.document import Cell, Name, Number, Pair, Table
from thetahat_presentation.numbers import count
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.wording import capitalise, find_block_word


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDifferences:
    """A page of instances, with what the form beside them has."""

    pair: tuple[str, str]
    """The two models."""
    names: Sequence[str]
    """Models that can be chosen."""
    search: str
    """What was searched for."""
    table: Table | None = None
    """The instances."""
    next: str = ""
    """Query of the next page; empty on the last."""
    problem: str = ""
    """Why there are none; empty if there are."""


def show_differences(
    found: Any, names: Sequence[str], result: Mapping[str, Any], search: str
) -> ShownDifferences:
    """Return a page of instances as a table.

    Parameters
    ----------
    found : InstanceDifferencesRead
        The instances; of a layer that pages do not import.
    names : sequence of str
        All models.
    result : mapping
        The result, which says what a block is called.
    search : str
        What was searched for.
    """
    has_blocks = any(model.get("blocks", 2) > 1 for model in result["models"].values())
    has_clusters = any(item.cluster is not None for item in found.items)
    precision = _find_precision([x for each in found.items for x in (each.a, each.b)])
    rows: list[list[Cell]] = [
        [
            Name(str(item.instance)),
            *[Name(str(item.block))] * has_blocks,
            *[Name(str(item.cluster))] * has_clusters,
            *(Number(value, precision) for value in (item.a, item.b, item.difference)),
        ]
        for item in found.items
    ]
    block = capitalise(find_block_word(result))
    columns = ["Instance", *[block] * has_blocks, *["Cluster"] * has_clusters]
    fits = " that fit the search" if search else ""
    caption = f"Instances by the size of the difference ({count(found.total, 'instance')}{fits})"
    further = {"a": found.a, "b": found.b, "search": search, "from": found.next}
    return ShownDifferences(
        pair=(found.a, found.b),
        names=names,
        search=search,
        table=Table(
            caption=caption,
            columns=[*columns, found.a, found.b, cell_text(Pair(found.a, found.b))],
            rows=rows,
            notes=["These are examples to read. The verdict rests on all instances."],
        ),
        next="" if found.next is None else urlencode(further),
    )


def _find_precision(losses: Sequence[float]) -> float | None:
    """Return the error with which numbers are written that have the decimals of the largest.

    That one has four significant digits, so that the columns line up. None for whole numbers.
    """
    largest = max((abs(loss) for loss in losses), default=0.0)
    if not 0 < largest < math.inf or all(loss == round(loss) for loss in losses):
        return None
    return float(10.0 ** (math.floor(math.log10(largest)) - 2))
