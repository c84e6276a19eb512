"""The difference of two models in each source: whether it comes from a few or from most."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, median

from thetahat_presentation.document import Name, Number, Pair, Section, Table
from thetahat_presentation.numbers import format_number
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.wording import NO_SOURCES, capitalise, find_block_word, name_block


def choose_pair(shown: ModelsResult) -> tuple[str, str] | None:
    """Return the best and the second-best model; None where there is no pair or no source."""
    names = shown.names
    has_sources = shown.has_sources or find_block_word(shown.result) not in NO_SOURCES
    return (names[0], names[1]) if has_sources and len(names) > 1 else None


def compare_by_source(shown: ModelsResult, a: str, b: str) -> Section | None:
    """Return the difference of two models in each source; None where there is none."""
    models, labels = shown.models, shown.result.get("block_labels") or ()
    if a not in models or b not in models or a == b:
        return None
    blocks_a, blocks_b = (models[name].get("mean", {}).get("blocks") or () for name in (a, b))
    if not labels or len(blocks_a) != len(labels) or len(blocks_b) != len(labels):
        return None
    rows = sorted(zip(labels, blocks_a, blocks_b, strict=True), key=lambda row: row[1] - row[2])
    table = Table(
        caption=f"{capitalise(shown.quantity)} by {shown.unit}, sorted by the difference",
        columns=[capitalise(shown.unit), a, b, cell_text(Pair(a, b))],
        rows=[[Name(str(label)), Number(x), Number(y), Number(x - y)] for label, x, y in rows],
    )
    differences = [(str(label), x - y) for label, x, y in rows]
    return Section(
        name="sources",
        title=f"Is it a few {shown.units} or most?",
        sentences=[_describe(shown, a, b, differences)],
        more_title=f"Numbers of each {shown.unit}",
        more=[table],
        is_detail=True,
    )


def _describe(shown: ModelsResult, a: str, b: str, differences: Sequence[tuple[str, float]]) -> str:
    values = [difference for _, difference in differences]
    sign = 1 if shown.higher_is_better else -1
    n_better = sum(sign * value > 0 for value in values)
    label, extreme = max(differences, key=lambda item: abs(item[1]))
    mean = fmean(values)
    sentence = (
        f"{a} is better than {b} in {n_better} of {len(values)} {shown.units}. The mean "
        f"difference is {format_number(mean)}, the median {format_number(median(values))}; the "
        f"largest is {format_number(extreme)}, in {name_block(shown.unit, label)}."
    )
    if len(values) < 3:
        return sentence
    mean_without = (mean * len(values) - extreme) / (len(values) - 1)
    return f"{sentence} Without that {shown.unit} the mean would be {format_number(mean_without)}."
