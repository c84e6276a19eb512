"""A wall clock that a test sets for the processes that it starts; the machine's own stays."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_suffix(".c")


class ShiftedClock:
    """The clock of all processes that have its variables.

    Parameters
    ----------
    folder : Path
        For the library that stands before the system's, and for the seconds.
    """

    def __init__(self, folder: Path) -> None:
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("there is no C compiler for a library that shifts the clock")
        library, self._file = folder / "shifted_clock.so", folder / "seconds"
        self.set(0)
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)]
        subprocess.run(command, check=True, capture_output=True)
        self.variables = {"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(self._file)}

    def set(self, seconds: int) -> None:
        """Set the clock so many seconds after the machine's."""
        content = seconds.to_bytes(8, "little", signed=True)
        if not self._file.exists():
            self._file.write_bytes(content)
        with self._file.open("r+b") as file:  # in place, because processes have mapped it
            file.write(content)
