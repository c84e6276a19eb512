"""What is told of each correction; the procedures themselves are in ``corrections``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from thetahat.registry import MethodInfo

_ANY_FALSE = "bounds the chance of any false rejection"

_TOLD: Final = (
    MethodInfo(
        name="none",
        title="No correction",
        summary="The p-values as they are.",
        formula=r"p_{(i)}",
        assumptions="One comparison was planned beforehand.",
        errs="Liberal: of many true hypotheses a share alpha is rejected.",
    ),
    MethodInfo(
        name="bonferroni",
        title="Bonferroni",
        summary="Each p-value times the number of comparisons.",
        formula=r"m \, p_{(i)}",
        references=("holm1979",),
        assumptions="None: it holds under every dependence of the tests.",
        errs="Conservative, and never less so than holm, which has its guarantee.",
    ),
    MethodInfo(
        name="holm",
        title="Holm's step-down",
        summary=f"Bonferroni on what is left after each rejection; {_ANY_FALSE}.",
        formula=r"\max_{j \le i} (m - j + 1) \, p_{(j)}",
        references=("holm1979",),
        assumptions="None: it holds under every dependence of the tests.",
        errs="Conservative where p-values depend strongly on each other.",
    ),
    MethodInfo(
        name="hochberg",
        title="Hochberg's step-up",
        summary=f"Holm's factors, taken from the largest p-value downwards; {_ANY_FALSE}.",
        formula=r"\min_{j \ge i} (m - j + 1) \, p_{(j)}",
        references=("hochberg1988",),
        assumptions="Tests that are independent or positively dependent.",
        errs="Liberal where tests depend negatively; else never weaker than holm.",
    ),
    MethodInfo(
        name="finner",
        title="Finner's step-down",
        summary="Sidak's formula with an exponent that falls with each rejection.",
        formula=r"\max_{j \le i} 1 - (1 - p_{(j)})^{m/j}",
        references=("finner1993", "garcia2010"),
        assumptions="Tests that are independent or positively dependent.",
        errs=(
            "It bounds the chance of any false rejection only where all hypotheses are true; where "
            "many models differ it rejects true hypotheses more often than alpha."
        ),
    ),
    MethodInfo(
        name="benjamini_hochberg",
        title="Benjamini and Hochberg's false discovery rate",
        summary="Bounds the expected share of false rejections among the rejections.",
        formula=r"\min_{j \ge i} \frac{m}{j} \, p_{(j)}",
        references=("benjamini1995",),
        assumptions="Tests that are independent or positively dependent.",
        errs=(
            "It promises less than the others: of many rejections a share alpha may be false. "
            "Conservative where few hypotheses are true."
        ),
    ),
    MethodInfo(
        name="shaffer",
        title="Shaffer's static procedure",
        summary=(
            "Holm's, counting only as many hypotheses as can be true together: if a equals b and "
            f"b equals c, a equals c. For all pairs, two-sided; {_ANY_FALSE}."
        ),
        formula=r"\max_{j \le i} t_j \, p_{(j)}",
        references=("shaffer1986", "garcia2008"),
        assumptions="All pairs of some models, and hypotheses that are equalities.",
        errs="Conservative where p-values depend strongly on each other; never more so than holm.",
    ),
    MethodInfo(
        name="bergmann_hommel",
        title="Bergmann and Hommel's procedure",
        summary=(
            "Rejects what no set of equalities that can be true together protects. For all pairs "
            f"of at most nine models, two-sided; {_ANY_FALSE}."
        ),
        formula=r"\max_{I \ni i} |I| \min_{j \in I} p_j",
        references=("bergmann1988", "garcia2008"),
        assumptions="All pairs of some models, and hypotheses that are equalities.",
        errs="Conservative where p-values depend strongly; never more so than shaffer.",
    ),
)

CORRECTION_TEXTS: Final[Mapping[str, MethodInfo]] = MappingProxyType(
    {info.name: info for info in sorted(_TOLD, key=lambda info: info.name)}
)
"""By the name that a request gives in ``correction``."""
