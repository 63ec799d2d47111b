"""A model read and certified, with a word of it on a terminal: that may take seconds."""

from __future__ import annotations

from typing import Any

from meshspec.backends import certificate
from meshspec.lang.lift import LiftedModel
from meshspec.progress import showing


def certified(model: Any) -> LiftedModel:
    """:func:`meshspec.backends.certificate.certified`."""
    with showing(certifying(model)):
        return certificate.certified(model)


def certifying(model: Any) -> str:
    """What is being done meanwhile."""
    cls: type = model if isinstance(model, type) else type(model)
    return f"certify {cls.__name__}: its methods are held against CPython"
