"""Every module that reads the wall clock is in the record that says what a jump does to it."""

from __future__ import annotations

import re

from tests.architecture.sources import ROOT, python_files

RECORD = ROOT / "docs" / "decisions" / "0024-clocks.md"
READS = re.compile(
    r"datetime\.now\(|\btime\.time\(\)|\bEpochNow\(|\bread_clock\(|datetime\.fromtimestamp\("
)
SERVICE = "service/thetahat_service/"


def test_exact_each_module_that_reads_the_wall_clock_is_recorded() -> None:
    reading = {
        path.as_posix().removeprefix(SERVICE)
        for path in python_files("service", "worker")
        if READS.search((ROOT / path).read_text(encoding="utf-8"))
    }
    table = "\n".join(
        line for line in RECORD.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    )
    assert set(re.findall(r"`([\w/]+\.py)`", table)) == reading
