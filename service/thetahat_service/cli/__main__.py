"""``python -m thetahat_service.cli`` is ``thetahat``."""

from __future__ import annotations

import sys

from thetahat_service.cli import main

if __name__ == "__main__":
    sys.exit(main())
