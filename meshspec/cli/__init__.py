"""The command line: ``meshspec check``, ``list``, an engine by its name, ``claims``.

Exit codes: 2 usage or a bad model (nothing ran); else the first that applies of 70 our own bug, 1 violated,
4 vacuous, 3 undetermined, 0 all hold.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from meshspec.cli import fenced
from meshspec.errors import Disagreement, MeshspecError
from meshspec.lang.fences import watching
from meshspec.progress import erase
from meshspec.report.github import harmless
from meshspec.report.text import clean

USAGE, BUG, INTERRUPTED = 2, 70, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Installed as the command ``meshspec``.

    As a program (without `arguments`) it runs in a child process, behind fences; else in this process, behind those
    that can be had there.
    """
    try:
        if arguments is None:
            return fenced.run(lambda: _main(None), reads=sys.argv[1:2] in (["step"], ["diff"]))
        with watching():
            return _main(arguments)
    except KeyboardInterrupt:  # also while the commands are loaded
        print("meshspec: interrupted; nothing was concluded", file=sys.stderr)
        return INTERRUPTED


def _main(arguments: Sequence[str] | None) -> int:
    from cyclopts import CycloptsError

    from meshspec.cli import configured
    from meshspec.cli.commands import app

    configured.begin()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if all(word.startswith("-") for word in given):  # help: what a command says of itself stands in its own file
        for name in [name for name in app if not name.startswith("-")]:
            app[name]
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:  # closed by whoever started us; the exit code and the report may be all
            setattr(sys, stream, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115  # for good
    try:
        try:
            code = app(given, exit_on_error=False, print_error=False, result_action="return_value")
        finally:
            erase()
        sys.stdout.flush()
    except CycloptsError as error:
        return _complain(f"{error}\nmeshspec --help lists the commands and their options")
    except Disagreement as error:
        print(f"meshspec: bug of meshspec: {clean(error)}", file=sys.stderr)
        return BUG
    except MeshspecError as error:
        return _complain(str(error))
    except SystemExit as error:  # none of ours: what was looked at wanted to end the process
        if isinstance(error.__context__, BrokenPipeError):  # nor an author's: help is printed by a library
            _write_no_more()
            return 141
        return _complain(f"what was checked asked to exit ({error.code}), and nothing was concluded")
    except BrokenPipeError:  # the reader went away (`| head`): stop quietly, and let nothing flush into the pipe
        _write_no_more()
        return 141
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
            return _bug()
        _write_no_more()
        return _complain(f"the output cannot be written: {error.strerror}")
    except Exception:
        return _bug()
    if not given:  # the help was shown, and nothing was checked: a forgotten argument is no success
        return USAGE
    return code if isinstance(code, int) else 0


def _write_no_more() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug() -> int:
    """A fault of ours: say so, with what is needed to mend it."""
    traceback.print_exc()
    print("meshspec: the above is a bug of meshspec, not an answer", file=sys.stderr)
    return BUG


def _complain(message: str) -> int:
    lines = [harmless(clean(line)) for line in f"meshspec: {message}".splitlines()]
    print("\n".join(lines), file=sys.stderr)
    return USAGE
