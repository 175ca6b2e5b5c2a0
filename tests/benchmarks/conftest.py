"""The benchmarks are scripts beside the packages: they are imported from the root of the clone."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
