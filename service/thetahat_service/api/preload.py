"""Loading every module that a request may need, before a request needs it.

Modules that are slow to load are imported inside functions. If the first requests did that in
several threads at once, threads would see half-imported modules, and their requests would fail.
So one thread loads them, and requests that may need them wait for it. Those that most clients send
first do not: they need only what is loaded before the process answers.
Figures are drawn by a process of their own, which loads vl-convert.
"""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections import deque
from collections.abc import Iterable
from importlib import import_module
from typing import Final

from thetahat.analyses.losses.result import OPTIONAL_PARTS
from thetahat.families import collect_methods
from thetahat_service.api import catalogue
from thetahat_service.broker import queue
from thetahat_service.data.parsing import start_parsers
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.settings import is_sqlite
from thetahat_service.storage import engine

log = logging.getLogger(__name__)

NEEDED_MODULES: Final = (
    "anyio._backends._asyncio",
    "difflib",
    "numpy.ma",
    "pydantic.dataclasses",
    "thetahat.analyses.losses.by_probability",
)
SLOW_MODULES: Final = (
    "numba",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.spatial",
    "scipy.special",
    "sklearn.model_selection",
)
LIGHT_PATHS: Final = re.compile(
    r"/healthz|/readyz|/v1/evaluations(?:/[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}(?:/result)?)?"
)
"""Paths of requests that need no slow module; a submission may, which depends on its kind."""
LIGHT_KINDS: Final = frozenset({"losses", "predictions"})
"""Kinds of evaluations without learners, whose requests are checked without a slow module."""
PAUSE_S: Final = 1.0
"""Time for the first requests, which would otherwise compete with the imports for the processor."""
POLL_S: Final = 0.02


class _Loading:
    """Whether this process is loading slow modules, and whether a request waits for them."""

    ended = threading.Event()
    ended.set()
    awaited = threading.Event()


def start_loading() -> None:
    """Load the slow modules in a thread, as soon as a request waits for them or after a pause.

    The process that waits for uploaded files is started then, too.
    """
    _Loading.ended.clear()
    _Loading.awaited.clear()
    threading.Thread(target=_load, name="preload", daemon=True).start()


def _load() -> None:
    _Loading.awaited.wait(PAUSE_S)
    try:
        start_parsers()
        load_slow_modules()
    except Exception:
        log.exception("preload.failed")  # the request that needs the module fails, and no other
    finally:
        _Loading.ended.set()


def load_needed_modules() -> None:
    """Import what requests of every sort need; no server is contacted."""
    for name in NEEDED_MODULES:
        import_module(name)
    _load_kinds(LIGHT_KINDS)
    for family in collect_methods():
        deque(family.values(), maxlen=0)
    queue.load()
    if not is_sqlite():
        engine.get_engines()


def load_slow_modules() -> None:
    """Import what some requests import at first use."""
    for name in (*SLOW_MODULES, *OPTIONAL_PARTS):
        import_module(name)
    _load_kinds(JOB_KINDS)
    for family in catalogue.FAMILIES:
        catalogue.read_family(family)


def _load_kinds(names: Iterable[str]) -> None:
    """Import kinds of evaluations, and build the types of their requests."""
    for name in names:
        JOB_KINDS[name].request.model_rebuild()


def may_need_slow_modules(path: str, query: bytes) -> bool:
    """Return whether a request may import a slow module, before its body is read."""
    return LIGHT_PATHS.fullmatch(path) is None or b"fields=" in query  # of any kind's result


def is_loaded() -> bool:
    """Return whether this process is not loading slow modules, or has loaded them."""
    return _Loading.ended.is_set()


async def wait_until_loaded() -> None:
    """Wait until the slow modules are loaded, if this process is loading them."""
    _Loading.awaited.set()
    while not is_loaded():  # noqa: ASYNC110 - it is set by a thread
        await asyncio.sleep(POLL_S)
