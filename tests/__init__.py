"""A package, so that ``from tests...`` never finds a ``tests`` folder of some installed wheel.

Processes that the tests start import this checkout too, whatever else is installed. This is said
here, because ``python -m tests.chaos`` and its like read no ``conftest.py``. A process that a test
started keeps what it was given: its own processes need the folder in front, too.
"""

import os
import tomllib
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_OPTIONS = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]
_FOLDERS = [str(_ROOT / folder) for folder in _OPTIONS["ini_options"]["pythonpath"]]
if not set(_FOLDERS) <= set(os.environ.get("PYTHONPATH", "").split(os.pathsep)):
    os.environ["PYTHONPATH"] = os.pathsep.join(_FOLDERS)
