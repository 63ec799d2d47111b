"""What ``meshspec new`` writes: a model, a policy or a role that passes as it stands, each with its test.

A role is written as a model of the world in which a policy decides: its contract is methods to override, its
obligations are claims, the base is the reference, and an incident breaks one of them. A role that judges objects from
elsewhere, as ``breaker``, ``identity``, ``ledger`` and ``lease`` do, belongs into :mod:`meshspec.roles`; this is
where its obligations are found.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from string import Template

import attrs

import meshspec
from meshspec.errors import UsageError

KINDS = ("model", "policy", "role")
LONGEST = 40

_MODEL = '''\
"""$Name: each job takes effect at most once, although the worker may crash.

A worker writes down that it is about to act, then acts, and may crash in between. Back
up, it knows what was written down and nothing else, and what it finds there it does not
do again: better not at all than twice.

Put your own story in place of this one: what is promised, what can go wrong, and which
decision makes the difference.
"""

from typing import Annotated

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    each,
    fault,
    implies,
    lemma,
    model,
    require,
    sometimes,
    var,
)


class Job(Sort):
    """One job; every attempt at it carries the same name."""


@model
class $Name:
    """Write down, then act; what is written down is never begun again."""

    noted: Map[Job, bool] = var(False)  # written down: survives a crash
    in_hand: Map[Job, bool] = var(False)  # what the worker remembers: does not
    effects: Map[Job, Annotated[int, Range(0, 2)]] = var(0)  # 2 is "more than once"

    @action
    def note(self, j: Job) -> None:
        """Write down what is about to happen, before it can."""
        require(not self.noted[j])
        self.noted[j] = True
        self.in_hand[j] = True

    @action
    def act(self, j: Job) -> None:
        """Have the effect."""
        require(self.in_hand[j])
        self.in_hand[j] = False
        self.effects[j] = min(self.effects[j] + 1, 2)

    @fault
    def crash(self) -> None:
        """The worker dies; what only it knew is gone."""
        self.in_hand = each(Job, lambda j: False)

    @always
    def at_most_once(self, j: Job) -> bool:
        return self.effects[j] <= 1

    @sometimes
    def it_gets_done(self, j: Job) -> bool:
        return self.effects[j] == 1

    @lemma
    def in_hand_is_noted_and_still_to_do(self, j: Job) -> bool:
        return implies(self.in_hand[j], self.noted[j] and self.effects[j] == 0)

    @lemma
    def what_is_done_is_noted(self, j: Job) -> bool:
        return implies(self.effects[j] > 0, self.noted[j])
'''

_MODEL_TEST = '''\
"""$Name keeps what it promises: a test for each property, in a scope and for any size."""

from meshspec import suite

from $name import $Name

Test$Name = suite($Name, require="proved")
'''

_POLICY = '''\
"""$Name: a loop breaker; it stops a run in which nothing new comes back.

Called once for each step, in order. A step has `tool`, `arguments`, `text` (what came
back), `success`, `rank` (of a check: its phase and how many fail, lower is better; else
None) and `digest`. The answer is "CONTINUE" or ("TRIP", reason).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from meshspec.roles.breaker import Decision
    from meshspec.roles.story import Call

PATIENCE = 12  # steps without progress


class $Name:
    """Progress is a result not seen before, or a check that does better than it ever did."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()
        self.best: dict[str, tuple[int, int]] = {}
        self.stale = 0  # steps since something was new
        self.stuck = 0  # checks since one did better
        self.tripped = ""  # why; whoever goes on after a trip is stopped again

    def observe(self, step: Call) -> Decision:
        if step.rank is None:
            self.stale = 0 if self.is_new(step) else self.stale + 1
        elif self.is_better(step, step.rank):
            self.stale = self.stuck = 0
        else:
            self.stale += 1
            self.stuck += 1
        if max(self.stale, self.stuck) >= PATIENCE:
            self.tripped = f"no progress in {PATIENCE} steps"
        return ("TRIP", self.tripped) if self.tripped else "CONTINUE"

    def is_new(self, step: Call) -> bool:
        """Whether the tool has never come back with that; arguments can be new for ever."""
        result = (step.tool, step.text)
        new = result not in self.seen
        self.seen.add(result)
        return new

    def is_better(self, step: Call, rank: tuple[int, int]) -> bool:
        """Whether this check did better than ever; its first result is where it starts."""
        check = f"{step.tool} {step.arguments}"
        best = self.best.get(check)
        self.best[check] = rank if best is None else min(best, rank)
        return best is not None and rank < best
'''

_POLICY_TEST = '''\
"""$Name owes what every breaker owes: a test for each obligation and rule of conduct."""

from pathlib import Path

from meshspec import suite

HERE = Path(__file__).with_name("$name.py")

Test$Name = suite(role="breaker", policy=f"{HERE}:$Name", prefix=0)
'''

_ROLE = '''\
"""$Name: a role: what is owed by whoever decides which artifacts go through.

