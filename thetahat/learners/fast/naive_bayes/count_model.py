"""What a naive Bayes learner of counts computes from them, for a fit and for many splits."""

from __future__ import annotations

from abc import ABC, abstractmethod

from thetahat.learners.fast.naive_bayes.count_rows import CountRows
from thetahat.values.types import FloatArray


class CountModel(ABC):
    """The table that a row of counts is multiplied with, from the sums of the counts by class."""

    __slots__ = ()
    smoothing: float

    @abstractmethod
    def terms(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the (C', p) log table and (C',) constants from class sums and class weights."""

    @abstractmethod
    def one_left_out(self, rows: CountRows) -> FloatArray:
        """Return the (n,) log-likelihood of each row under its class fitted without it.

        NaN if it is not accurate to ten digits.
        """
