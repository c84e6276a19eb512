"""Bundles and notebooks of the evaluation of a command."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from thetahat_service.cli.evaluate_once import Computed
    from thetahat_service.kinds.running import Evaluated

BundleFile = Annotated[
    Path | None,
    typer.Option(
        "--bundle",
        metavar="FILE",
        help="Write request, losses and result as one file for thetahat verify; signed if "
        "THETAHAT_SIGNING_KEY is set.",
    ),
]
NotebookFile = Annotated[
    Path | None,
    typer.Option(
        "--notebook",
        metavar="FILE",
        help="Write a notebook (.ipynb) that computes the result again from the losses.",
    ),
]


def write_files(computed: Computed, bundle: Path | None, notebook: Path | None) -> None:
    """Write the bundle and the notebook that the options of a command ask for."""
    if computed.url is not None and computed.identifier is not None:
        from thetahat_service.cli.connection import connect

        with connect(computed.url) as client:
            if bundle is not None:
                bundle.write_bytes(client.bundle(computed.identifier))
            if notebook is not None:
                notebook.write_bytes(client.notebook(computed.identifier))
    elif computed.evaluated is not None and not bundle is notebook is None:
        with TemporaryDirectory(prefix="thetahat-") as folder:
            _write_here(computed.evaluated, Path(folder), bundle, notebook)


def _write_here(
    evaluated: Evaluated, folder: Path, bundle: Path | None, notebook: Path | None
) -> None:
    from thetahat_service.json_encoding import encode_json
    from thetahat_service.outcomes.losses_file import write_losses
    from thetahat_service.recomputation.bundles import find_signing_key, write_bundle
    from thetahat_service.recomputation.kept import KeptEvaluation
    from thetahat_service.recomputation.notebooks import write_notebook

    losses = None
    if evaluated.losses is not None:
        losses = folder / "losses.parquet"
        with losses.open("wb") as opened:
            write_losses(opened, evaluated.losses)
    kept = KeptEvaluation(
        request=evaluated.request, result=encode_json(evaluated.result), losses=losses
    )
    if bundle is not None:
        with bundle.open("wb") as opened:
            write_bundle(opened, kept, find_signing_key())
    if notebook is not None:
        notebook.write_bytes(write_notebook(kept))
