"""Ways out of the process that raise nothing: while an author's code runs, they are errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, NoReturn


@contextmanager
def no_way_out() -> Generator[None, None, None]:
    """``os._exit`` would end this process with whatever code it likes, and no answer: here it is an error.

    What is fetched inside the ``with`` block stays one.
    """

    def refuse(status: int) -> NoReturn:
        raise SystemExit(f"os._exit({status}): a model's file may not end the process")

    holders: tuple[Any, ...] = (os, sys.modules[os.name])  # os has it from posix, or nt
    leave = os._exit
    for module in holders:
        module._exit = refuse
    try:
        yield
    finally:
        for module in holders:
            module._exit = leave
