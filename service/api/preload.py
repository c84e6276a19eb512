"""Loading every module that a request may need, before the first request is answered.

Modules that are slow to load are imported inside functions. If the first requests did that in
several threads at once, threads would see half-imported modules, and their requests would fail.
Figures are drawn by a process of their own, which loads vl-convert.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from importlib import import_module
from typing import Final

from service.api import catalogue
from service.broker import queue
from service.settings import is_sqlite
from service.storage import engine

log = logging.getLogger(__name__)

MODULES: Final = (
    "difflib",
    "numba",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.spatial",
    "scipy.special",
    "sklearn.model_selection",
)
POLL_S: Final = 0.02


class _Loading:
    """Whether this process is loading modules; requests wait until it has ended."""

    ended = threading.Event()
    ended.set()


def start_loading() -> None:
    """Load the modules in a thread, while the process that answers requests starts."""
    _Loading.ended.clear()
    threading.Thread(target=_load, name="preload", daemon=True).start()


def _load() -> None:
    try:
        load_modules()
    except Exception:
        log.exception("preload.failed")  # the request that needs the module fails, and no other
    finally:
        _Loading.ended.set()


def load_modules() -> None:
    """Import what requests import at first use; no server is contacted."""
    for name in MODULES:
        import_module(name)
    queue.load()
    if not is_sqlite():
        engine.get_engines()
    for family in catalogue.FAMILIES:
        catalogue.read_family(family)


async def wait_until_loaded() -> None:
    """Wait until the modules are loaded, if this process is loading them."""
    while not _Loading.ended.is_set():  # noqa: ASYNC110 - it is set by a thread
        await asyncio.sleep(POLL_S)
