"""How many claims of the kept studies hold, fail and are undecided.

``python -m thetahat_replications.kept_claims`` prints a row for each kept preset and their sums.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from thetahat_replications.kept_studies import list_kept_studies, read_kept_study
from thetahat_replications.markdown_pages import write_table

VERDICTS: Final = ("holds", "fails", "undecided")


def count_claims(results: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, int]]:
    """Return the number of claims by verdict, for each result by the name of its preset."""
    counts = {}
    for name, result in results.items():
        verdict_counts = Counter(claim["verdict"] for claim in result["claims"])
        counts[name] = {verdict: verdict_counts[verdict] for verdict in VERDICTS}
    return counts


def format_counts(counts: dict[str, dict[str, int]]) -> str:
    """Return the counts as a table in Markdown, with the sums in its last row."""
    sums = {
        verdict: sum(by_verdict[verdict] for by_verdict in counts.values()) for verdict in VERDICTS
    }
    lines = write_table(
        ("preset", *VERDICTS),
        (
            (name, *(str(by_verdict[verdict]) for verdict in VERDICTS))
            for name, by_verdict in {**counts, "all presets": sums}.items()
        ),
    )
    return "\n".join(lines)


def main() -> None:
    """Print the counts of all kept results."""
    results = {name: read_kept_study(name) for name in list_kept_studies()}
    sys.stdout.write(f"{format_counts(count_claims(results))}\n")


if __name__ == "__main__":
    main()
