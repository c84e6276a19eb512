"""How a small table of losses is understood, as the OpenAPI document shows it."""

from __future__ import annotations

from typing import Any, Final

TABLE: Final = "school,old,new\ns0,0.2,0.1\ns1,0.4,?\ns0,0.3,0.2\ns1,0.5,0.4\n"

_NO_FAULTS: Final[dict[str, Any]] = {
    "missing": 0,
    "first_missing": None,
    "missing_marks": {},
    "not_numbers": 0,
    "first_not_numbers": [],
}

UNDERSTANDING: Final[dict[str, Any]] = {
    "id": "5f0c7f0e-8f5b-5b8e-9d4e-2f6f0a4c1d3b",
    "rows": 4,
    "columns": [
        {
            "name": "school",
            "type": "string",
            "role": "label",
            "reason": "is text, with 2 different values in 4 rows",
            "is_named_label": True,
            "task": "classification",
            "distinct": 2,
            "examples": ["s0", "s1"],
            **_NO_FAULTS,
        },
        {
            "name": "old",
            "type": "number",
            "role": "model",
            "reason": "has numbers",
            "is_named_label": False,
            "task": "regression",
            "distinct": 4,
            "examples": ["0.2", "0.4", "0.3"],
            **_NO_FAULTS,
        },
        {
            "name": "new",
            "type": "number",
            "role": "model",
            "reason": "has numbers",
            "is_named_label": False,
            "task": "regression",
            "distinct": 3,
            "examples": ["0.1", "0.2", "0.4"],
            **_NO_FAULTS,
            "missing": 1,
            "first_missing": 1,
            "missing_marks": {"?": 1},
        },
    ],
    "columns_left_out": 0,
    "kind": "losses",
    "kind_reason": "'old' and 'new' have numbers as losses or scores of the same rows are, and no "
    "column has the name of true values.",
    "questions": [
        "How good each of 2 models is on rows like these: yes (old, new).",
        "Which of them is better, as they are trained: yes, paired.",
        (
            "Whether this holds for a new school: name it as the block; if rows with the same "
            "school only depend on each other, name it as the cluster."
        ),
        (
            "For whom a model is worst: yes, by school (--group school; --blocks holdout if the "
            "rows are independent)."
        ),
        (
            "What grades of a judge add to labels: no. A column of grades for each model would be "
            "needed (--judge MODEL=COLUMN)."
        ),
        (
            "How much runs of one item vary: no. A column of items, which several rows share, "
            "would be needed (--item COLUMN)."
        ),
        (
            "How neighbours in time depend on each other: no. A column with the time of each row "
            "would be needed (--time COLUMN)."
        ),
        (
            "How far raters agree: no. Two columns with ratings of the same rows would be needed "
            "(thetahat agreement FILE --rater COLUMN --rater COLUMN)."
        ),
    ],
}
"""What the service answers for ``TABLE``."""
