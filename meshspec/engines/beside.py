"""An implementation driven beside a model: after every step, does it show what the model is in?

Three functions tell how to drive it. ``start() -> system`` gives a new one for every example; ``step(system, name,
arguments)`` has it do one action of the model, with members of sorts as they are, choices after the arguments;
``observe(system)`` maps names of variables (``up``, ``recorded``) or of their cells (``recorded[effect0]``) to
values, for as many of them as it can show. Sorts have their members meanwhile (``for job in Job``). Each may be
``async``: every example has an event loop of its own.

Sound when it says that the two differ: the model was run on CPython, the implementation as it is. Misses what
``observe`` does not show (the answer names it), what an action does that the model has not, and what other examples
would have met. A system that hangs hangs the check.
"""

from __future__ import annotations

import asyncio
import difflib
import importlib
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs

from meshspec.backends.layout import State
from meshspec.engines.course import Course
from meshspec.engines.driven import AGREES, Plan, Refuted, Trace, fewest
from meshspec.engines.tested import retaken
from meshspec.errors import Blocked, ImportedTwice, UsageError
from meshspec.expr.nodes import SortType
from meshspec.expr.text import value_text
from meshspec.lang.containers import fits
from meshspec.lang.places import where_is, where_raised
from meshspec.sorts import Sort, not_another, scope

if TYPE_CHECKING:
    from hypothesis import settings as Settings

    from meshspec.engines.machine import ModelMachine

MOST = 2_000  # steps that an implementation takes while a path is minimised
SHOWN = 5  # differences that are told of one state
NOT_FRESH = "start() gives no fresh system"
NOTHING_SHOWN = "observe() shows nothing"


class NotFresh(UsageError):
    """What one example did to the system is seen by the next."""


class NothingShown(UsageError):
    """``observe`` gave an empty mapping, so that nothing could be compared."""


class _Nested(UsageError):
    """An event loop is running already."""


@attrs.frozen
class Implementation:
    """The three functions, and the name under which a command line reaches them, if there is one."""

    start: Callable[[], Any]
    step: Callable[[Any, str, tuple[Any, ...]], Any]
    observe: Callable[[Any], Any]
    name: str = ""

    def memory(self, plan: Plan) -> Memory:
        return Memory(Cells(plan))

    def side(self, plan: Plan) -> Side:
        return Side(self, plan)


def implementation(found: object, name: str) -> Implementation:
    """The functions ``start``, ``step`` and ``observe`` of a module, of an object, or of a class without arguments.

    Raises :class:`UsageError` for what lacks one of them.
    """
    held = found() if isinstance(found, type) else found
    parts = {part: getattr(held, part, None) for part in ("start", "step", "observe")}
    if lacking := [part for part, function in parts.items() if not callable(function)]:
        raise UsageError(
            f"--against {name} lacks {', '.join(lacking)}: an implementation is driven through start() -> system, "
            "step(system, name, arguments) and observe(system) -> {variable: value}"
        )
    return Implementation(**cast("dict[str, Any]", parts), name=name)


class Cells:
    """What the names that ``observe`` uses stand for."""

    def __init__(self, plan: Plan) -> None:
        self.layout = plan.layout
        self.names = tuple(str(cell) for cell in self.layout.cells)
        self.by_name = {name: at for at, name in enumerate(self.names)}
        self.of: dict[str, list[int]] = {}
        for at, cell in enumerate(self.layout.cells):
            self.of.setdefault(cell.variable.symbol.name, []).append(at)

    def read(self, observed: object) -> dict[int, object]:
        """What is shown, by the position of its cell; raises :class:`UsageError` for what is no such mapping."""
        if not isinstance(observed, Mapping):
            raise UsageError(
                f"observe() gives {type(observed).__name__}, and should give a mapping: {{'up': True, ...}}"
            )
        shown: dict[int, object] = {}
        for name, value in cast("Mapping[Any, object]", observed).items():
            for at, entry in self._entries(str(name), value):
                shown[at] = entry
        if not shown:
            raise NothingShown(f"{NOTHING_SHOWN}: give at least one variable, {{'{self.names[0]}': ...}}")
        return shown

    def _entries(self, name: str, value: object) -> list[tuple[int, object]]:
        if name in self.by_name:
            return [(self.by_name[name], value)]
        if name not in self.of:
            close = difflib.get_close_matches(name, list(dict.fromkeys([*self.of, *self.names])), 3, 0.6)
            said = f"did you mean {' or '.join(close)}?" if close else f"the model has {', '.join(self.of)}"
            raise UsageError(f"observe() shows {name!r}, which is no variable; {said}")
        return [(at, self._entry(name, at, value)) for at in self.of[name]]

    def _entry(self, name: str, at: int, value: object) -> object:
        """One cell of a whole map or set."""
        cell = self.layout.cells[at]
        key = cell.keys[0] if len(cell.keys) == 1 else cell.keys
        if cell.variable.is_set and isinstance(value, Collection) and not isinstance(value, (str, bytes, Mapping)):
            return key in value
        if not isinstance(value, Mapping):
            wanted = "a set of members" if cell.variable.is_set else "a mapping from its keys"
            raise UsageError(f"observe() shows {name} as {value!r}: give {wanted}, or its cells: {self.names[at]!r}")
        entries = cast("Mapping[object, object]", value)
        if key not in entries:
            raise UsageError(
                f"observe() shows {name} without {value_text(key)}: give every key, or only the cells that are known"
            )
        return entries[key]

    def differences(self, state: State, shown: Mapping[int, object]) -> list[str]:
        """Where what is shown is not the model's state: ``recorded[effect0]: model True, implementation False``."""
        values, told = self.layout.decode(state), list[str]()
        for at, value in sorted(shown.items()):
            cell = self.layout.cells[at]
            mine, symbol = values[cell.key], cell.variable.symbol
            of_type = fits(value, symbol.type) or (value is None and symbol.optional)
            if not of_type or value != mine:
                if isinstance(value, Sort) and isinstance(symbol.type, SortType):
                    not_another(type(value), symbol.type.cls)
                kind = "" if of_type else f", a {type(value).__name__}"
                told.append(f"{cell}: model {value_text(mine)}, implementation {value_text(value)}{kind}")
        return told


