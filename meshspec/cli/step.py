"""``meshspec step``: a model walked by hand, in the terminal or by lines on standard input."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import attrs
from cyclopts import Parameter

from meshspec.answer import Answer, Finding, Step
from meshspec.cli import runs
from meshspec.cli.certify import certified
from meshspec.cli.configured import sizes_for
from meshspec.cli.options import Scope, Without, names, sizes_of
from meshspec.engines.check import Settings, scope_of, without
from meshspec.engines.tested import actions_of
from meshspec.engines.walk import Broken, Walk
from meshspec.errors import UsageError
from meshspec.report import text
from meshspec.targets import Target, resolve

LONGEST = 400  # characters of a line
MANY = 30  # so many enabled actions are listed unasked

COMMANDS = """\
NUMBER or ACTION  take this step: EXAMPLE
b                 back by one step
r                 back to the start
i NUMBER          begin anew in another initial state
s                 the whole state
a                 all that is enabled
w ACTION          why it is not enabled; also: why ACTION
p                 the path so far, as --take reads it
x FOLDER          write a bundle, where a claim is false
q                 quit
?                 this help"""


def step(
    target: str,
    *,
    scope: Scope = (),
    without_: Without = (),
    take: Annotated[str, Parameter(help='Take these steps first: "send(effect0),crash".')] = "",
    initial: Annotated[int, Parameter(help="Begin in this initial state; the first is 1.")] = 1,
) -> int:
    """Walk a model by hand: see the state, what is enabled, and which claims are false; take steps and go back.

    On a pipe the commands are read from standard input, a line each, and the first that cannot be done ends the walk
    with exit code 2. A walk checks nothing: it exits 0 unless it ends in a state that refutes a claim, which is 1.
    """
    faults = names(without_)
    found = resolve(target)
    model = without(certified(found.model), faults)
    sizes = scope_of(model, sizes_for(model, sizes_of(scope)))
    if initial < 1:
        raise UsageError(f"--initial {initial}: initial states are counted from 1")
    walk = Walk(model, sizes)
    session = _Session(walk, runs.Report(), found, faults)
    session.begin_at(initial)
    for action in actions_of(take):
        session.take(action)
    try:
        session.opens()
        session.obey(sys.stdin is not None and sys.stdin.isatty())
    except KeyboardInterrupt:  # the user's way out, as good as q
        session.report.say()
    return session.end()


@attrs.define
class _Session:
    walk: Walk
    report: runs.Report
    target: Target
    faults: tuple[str, ...]
    shown: tuple[object, list[Broken]] = (None, [])

    # -- what is read ------------------------------------------------------------------------------------------

    def obey(self, terminal: bool) -> None:
        """Do what each line says, until there are no more lines or one says to quit."""
        for number, line in enumerate(_typed() if terminal else _piped(), 1):
            try:
                if line and not line.startswith("#") and not self.does(line):
                    return
            except UsageError as error:
                if not terminal:
                    raise UsageError(f"line {number}, {line[:LONGEST]!r}: {error}") from None
                self.say(str(error))

    def does(self, line: str) -> bool:
        """Do what one line says; whether there is to be another."""
        if len(line) > LONGEST:
            raise UsageError(f"no action is called by {len(line):,} characters; ? tells the commands")
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        plain: dict[str, Callable[[], None]] = {
            "b": self.back,
            "r": self.restart,
            "s": self.state,
            "a": lambda: self.enabled(len(self.walk.enabled)),
            "p": self.path,
            "?": self.help,
        }
        given: dict[str, Callable[[str], None]] = {"i": self.initial, "w": self.why, "why": self.why, "x": self.write}
        if line in ("q", "quit", "exit"):
            return False
        if word in given:
            if not rest:
                raise UsageError(f"{word} needs something beside it; ? tells the commands")
            given[word](rest)
        elif line in plain:
            plain[line]()
        else:
            self.take(line)
            self.stepped(self.walk.steps[-1])
        return True

    def action(self, given: str) -> str:
        """The action that a number of the list or a text means."""
        if not given.isdecimal():
            return given
        enabled = self.walk.enabled
        if len(given) > 12 or not 1 <= int(given) <= len(enabled):
            has = f"enabled are 1 to {len(enabled)}" if enabled else "nothing is enabled"
            raise UsageError(f"there is no action {given}: {has}; ? tells the commands")
        return enabled[int(given) - 1]

    def take(self, given: str) -> None:
        try:
            self.walk.take(self.action(given))
        except UsageError as error:
            known = "has no action" not in str(error)
            raise error if known else UsageError(f"{error}; ? tells the commands") from None

    def begin_at(self, number: int) -> None:
        count = self.walk.initials
        if not 1 <= number <= count:
            are = f"there are {count:,}, counted from 1" if count > 1 else "there is one"
            raise UsageError(f"there is no initial state {number}: {are}")
        self.walk.reset(number - 1)

    # -- what is said ------------------------------------------------------------------------------------------

    def say(self, line: str, indent: int = 0) -> None:
        for part in text.paragraph(line, self.report.width - indent):
            self.report.say(" " * indent + part)

    def opens(self) -> None:
        name = self.walk.model.name
        scope = text.scope_text(self.walk.scope)
        self.say(
            (name if self.target.name == name else f"{name} ({self.target.name})")
            + f"  [scope {scope}]" * bool(scope)
        )
        if self.faults:
            self.say(f"without {', '.join(self.faults)}", 2)
        if (count := self.walk.initials) > 1:
            self.say(f"initial state {self.walk.start + 1} of {count:,}", 2)
        for number, taken in enumerate(self.walk.steps, 1):
            self.step(number, taken)
        if not self.walk.steps:
            self.state()
        self.here()

    @property
    def place(self) -> object:
        return self.walk.start, self.walk.path

    def here(self) -> None:
        self.shown = self.place, self.walk.claims
        for broken in self.shown[1]:
            self.say(f"false now: {broken.property}" + f" (stated at {broken.where})" * bool(broken.where), 2)
            self.say(f"so {broken.failed}", 4)
        for witnessed in self.walk.witnessed:
            self.say(f"witnessed: {witnessed}", 2)
        self.enabled(MANY)

    def enabled(self, most: int) -> None:
        enabled = self.walk.enabled
        if not enabled:
            self.say("nothing is enabled", 2)
        for number, action in enumerate(enabled[:most], 1):
            self.say(f"{number}  {action}" + "  (fault)" * self.walk.is_fault(action), max(6 - len(str(number)), 0))
        if len(enabled) > most:
            self.say(f"and {len(enabled) - most:,} more: a lists them all", 8)

    def state(self) -> None:
        """One paragraph for each variable."""
        variables: dict[str, list[str]] = {}
        for cell, value in self.walk.state.items():
            variables.setdefault(cell.partition("[")[0], []).append(f"{cell} = {value}")
        for cells in variables.values():
            self.say(", ".join(cells), 2)

    def step(self, number: int, taken: Step) -> None:
        changed = ", ".join(f"{cell} {old} -> {new}" for cell, (old, new) in taken.changes.items())
        said = changed or taken.note or "nothing changes"
        self.say(f"{number}. {taken.action}  {said}")

    def stepped(self, taken: Step) -> None:
        self.step(len(self.walk.steps), taken)
        self.here()

    def back(self) -> None:
        self.say(f"back before {self.walk.back().action}")
        self.here()

    def restart(self) -> None:
        self.walk.reset()
        self.say("back at the start")
        self.here()

    def initial(self, given: str) -> None:
        self.begin_at(int(given) if given.isdecimal() and len(given) < 13 else 0)
        self.say(f"initial state {self.walk.start + 1}")
        self.state()
        self.here()

    def why(self, given: str) -> None:
        action = self.action(given)
        self.say(self.walk.why_not(action) or f"{action} is enabled ({self.walk.where(action)})", 2)

    def path(self) -> None:
        self.say(", ".join(self.walk.path) or "no step was taken", 2)

    def help(self) -> None:
        enabled = self.walk.enabled
        example = f"1, {enabled[0]}" if enabled else "1; nothing is enabled here"
        for line in COMMANDS.replace("EXAMPLE", example).splitlines():
            self.report.say(f"  {line}")

    # -- what is left of it ------------------------------------------------------------------------------------

    @property
    def again(self) -> str:
        words = ["meshspec", "step", self.target.name]
        words += ["--scope", text.scope_text(self.walk.scope)] if self.walk.scope else []
        words += ["--without", ",".join(self.faults)] if self.faults else []
        words += ["--initial", str(self.walk.start + 1)] if self.walk.start else []
        words += ["--take", ",".join(self.walk.path)] if self.walk.path else []
        return shlex.join(words)

    def findings(self) -> Iterator[Finding]:
        for broken in self.walk.claims:
            yield Finding(
                self.walk.model.name,
                broken.property,
                Answer.VIOLATED,
                "step",
                kind=broken.kind,
                scope=self.walk.scope,
                counterexample=self.walk.counterexample(broken.property),
                replay=self.again,
                where=broken.where,
            )

    def write(self, folder: str) -> None:
        findings = list(self.findings())
        if not findings:
            raise UsageError("a bundle argues that something is false, and nothing is here")
        from meshspec.report.bundle import bundle_of  # for this one command

        for finding in findings:
            bundle = bundle_of(finding, self.target, self.walk.scope, self.faults, Settings())
            if bundle is None:
                self.say(f"no bundle: {finding.property} is not one that can be run again", 2)
            for path in bundle.write(Path(folder)) if bundle is not None else ():
                self.say(f"written: {path}", 2)

    def end(self) -> int:
        """The last lines, which must not read as if something had been checked, and the exit code.

        Raises :class:`KeyboardInterrupt` where it came before the claims of this state were asked: after one no more
        of the author's code is run.
        """
        if self.shown[0] != self.place:
            raise KeyboardInterrupt
        taken = len(self.walk.steps)
        steps = f"{taken} step{'s' if taken != 1 else ''}"
        broken = ", ".join(one.property for one in self.shown[1])
        self.report.say()
        if broken:
            self.say(f"walked {steps} to a state that refutes {broken}; exit 1")
        else:
            self.say(f"walked {steps}, nothing was checked; exit 0")
        self.say(f"again: {self.again}")
        return 1 if broken else 0


def _typed() -> Iterator[str]:
    """Lines typed by somebody. Not by ``input``, which drops a Ctrl-C that comes while it flushes its prompt."""
    while True:
        sys.stdout.write("> ")
        sys.stdout.flush()
        if not (line := sys.stdin.readline()):
            print()
            return
        yield line.strip()


def _piped() -> Iterator[str]:
    """Lines of standard input; nothing where it is closed."""
    for line in sys.stdin or ():
        yield line.strip()
