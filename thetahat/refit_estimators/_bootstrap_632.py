"""The .632 and .632+ combinations of apparent and out-of-bag error."""

from __future__ import annotations

from dataclasses import dataclass

from thetahat.cautions import OUT_OF_BAG_ABOVE_NO_INFORMATION, Caution

SHARE = 0.632  # 1 - 1/e to three digits, as efron1983 has it: the share of rows in a resample


def combine_632(apparent: float, out_of_bag: float) -> float:
    """Return .368 times the apparent error plus .632 times the out-of-bag error."""
    return (1 - SHARE) * apparent + SHARE * out_of_bag


@dataclass(frozen=True, slots=True)
class Error632Plus:
    r"""The .632+ combination.

    .. math::
        E' = \min(\hat E, \hat\gamma), \quad
        R = \frac{E' - \overline{err}}{\hat\gamma - \overline{err}}, \quad
        w = \frac{.632}{1 - .368 R}, \quad (1 - w) \overline{err} + w E'

    with R = 0 if the out-of-bag error or the no-information error is not above the apparent
    error, so that R lies in [0, 1].

    Source: efron1997.
    """

    apparent: float
    out_of_bag: float
    no_information: float
    """Error on the training data, out-of-bag error, and gamma."""

    @property
    def capped(self) -> float:
        """E', the smaller of the out-of-bag error and gamma."""
        return min(self.out_of_bag, self.no_information)

    @property
    def relative_overfitting(self) -> float:
        """R, between 0 (no overfitting) and 1 (no information about new instances)."""
        if min(self.capped, self.no_information) <= self.apparent:
            return 0.0
        # between 0 and 1, for apparent < capped <= no_information
        return (self.capped - self.apparent) / (self.no_information - self.apparent)

    @property
    def weight(self) -> float:
        """Return w, between .632 and 1."""
        return SHARE / (1 - (1 - SHARE) * self.relative_overfitting)

    @property
    def estimate(self) -> float:
        """The .632+ error."""
        w = self.weight
        return (1 - w) * self.apparent + w * self.capped

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The caution that the out-of-bag error was capped, if it was."""
        if self.out_of_bag <= self.no_information:
            return ()
        return (
            OUT_OF_BAG_ABOVE_NO_INFORMATION(
                out_of_bag=self.out_of_bag, no_information=self.no_information
            ),
        )
