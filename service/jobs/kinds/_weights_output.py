"""Importance weights with their diagnostics, as results have them."""

from __future__ import annotations

import dataclasses
from typing import Any

from thetahat.evaluation.plain import plain, told
from thetahat.seeds import stream
from thetahat.weights import Samples, Weighing, diagnose


def weights_told(name: str, weighing: Weighing, samples: Samples, seed: int) -> dict[str, Any]:
    """Return weights with their diagnostics as the result has them."""
    diagnostics = diagnose(weighing.values, samples, stream(seed, "coverage"))
    numbers = {
        field.name: getattr(diagnostics, field.name)
        for field in dataclasses.fields(diagnostics)
        if field.name != "cautions"
    }
    return {
        "method": name,
        "values": plain(weighing.values),
        "n": samples.n,
        "n_target": samples.m,
        "n_features": samples.p,
        **plain(numbers),
        "details": plain(weighing.details),
        "cautions": told((*weighing.cautions, *diagnostics.cautions)),
    }
