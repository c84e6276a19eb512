"""The owner of evaluations and data sets that are sent without a key."""

from __future__ import annotations

from typing import Final
from uuid import UUID

LOCAL_OWNER_ID: Final = UUID("00000000-0000-4000-8000-000000000001")
"""The owner of what is sent without a key; the first migration inserts it."""
