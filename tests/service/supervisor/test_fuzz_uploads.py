from __future__ import annotations

from pathlib import Path

from tests.service.supervisor.fuzz_uploads import upload_damaged_files


def test_property_damaged_files_leave_the_service_intact(tmp_path: Path) -> None:
    report = upload_damaged_files(range(70), 1, tmp_path)

    assert report.faults == []
    assert report.files == 70
    assert sum(n for name, n in report.statuses.items() if name.startswith("upload")) == 70
    assert {"upload 201", "upload 422", "preview 200"} <= set(report.statuses)
    assert {"api", "thetahat-parser"} <= set(report.memory_kb)
