"""meshspec: reliability guarantees for AI-agent orchestration, stated once in plain Python, checked and broken.

This is the vocabulary of a model file. The rest is reached by name (``meshspec.engines.explore``) or from the
command line (``meshspec check``). A floor imports only lower floors; import-linter holds that in CI:

    0  errors, sorts, answer, progress, display, starting
    1  expr        nodes, handles, one traversal, text
    2  lang        @model, var, actions, claims, require; lifting
    3  backends    native, generated Python, z3; the lift certificate
    4  engines     one question per file
    5  policies    references to use, which import nothing of ours
    6  roles, claims, targets, config, waivers, topology
    7  adequacy, settle
    8  adapters, report
    9  cli, pytest_plugin, notebook
"""

from meshspec import starting

starting.begin()  # before anything that takes its time to load

# ruff: noqa: E402
from meshspec.errors import Blocked, ModelError
from meshspec.lang.containers import Map, SetOf
from meshspec.lang.evidence import evidence, promise
from meshspec.lang.model import model
from meshspec.lang.refinement import refinement
from meshspec.lang.suite import suite
from meshspec.lang.words import (
    action,
    always,
    any_of,
    choose,
    count,
    each,
    eventually,
    exists,
    fault,
    forall,
    implies,
    leads_to,
    lemma,
    require,
    sometimes,
    terminal,
    total,
    var,
)
from meshspec.sorts import Range, Sort, scope

__version__ = "0.1.0"

__all__ = [
    "Blocked",
    "Map",
    "ModelError",
    "Range",
    "SetOf",
    "Sort",
    "action",
    "always",
    "any_of",
    "choose",
    "count",
    "each",
    "eventually",
    "evidence",
    "exists",
    "fault",
    "forall",
    "implies",
    "leads_to",
    "lemma",
    "model",
    "promise",
    "refinement",
    "require",
    "scope",
    "sometimes",
    "suite",
    "terminal",
    "total",
    "var",
]
