"""How many claims of the kept studies hold, fail and are undecided.

``python -m thetahat_replications.kept_claims [FOLDER]`` prints a row for each kept preset and their
sums.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Final

VERDICTS: Final = ("holds", "fails", "undecided")
DEFAULT_FOLDER: Final = Path("docs/results")


def count_claims(folder: Path) -> dict[str, dict[str, int]]:
    """Return the number of claims by verdict, for each preset with a ``result.json``."""
    counts = {}
    for path in sorted(folder.glob("*/result.json")):
        claims = json.loads(path.read_text(encoding="utf-8"))["claims"]
        verdict_counts = Counter(claim["verdict"] for claim in claims)
        counts[path.parent.name] = {verdict: verdict_counts[verdict] for verdict in VERDICTS}
    return counts


def format_counts(counts: dict[str, dict[str, int]]) -> str:
    """Return the counts as a table in Markdown, with the sums in its last row."""
    sums = {
        verdict: sum(by_verdict[verdict] for by_verdict in counts.values()) for verdict in VERDICTS
    }
    rows = [*counts.items(), ("all presets", sums)]
    lines = ["| preset | holds | fails | undecided |", "|---|---|---|---|"]
    lines += [
        f"| {name} | {' | '.join(str(by_verdict[verdict]) for verdict in VERDICTS)} |"
        for name, by_verdict in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the counts of the folder that is named, or of ``docs/results``."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_FOLDER
    sys.stdout.write(f"{format_counts(count_claims(folder))}\n")


if __name__ == "__main__":
    main()
