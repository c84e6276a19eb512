"""The page of all rows: Markdown, JSON and one SVG figure for each task at several sizes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from benchmarks.rows import BUDGET_SECONDS, SLOW_SECONDS, Bench, BenchmarkRow
from thetahat_service.figures.rendering import render
from thetahat_service.figures.style import FONT

PAGE: Final = "README.md"
VALUES: Final = "rows.json"
MANY_SIZES: Final = 3
"""Tasks with so many sizes have a figure."""
LOADED: Final = 0.7
"""Load before the run from which the page says that others used the machine."""


def format_seconds(seconds: float | None) -> str:
    """Return a time with three digits and its unit."""
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def format_ratio(ratio: float | None) -> str:
    """Return a ratio with two digits, or nothing."""
    if ratio is None:
        return ""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def format_size(size: int) -> str:
    """Return a whole number with spaces between thousands."""
    return f"{size:,}".replace(",", " ")


def describe_row(row: BenchmarkRow) -> str:
    """Return a row as one line of the printed table."""
    name = f"{row.task}, {format_size(row.size)} {row.unit}" + (
        f", {row.setting}" if row.setting else ""
    )
    if row.error:
        return f"{name:84.84s} FAILED: {row.error}"
    parts = [f"{name:84.84s} {format_seconds(row.seconds):>8s}"]
    if row.peer_seconds is not None:
        parts.append(
            f"peer {format_seconds(row.peer_seconds):>8s} x{format_ratio(row.ratio_to_peer):<6s}"
        )
    if row.difference is not None:
        apart = "" if row.numbers_agree else " TOO LARGE"
        parts.append(f"difference {row.difference:.0e}{apart}")
    if row.ratio_to_limit is not None:
        parts.append(f"limit x{format_ratio(row.ratio_to_limit)}")
    if row.target_seconds is not None:
        parts.append(f"target {format_seconds(row.target_seconds)}")
    return "  ".join([*parts, row.note])


def remove_figures(folder: Path) -> None:
    """Remove the figures of an earlier run, and make the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()


def draw_figures(folder: Path, rows: Sequence[BenchmarkRow]) -> None:
    """Write the figure of each task that has several sizes; its rows must be complete."""
    for task, of_task in group_rows(rows).items():
        if has_figure(of_task):
            (folder / name_figure(task)).write_bytes(render(draw_growth(task, of_task), "svg"))


