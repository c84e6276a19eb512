"""Letters that mark the groups of models which a test of all models cannot tell apart."""

from __future__ import annotations

from string import ascii_lowercase

from thetahat_client.result_types import ModelsResult, has_post_hoc_test


def group_letters(result: ModelsResult) -> tuple[dict[str, str], str]:
    """Return the letters of each model's groups, and the note that explains them.

    Models that share a letter do not differ. The groups are those of the test that has a critical
    difference. Both are empty where no test has one, or there are more groups than letters.
    """
    for name, test in result.get("omnibus", {}).items():
        if not has_post_hoc_test(test):
            continue
        diagram = test["diagram"]
        critical, groups = diagram["critical_difference"], diagram["groups"]
        if critical is None or not groups or len(groups) > len(ascii_lowercase):
            continue
        letters = dict.fromkeys(result["models"], "")
        for letter, group in zip(ascii_lowercase, groups, strict=False):
            for model in group:
                letters[model] += letter
        score = diagram["score"].replace("_", " ")
        note = (
            f"groups: models that share a letter are not shown to differ by {name} at "
            f"{diagram['alpha']:g} (critical difference {critical:.2f} of {score}); models "
            "without a letter differ from all others"
        )
        return letters, note
    return {}, ""
