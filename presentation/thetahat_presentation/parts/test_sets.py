"""How often the test set of a result was used before."""

from __future__ import annotations

from typing import Final

from thetahat_presentation.document import Json
from thetahat_presentation.numbers import format_count

CAUTION: Final = "test_set_used_often"
KNOWN_BY: Final = {
    "content": "known by its content",
    "targets": "known by its true values",
    "instances": "known by the names of its instances",
}


def describe_test_set(result: Json) -> list[str]:
    """Return the number of a comparison on its test set, from the second one on.

    Where the result has the caution that the test set was used often, it is that of the caution.
    """
    for caution in result.get("cautions") or ():
        if caution.get("code") == CAUTION and "message" in caution:
            return [str(caution["message"])]
    use = (result.get("provenance") or {}).get("test_set") or {}
    n = use.get("comparisons", 1)
    if n < 2:
        return []
    known_by = KNOWN_BY.get(str(use.get("known_by")), "")
    return [f"This is comparison {format_count(n)} on this test set{known_by and f', {known_by}'}."]
