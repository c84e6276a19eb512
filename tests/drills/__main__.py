"""``python -m tests.drills``: what an operator fears, done on purpose on both set-ups.

An upgrade from each earlier landing with work in its queue, a backup restored into this release,
the loss of the broker, the loss of a machine with workers, a full disk, and the clock set by an
hour. Each drill prints what was lost and how long the recovery took; the exit status is 1 if
anything was lost.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from tests.drills import faults, upgrades
from tests.drills.report import Drill

PARTS: Final[dict[str, Callable[[str, Path], Iterator[Drill]]]] = {
    "upgrades": lambda setup, folder: upgrades.RUN[setup](folder),
    "faults": faults.run,
}


def main() -> None:
    """Run the drills on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--setup", choices=sorted(upgrades.RUN), action="append")
    parser.add_argument("--part", choices=sorted(PARTS), action="append")
    options = parser.parse_args()
    has_lost = False
    for setup in options.setup or sorted(upgrades.RUN):
        print(f"== {setup}", flush=True)
        for part in options.part or PARTS:
            with tempfile.TemporaryDirectory(prefix="thetahat-drills-") as folder:
                data = Path(folder) / "data"
                data.mkdir()
                for drill in PARTS[part](setup, data):
                    print(drill.describe(), flush=True)
                    has_lost |= drill.has_lost
    sys.exit(has_lost)


if __name__ == "__main__":
    main()
