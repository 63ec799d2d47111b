"""A Hypothesis state machine from a model: for a user's own pytest, with whatever Hypothesis offers.

It has one rule: an integer picks the i-th of the actions that are enabled, so that no step is wasted on a guard that
is false, and where nothing is enabled the step is idle. ``machine(Ledger).TestCase`` is a test case for unittest and
pytest, and ``Ledger.TestCase`` the same in the default scope.
"""

from __future__ import annotations

import sys
import unittest
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from hypothesis import HealthCheck, Phase, Verbosity, event, seed
from hypothesis import settings as Settings
from hypothesis import strategies as st
from hypothesis.control import current_build_context
from hypothesis.errors import (
    FailedHealthCheck,
    Flaky,
    HypothesisException,
    StopTest,
    Unsatisfiable,
    UnsatisfiedAssumption,
)
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from hypothesis.statistics import collector, describe_statistics

from meshspec.backends.certificate import certified
from meshspec.engines.beside import NotFresh, NothingShown, minimise
from meshspec.engines.check import scope_of
from meshspec.engines.check import without as less_faults
from meshspec.engines.course import Course
from meshspec.engines.driven import STEP, NothingTried, Plan, Refuted
from meshspec.engines.tested import NeverTaken as NeverTaken
from meshspec.engines.tested import tested
from meshspec.sorts import Sort

if TYPE_CHECKING:
    from meshspec.engines.beside import Side

EVERY = cast("tuple[HealthCheck, ...]", tuple(HealthCheck))
UNHEALTHY = (HealthCheck.data_too_large, HealthCheck.filter_too_much, HealthCheck.large_base_example)
"""What is unmet without any clock."""

DIGIT = 100
"""Below this no constant from source files that happen to be loaded is drawn, and draws are even."""


class ModelTestCase(unittest.TestCase):
    """The test case of a machine: ``settings`` are those of Hypothesis, to be assigned like those of its own."""

    __test__ = False
    machine: ClassVar[type[ModelMachine]]
    settings: ClassVar[Settings]

    def runTest(self) -> None:
        __tracebackhide__ = True
        run(self.machine, self.settings)


class _Case:
    """``TestCase`` of a machine class, one for each."""

    def __get__(self, machine: ModelMachine | None, cls: type[ModelMachine]) -> type[ModelTestCase]:
        found = vars(cls).get("_case")
        if found is None:
            found = _case_of(cls.plan.model.declared.cls, lambda: cls)
            cls._case = found  # pyright: ignore[reportPrivateUsage]  # its own descriptor
        return cast("type[ModelTestCase]", found)


class _Lazily:
    """``machine`` of a test case, made when it is first asked for: then the model is lifted, and not before."""

    def __init__(self, make: Callable[[], type[ModelMachine]]) -> None:
        self.make, self.made = make, cast("type[ModelMachine] | None", None)

    def __get__(self, case: ModelTestCase | None, cls: type[ModelTestCase]) -> type[ModelMachine]:
        if self.made is None:
            self.made = self.make()
        return self.made


def _case_of(model: type, make: Callable[[], type[ModelMachine]]) -> type[ModelTestCase]:
    def runTest(self: ModelTestCase) -> None:  # one of its own, for the marks that it bears
        __tracebackhide__ = True
        ModelTestCase.runTest(self)

    runTest.is_hypothesis_test = True  # type: ignore[attr-defined]  # as Hypothesis marks its own
    body = {
        "__module__": model.__module__,
        "__qualname__": f"{model.__qualname__}.TestCase",
        "__test__": True,
        "machine": _Lazily(make),
        "settings": _usual(),
        "runTest": runTest,
    }
    return type("TestCase", (ModelTestCase,), body)


def _usual() -> Settings:
    """The profile in use, and what a state machine of Hypothesis leaves aside besides."""
    return Settings(deadline=None, suppress_health_check=list(EVERY))


def run(cls: type[ModelMachine], settings: Settings | None = None) -> None:
    """Run a machine as a test; raises what it fails with, and warns of the actions that no example took."""
    __tracebackhide__ = True
    plan, asked = cls.plan, settings or cls.TestCase.settings
    phases = [phase for phase in asked.phases if phase is not Phase.explain]  # slowly, lines of ours
    if not {Phase.generate, Phase.reuse}.intersection(phases):  # Hypothesis calls that a skip
        raise NothingTried(plan, "the settings leave out the phases in which there are examples")

    def once() -> None:
        __tracebackhide__ = True
        try:
            run_state_machine_as_test(cls, settings=Settings(asked, phases=phases))
        except Flaky:
            if (stale := _stale(cls)) is not None:
                raise stale from None
            raise
        except (Unsatisfiable, unittest.SkipTest):  # the second without any example, too
            if plan.steps or plan.examples:
                raise

    tested(plan, once)


