"""The compiled functions of ``scipy.special``, without what that package imports beside them.

``scipy.special`` wraps its functions for other kinds of arrays, and imports ``numpy.f2py``,
``numpy.testing`` and 90 more modules for that: 0.1 of the 0.21 processor seconds in which NumPy and
it are imported, and as much of the 0.43 of a first ``evaluate``. The functions here are the same
objects.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from threading import active_count
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import scipy

_PACKAGE = "scipy.special"


def _import_compiled() -> ModuleType:
    """Import the compiled module alone, or the whole package where that is not possible.

    An empty package stands for the real one meanwhile, which no other thread may then import.
    """
    if _PACKAGE in sys.modules or active_count() > 1:
        return import_module(_PACKAGE)
    package = ModuleType(_PACKAGE)
    package.__path__ = [str(Path(scipy.__file__).with_name("special"))]
    sys.modules[_PACKAGE] = package
    try:
        return import_module(f"{_PACKAGE}._ufuncs")
    except ImportError:  # another release of SciPy may have the functions elsewhere
        del sys.modules[_PACKAGE]
        return import_module(_PACKAGE)
    finally:
        if sys.modules.get(_PACKAGE) is package:
            del sys.modules[_PACKAGE]


if TYPE_CHECKING:
    from scipy.special import *  # noqa: F403 - the same functions, with their types
else:
    globals().update(
        {name: f for name, f in vars(_import_compiled()).items() if isinstance(f, np.ufunc)}
    )
