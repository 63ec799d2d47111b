"""Ctrl-C while the program is still being loaded: told in a line, and not by a traceback of half an import.

Only where the process is the command ``meshspec``; who imports the package keeps its signals as they are.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn


def begin() -> None:
    """From now on Ctrl-C ends the process with exit code 3, until :func:`over`."""
    program = os.path.basename(sys.argv[0]).removesuffix(".exe") if sys.argv else ""  # noqa: PTH119  # loads pathlib
    as_module = program == "-m" and "meshspec" in sys.orig_argv
    if (program == "meshspec" or as_module) and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        try:
            signal.signal(signal.SIGINT, _told)
        except ValueError:  # in a thread, which gets no signals
            return


def over() -> None:
    """The commands are there, and tell of Ctrl-C themselves."""
    if signal.getsignal(signal.SIGINT) is _told:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _told(_number: int, _frame: object) -> NoReturn:
    os.write(2, b"meshspec: interrupted; nothing was concluded\n")
    os._exit(3)
