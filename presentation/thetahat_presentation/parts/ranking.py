"""Who shares the first rank, and which gap a test set can resolve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from thetahat_presentation.document import Json
from thetahat_presentation.numbers import format_number, format_percent
from thetahat_presentation.wording import list_names

MOST_NAMED: Final = 6


def describe_ranking(result: Json) -> list[str]:
    """Return which models share the first rank, and the smallest gap; empty for fewer than three.

    Models share rank 1 if none is shown to be better than any of them.
    """
    ranking: Json | None = result.get("ranking")
    if ranking is None:
        return []
    ranks: Mapping[str, Json] = ranking.get("ranks") or {}
    first = [name for name, rank in ranks.items() if rank["best"] == 1]
    sentences = []
    if len(first) == 1:
        sentences.append(f"{first[0]} alone has rank 1.")
    elif first:
        others = len(first) - 1
        sentences.append(
            f"{first[0]} shares rank 1 with {others} of {len(ranks) - 1} others: "
            f"{list_names(first[1:], MOST_NAMED)}. None of them is shown to be worse than any."
        )
    if ranking.get("smallest_gap") is not None:
        gap = format_number(float(f"{ranking['smallest_gap']:.2g}"))
        sentences.append(
            f"This test set can resolve a difference of {gap} from {ranking['compared_with']}: a "
            f"model that is truly so much worse is shown to be worse with probability "
            f"{format_percent(ranking['power'])}. Smaller gaps on this board may be chance."
        )
    return sentences
