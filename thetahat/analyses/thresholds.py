"""Sizes at which one way of computing an analysis replaces another, each with its measurement."""

from __future__ import annotations

from typing import Final

MIN_MODELS_FOR_PRODUCTS: Final = 3
"""Models from which the moments of pairs come from products of all models, not from each pair.

CPU milliseconds of one thread, medians of three, products and pairs: 5 models of 1000 losses in ten
blocks 0.20 and 0.91, 20 models 0.67 and 17, 100 models 9.1 and 434; 200 models of 100 losses in one
block 25 and 444. Two models are one pair.
"""
