"""Compiling Python modules in advance, so that no process compiles them at its start."""

from __future__ import annotations

import compileall
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path


def compile_modules(packages: Iterable[str]) -> int:
    """Write the compiled form of every module that is loaded, and of all modules of packages.

    It is written also where Python is told not to write it while importing. Returns the number of
    modules that have a compiled form now; a folder that cannot be written to is left out.
    """
    sources = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    files = {Path(source) for source in sources if source is not None}
    for name in packages:
        for folder in import_module(name).__path__:
            files.update(Path(folder).rglob("*.py"))
    return sum(_compile_file(file) for file in sorted(files) if file.suffix == ".py")


def _compile_file(source: Path) -> bool:
    """Write the compiled form of a source file unless it is there; False if it cannot be."""
    try:
        return bool(compileall.compile_file(source, quiet=2))
    except OSError:
        return False
