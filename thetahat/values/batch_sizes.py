"""How many numbers are computed at a time where all of them at once would need more memory.

A loop over resamples, pairs or splits takes as many in one step as give so many numbers. Smaller
steps keep what was just computed in the processor's cache; the largest one only bounds the memory.

Measured with counts of 5000 resamples of 2000 units (`thetahat/multiple_tests`): 69 ms with 16 MB
at a time, 42 ms with 2 MB, 40 ms with 1 MB and with 512 KB.
"""

from __future__ import annotations

from typing import Final

NUMBERS_IN_256_KB: Final = 2**15
"""Where several arrays of that size are used together."""
NUMBERS_IN_1_MB: Final = 2**17
NUMBERS_IN_2_MB: Final = 2**18
"""Where each step has costs of its own, such as tables or calls of NumPy for every model."""
NUMBERS_IN_32_MB: Final = 2**22
"""Where the numbers are not used again, and only their memory counts."""
