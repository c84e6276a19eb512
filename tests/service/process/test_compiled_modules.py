"""Compiled modules are written in advance, also where Python writes none while importing."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from thetahat_service.process import compiled_modules
from thetahat_service.process.compiled_modules import compile_modules


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a package that can be imported, with a module that is not loaded."""
    folder = tmp_path / "package_to_compile"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "other.py").write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, folder.name, raising=False)
    # The modules that the tests have loaded are not compiled.
    monkeypatch.setattr(compiled_modules, "sys", SimpleNamespace(modules={}))
    return folder


def test_exact_every_module_of_a_package_has_a_compiled_form(package: Path) -> None:
    assert compile_modules([package.name]) == 2
    for source in package.glob("*.py"):
        assert Path(importlib.util.cache_from_source(str(source))).is_file()


def test_exact_a_stale_compiled_form_is_replaced(package: Path) -> None:
    compile_modules([package.name])
    source = package / "other.py"
    compiled = Path(importlib.util.cache_from_source(str(source)))
    before = compiled.read_bytes()
    source.write_text("VALUE = 1234\n")
    os.utime(source, (0, 0))  # compared in whole seconds

    compile_modules([package.name])

    assert compiled.read_bytes() != before


def test_degenerate_a_folder_that_cannot_be_written_to_is_left_out(package: Path) -> None:
    (package / "__pycache__").write_text("no folder")
    assert compile_modules([package.name]) == 0
