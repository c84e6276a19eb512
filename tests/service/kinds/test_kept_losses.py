"""Files of losses that were kept by an older release."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thetahat_service.errors import PartsNotKept
from thetahat_service.jobs.differences import InstanceQuery, read_differences
from thetahat_service.kinds.kept_losses import read_kept_losses


def test_invalid_a_file_without_its_layout(tmp_path: Path) -> None:
    path = tmp_path / "losses.parquet"
    pq.write_table(pa.table({"block": ["a", "b"], "new": [0.1, 0.2]}), path)
    query = InstanceQuery(a=None, b=None, search="", offset=0, limit=5)

    with pytest.raises(PartsNotKept, match="older release, without their layout"):
        read_kept_losses(path)
    with pytest.raises(PartsNotKept, match="older release, without their layout"):
        read_differences(path, query)
