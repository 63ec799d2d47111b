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

from meshspec import starting
from meshspec.cli import fenced
from meshspec.errors import Disagreement, MeshspecError, Where
from meshspec.lang.fences import present, watching
from meshspec.progress import erase
from meshspec.report.github import harmless
from meshspec.report.text import clean

_SEVERAL = ("check", "claims", "diff", "explain", "list", "new", "refine", "replay")  # or no target at all
USAGE, BUG, INTERRUPTED = 2, 70, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Installed as the command ``meshspec``.

    As a program (without `arguments`) it runs in a child process, behind fences; else in this process, behind those
    that can be had there.
    """
    try:
        starting.over()
        if arguments is None:
            return fenced.run(lambda: _main(None), reads=sys.argv[1:2] in (["step"], ["diff"]))
        with watching():
            return _main(arguments)
    except KeyboardInterrupt:  # also while the commands are loaded
        print("meshspec: interrupted; nothing was concluded", file=sys.stderr)
        return INTERRUPTED


def _main(arguments: Sequence[str] | None) -> int:
    from cyclopts import CycloptsError

    from meshspec.cli import configured, outputs
    from meshspec.cli.commands import app

    configured.begin()
    outputs.begin()
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
        return _complain(f"{_misused(error, given)}\nmeshspec --help lists the commands and their options")
    except Disagreement as error:
        print(f"meshspec: bug of meshspec: {clean(error)}", file=sys.stderr)
        return _report(f"bug of meshspec: {error}", None, BUG)
    except MeshspecError as error:
        return _replaced() or _complain(str(error), getattr(error, "where", None))
    except SystemExit as error:  # none of ours: what was looked at wanted to end the process
        if isinstance(error.__context__, BrokenPipeError):  # nor an author's: help is printed by a library
            fenced.write_no_more()
            return 141
        return _complain(f"what was checked asked to exit ({error.code}), and nothing was concluded")
    except BrokenPipeError:  # the reader went away (`| head`): stop quietly, and let nothing flush into the pipe
        fenced.write_no_more()
        return 141
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EFBIG):
            return _bug()
        fenced.write_no_more()
        return _complain(f"the output cannot be written: {error.strerror}")
    except Exception:
        return _replaced() or _bug()
    if not given:  # the help was shown, and nothing was checked: a forgotten argument is no success
        return USAGE
    return code if isinstance(code, int) else 0


def _replaced() -> int:
    """Exit code 2 where an author's code replaced what the check runs on: then nothing of ours can be held to it."""
    try:
        if (fences := present()) is not None:
            fences.whole()
    except MeshspecError as error:
        return _complain(str(error))
    return 0


def _bug() -> int:
    """A fault of ours: say so, with what is needed to mend it."""
    traceback.print_exc()
    print("meshspec: the above is a bug of meshspec, not an answer", file=sys.stderr)
    return _report("a bug of meshspec, not an answer", None, BUG)


def _complain(message: str, where: Where | None = None) -> int:
    _say(message)
    return _report(message, where, USAGE)


def _say(message: str) -> None:
    lines = [harmless(clean(line)) for line in f"meshspec: {message}".splitlines()]
    print("\n".join(lines), file=sys.stderr)


def _report(message: str, where: Where | None, code: int) -> int:
    """Say in every report that was asked for that nothing was concluded; gives the exit code."""
    from meshspec.cli import outputs

    encoding = sys.stdout.encoding or "ascii"
    try:
        for line in outputs.failed(message, where, code):
            print(line.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except MeshspecError as error:  # a file that cannot be written: the code says already that nothing was concluded
        if str(error) != message:
            _say(str(error))
    except OSError:
        fenced.write_no_more()  # nobody reads; the code says it
    return code


def _misused(error: Exception, given: Sequence[str]) -> str:
    """What the command line says, in our words where those of its library do not help."""
    left = getattr(error, "unused_tokens", None)
    if not left or given[0] in _SEVERAL:
        return str(error)
    return f"{given[0]} takes one target, and {', '.join(left)} is left over: check takes several"