@contextmanager
def counting(note: Callable[[str], None], name: str) -> Generator[None, None, None]:
    """What Hypothesis counts inside goes to `note`, as it describes the statistics of the test of that name."""

    def noted(stats: Any) -> None:
        stats["nodeid"] = name
        note(describe_statistics(stats))

    with cast("Any", collector).with_value(noted):
        yield


def drawn(cls: type[ModelMachine], chosen: int, examples: int, steps: int) -> BaseException | None:
    """Run a machine on what a seed draws, the same everywhere; what it stopped with, or ``None`` if it did not.

    No database, no profile and no clock has a say, and a bug of ours or Ctrl-C is raised.
    """
    settings = Settings(
        max_examples=examples,
        stateful_step_count=steps + 1,  # the first begins
        database=None,
        deadline=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink),
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=[check for check in EVERY if check not in UNHEALTHY],
        backend="hypothesis",
        verbosity=Verbosity.quiet,
    )
    try:
        run_state_machine_as_test(seed(chosen)(cls), settings=settings)
    except (Refuted, NotFresh, NothingShown) as stopped:
        return stopped
    except Flaky as stopped:
        return _stale(cls) or stopped
    except (FailedHealthCheck, Unsatisfiable) as stopped:
        return stopped
    return None


def _stale(cls: type[ModelMachine]) -> NotFresh | None:  # for which Hypothesis has another name
    return cls.plan.beside.stale if cls.plan.against is not None else None


class ModelMachine(RuleBasedStateMachine):
    """What every machine of a model is: subclass it to add an ``@invariant()``, or a ``teardown``.

    ``model`` is the live instance; a claim over a sort is asked about inside ``with scope(machine.sizes):``.
    """

    plan: ClassVar[Plan]
    TestCase = _Case()  # type: ignore[assignment]  # a descriptor, as that of Hypothesis
    _case: ClassVar[type[ModelTestCase]]
    _quick: ClassVar[tuple[type, Any] | None] = None

    def __init__(self) -> None:
        super().__init__()
        self._course = Course(self.plan)
        self._side: Side | None = self.plan.side()
        if len(self.rules) == 1:  # with no other to choose from, nothing is to be chosen
            self._rules_strategy = self._only(self.rules[0])

    @classmethod
    def _only(cls, only: Any) -> Any:
        """A strategy for the one rule; that of Hypothesis draws which rules are on besides."""
        if cls._quick is None or cls._quick[0] is not cls:
            cls._quick = (cls, only.arguments["i"].map(partial(_chosen, only)))
        return cls._quick[1]

    def __init_subclass__(cls, **named: Any) -> None:
        """A ``teardown`` of a subclass need not call ours."""
        super().__init_subclass__(**named)
        theirs: Callable[[Any], None] | None = vars(cls).get("teardown")
        if theirs is not None and cls.__module__ != __name__:

            def teardown(self: Any) -> None:
                try:
                    theirs(self)
                finally:
                    ModelMachine.teardown(self)

            type.__setattr__(cls, "teardown", teardown)

    @property
    def model(self) -> Any:
        """The live instance of the model, in the present state."""
        return self._course.live

    @property
    def system(self) -> Any:
        """The implementation that is driven beside the model; ``None`` without one."""
        return self._side.system if self._side is not None else None

    @property
    def sizes(self) -> dict[type[Sort], int]:
        """The scope: how many members every sort has."""
        return dict(self.plan.layout.sizes)

    @property
    def path(self) -> tuple[str, ...]:
        """The actions taken in this example, as counterexamples print them."""
        return tuple(self.plan.called[number] for number in self._course.path)

    def begin_at(self, start: int, off: tuple[bool, ...]) -> None:
        """Begin an example in the initial state of this number, with some kinds of action off."""
        __tracebackhide__ = True
        self.plan.progress()
        course = self._course
        course.off = frozenset(kind for kind, is_off in enumerate(off) if is_off)
        if self._side is None:
            course.begin(start)
        else:
            course.begin(self._side.begin())
        course.look()

    def take(self, choice: int) -> None:
        """Take the enabled action that a number stands for, in the model and beside it, and look where it led."""
        __tracebackhide__ = True
        course = self._course
        picked = course.pick(choice)
        if picked is None:
            course.idle()
            return
        number, reached = picked
        course.take(number, reached, counted=False)
        event(self.plan.kinds[self.plan.kind_of[number]])
        if self._side is not None:
            self._followed(self._side, number)
        course.look()

    def _followed(self, side: Side, number: int) -> None:
        """Have the implementation follow; what is told in the end is minimised while all that it needs is there."""
        __tracebackhide__ = True
        try:
            side.follow(number, self._course)
        except Refuted as error:
            alone = len(self.rules) == 1 and not self.invariants and type(self).teardown is ModelMachine.teardown
            if alone and current_build_context().is_final:
                side.close()
                minimise(error)
            raise

    def _repr_step(self, rule: Any, data: Any, result: Any) -> str:
        """A step in the model's words, wherever Hypothesis shows its own line."""
        name = rule.function.__name__
        if name == "step":
            path = self._course.path
            return f"{STEP}{len(path)}. {self.plan.called[path[-1]]}" if path else f"{STEP}idle"
        if name == "start":
            return f"{STEP}0. the initial state {self._course.start}"
        return str(super()._repr_step(rule, data, result))

    def teardown(self) -> None:
        """Count the example, and close what an implementation beside the model has open."""
        if not isinstance(sys.exc_info()[1], (UnsatisfiedAssumption, StopTest, KeyboardInterrupt)):
            self.plan.count(self._course.path)
        if self._side is not None:
            self._side.close()


