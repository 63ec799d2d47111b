"""What can go wrong that is not an answer: bad input, a model that cannot be read, and our own bugs.

An :class:`meshspec.answer.Answer` speaks of the thing under check. An exception here says that no answer
could be given, why, and what to write instead; where the cause is in a user's file it carries file and line.
"""

from __future__ import annotations

import attrs


@attrs.frozen
class Where:
    """A place in a user's source file.

    >>> str(Where("ledger.py", 12))
    'ledger.py:12'

    Line 0 is no place, and no text.
    """

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else ""


LONGEST = 4000
"""Characters of a message: what it quotes may be as long as a file, and a person is to read it."""


class MeshspecError(Exception):
    """The common ancestor: catch it to handle everything that meshspec raises on purpose."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message if len(message) <= LONGEST else f"{message[:LONGEST]}...")


def _rendered(error: MeshspecError) -> list[str]:
    """What IPython shows of a slip of its user's: the user's own lines and the message, and none of our lines."""
    from meshspec.display import traceback_of

    return traceback_of(error)


class UsageError(MeshspecError):
    """What was asked cannot be understood: an unknown target, a scope of zero, no model in the file."""

    _render_traceback_ = _rendered


class ModelError(MeshspecError):
    """A model, policy or evidence file is not what it must be; ``where`` is the user's file and line if known."""

    def __init__(self, message: str, where: Where | None = None) -> None:
        super().__init__(f"{where}: {message}" if where is not None and str(where) else message)
        self.where = where

    _render_traceback_ = _rendered


class ImportedTwice(ModelError):
    """One file was imported under two names, so that its classes are there twice, and are not the same."""


class LiftError(ModelError):
    """A body does something that has no symbolic meaning; the message says what to write instead."""


class CertificateError(ModelError):
    """A lifted method and CPython disagree: the lifted reading may not be used."""


class Disagreement(MeshspecError):
    """Two of our own engines or backends contradict each other: a bug of meshspec, exit code 70."""


class Blocked(BaseException):
    """An action is not enabled in the present state.

    It is a :class:`BaseException` so that an ``except Exception`` in a model cannot swallow it.
    """
