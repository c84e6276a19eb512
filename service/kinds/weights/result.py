"""Importance weights with their diagnostics, as results have them."""

from __future__ import annotations

import dataclasses
from typing import Any

from thetahat.cautions import Caution
from thetahat.importance_weights import Samples, Weighing, diagnose
from thetahat.seeds import stream
from thetahat.values.json_values import plain, told
from thetahat.values.types import FloatArray


def weights_told(name: str, weighing: Weighing, samples: Samples, seed: int) -> dict[str, Any]:
    """Return weights with their diagnostics as the result has them."""
    described = diagnostics_told(weighing.values, samples, seed, weighing.cautions)
    cautions = described.pop("cautions")
    return {
        "method": name,
        "values": plain(weighing.values),
        "n": samples.n,
        "n_target": samples.m,
        "n_features": samples.p,
        **described,
        "details": plain(weighing.details),
        "cautions": cautions,
    }


def diagnostics_told(
    weights: FloatArray, samples: Samples, seed: int, cautions: tuple[Caution, ...] = ()
) -> dict[str, Any]:
    """Return what (n,) weights look like, with what is known of them beforehand."""
    diagnostics = diagnose(weights, samples, stream(seed, "coverage"))
    numbers = {
        field.name: getattr(diagnostics, field.name)
        for field in dataclasses.fields(diagnostics)
        if field.name != "cautions"
    }
    return {**plain(numbers), "cautions": told((*cautions, *diagnostics.cautions))}
