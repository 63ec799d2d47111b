"""The command line: ``meshspec check``, ``list``, an engine by its name, ``claims``.

Exit codes: 2 usage or a bad model (nothing ran); else the first that applies of 70 our own bug, 1 violated,
4 vacuous, 3 undetermined, 0 all hold.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from meshspec.errors import Disagreement, MeshspecError

USAGE, BUG, INTERRUPTED = 2, 70, 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code. Installed as the command ``meshspec``."""
    from cyclopts import CycloptsError

    from meshspec.cli.commands import app

    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = app(given, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError as error:
        return _complain(f"{error}\nmeshspec --help lists the commands and their options")
    except Disagreement as error:
        print(f"meshspec: bug: {error}", file=sys.stderr)
        return BUG
    except MeshspecError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        print("meshspec: interrupted; nothing was concluded", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader went away (`| head`): stop quietly, and let nothing flush into the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception:  # a fault of ours: say so, with what is needed to mend it
        traceback.print_exc()
        print("meshspec: the above is a bug of meshspec, not an answer", file=sys.stderr)
        return BUG
    return code if isinstance(code, int) else 0


def _complain(message: str) -> int:
    print(f"meshspec: {message}", file=sys.stderr)
    return USAGE
