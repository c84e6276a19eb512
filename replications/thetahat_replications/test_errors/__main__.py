"""Run the study of tests, verdicts and plans, and write its table and its page.

``python -m thetahat_replications.test_errors --output FOLDER`` writes ``test_errors.json``, which
the library reads for ``expected_size`` and for cautions, and ``test_errors.md``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from thetahat.analyses.studies.oracle_shares import add_oracles
from thetahat_replications.test_errors.designs import DESIGNS
from thetahat_replications.test_errors.findings import write_findings
from thetahat_replications.test_errors.oracles import list_oracles
from thetahat_replications.test_errors.page import write_page
from thetahat_replications.test_errors.plan_checks import check_plans
from thetahat_replications.test_errors.repeat_checks import check_repeats
from thetahat_replications.test_errors.repetitions import LEVEL
from thetahat_replications.test_errors.simulation import N_COSTLY, simulate
from thetahat_replications.test_errors.tables import find_margin, tabulate

PLANNED: Final = 200
"""Samples of each cell whose plans are carried out."""
PLACE: Final = ("design", "loss", "n", "trained")
COLUMNS: Final = (
    *PLACE,
    "subject",
    "name",
    "target",
    "own_null",
    "size",
    "size_error",
    "power",
    "power_error",
)
VALUES: Final = {"zero_one": "binary", "squared": "unbounded"}
"""What the losses of the study are like, by wire name."""
GROUPS: Final = {design.name: design.groups for design in DESIGNS}
MATCHED: Final = (
    "words",
    "blocks",
    "folds",
    "repeated",
    "clusters",
    "cluster_size",
    "fixed",
    "share",
)

Row = dict[str, Any]


def flatten(rows: Iterator[Row]) -> tuple[list[Row], list[Row]]:
    """Return the rows with each number in its own column, and those of words."""
    flat, words = [], []
    for row in rows:
        place = {name: row[name] for name in PLACE}
        power = row["power"] or (None, None)
        flat.append(
            {
                **place,
                "subject": row["subject"],
                "name": row["name"],
                "target": row["target"],
                "own_null": is_own_null(row),
                "size": row["size"][0],
                "size_error": row["size"][1],
                "power": power[0],
                "power_error": power[1],
            }
        )
        if "words" in row:
            words.append(
                {**place, "target": row["target"], "default": row["default"], **row["words"]}
            )
    return flat, words


def is_own_null(row: Mapping[str, Any]) -> bool:
    """Return whether equal models make the null hypothesis of the row's own target true.

    Not so for a test of fitted models, which differ by their training, and not on sources that
    favour one model or the other unless it is about new sources. The verdict is held against
    the true difference of its target.
    """
    if row["subject"] == "verdict":
        return True
    if GROUPS[row["design"]] == "own sources" and row["target"] != "new_source":
        return False
    return bool(row["trained"] != "trained" or row["target"] != "these_models")


def write_json(
    rows: Sequence[Row],
    words: Sequence[Row],
    plans: Sequence[Row],
    repeats: Sequence[Row],
    oracles: Sequence[Row],
    **numbers: int,
) -> str:
    """Return the file that the library reads: rows as lists, in the order of ``columns``."""
    head = {
        "level": LEVEL,
        **numbers,
        "designs": {
            design.name: {name: getattr(design, name) for name in MATCHED} for design in DESIGNS
        },
        "values": VALUES,
        "columns": COLUMNS,
    }
    parts: dict[str, list[Any]] = {
        "rows": [[row[name] for name in COLUMNS] for row in rows],
        "words": list(words),
        "plans": list(plans),
        "repeats": list(repeats),
        "oracles": list(oracles),
    }
    texts = [json.dumps(head)[:-1]]
    for name, items in parts.items():
        lines = ",\n".join(json.dumps(item) for item in items)
        texts.append(f'"{name}": [\n{lines}\n]')
    return ",\n".join(texts) + "}\n"


def main() -> None:
    """Run the study and write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--plans", type=int, default=PLANNED)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument(
        "--records", type=Path, help="Folder that keeps parts, so that a study can go on."
    )
    options = parser.parse_args()
    records = simulate(options.seed, options.repetitions, options.processes, options.records)
    rows, words = flatten(tabulate(records))
    margins = {name: find_margin(of_cell) for name, of_cell in records.items()}
    plans = check_plans(margins, options.seed, options.plans, options.processes)
    repeats = check_repeats(options.seed, options.plans, options.processes)
    oracles = list(list_oracles(records))
    numbers = {"seed": options.seed, "repetitions": options.repetitions, "costly": N_COSTLY}
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "test_errors.json").write_text(
        write_json(rows, words, plans, repeats, oracles, **numbers)
    )
    rows = add_oracles(rows, oracles)
    findings = write_findings(rows, words, plans, repeats)
    page = write_page(rows, words, plans, repeats, findings, **numbers, planned=options.plans)
    (options.output / "test_errors.md").write_text(page)


if __name__ == "__main__":
    main()
