"""Records of repetitions in files, so that an interrupted study goes on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from thetahat.values.types import FloatArray


def write_records(file: Path, records: Mapping[str, FloatArray]) -> None:
    """Write (repetitions,) records by name; the file appears once it is whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(".unfinished.npz")
    values = np.stack([*records.values()], axis=1)
    np.savez_compressed(unfinished, names=np.array(list(records)), values=values)
    unfinished.replace(file)


def read_records(file: Path) -> dict[str, FloatArray]:
    """Return the records that ``write_records`` wrote."""
    with np.load(file) as kept:
        return dict(zip(kept["names"].tolist(), kept["values"].T, strict=True))
