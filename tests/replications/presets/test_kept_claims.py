"""The counts of claims in the table of the kept studies are those of their results."""

from __future__ import annotations

import re
from pathlib import Path

from thetahat_replications.kept_claims import VERDICTS, count_claims, format_counts
from thetahat_replications.kept_studies import list_kept_studies, read_kept_study
from thetahat_replications.presets import PRESETS

RESULTS = Path(__file__).parents[3] / "docs" / "results"
KEPT = {name: read_kept_study(name) for name in list_kept_studies()}


def test_exact_the_readme_counts_the_claims_of_every_kept_result() -> None:
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| \[`(\w+)`\]\(.*\| (\d+) \| (\d+) \| (\d+) \|$", text, flags=re.MULTILINE
    )
    counts = {name: dict(zip(VERDICTS, map(int, numbers), strict=True)) for name, *numbers in rows}
    assert counts == count_claims(KEPT)
    assert set(counts) == set(PRESETS)


# By hand: two presets with three claims.
def test_by_hand_counts_and_their_sums() -> None:
    verdicts = {"a": ["holds", "undecided"], "b": ["holds"]}
    results = {
        name: {"claims": [{"verdict": verdict} for verdict in listed]}
        for name, listed in verdicts.items()
    }
    assert format_counts(count_claims(results)).splitlines()[2:] == [
        "| a | 1 | 0 | 1 |",
        "| b | 1 | 0 | 0 |",
        "| all presets | 2 | 0 | 1 |",
    ]


def test_property_every_undecided_claim_says_why() -> None:
    for name, result in KEPT.items():
        for claim in result["claims"]:
            says_why = bool(claim.get("undecided_because"))
            assert says_why == (claim["verdict"] == "undecided"), (name, claim["text"])
    for path in RESULTS.glob("*/*.md"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "| **undecided** |" in line:
                assert "standard errors from the bound" in line, (path.name, line)
