"""Random tables of losses: labels of every kind, and columns that are no losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.service.surfaces.table_files import Table

IDS = st.integers(2**53, 2**53 + 3) | st.just(1_790_000_000_000_000_001) | st.just(2**63 + 5)
SMALL = st.integers(-3, 8)
PADDED = st.sampled_from(["01", "1", "001", "2", "10"])
TEXTS = st.sampled_from(
    ["x", "x ", "é", "e\u0301", "a,b", 'say "so"', "1;2", "None", "\u4e2d", "NA"]
)
NAMES = st.sampled_from(
    ["label", "school", "user_id", "fold", "id", "query", "cluster", "block", "item", "lang", "sex"]
)
LOSSES = st.floats(0, 1, allow_subnormal=False).map(lambda v: round(v, 3))
VALUES = st.sampled_from(
    [
        LOSSES,
        st.floats(-1e6, 1e6, allow_subnormal=False),
        st.integers(0, 5).map(float),
        st.integers(0, 5),
        st.booleans(),
    ]
)
BESIDE = (
    *("mean", "difference", "code", "total", "index", "gaps", "latency", "seed", "faulty"),
    *("constant", "truth", "unnamed", "prediction", "rating", "time"),
)


@st.composite
def labels(draw: st.DrawFn, n: int) -> list[Any]:
    """Return (n,) labels of one kind, of which some may be missing."""
    kind = draw(st.sampled_from([IDS, SMALL, PADDED, TEXTS]))
    values = draw(st.lists(kind, min_size=n, max_size=n))
    if draw(st.integers(0, 3)) == 0:
        values[draw(st.integers(0, n - 1))] = None
    return values


@st.composite
def loss_tables(draw: st.DrawFn) -> Table:
    """Return a table with a column of labels, and with losses of two or three models."""
    n = draw(st.integers(6, 12))
    names = draw(st.sampled_from([("a", "b"), ("loss_a", "loss_b"), ("a", "b", "c")]))
    table: Table = {draw(NAMES): draw(labels(n))}
    kind = draw(VALUES)
    for name in names:
        table[name] = draw(st.lists(kind, min_size=n, max_size=n))
    if draw(st.integers(0, 4)) == 0:
        table[names[-1]][draw(st.integers(0, n - 1))] = None
    return table


@st.composite
def odd_tables(draw: st.DrawFn) -> Table:
    """Return such a table with a column, a row or a cell that is no loss."""
    table = draw(loss_tables())
    label, *models = table
    n, first = len(table[label]), models[0]
    numbers = [[0.0 if v is None else float(v) for v in table[name]] for name in models]
    kind = draw(st.sampled_from(BESIDE))
    fractions = draw(st.lists(LOSSES, min_size=n, max_size=n))
    match kind:
        case "code":
            table[first][n // 2] = -999.0
        case "total":
            for name, values in zip(models, numbers, strict=True):
                table[name] = [*values, float(np.mean(values))]
            table[label].append(table[label][0])
        case "faulty":
            table[first] = [None if v is None else repr(v) for v in table[first]]
            table[first][n // 2] = "x1"
        case _:
            added: dict[str, tuple[str, list[Any]]] = {
                "mean": ("average_of", [float(v) for v in np.mean(numbers, axis=0)]),
                "difference": ("delta", [float(v) for v in np.subtract(numbers[0], numbers[1])]),
                "index": ("", list(range(n))),
                "gaps": ("", [3 * i * 7 % n + 1 for i in range(n)]),
                "latency": ("latency_ms", [100 * v for v in fractions]),
                "seed": ("seed", [i % 3 for i in range(n)]),
                "constant": ("temperature", [0.7] * n),
                "truth": ("y_true", [float(v > 0.5) for v in fractions]),
                "unnamed": ("column_1", fractions),
                "prediction": ("prediction", fractions),
                "rating": ("rater_1", [round(4 * v) for v in fractions]),
                "time": ("time", sorted(fractions)),
            }
            name, beside = added[kind]
            table[name] = beside
    return table


@st.composite
def long_tables(draw: st.DrawFn) -> Table:
    """Return scores with a row for each item, model and run, in any order.

    Items may have a task or a cluster; a score, or a row, may be missing.
    """
    n = draw(st.integers(5, 8))
    kinds: list[list[Any]] = [
        [2**53 + i for i in range(n)],
        [f"{i:03}" for i in range(n)],
        ["x", "x ", "\u00e9", "e\u0301", "a,b", "None", "\u4e2d", "1;2"][:n],
        [*range(n)],
    ]
    items = draw(st.sampled_from(kinds))
    models = draw(st.sampled_from([["new", "old"], ["gpt 4.1", "gpt 4.10"], ["01", "1"]]))
    beside = draw(st.sampled_from(["", "task", "cluster", "seed"]))
    runs = draw(st.integers(2, 3)) if beside == "seed" else 1
    values = st.integers(0, 1000).map(lambda v: v / 1000) | st.none()
    rows: list[dict[str, Any]] = []
    for i, item in enumerate(items):
        for model in models:
            rows += [
                {"item": item, "model": model, "score": draw(values), "seed": run}
                | {"task": "uv"[i % 2], "cluster": f"c{i // 2}"}
                for run in range(runs)
            ]
    rows = draw(st.permutations(rows))
    if draw(st.integers(0, 3)) == 0:
        rows = rows[1:]
    names = ["item", "model", "score", *filter(None, [beside])]
    return {name: [row[name] for row in rows] for name in names}