class Side:
    """The implementation in one example."""

    def __init__(self, implementation: Implementation, plan: Plan) -> None:
        self.implementation, self.plan = implementation, plan
        self.system: Any = None
        self._loop: asyncio.Runner | None = None

    def begin(self) -> int:
        """Start a system; the number of the first initial state of the model that it shows.

        Raises :class:`Refuted` where it shows none, and :class:`NotFresh` if an earlier example began well.
        """
        __tracebackhide__ = True
        plan, memory = self.plan, self.plan.beside
        self.system = self._call("start()", Trace(0, ()), self.implementation.start)
        again = memory.last is not None and self.system is memory.last
        memory.last = self.system
        shown = self._shown(Trace(0, ()))
        for number, state in enumerate(plan.initial):
            if not memory.cells.differences(state, shown):
                memory.began = True
                return number
        told = _some(memory.cells.differences(plan.initial[0], shown))
        if memory.began or again:
            same = "it returned the very object that an earlier example was given; " if again else ""
            memory.stale = NotFresh(
                f"{NOT_FRESH}: {same}before any step it shows {told}, and an earlier example began as the model "
                "does. Make a new system in start(), and nothing that outlives it"
            )
            raise memory.stale
        raise self._refuted(Trace(0, ()), f"it begins otherwise: {told}", "begins otherwise")

    def follow(self, number: int, course: Course) -> None:
        """Have it do what the model did, and compare; raises :class:`Refuted` where the two differ."""
        __tracebackhide__ = True
        lifted, arguments = self.plan.ground[number]
        own, chosen = lifted.assembled(arguments)
        self._call("step()", course.trace, self.implementation.step, self.system, lifted.name, own + chosen)
        if told := self.plan.beside.cells.differences(course.state, self._shown(course.trace)):
            raise self._refuted(course.trace, _some(told), ",".join(sorted({_variable(one) for one in told})))

    def _refuted(self, trace: Trace, failed: str, sign: str) -> Refuted:
        return self.plan.error(AGREES)(self.plan, AGREES, trace, failed, sign)

    def _shown(self, trace: Trace) -> dict[int, object]:
        __tracebackhide__ = True
        memory = self.plan.beside
        observe = self.implementation.observe
        observed = self._call("observe()", trace, observe, self.system)
        try:
            shown = memory.cells.read(observed)
        except UsageError as error:
            where = where_is(observe)
            raise type(error)(f"{error}" + (f" (observe() is at {where})" if where.line else "")) from None
        memory.shown.update(shown)
        return shown

    def _call(self, what: str, trace: Trace, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call one of the three; whatever it raises, but for what steers the check itself, refutes."""
        __tracebackhide__ = True
        steering: tuple[type[BaseException], ...] = (ImportedTwice, _Nested, *self.plan.beside.steering)
        try:
            with scope(self.plan.layout.sizes):  # so that the three may say `for job in Job`
                result = function(*arguments)
                return self._loop_of(result).run(_waited(result)) if inspect.isawaitable(result) else result
        except steering:
            raise
        except (Exception, SystemExit, asyncio.CancelledError, Blocked) as error:
            place = where_raised(error)
            told = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            at = f" at {place}" if place is not None else ""
            raise self._refuted(trace, f"{what} raises {told}{at}", f"{what} {type(error).__name__}") from error

    def _loop_of(self, result: object) -> asyncio.Runner:
        """The event loop of this example."""
        if self._loop is None:
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                self._loop = asyncio.Runner()
            else:
                if inspect.iscoroutine(result):
                    result.close()
                raise _Nested(
                    "an implementation that is async gets an event loop of its own, and one is running already: "
                    "drive it from a plain function, not from an `async def`"
                )
        return self._loop

    def close(self) -> None:
        """Close the event loop, whatever tasks are left on it cancelled."""
        self.system = None
        if self._loop is not None:
            loop, self._loop = self._loop, None
            loop.close()


def minimise(error: Refuted) -> None:
    """Leave out of a path the steps that the implementation differs without: each is tried on a new system.

    What is left is told instead. It ends after so many steps, and where a system cannot be started any more.
    """
    plan, left, told = error.plan, [MOST], [error]

    def as_far(actions: list[int]) -> list[int] | None:
        if left[0] <= 0:
            return None
        found = along(plan, actions, left)
        if found is None or found.sign != error.sign:
            return None
        told.append(found)
        return list(found.trace.actions)

    try:
        fewest(list(error.trace.actions), as_far)
    except UsageError:  # of another system that is not fresh, or shows nothing: what was found stands
        return
    error.trace, error.failed = told[-1].trace, told[-1].failed


def along(plan: Plan, actions: list[int], left: list[int]) -> Refuted | None:
    """What an implementation is refuted by on these actions, as far as the model enables them."""
    course, side = Course(plan), Side(cast("Implementation", plan.against), plan)
    try:
        course.begin(side.begin())
        for number in actions:
            reached = dict(plan.here(course.state).ways).get(number)
            if reached is None:
                return None
            course.take(number, reached, counted=False)
            left[0] -= 1
            side.follow(number, course)
    except Refuted as found:
        return found
    finally:
        side.close()
    return None


async def _waited(result: Any) -> Any:
    return await result


def _variable(told: str) -> str:
    """Of a difference, the variable: neither its cell nor a value."""
    return told.partition(":")[0].partition("[")[0]


def _some(told: list[str]) -> str:
    more = f", and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
    return ", ".join(told[:SHOWN]) + more


@attrs.define
class Memory:
    """What is known of an implementation over all examples."""

    cells: Cells
    steering: tuple[type[BaseException], ...] = ()
    shown: set[int] = attrs.field(factory=set[int])
    began: bool = False
    stale: NotFresh | None = None
    last: Any = None

    @property
    def unseen(self) -> list[str]:
        """The variables of which nothing was ever shown."""
        return [name for name, cells in self.cells.of.items() if not self.shown.intersection(cells)]


def beside(
    model: Any,
    *,
    start: Callable[[], Any],
    step: Callable[[Any, str, tuple[Any, ...]], Any],
    observe: Callable[[Any], Any],
    scope: Mapping[Any, int] | None = None,
    weights: Mapping[str, int] | None = None,
    swarm: bool = True,
    without: Sequence[str] = (),
) -> type[ModelMachine]:
    """A Hypothesis state machine that drives an implementation beside a model, as the module says.

    The claims of the model are not asked about: `machine` does that, or `explore`. The rest is as for `machine`, and
    so are the errors raised.

    >>> # TestLedger = beside(EffectLedger, start=Service, step=Service.do, observe=Service.show).TestCase
    """
    against = Implementation(start, step, observe)
    machine = importlib.import_module("meshspec.engines.machine")  # imports Hypothesis, which only driving needs
    plan: Plan = machine.planned(model, scope, weights=weights, swarm=swarm, without=without, against=against)
    plan.open.intersection_update({AGREES})
    return cast("type[ModelMachine]", machine.made(plan))


def drive_beside(
    model: Any,
    *,
    start: Callable[[], Any],
    step: Callable[[Any, str, tuple[Any, ...]], Any],
    observe: Callable[[Any], Any],
    scope: Mapping[Any, int] | None = None,
    weights: Mapping[str, int] | None = None,
    swarm: bool = True,
    without: Sequence[str] = (),
    settings: Settings | None = None,
    path: str | None = None,
) -> None:
    """Drive an implementation beside a model now: for the body of a test, whose fixtures the functions may use.

    Raises :class:`meshspec.engines.driven.Refuted`, an ``AssertionError``, at the first difference. `settings` are
    those of Hypothesis; without them the profile in use has its say, as in a test case. With a `path`, as a failure
    prints it, only that is taken: ``path="charge(job0),note(job0)"``.

    Raises :class:`meshspec.engines.driven.NothingTried` where no step was taken at all.
    """
    __tracebackhide__ = True
    made = beside(
        model,
        start=start,
        step=step,
        observe=observe,
        scope=scope,
        weights=weights,
        swarm=swarm,
        without=without,
    )
    if path is None:
        importlib.import_module("meshspec.engines.machine").run(made, settings)
    else:
        retaken(made.plan, path)
