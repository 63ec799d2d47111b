"""A loop breaker that measures progress and nothing else. Standard library only, Python 3.9 and later.

    breaker = ProgressBreaker()
    while (step := agent.next_step()) is not None:      # tool, arguments, text, rank, digest, success
        if breaker.observe(step) != "CONTINUE":         # else ("TRIP", why)
            break

Progress is a result that this tool never came back with, or a check that did better than it ever did. After
`patience` steps (or rounds of a check) without any the breaker trips, and keeps on tripping until somebody resets it.
By itself it lets one step through after a rest, and closes where that step is progress; each one that is not doubles
the rest, and nothing but progress or a reset makes it short again.

What it cannot know. Two runs may show it the same and be worlds apart; what it does there is a choice of its user.

- The same successful call with the same result: a loop, or honest polling? ``doubt="trip"`` stops it, for as long as
  it takes to call :meth:`ProgressBreaker.reset`; ``doubt="run"`` lets it go on, and a real loop with it.
- The same call with new text each time: honest work, or a loop that prints the time? It is let run, unless `content`
  says what of a step counts, with the time masked.
- A check that never moves: stuck, or getting there where the check does not look? It is stopped after `patience`.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, ClassVar, Final, Literal, Union  # noqa: UP035  # Callable[...], X | Y: not on 3.9

Decision = Union[Literal["CONTINUE", "TRIP"], tuple[Literal["TRIP"], str]]  # noqa: UP007
CONTINUE: Final = "CONTINUE"


class Uninformative(Exception):
    """Raise it, or a subclass, from a call whose ending says nothing about progress."""


def text_of(step: Any) -> str:
    """What of a step counts as its content: all of its text."""
    return str(step.text)


class ProgressBreaker:
    """Trips when nothing new has come back for a while, or when checks have not moved for a while.

    Both are needed. Edits that measure nothing keep bringing new results, so checks are counted apart; and where
    there is no check, new results are all the progress there is to see. Arguments are not read at all, except to
    tell one check from another.

    >>> from types import SimpleNamespace as Step
    >>> breaker = ProgressBreaker(patience=2)
    >>> look = Step(tool="read_file", arguments={"path": "a.py"}, text="214 bytes", rank=None, success=True)
    >>> [breaker.observe(look) for _ in range(3)]
    ['CONTINUE', 'CONTINUE', ('TRIP', 'no progress: 2 steps with nothing new, 0 checks with nothing better')]
    >>> breaker.reset(); breaker.observe(look)
    'CONTINUE'

    Args:
        patience: steps (or rounds of a check) without progress before it trips.
        content: what of a step counts, as text; mask here what always moves.
        doubt: ``"trip"`` or ``"run"``, where a successful call comes back with what it came back with before.
        rest: seconds until one step is let through after a trip.
        longest: seconds that the rest may grow to.
        ignores: errors of a call that say nothing about progress.
        clock: seconds that only ever grow.
    """

    KNOBS: ClassVar[dict[str, tuple[object, object]]] = {
        "patience": (3, 12),
        "doubt": ("trip", "run"),
        "rest": (60.0, 600.0),
        "longest": (60.0, 3600.0),
    }
    """What can be chosen, each with two values that some run tells apart."""

    @staticmethod
    def HOST(calls: Any) -> bool:
        """Which runs its host can make: any."""
        return True

    def __init__(
        self,
        patience: int = 12,
        *,
        content: Callable[[Any], str] = text_of,
        doubt: str = "trip",
        rest: float = 60.0,
        longest: float = 3600.0,
        ignores: tuple[type[Exception], ...] = (Uninformative,),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if patience < 1 or doubt not in ("trip", "run") or not 0 < rest <= longest:
            raise ValueError(
                f'patience is at least 1 ({patience}), doubt "trip" or "run" ({doubt!r}), '
                f"and a rest is more than 0 and at most the longest ({rest}, {longest})"
            )
        self.settings = {
            "patience": patience, "content": content, "doubt": doubt, "rest": rest, "longest": longest,
            "ignores": ignores, "clock": clock,
        }  # fmt: skip
        self.patience, self.content, self.doubt, self.ignores = patience, content, doubt, ignores
        self.rest, self.longest, self.clock = rest, longest, clock
        self.lock = threading.RLock()
        self.sessions: dict[str, ProgressBreaker] = {}
        self.seen: set[tuple[str, str]] = set()
        self.best: dict[str, tuple[int, int]] = {}
        self.stale = self.stuck = 0
        self.tripped: str | None = None
        self.wait, self.since, self.trying = rest, 0.0, False

    # -- the decision --------------------------------------------------------------------------------------------

    def is_new(self, step: Any) -> bool:
        """Whether this tool has never come back with that before."""
        return (step.tool, self.content(step)) not in self.seen

    def improved(self, step: Any) -> bool:
        """Whether this check did better than it ever did; the phase counts before the number failing.

        What a check says the first time is where it starts, and no progress yet: else a new argument in each round
        would make each round a new check.
        """
        best = self.best.get(name_of(step))
        return best is not None and step.rank < best

    def counted(self, step: Any) -> tuple[int, int]:
        """Steps with nothing new and checks with nothing better, once that step is counted. Changes nothing."""
        if step.rank is None:
            if self.is_new(step):
                return 0, self.stuck
            unsure = self.doubt == "run" and step.success
            return (self.stale, self.stuck) if unsure else (self.stale + 1, self.stuck)
        return (0, 0) if self.improved(step) else (self.stale + 1, self.stuck + 1)

    def remember(self, step: Any) -> None:
        """Keep what is needed to know what is new."""
        if step.rank is None:
            self.seen.add((step.tool, self.content(step)))
        else:
            name = name_of(step)
            self.best[name] = min(self.best.get(name, step.rank), step.rank)

    def why(self, stale: int, stuck: int) -> str:
        """Why it trips."""
        return f"no progress: {stale} steps with nothing new, {stuck} checks with nothing better"

    def observe(self, step: Any) -> Decision:
        """Decide on the run so far; called once for each step, in order, from whatever thread."""
        return self.decided(step, self.tripped is not None and not self.trying and self.rested())

    def ask(self, step: Any) -> Decision:
        """What :meth:`observe` would answer to that step now. Changes nothing."""
        with self.lock:
            if self.tripped is None:
                stale, stuck = self.counted(step)
                return CONTINUE if max(stale, stuck) < self.patience else ("TRIP", self.why(stale, stuck))
            closes = not self.trying and self.rested() and self.shows_progress(step)
            return CONTINUE if closes else ("TRIP", self.tripped)

    def decided(self, step: Any, probe: bool) -> Decision:
        with self.lock:
            if self.tripped is None:
                stale, stuck = self.counted(step)
                self.remember(step)
                return self.count(stale, stuck)
            if not probe:
                return ("TRIP", self.tripped)
            progress = self.shows_progress(step)
            self.remember(step)
            return self.answered(progress)

    def shows_progress(self, step: Any) -> bool:
        return self.is_new(step) if step.rank is None else self.improved(step)

    def count(self, stale: int, stuck: int) -> Decision:
        self.stale, self.stuck = stale, stuck
        if stale < self.patience > stuck:
            return CONTINUE
        self.tripped = self.why(stale, stuck)
        self.since = self.clock()
        return ("TRIP", self.tripped)

    # -- after a trip --------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Go on, patient again. What was seen stays seen, so that a loop is a loop still."""
        with self.lock:
            self.tripped, self.trying, self.wait = None, False, self.rest
            self.stale = self.stuck = 0

    def rested(self) -> bool:
        return self.clock() - self.since >= self.wait

    def answered(self, progress: bool) -> Decision:
        """What became of the one step that was let through."""
        self.trying = False
        if progress:
            self.reset()
            return CONTINUE
        self.wait, self.since = min(2 * self.wait, self.longest), self.clock()
        return ("TRIP", f"{self.tripped}; and none since")

    def call(self, perform: Callable[[], Any]) -> Decision:
        """Make a call if calls are let through, and observe the step that it comes back with.

        What `perform` raises comes out again. An error counts as a step; a call that was cancelled or interrupted,
        or raised one of `ignores`, says nothing, and where it was the one let through after a rest there is another.
        """
        with self.lock:
            probe = self.tripped is not None
            if self.tripped is not None:
                if self.refuses():
                    return ("TRIP", self.tripped)
                self.trying = True
        try:
            step = perform()
        except BaseException as error:
            self.ended(error, probe)
            raise
        return self.decided(step, probe)

    def refuses(self) -> bool:
        """Whether a call is refused, once it has tripped: one is let through after a rest."""
        return self.trying or not self.rested()

    def says_nothing(self, error: BaseException) -> bool:
        return isinstance(error, self.ignores) or not isinstance(error, Exception)

    def ended(self, error: BaseException, probe: bool) -> None:
        """A call that did not come back."""
        with self.lock:
            if self.says_nothing(error):
                self.trying = self.trying and not probe
            elif probe:
                self.answered(progress=False)
            elif self.tripped is None:
                said = ("error", f"{type(error).__name__}: {error}")
                self.count(0 if said not in self.seen else self.stale + 1, self.stuck)
                self.seen.add(said)

    # -- sessions, and other processes ---------------------------------------------------------------------------

    def session(self, name: str) -> ProgressBreaker:
        """The breaker of one session, which shares nothing with that of another; made when it is first asked for."""
        with self.lock:
            if name not in self.sessions:
                self.sessions[name] = type(self)(**self.settings)  # type: ignore[arg-type]
            return self.sessions[name]

    def snapshot(self) -> dict[str, Any]:
        """All that it holds, as plain values that JSON has."""
        with self.lock:
            return {
                "seen": sorted(map(list, self.seen)),
                "best": sorted([name, list(rank)] for name, rank in self.best.items()),
                "stale": self.stale,
                "stuck": self.stuck,
                "tripped": self.tripped,
                "wait": self.wait,
                "rested": 0.0 if self.tripped is None else self.clock() - self.since,
                "sessions": {name: one.snapshot() for name, one in sorted(self.sessions.items())},
            }

    def restore(self, held: dict[str, Any]) -> None:
        """Go on from a snapshot, in this process or another. A call that was under way then is not."""
        with self.lock:
            self.seen = {(tool, content) for tool, content in held["seen"]}
            self.best = {name: (rank[0], rank[1]) for name, rank in held["best"]}
            self.stale, self.stuck, self.tripped = held["stale"], held["stuck"], held["tripped"]
            self.wait, self.since, self.trying = held["wait"], self.clock() - held["rested"], False
            self.sessions = {}
            for name, one in held["sessions"].items():
                self.session(name).restore(one)


def name_of(step: Any) -> str:
    """What tells one check from another: its tool and its arguments, in whatever order they were given."""
    arguments = step.arguments
    return f"{step.tool} {arguments if len(arguments) < 2 else sorted(arguments.items(), key=_first)}"


def _first(item: tuple[Any, Any]) -> str:
    return str(item[0])
