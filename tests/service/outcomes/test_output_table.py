from __future__ import annotations

from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thetahat_service.jobs import outputs
from thetahat_service.outcomes import output_table
from thetahat_service.outcomes.output_table import OutputColumn, OutputTable
from thetahat_service.outcomes.spilled_arrays import Spill, SpilledArray
from thetahat_service.states import Stage
from thetahat_service.storage.files import LocalFileStore
from thetahat_service.storage.units import UnitClaim

COLUMNS = OutputTable(
    {
        "block": OutputColumn(np.array([0, 1, 1, 0, 2]), pa.array(["a", "b", "c"])),
        "m": OutputColumn(np.array([0.5, 1.5, 2.5, 3.5, 4.5])),
    }
)
TABLE = pa.table({"block": ["a", "b", "b", "a", "c"], "m": [0.5, 1.5, 2.5, 3.5, 4.5]})


@pytest.mark.parametrize("rows", [1, 2, 5, 6])
def test_exact_the_pieces_are_the_table(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_table, "ROWS_AT_ONCE", rows)

    assert COLUMNS.n_rows == 5
    assert COLUMNS.table() == TABLE
    assert len(list(COLUMNS.iterate_batches())) == -(-5 // rows)


def test_exact_columns_that_repeat_have_a_dictionary(tmp_path: Path) -> None:
    files, claim = (
        LocalFileStore(tmp_path),
        UnitClaim(UUID(int=1), 1, Stage.START, {}, 1, 1, UUID(int=2)),
    )
    table = pa.table({"block": np.arange(3000) // 300, "m": np.sqrt(np.arange(3000))})
    file = pq.ParquetFile(files.build_path(outputs.keep_losses(files, claim, table)))
    block, m = (file.metadata.row_group(0).column(i) for i in (0, 1))
    assert "RLE_DICTIONARY" in block.encodings
    assert "RLE_DICTIONARY" not in m.encodings


def test_exact_what_is_kept_piece_by_piece_is_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_table, "ROWS_AT_ONCE", 2)
    files = LocalFileStore(tmp_path)
    claim = UnitClaim(UUID(int=1), 1, Stage.GATHER, {}, 1, 1, UUID(int=2))
    names = [outputs.keep_losses(files, claim, table) for table in (COLUMNS, TABLE)]

    assert pq.read_table(files.build_path(names[0])) == TABLE


@pytest.mark.parametrize("in_memory", [0, 50, 10_000])
def test_exact_spilled_arrays_are_read_unchanged(in_memory: int) -> None:
    rng = np.random.default_rng(3)
    arrays: list[np.ndarray] = [rng.normal(size=5), rng.normal(size=(9, 2))[:, 1], np.arange(9)]
    arrays.append(np.arange(7, dtype=np.uint8))
    spill = Spill(in_memory)
    kept = [spill.keep(array) for array in arrays]

    assert isinstance(kept[1], SpilledArray) == (in_memory < 10_000)
    assert (kept[0] is arrays[0]) == (in_memory > 0)
    for values, other in zip(kept, arrays, strict=True):
        assert len(values) == len(other)
        assert values.dtype == other.dtype
        for rows in (slice(0, 99), slice(2, 4), slice(5, 5), slice(8, 20)):
            assert np.array_equal(values[rows], other[rows])


def test_degenerate_an_empty_array_and_nothing() -> None:
    assert len(Spill(0).keep(np.empty(0))) == 0
    with pytest.raises(RuntimeError, match="No array was written"):
        Spill(0).read(0, 1)