def write_page(folder: Path, rows: Sequence[BenchmarkRow], bench: Bench, seconds: float) -> None:
    """Write the page and the JSON of these rows into a folder."""
    values = {
        "machine": asdict(bench.limits),
        "short": bench.short,
        "seconds": round(seconds, 1),
        "rows": [
            asdict(row) | {"ratio_to_peer": row.ratio_to_peer, "ratio_to_limit": row.ratio_to_limit}
            for row in rows
        ],
    }
    (folder / VALUES).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    lines = [*_describe_run(rows, bench, seconds), *_list_targets(rows), *_summarise_tasks(rows)]
    for task, of_task in group_rows(rows).items():
        lines += ["", f"## {task[0].upper()}{task[1:]}", "", of_task[0].use]
        if has_figure(of_task):
            figure = f"![{task}: time by number of {of_task[0].unit}]({name_figure(task)})"
            lines += ["", figure]
        lines += ["", *_tabulate(of_task)]
        for reason in dict.fromkeys(row.reason for row in of_task if row.misses_target):
            lines += ["", f"**The target is missed.** {reason}".rstrip()]
    (folder / PAGE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def group_rows(rows: Sequence[BenchmarkRow]) -> dict[str, list[BenchmarkRow]]:
    """Return the rows by task, in the order of the tasks' first rows."""
    groups: dict[str, list[BenchmarkRow]] = {}
    for row in rows:
        groups.setdefault(row.task, []).append(row)
    return groups


def has_figure(rows: Sequence[BenchmarkRow]) -> bool:
    """Return whether the rows of a task were measured at enough sizes for a figure."""
    return len({row.size for row in rows if row.seconds}) >= MANY_SIZES


def name_figure(task: str) -> str:
    """Return the file name of a task's figure."""
    return re.sub(r"[^a-z0-9]+", "-", task.lower()).strip("-") + ".svg"


def _describe_run(rows: Sequence[BenchmarkRow], bench: Bench, seconds: float) -> list[str]:
    """Return the head of the page: the machine, how times were taken, and what failed."""
    limits, once = bench.limits, sum(row.repeats == 1 for row in rows)
    lines = [
        "# Speed",
        "",
        "Written by `make benchmarks`: every row in one run, beside what a user would call instead",
        "and beside the least time that this machine needs.",
        "",
        (
            f"- Machine: {limits.processor}, {limits.cores} cores; one core reads "
            f"{limits.bytes_per_second / 1e9:.1f} GB/s from memory and multiplies matrices at "
            f"{limits.flops_per_second / 1e9:.0f} Gflop/s. The run took {seconds / 60:.0f} minutes."
        ),
        (
            "- Times are processor seconds of one process with one BLAS thread, median of five;"
            f" they take turns. A call of more than {SLOW_SECONDS} seconds is timed once, and so is"
            f" every call from {BUDGET_SECONDS / 60:.0f} minutes on: {once} of {len(rows)} rows."
        ),
        (
            "- `times as fast` is the peer's time for each second of thetahat; `times the limit` is"
            " the time of thetahat for each second that reading the bytes or computing the products"
            " takes at the rates above. Data inside a cache are read faster: the ratio may be"
            " below one."
        ),
        "- `difference` is the largest difference of the numbers from the peer's.",
        f"- Every number is in [{VALUES}]({VALUES}).",
    ]
    if limits.load > LOADED:
        lines.append(
            f"- **Others used the machine during this run** (load {limits.load:.1f} before it): "
            "times that are not of one process, and rates, are worse than on a quiet machine."
        )
    if bench.short:
        lines.append("- **This is the short form**: small sizes, each timed once.")
    failed = [row for row in rows if row.error]
    apart = [row for row in rows if not row.error and not row.numbers_agree]
    slower = [row for row in rows if (row.ratio_to_peer or 1.0) < 1.0]
    for words, named in (
        ("Rows that failed", failed),
        ("Rows whose numbers differ more than expected", apart),
        ("Rows where the peer is faster", slower),
    ):
        names = "; ".join(
            f"{task} ({_join_sizes(of_task)})" if _join_sizes(of_task) else task
            for task, of_task in group_rows(named).items()
        )
        lines.append(f"- {words}: {names or 'none'}.")
    return lines


def _list_targets(rows: Sequence[BenchmarkRow]) -> list[str]:
    """Return the section of the rows that have a target: a line for each task and target."""
    groups: dict[tuple[str, float | None, float | None], list[BenchmarkRow]] = {}
    for row in rows:
        if row.target_seconds is not None or row.least_ratio is not None:
            key = (row.task, row.target_seconds, row.least_ratio)
            groups.setdefault(key, []).append(row)
    if not groups:
        return []
    lines = [
        "",
        "## Targets",
        "",
        "| task | sizes | measured | target | |",
        "|---|---|---:|---:|---|",
    ]
    for (task, seconds, ratio), of_target in groups.items():
        if seconds is not None:
            times = sorted(row.seconds for row in of_target if row.seconds is not None)
            measured = " to ".join(dict.fromkeys(format_seconds(t) for t in times[:1] + times[-1:]))
            target = format_seconds(seconds)
        else:
            peers = ", ".join(dict.fromkeys(row.peer for row in of_target))
            ratios = _join_range([row.ratio_to_peer for row in of_target])
            measured = f"{ratios} times as fast as {peers}"
            target = f"{format_ratio(ratio)} times"
        missed = [
            " ".join(filter(None, [_join_sizes([row]), row.setting]))
            for row in of_target
            if row.misses_target or row.error
        ]
        verdict = f"**missed** {'; '.join(missed)}".strip() if missed else "met"
        lines.append(
            f"| {_link(task)} | {_join_sizes(of_target)} | {measured} | {target} | {verdict} |"
        )
    return lines


def _summarise_tasks(rows: Sequence[BenchmarkRow]) -> list[str]:
    """Return the section with one line for each task that has a peer."""
    lines = [
        "", "## Beside others", "",
        "| task | sizes | instead one would use | times as fast | times the limit |",
        "|---|---|---|---:|---:|",
    ]  # fmt: skip
    beside = [row for row in rows if row.ratio_to_peer is not None]
    for task, of_task in group_rows(beside).items():
        peers = "; ".join(dict.fromkeys(row.peer for row in of_task)).replace("|", "/")
        ratios = _join_range([row.ratio_to_peer for row in of_task])
        limits = _join_range([row.ratio_to_limit for row in of_task])
        lines.append(f"| {_link(task)} | {_join_sizes(of_task)} | {peers} | {ratios} | {limits} |")
    return lines if beside else []


def _link(task: str) -> str:
    """Return a link to the section of a task."""
    anchor = re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", task.lower()))
    return f"[{task}](#{anchor})"


def _join_sizes(rows: Sequence[BenchmarkRow]) -> str:
    """Return the sizes of rows of one task, as in ``100 to 10 000 losses``; empty for one call."""
    sizes = sorted({row.size for row in rows})
    if sizes == [1]:
        return ""
    ends = dict.fromkeys([format_size(sizes[0]), format_size(sizes[-1])])
    return f"{' to '.join(ends)} {rows[0].unit}"


def _join_range(ratios: Sequence[float | None]) -> str:
    """Return the least and the largest of the ratios that are known, as in ``1.8 to 35``."""
    known = [ratio for ratio in ratios if ratio is not None]
    if not known:
        return ""
    return " to ".join(dict.fromkeys([format_ratio(min(known)), format_ratio(max(known))]))


def _tabulate(rows: Sequence[BenchmarkRow]) -> list[str]:
    """Return the rows of one task as a Markdown table."""
    lines = [
        (
            f"| {rows[0].unit} | setting | thetahat | peer | its time | times as fast | least time "
            "| times the limit | difference |"
        ),
        "|---:|---|---:|---|---:|---:|---|---:|---:|",
    ]
    for row in rows:
        setting = "; ".join(filter(None, [row.setting, row.note]))
        if row.error:
            lines.append(f"| {format_size(row.size)} | {setting} | failed: {row.error} |||||||")
            continue
        peer = row.peer
        if row.peer_share != 1:
            peer += f" (from {row.peer_share:.2g} of the work)"
        if row.target_seconds is not None:
            peer = f"target: {format_seconds(row.target_seconds)}"
        least = f"{format_seconds(row.limit_seconds)}: {row.limit}" if row.limit else ""
        difference = "" if row.difference is None else f"{row.difference:.0e}"
        cells = [
            format_size(row.size), setting, format_seconds(row.seconds), peer,
            format_seconds(row.peer_seconds), format_ratio(row.ratio_to_peer), least,
            format_ratio(row.ratio_to_limit), difference + ("" if row.numbers_agree else " (!)"),
        ]  # fmt: skip
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    return lines


def draw_growth(task: str, rows: Sequence[BenchmarkRow]) -> dict[str, Any]:
    """Return the specification of time by size."""
    points: list[dict[str, Any]] = []
    for row in rows:
        series = [("thetahat", row.seconds), (row.peer, row.peer_seconds)]
        series.append(("limit of the machine", row.limit_seconds))
        points += [
            {"size": row.size, "seconds": seconds, "who": who, "setting": row.setting}
            for who, seconds in series
            if seconds
        ]
    low = math.floor(math.log10(min(point["seconds"] for point in points)))
    high = math.ceil(math.log10(max(point["seconds"] for point in points)))
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "usermeta": {"title": task},
        "description": f"Seconds of {task} by number of {rows[0].unit}, both axes logarithmic.",
        "title": task,
        "background": "white",
        "width": 520,
        "height": 280,
        "config": {"font": FONT},
        "data": {"values": points},
        "mark": {"type": "line", "point": True},
        "encoding": {
            "x": {
                "field": "size", "type": "quantitative", "scale": {"type": "log"},
                "title": rows[0].unit, "axis": {"format": "~s", "grid": False},
            },
            "y": {
                "field": "seconds", "type": "quantitative", "title": "seconds",
                "scale": {"type": "log", "domain": [10.0**low, 10.0 ** max(high, low + 1)]},
            },
            "color": {"field": "who", "type": "nominal", "title": None, "sort": None},
            "detail": {"field": "setting"},
        },
    }  # fmt: skip
