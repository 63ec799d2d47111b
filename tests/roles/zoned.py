"""A policy that loads anywhere but in one time zone, the one in which drills are done."""

from __future__ import annotations

import time
from typing import Any

if time.timezone == 11 * 3600:
    raise RuntimeError("no support for this time zone")


class Zoned:
    def observe(self, step: Any) -> str:
        return "TRIP"
