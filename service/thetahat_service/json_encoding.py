"""Values as JSON, in the one form that is stored, sent and digested."""

from __future__ import annotations

from typing import Any

import orjson


def encode_json(value: Any) -> str:
    """Return compact JSON; NaN and infinities become null."""
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
