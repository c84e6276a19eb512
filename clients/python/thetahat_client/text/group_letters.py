"""Letters that mark the groups of models which a test of all models cannot tell apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_lowercase
from typing import Any


def group_letters(result: Mapping[str, Any]) -> tuple[dict[str, str], str]:
    """Return the letters of each model's groups, and the note that explains them.

    Models that share a letter do not differ. The groups are those of the test that has a critical
    difference. Both are empty where no test has one, or there are more groups than letters.
    """
    for name, test in (result.get("omnibus") or {}).items():
        diagram = test.get("diagram") or {}
        critical = diagram.get("critical_difference")
        groups: Sequence[Sequence[str]] = diagram.get("groups") or ()
        if critical is None or not groups or len(groups) > len(ascii_lowercase):
            continue
        letters = dict.fromkeys(result["models"], "")
        for letter, group in zip(ascii_lowercase, groups, strict=False):
            for model in group:
                letters[model] += letter
        score = str(diagram["score"]).replace("_", " ")
        note = (
            f"groups: models that share a letter are not shown to differ by {name} at "
            f"{diagram['alpha']:g} (critical difference {critical:.2f} of {score}); models "
            "without a letter differ from all others"
        )
        return letters, note
    return {}, ""
