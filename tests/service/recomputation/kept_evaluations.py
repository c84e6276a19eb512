"""Evaluations that were computed in this process, and bundles of them that can be changed."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from thetahat_service.in_process.evaluation import evaluate_in_process
from thetahat_service.in_process.files import open_file
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.running import Evaluated, run_request
from thetahat_service.outcomes.losses_file import write_losses
from thetahat_service.recomputation.bundles import write_bundle
from thetahat_service.recomputation.kept import KeptEvaluation

RNG = np.random.default_rng(5)
TABLE = {name: RNG.normal(1, 0.2, size=40).round(4).tolist() for name in ("old", "new")}
OF_ROWS: dict[str, dict[str, Any]] = {
    "runs": {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {"a": [0, 1, 1, 0, 0] * 8, "b": [0, 0, 1, 1] * 10},
        "item": [f"i{i // 2}" for i in range(40)],
        "better": "higher",
        "pass_at": [1, 2],
    },
    "time": {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {"a": [1.0, 2, 3, 5, 4, 2] * 6, "b": [2.0, 2.5, 3, 4] * 9},
        "time": [f"2026-01-{1 + i % 28:02}" for i in range(36)],
    },
}
"""Requests whose rows are runs of items, or are in the order of time."""


def keep(evaluated: Evaluated, folder: Path) -> KeptEvaluation:
    """Return an evaluation with its losses in a file of the folder."""
    losses = None
    if evaluated.losses is not None:
        losses = folder / "kept.parquet"
        with losses.open("wb") as file:
            write_losses(file, evaluated.losses)
    return KeptEvaluation(
        request=evaluated.request, result=encode_json(evaluated.result), losses=losses
    )


def keep_request(body: Mapping[str, Any], folder: Path) -> KeptEvaluation:
    """Return the evaluation of a request that holds its data."""
    return keep(run_request(body, {}), folder)


def keep_table(folder: Path, **fields: Any) -> KeptEvaluation:
    """Return the evaluation of a table of losses in a file, which its request does not hold."""
    rows = zip([f"s{i // 5}" for i in range(40)], TABLE["old"], TABLE["new"], strict=True)
    file = folder / "losses.csv"
    file.write_text("block,old,new\n" + "".join(f"{b},{x},{y}\n" for b, x, y in rows))
    columns = {"block": "block", "losses": ["old", "new"]}
    request = {"kind": "losses", "blocks": "source", "columns": columns, "margin": 0.1, **fields}
    with open_file(file, "text/csv") as data:
        return keep(evaluate_in_process(request, data), folder)


def pack(
    evaluation: KeptEvaluation, file: Path, key: Ed25519PrivateKey | None = None
) -> dict[str, bytes]:
    """Write a bundle, and return its files."""
    with file.open("wb") as opened:
        write_bundle(opened, evaluation, key)
    return unpack(file)


def unpack(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def repack(file: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files as they are."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file


def change(content: bytes, edit: Callable[[dict[str, Any]], object]) -> bytes:
    """Return JSON that was edited."""
    value = json.loads(content)
    edit(value)
    return json.dumps(value).encode()


def state_again(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return files with a statement that has their digests, as a careful forger would."""

    def edit(statement: dict[str, Any]) -> None:
        for subject in statement["subject"]:
            digest = hashlib.sha256(files[subject["name"]]).hexdigest()
            subject["digest"]["sha256"] = digest

    return {**files, "statement.json": change(files["statement.json"], edit)}