def _chosen(only: Any, i: int) -> tuple[Any, dict[str, int]]:
    return only, {"i": i}


def digits(most: int) -> st.SearchStrategy[int]:
    """Numbers of which the remainders modulo anything up to `most` are nearly even, whatever modules are loaded."""
    digit = st.integers(0, DIGIT - 1)
    if most * 4 <= DIGIT:
        return digit
    count = 2 if most * 4 <= DIGIT**2 else 3
    return st.tuples(*[digit] * count).map(_number)


def _number(parts: Sequence[int]) -> int:
    number = 0
    for part in parts:
        number = number * DIGIT + part
    return number


def made(plan: Plan, base: type[ModelMachine] = ModelMachine) -> type[ModelMachine]:
    """The machine of a plan: a rule that steps, and one that begins."""
    if plan.against is not None:
        plan.beside.steering = (HypothesisException, unittest.SkipTest)
    none_off, some_off = st.just(()), st.tuples(*[st.booleans()] * len(plan.kinds))
    off = st.one_of(none_off, some_off) if plan.swarm else none_off
    first = digits(len(plan.initial)) if len(plan.initial) > 1 else st.just(0)
    initials = len(plan.initial)

    def start(self: ModelMachine, start: int, off: tuple[bool, ...]) -> None:
        __tracebackhide__ = True
        self.begin_at(start % initials, off)

    def step(self: ModelMachine, i: int) -> None:
        __tracebackhide__ = True
        self.take(i)

    cls = plan.model.declared.cls
    where = f"{cls.__module__}.{cls.__qualname__}"
    scope = ",".join(f"{name}={size}" for name, size in plan.layout.scope_names.items())
    name = f"{where}.{'Machine' if plan.against is None else 'Beside'}[{scope}]"  # under it failures are kept
    body = {
        "__module__": cls.__module__,
        "__qualname__": f"{cls.__qualname__}.Machine",
        "__doc__": f"Drives {where} in the scope {scope or 'of one size'}.",
        "plan": plan,
        "start": initialize(start=first, off=off)(start),
        "step": rule(i=digits(plan.most))(step),
    }
    return cast("type[ModelMachine]", type(name, (base,), body))


def machine(
    model: Any,
    *,
    scope: Mapping[Any, int] | None = None,
    weights: Mapping[str, int] | None = None,
    swarm: bool = True,
    without: Sequence[str] = (),
) -> type[ModelMachine]:
    """A Hypothesis state machine for a model: a class, or an instance with its constants chosen.

    `scope` gives sizes by sort or its name, 2 where nothing is said. `weights` say how often actions are picked. With
    `swarm`, half of the examples leave some kinds of action aside as long as there is another.
    `without` takes faults away. Raises :class:`meshspec.errors.UsageError` for a sort, action or fault that there is
    not, and :class:`meshspec.errors.ModelError` for a model that cannot be read.

    >>> # TestLedger = machine(EffectLedger, scope={Effect: 3}).TestCase
    """
    return made(planned(model, scope, weights=weights, swarm=swarm, without=without))


def planned(
    model: Any,
    scope: Mapping[Any, int] | None,
    *,
    without: Sequence[str] = (),
    **how: Any,
) -> Plan:
    """A plan for a model that users name."""
    lifted = less_faults(certified(model), without)
    named = {key if isinstance(key, str) else key.__name__: size for key, size in (scope or {}).items()}
    return Plan(lifted, scope_of(lifted, named), without=without, target=model, **how)


def case_of(model: Any) -> type[ModelTestCase]:
    """What ``Model.TestCase`` is; made once for a class, and anew for an instance."""
    if not isinstance(model, type):
        return _case_later(model)
    found = vars(model).get("_meshspec_case")
    if found is None:
        found = _case_later(model)
        cast("Any", model)._meshspec_case = found
    return cast("type[ModelTestCase]", found)


def _case_later(model: Any) -> type[ModelTestCase]:
    """The test case of a model that is lifted when it runs: not by the import of the module that names it."""

    def make() -> type[ModelMachine]:
        made = machine(model)
        made._case = case  # pyright: ignore[reportPrivateUsage]  # whose settings count
        return made

    case = _case_of(model if isinstance(model, type) else type(model), make)
    return case
