"""The folder of the compiled loops, where the installation itself cannot be written to."""

from __future__ import annotations

import contextlib
import filecmp
import os
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

VARIABLE: Final = "NUMBA_CACHE_DIR"
SHIPPED_LOOPS: Final = Path(sys.prefix) / "share" / "thetahat" / "loops"
"""The loops that were compiled when the image was built."""

_STAMP: Final = "built"  # names the build, so that loops of an older image are replaced


def fill_loop_cache(shipped: Path = SHIPPED_LOOPS) -> None:
    """Copy the compiled loops of the image to the folder that ``NUMBA_CACHE_DIR`` names.

    The image's own files are read-only, and numba uses no cache that it cannot write to. Nothing
    happens without the variable, without shipped loops, or when the folder has them already. Loops
    that were compiled for another kind of processor are ignored by numba, which compiles its own.
    """
    if VARIABLE not in os.environ or not shipped.is_dir():
        return
    cache_folder = Path(os.environ[VARIABLE])
    # A full or missing folder delays the first evaluation and breaks nothing.
    with contextlib.suppress(OSError):
        if _is_same_build(shipped, cache_folder):
            return
        cache_folder.parent.mkdir(parents=True, exist_ok=True)
        copy = Path(mkdtemp(prefix=f"{cache_folder.name}-", dir=cache_folder.parent))
        try:
            shutil.copytree(shipped, copy, dirs_exist_ok=True)
            if cache_folder.exists():
                cache_folder.rename(copy / "replaced")
            copy.rename(cache_folder)
            shutil.rmtree(cache_folder / "replaced", ignore_errors=True)
        finally:
            shutil.rmtree(copy, ignore_errors=True)


def stamp_loops(folder: Path, build: str) -> None:
    """Write the identifier of the build into a folder of compiled loops."""
    (folder / _STAMP).write_text(build, encoding="utf-8")


def _is_same_build(shipped: Path, cache_folder: Path) -> bool:
    stamps = shipped / _STAMP, cache_folder / _STAMP
    return all(s.is_file() for s in stamps) and filecmp.cmp(*stamps, shallow=False)
