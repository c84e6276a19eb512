"""``python -m tests.plant [NAME ...]``: sow each fault alone, and see that its tests fail.

The source is copied into a folder of its own, so that the checkout stays as it is. The exit status
is 1 if a fault was not noticed, or if tests fail where nothing is wrong.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.architecture.sources import ROOT, committed_files
from tests.plant.faults import FAMILIES, Fault
from tests.plant.shown_faults import SHOWN


def main(names: list[str]) -> int:
    """Sow the faults of these names, or all of them; print a line for each."""
    faults = [fault for fault in (*FAMILIES, *SHOWN) if not names or fault.name in names]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for path in committed_files():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, tree / path)
        missed = [fault.name for fault in faults if not is_noticed(fault, tree)]
        broken = (
            [] if _run_tests(tree, tuple(sorted({t for f in faults for t in f.tests}))) else ["all"]
        )
    print(f"{len(faults) - len(missed)} of {len(faults)} planted faults were noticed")
    for name in missed:
        print(f"not noticed: {name}")
    if broken:
        print("the tests fail without a fault too, so nothing was shown")
    return int(bool(missed or broken))


def is_noticed(fault: Fault, tree: Path) -> bool:
    """Return whether the tests of a fault fail where it is sown."""
    place = tree / fault.file
    text = place.read_text(encoding="utf-8")
    begun = time.monotonic()
    place.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    try:
        noticed = not _run_tests(tree, fault.tests)
    finally:
        place.write_text(text, encoding="utf-8")
    word = "noticed" if noticed else "NOT NOTICED"
    print(f"{fault.name}: {word} in {time.monotonic() - begun:.0f} s", flush=True)
    return noticed


def _run_tests(tree: Path, tests: tuple[str, ...]) -> bool:
    """Return whether the tests pass; the first failure ends them."""
    options = ("-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--numprocesses", "2")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "-m", "not calibration", *tests],
        cwd=tree,
        # A compiled loop of the wrong source must not stay for the next run.
        env={**os.environ, "NUMBA_CACHE_DIR": str(tree / "loops"), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    output = done.stdout.decode()
    # With workers, pytest says that it was interrupted where -x has ended it.
    if done.returncode != 0 and " failed" not in output.rstrip().rpartition("\n")[2]:
        sys.stderr.write(output[-3000:])
        raise SystemExit(2)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
