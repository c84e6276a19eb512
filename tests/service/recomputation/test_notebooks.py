"""Notebooks whose cells are run, and give the recorded numbers."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.default_include import set_default_include
from tests.service.api.test_result_parts import REQUESTS
from tests.service.recomputation.kept_evaluations import OF_ROWS, keep_request, keep_table
from thetahat_service.errors import PartsNotKept, TooLarge
from thetahat_service.kinds.examples import REQUEST, read_examples
from thetahat_service.recomputation import notebooks
from thetahat_service.recomputation.kept import KeptEvaluation
from thetahat_service.recomputation.main_numbers import list_main_numbers
from thetahat_service.recomputation.notebooks import write_notebook

HOSTILE = ["'); import os; os.abort() #", '"""', "a\nb\\", "{x}", "\u202eevil", "`#*_"]
OPTIONS: dict[str, dict[str, Any]] = {
    **OF_ROWS,
    "gate": {
        **REQUESTS["sources"],
        "gate": {"model": "b", "against": "a", "require": "not_worse"},
        "target": "new_source",
        "level": 0.9,
        "power": 0.9,
    },
    "methods": {
        **REQUESTS["long"],
        "variances": ["nadeau_bengio", "bayle_within"],
        "intervals": ["student_t", {"name": "student_t", "as": "again"}],
        "tests": [{"name": "permutation", "params": {"n_resamples": 200}, "as": "shuffled"}],
    },
    "sizes": {
        "kind": "losses",
        "blocks": "random",
        "losses": {"a": [1.0, 2.0, 3.0, 5.0] * 2, "b": [2.0, 2.5, 3.0, 4.0] * 2},
        "block": ["x", "x", "y", "y", "x", "y", "x", "y"],
        "repeat": [0] * 4 + [1] * 4,
        "n_train": {"x": 10, "y": 12},
        "include": "all",
    },
    "hostile": {
        "kind": "losses",
        "blocks": "source",
        "block_labels": [*HOSTILE[:3], "d"],
        "losses": {name: [[i, 1], [2, i], [3, 0.5], [0, i]] for i, name in enumerate(HOSTILE)},
    },
    "many": {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {f"m{i}": [[(i * j) % 7 / 7 for j in range(1, 31)]] for i in range(1, 11)},
    },
}
EXAMPLES = {
    f"example of {name}": read_examples(REQUEST)[name]
    for name in ("losses", "predictions", "cross_validation")
}


def read_code(notebook: bytes) -> list[str]:
    cells = json.loads(notebook)["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def run_cells_here(notebook: bytes) -> tuple[str, dict[str, Any]]:
    """Run the cells in a namespace of their own, with the defaults that users have."""
    output, values = io.StringIO(), {"__name__": "__main__"}
    set_default_include(())
    try:
        with contextlib.redirect_stdout(output):
            exec("\n".join(read_code(notebook)), values)
    finally:
        set_default_include("all")
    return output.getvalue(), json.loads(json.dumps(values["computed"]))


def run_cells(notebook: bytes, folder: Path) -> tuple[str, dict[str, Any]]:
    """Run the cells in a new process, and return its output and the numbers that it computed."""
    numbers = folder / "numbers.json"
    write = f"import json; json.dump(computed, open({str(numbers)!r}, 'w'))"
    program = folder / "cells.py"
    program.write_text("\n".join([*read_code(notebook), write]), encoding="utf-8")
    process = subprocess.run(
        [sys.executable, program], cwd=folder, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout, json.loads(numbers.read_text())


@pytest.mark.parametrize("name", [*EXAMPLES, *REQUESTS, *OPTIONS])
def test_exact_the_cells_of_a_notebook_compute_the_recorded_numbers(
    name: str, tmp_path: Path
) -> None:
    kept = keep_request({**EXAMPLES, **REQUESTS, **OPTIONS}[name], tmp_path)

    notebook = write_notebook(kept)
    is_alone = name in {*EXAMPLES, "hostile"}  # a new process for each takes most of the time
    output, computed = run_cells(notebook, tmp_path) if is_alone else run_cells_here(notebook)

    recorded = json.loads(json.dumps(list_main_numbers(json.loads(kept.result))))
    assert computed == recorded
    assert len(recorded) > 2
    assert f"{len(recorded)} values are equal to the bit" in output


def test_exact_losses_of_a_file_are_in_the_notebook(tmp_path: Path) -> None:
    output, _ = run_cells(write_notebook(keep_table(tmp_path, unit="school")), tmp_path)

    assert "values are equal to the bit" in output


def test_invalid_a_changed_loss_fails_the_last_cell(tmp_path: Path) -> None:
    kept = keep_table(tmp_path)
    losses, *rest = read_code(write_notebook(kept))
    changed = re.sub(r"\d\.\d+", "9.5", losses, count=1)
    program = "\n".join([changed, *rest])

    process = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert "AssertionError: Of " in process.stderr
    assert "values these are not the recorded ones: ['mean of old, macro'" in process.stderr


def test_exact_a_notebook_has_the_form_that_jupyter_reads(tmp_path: Path) -> None:
    notebook = json.loads(write_notebook(keep_request(OPTIONS["hostile"], tmp_path)))

    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    identifiers = [cell["id"] for cell in notebook["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in identifiers)
    for cell in notebook["cells"]:
        fields = {"cell_type", "id", "metadata", "source"}
        is_code = cell["cell_type"] == "code"
        assert set(cell) == fields | ({"outputs", "execution_count"} if is_code else set())
        assert all(line.endswith("\n") for line in cell["source"][:-1])
        if not is_code:  # names are no markup, and no number of the result is shown unchecked
            text = "".join(cell["source"])
            assert "\u202e" not in text
            assert "`#*_" not in text


def test_invalid_more_losses_than_a_notebook_has_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = keep_table(tmp_path)
    monkeypatch.setattr(notebooks, "MOST_LOSSES", 79)

    with pytest.raises(TooLarge, match="has 80 losses, and a notebook has room for 79"):
        write_notebook(kept)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (read_examples(REQUEST)["bootstrap"], "'bootstrap' does not follow from losses alone"),
        (read_examples(REQUEST)["selection"], "'selection' does not follow from losses alone"),
        (
            {
                "kind": "losses",
                "split_scores": {"a": [0.8, 0.7], "b": [0.9, 0.7]},
                "n_train": 20,
                "n_test": 10,
                "better": "higher",
            },
            "No losses of single rows are kept",
        ),
        (
            {**REQUESTS["cross_validation"], "scheme": "k_fold", "variances": ["out_of_bag"]},
            "out_of_bag used losses of extra fits",
        ),
    ],
)
def test_invalid_results_that_do_not_follow_from_losses_have_no_notebook(
    body: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(PartsNotKept, match=reason):
        write_notebook(keep_request(body, tmp_path))


def test_invalid_losses_of_an_older_release_have_no_notebook(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    kept = keep_table(tmp_path)
    assert isinstance(kept, KeptEvaluation)
    assert kept.losses is not None
    pq.write_table(pq.read_table(kept.losses).replace_schema_metadata(None), kept.losses)

    with pytest.raises(PartsNotKept, match="without their layout"):
        write_notebook(kept)
