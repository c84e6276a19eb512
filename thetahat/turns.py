"""Turns at what belongs to the whole process."""

from __future__ import annotations

import threading
from typing import Final

WARNING_FILTERS: Final = threading.RLock()
"""Held by whoever changes Python's warning filters, which all threads share.

Compiling a loop silences them for a while; a learner that is fitted meanwhile, in another thread,
would lose the warnings that its cautions are made of.
"""