The contract is two methods: `admits` decides, `hears_of_change` is told when an artifact
is changed after its check. The world around them is the model: what is sound, which
checks ran, who changes what. The obligations are its claims. $Name is the reference that
keeps them; ${Name}TrustsOldChecks is an incident that breaks one. A policy of yours is
another subclass that overrides the contract. (Loop breakers, identities, ledgers and
leases have roles already: meshspec explain role.)
"""

from meshspec import (
    Map,
    Sort,
    action,
    always,
    any_of,
    fault,
    implies,
    lemma,
    model,
    require,
    sometimes,
    var,
)


class Artifact(Sort):
    """A piece of work that asks to go through."""


@model
class $Name:
    """The reference: what passed its check goes through, unless it was changed since."""

    sound: Map[Artifact, bool] = var(any_of(True, False))  # known to the world alone
    passed: Map[Artifact, bool] = var(False)  # a verdict that counts
    through: Map[Artifact, bool] = var(False)

    # -- the contract ------------------------------------------------------------------

    def admits(self, a: Artifact) -> bool:
        """Whether the artifact may go through; reads verdicts and nothing of the world."""
        return self.passed[a]

    def hears_of_change(self, a: Artifact) -> None:
        """What is done about a verdict whose artifact was changed."""
        self.passed[a] = False

    # -- the world ---------------------------------------------------------------------

    @action
    def check(self, a: Artifact) -> None:
        """A check tells the truth about what it sees."""
        require(not self.through[a])
        self.passed[a] = self.sound[a]

    @action
    def ask(self, a: Artifact) -> None:
        """The artifact goes through, if the policy admits it."""
        require(not self.through[a] and self.admits(a))
        self.through[a] = True

    @fault
    def change(self, a: Artifact) -> None:
        """Somebody changes the artifact, and breaks it."""
        require(not self.through[a])
        self.sound[a] = False
        self.hears_of_change(a)

    # -- the obligations ---------------------------------------------------------------

    @always
    def only_sound_work_goes_through(self, a: Artifact) -> bool:
        return implies(self.through[a], self.sound[a])

    @sometimes
    def sound_work_gets_through(self, a: Artifact) -> bool:
        return self.through[a]

    @lemma
    def a_verdict_that_counts_is_true(self, a: Artifact) -> bool:
        return implies(self.passed[a], self.sound[a])


@model
class ${Name}TrustsOldChecks($Name):
    """The incident: a verdict counts for ever. What was changed after it goes through."""

    def hears_of_change(self, a: Artifact) -> None:
        pass
'''

_ROLE_TEST = '''\
"""The reference of $Name keeps every obligation, and an incident breaks one."""

from meshspec import evidence, promise

import $name as role

EVIDENCE = evidence(
    role.$Name,
    scope={role.Artifact: 2},
    states=16,  # 4 ** 2: unsound, sound, checked, through
    deadlocks=1,  # all is through
    promises={
        "only_sound_work_goes_through": promise(
            proved=True,
            refuted_by={
                role.${Name}TrustsOldChecks: [
                    "check(artifact0)",
                    "change(artifact0)",
                    "ask(artifact0)",
                ]
            },
        ),
        "sound_work_gets_through": promise(),
    },
)
'''

_FILES = {
    "model": (_MODEL, _MODEL_TEST),
    "policy": (_POLICY, _POLICY_TEST),
    "role": (_ROLE, _ROLE_TEST),
}


@attrs.frozen
class Name:
    """A name in both its forms: of a module (``retry_budget``) and of a class (``RetryBudget``)."""

    module: str
    cls: str


def name_of(kind: str, given: str) -> Name:
    """A name from whatever was given: ``retry-budget``, ``RetryBudget``, ``retry budget``.

    Raises :class:`UsageError` where no name can be made of it, and where the name means something else already: a
    word of Python, a module of its library, a word of a model file.

    >>> name_of("model", "retry-budget")
    Name(module='retry_budget', cls='RetryBudget')
    >>> name_of("model", "HTTPGate2").module
    'http_gate2'
    """
    words = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\dA-Z_]+\d*|[A-Z]+\d*|\d+", given.strip().removesuffix(".py"))
    left = re.sub(r"[\s_-]", "", given.strip().removesuffix(".py"))
    name = Name("_".join(words).lower(), "".join(word[:1].upper() + word[1:] for word in words))
    if not words or "".join(words) != left or not (name.module.isidentifier() and name.cls.isidentifier()):
        raise UsageError(f"{given!r} is no name: write letters and digits, a letter first, as in retry_budget")
    if len(name.module) > LONGEST:
        raise UsageError(f"{given[:LONGEST]!r}... is longer than {LONGEST} letters")
    taken = _taken(kind, name)
    if taken:
        raise UsageError(f"{given!r} is taken: {taken}; choose another name")
    return name


def _taken(kind: str, name: Name) -> str:
    """What the name means already, or nothing."""
    for one in (name.module, name.cls):
        if keyword.iskeyword(one) or keyword.issoftkeyword(one):
            return f"{one} is a word of Python"
        if hasattr(builtins, one):
            return f"{one} is built into Python"
    if name.module in sys.stdlib_module_names:
        return f"{name.module} is a module of Python, which a file {name.module}.py would hide"
    if name.module in ("meshspec", "conftest") or name.module.startswith("test_"):
        return f"{name.module}.py means something to meshspec or pytest"
    used = set(re.findall(r"\b[A-Z]\w+", "".join(_FILES[kind]))) | set(meshspec.__all__)
    if name.cls in used or name.module in meshspec.__all__:
        return f"{name.cls} is a name that the file uses"
    return ""


def files(kind: str, name: Name) -> dict[str, str]:
    """The text of each file by its name: what was asked for, then its test."""
    made = [Template(text).substitute(Name=name.cls, name=name.module) for text in _FILES[kind]]
    return dict(zip((f"{name.module}.py", f"test_{name.module}.py"), made, strict=True))
