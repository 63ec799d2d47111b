"""Every error message of the language, with the author's file and line.

The messages about one line of a body are rows of the table of traps (test_traps.py); those of engines are tested
with their engine. Here are the rest, and the list that says where each one is.
"""

import inspect
from collections.abc import Callable
from enum import Enum, Flag
from typing import Annotated, Any, cast

import pytest

from meshspec import (
    Map,
    ModelError,
    Range,
    SetOf,
    Sort,
    action,
    always,
    choose,
    fault,
    forall,
    implies,
    model,
    require,
    scope,
    var,
)
from meshspec.errors import LiftError
from meshspec.lang.lift import lift
from tests.lang import test_traps
from tests.models import misused


class Job(Sort):
    """A piece of work."""


class Light(Enum):
    RED = 0
    GREEN = 1


class Rights(Flag):
    READ = 1
    WRITE = 2


IN_THE_TABLE_OF_TRAPS = {
    "hash": "{0: 1}.get(i)",
    "format": 'f"{i}"',
    "index": "list indexed by i",
    "range": "range(i)",
    "slice": "slice by i",
    "iterate a sort": "for x in Sort",
    "len(Sort)": "len(Sort)",
    "float": "floats",
    "/": "/",
    "**": "**",
    "member named": "member named",
    "order of a member": "order of a member",
    "attribute of a member": "attribute of a member",
    "wrong key sort": "wrong key sort",
    "wrong value type": "bool into int",
    "None not allowed": "None into int",
    "constant assigned": "constant assigned",
    "unknown variable": "typo",
    "write in a quantifier": "write inside a quantifier",
    "map copied": "map copied",
    "not deterministic": "hidden state",
    "require after assignment": "late require",
    "`is` on an int": "i is j",
    "`type` on an int": "type(x) is int",
    "`id` on an int": "id(i)",
    "certificate disagreement": "hidden counter written into the state",
}


def test_messages_about_one_line_are_rows_of_the_table_of_traps() -> None:
    rows = {**test_traps.REFUSED, **test_traps.SILENT, **test_traps.CERTIFICATE}
    assert set(IN_THE_TABLE_OF_TRAPS.values()) <= set(rows)


def refused(build: Callable[[], Any], message: str, mark: str = "# here") -> None:
    """`build` raises with this message, at the line of `build` that ends in the mark."""
    lines, first = inspect.getsourcelines(build)
    expected = next(first + number for number, line in enumerate(lines) if line.rstrip().endswith(mark))
    with pytest.raises(ModelError, match=message) as refusal:
        build()
    assert refusal.value.where is not None
    assert refusal.value.where.file.endswith("test_messages.py")
    assert refusal.value.where.line == expected
    assert str(refusal.value).startswith(str(refusal.value.where))


# -- bodies ----------------------------------------------------------------------------------------------------


def test_a_claim_that_writes_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

            @always
            def dark(self) -> bool:
                self.on = False  # here
                return True

        lift(Lamp)

    refused(build, "on is assigned in a claim: claims only read")


def test_a_claim_that_returns_no_bool_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @always  # here
            def dark(self) -> bool:
                return self.n  # type: ignore[return-value]  # the slip

        lift(Lamp)

    refused(build, "dark is a claim and must return a bool, not a value of type int")


def test_an_action_that_returns_a_value_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @action  # here
            def turn(self) -> None:
                return self.n  # type: ignore[return-value]  # the slip

        lift(Lamp)

    refused(build, "turn is an action and returns nothing, not a value of type int")


def test_require_in_a_quantifier_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: Map[Job, bool] = var(False)

            def lit(self, j: Job) -> bool:
                require(self.on[j])  # here
                return True

            @action
            def turn(self, j: Job) -> None:
                require(forall(Job, self.lit))
                self.on[j] = True

        lift(Lamp)

    refused(build, "require inside a quantifier: its body may only read")


def test_a_write_in_a_helper_of_a_quantifier_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: Map[Job, bool] = var(False)

            def light(self, j: Job) -> bool:
                self.on[j] = True  # here
                return True

            @action
            def turn(self) -> None:
                require(forall(Job, self.light))

        lift(Lamp)

    refused(build, "on is assigned inside a quantifier: its body may only read")


def test_require_of_something_that_is_no_bool_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @action
            def turn(self) -> None:
                require(self.n)  # type: ignore[arg-type]  # here

        lift(Lamp)

    refused(build, "require needs a bool, not n", "# here")


def test_implies_of_something_that_is_no_bool_is_refused_and_not_read_as_false() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

            @always
            def dark(self) -> bool:
                return implies(self.on, 3)  # type: ignore[arg-type]  # here

        lift(Lamp)

    refused(build, "implies needs bools, not 3")


def test_too_many_cases_are_refused_at_the_line_asked_most() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)
            m: Map[Light, bool] = var(False)

            def lit(self, k: int) -> bool:
                return self.n * k % 7 == 3  # here

            @action
            def turn(self) -> None:
                if sum(self.lit(k) for k in range(11)) > 3:
                    self.n = 0

        lift(Lamp)

    refused(build, "more than 1024 cases; the question asked most often is here")


def test_too_many_outcomes_are_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @action  # here
            def turn(self) -> None:
                self.n = sum(2**k for k in range(7) if self.n % (k + 2) == 1)

        lift(Lamp)

    refused(build, "turn has 128 different outcomes, more than 64: split it")


def test_a_value_of_a_quantifier_that_gets_out_of_it_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)
            m: Map[Job, int] = var(0)

            @action  # here
            def turn(self) -> None:
                kept: list[int] = []
                require(forall(Job, lambda j: kept.insert(0, self.m[j]) is None))  # type: ignore[func-returns-value]
                self.n = kept[0]

        lift(Lamp)

    refused(build, "a value of the quantifier over Job is used outside it")


def test_choosing_from_an_empty_range_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @action
            def turn(self) -> None:
                self.n = choose(range(3, 3))  # here

        lift(Lamp)

    refused(build, "needs a range of step one that is not empty")


# -- declarations ----------------------------------------------------------------------------------------------


def test_a_variable_without_annotation_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on = var(False)  # pyright: ignore[reportGeneralTypeIssues]  # the slip  # here

    refused(build, r"Lamp.on = var\(...\) needs an annotation: `on: bool = var\(False\)`")


def test_an_initial_value_of_the_wrong_type_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var("no")  # here

    refused(build, "on is bool; its initial value 'no' is not one")


def test_an_initial_value_outside_its_range_is_refused() -> None:
    def build() -> None:
        @model  # here
        class Lamp:
            n: Annotated[int, Range(1, 3)] = var(0)

    refused(build, r"n starts at 0, outside its Range\(1, 3\)")


def test_an_initial_value_outside_a_range_of_the_constants_is_refused() -> None:
    def build() -> None:
        @model  # here
        class Lamp:
            most: int
            n: Annotated[int, Range(0, lambda m: m.most)] = var(3)

        assert Lamp(most=3).n == 3
        Lamp(most=2)

    refused(build, r"n starts at 3, outside its Range\(0, 2\)")


def test_an_empty_range_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: Annotated[int, Range(3, 1)] = var(0)  # here

    refused(build, r"n: Range\(3, 1\) is empty")


def test_a_bound_that_is_no_int_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: Annotated[int, Range(0, 2.5)] = var(0)  # pyright: ignore[reportArgumentType]  # the slip  # here

    refused(build, "2.5 cannot bound a Range")


def test_a_variable_without_initial_value_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var()  # here

    refused(build, "needs an initial value")


def test_a_set_with_an_initial_value_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: SetOf[Job] = var(False)  # here

    refused(build, "a set starts empty")


def test_a_flag_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            rights: Rights = var(Rights.READ)  # here

    refused(build, "Rights is a Flag: write a bool for each of its members")


def test_a_type_that_no_engine_can_enumerate_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            name: str = var("lamp")  # here

    refused(build, "cannot be the type of a value in a model")


def test_an_int_parameter_without_range_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @action  # here
            def turn(self, by: int) -> None:
                self.n += by

    refused(build, r"turn: 'by' needs Annotated\[int, Range\(lo, hi\)\]")


def test_a_parameter_without_annotation_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @action  # here
            def turn(self, by) -> None:  # type: ignore[no-untyped-def]  # the slip
                self.n += 1

    refused(build, "turn: parameter 'by' needs an annotation")


WRONG_TUPLES: dict[str, tuple[Any, str]] = {
    "no Range": (
        tuple[Job, ...],
        r"a tuple needs a Range for its length: Annotated\[tuple\[Job, \.\.\.\], Range\(0, 3\)\]",
    ),
    "a fixed length": (
        tuple[Job, Job],
        "write one parameter for each element, or a tuple of bounded length: Annotated",
    ),
    "both": (Annotated[tuple[Job, Job], Range(0, 2)], "write one parameter for each element, or a tuple of bounded"),
    "one element": (
        Annotated[tuple[Job], Range(0, 2)],
        "write one parameter for each element, or a tuple of bounded",
    ),
    "no element": (tuple[()], "write one parameter for each element, or a tuple of bounded length"),
    "bare": (tuple, "write one parameter for each element, or a tuple of bounded length"),
    "negative": (Annotated[tuple[Job, ...], Range(-1, 2)], r"a tuple is never -1: write Range\(0, hi\)"),
    "empty": (Annotated[tuple[Job, ...], Range(3, 2)], r"Range\(3, 2\) is empty"),
    "no int": (Annotated[tuple[Job, ...], Range(0, "3")], "'3' cannot bound a Range"),  # type: ignore[arg-type]
    "long": (Annotated[tuple[Job, ...], Range(0, 9)], "9 elements makes too many cases: write a Range up to 8"),
    "int elements": (
        Annotated[tuple[int, ...], Range(0, 2)],
        r"each element of 'jobs' needs Annotated\[int, Range\(lo, hi\)\]",
    ),
    "optional elements": (
        Annotated[tuple[Job | None, ...], Range(0, 2)],
        "each element of parameter 'jobs' may not be optional",
    ),
    "text": (
        Annotated[tuple[str, ...], Range(0, 2)],
        r"each element of turn\(jobs\): <class 'str'> cannot be the type",
    ),
    "tuples": (
        Annotated[tuple[Annotated[tuple[Job, ...], Range(0, 1)], ...], Range(0, 2)],
        r"each element of turn\(jobs\): only a parameter of an action or a claim may be a tuple",
    ),
    "optional": (
        cast(Any, Annotated[tuple[Job, ...], Range(0, 2)]) | None,
        "only a parameter of an action or a claim may be a",
    ),
}


@pytest.mark.parametrize(("annotation", "message"), WRONG_TUPLES.values(), ids=WRONG_TUPLES)
def test_a_tuple_without_bounds_of_its_length_is_refused(annotation: Any, message: str) -> None:
    def build() -> None:
        @model
        class Lamp:
            n: int = var(0)

            @action  # here
            def turn(
                self,
                jobs: annotation,  # pyright: ignore[reportInvalidTypeForm, reportUnknownParameterType]  # given
            ) -> None:
                self.n += 1

    refused(build, message)


def test_a_tuple_as_the_value_of_a_variable_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            queue: Annotated[tuple[Job, ...], Range(0, 3)] = var(())  # here

    refused(build, "queue: only a parameter of an action or a claim may be a tuple")


@pytest.mark.parametrize(
    ("least", "most", "message"), [(-1, 2, "never -1"), (0, 9, "9 elements"), (2, 1, "is empty")]
)
def test_the_length_of_a_tuple_by_constants_is_looked_at_with_the_constants(
    least: int, most: int, message: str
) -> None:
    @model
    class Lamp:
        least: int
        most: int
        n: int = var(0)

        @action
        def turn(self, jobs: Annotated[tuple[Job, ...], Range(lambda m: m.least, lambda m: m.most)]) -> None:
            self.n = len(jobs)

    lift(Lamp(least=0, most=2))
    with pytest.raises(ModelError, match=message):
        lift(Lamp(least=least, most=most))


def test_an_override_that_loses_its_mark_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

            @action
            def turn(self) -> None:
                self.on = True

        @model
        class Broken(Lamp):
            def turn(self) -> None:  # here
                self.on = False

    refused(build, "Broken.turn overrides an @action and is marked nothing: write @action above it")


def test_an_override_with_another_mark_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

            @action
            def turn(self) -> None:
                self.on = True

        @model
        class Broken(Lamp):
            @fault  # here
            def turn(self) -> None:
                self.on = False

    refused(build, "overrides an @action and is marked @fault")


def test_an_override_with_other_parameters_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

            @action
            def turn(self, to: Light) -> None:
                self.on = True

        @model
        class Broken(Lamp):
            @action  # here
            def turn(self, light: Light) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]  # the slip
                self.on = False

    refused(build, "must have the parameters of the action it overrides")


def test_a_nested_machine_kept_as_a_constant_is_refused() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

        @model  # here
        class Room:
            lamp: Lamp = Lamp()
            dark: bool = var(False)

    refused(build, r"lamp is a nested machine and has a state: write `lamp: ... = var\(\)`")


def test_decorating_twice_is_refused() -> None:
    def build() -> None:
        class Lamp:
            on: bool = var(False)

        once = model(Lamp)
        model(once)

    with pytest.raises(ModelError, match="Lamp is decorated with @model twice"):
        build()


# -- @model forgotten ------------------------------------------------------------------------------------------


def test_a_model_without_its_decorator_is_refused_when_lifted() -> None:
    def build() -> None:
        class Lamp:  # here
            on: bool = var(False)

            @action
            def turn(self) -> None:
                self.on = True

        lift(Lamp)

    refused(build, "Lamp declares on, turn and is not decorated: write @model above it")


@pytest.mark.parametrize("use", ["read", "written"])
def test_a_model_without_its_decorator_is_refused_when_a_variable_is_used(use: str) -> None:
    def build() -> None:
        class Lamp:  # here
            on: bool = var(False)

        lamp = Lamp()
        if use == "read":
            assert not lamp.on
        else:
            lamp.on = True

    refused(build, "Lamp declares on and is not decorated")


def test_a_subclass_without_the_decorator_is_refused_when_it_is_made() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

        class Bright(Lamp):  # here
            very: bool = var(True)

        Bright()

    refused(build, "Bright extends a model and is not decorated: write @model above `class Bright`")


def test_a_subclass_without_the_decorator_is_refused_when_it_is_lifted() -> None:
    def build() -> None:
        @model
        class Lamp:
            on: bool = var(False)

        class Bright(Lamp):  # here
            pass

        lift(Bright)

    refused(build, "Bright extends a model and is not decorated")


def test_a_mixin_with_marks_and_no_decorator_is_refused() -> None:
    def build() -> None:
        class Turning:  # here
            @action
            def turn(self) -> None: ...

        @model
        class Lamp(Turning):
            on: bool = var(False)

    refused(build, "Turning declares turn and is not decorated")


@pytest.mark.parametrize("build", [misused.model_inside_a_function, misused.parameter_inside_a_function])
def test_a_model_inside_a_function_with_string_annotations_is_refused(build: Callable[[], type]) -> None:
    with pytest.raises(ModelError, match=r"'Light' cannot be read. A model inside a function cannot be") as refusal:
        build()
    assert refusal.value.where is not None and refusal.value.where.file.endswith("misused.py")
    assert refusal.value.where.line > inspect.getsourcelines(build)[1]


# -- natively --------------------------------------------------------------------------------------------------


@model
class Lamps:
    most: int = 2
    on: Map[Job, bool] = var(False)
    n: int = var(0)
    light: Light = var(Light.RED)
    lit: SetOf[Job] = var()


USES: list[tuple[Callable[[Any], object], str]] = [
    (lambda m: setattr(m, "most", 3), "'most' is a constant"),
    (lambda m: setattr(m, "nn", 3), "has no variable 'nn'; its variables are on, n, light, lit"),
    (lambda m: setattr(m, "n", True), "n is int; True is not one .a bool is not an int here."),
    (lambda m: setattr(m, "n", None), "n is int; None is not one"),
    (lambda m: setattr(m, "light", 1), "light is Light; 1 is not one"),
    (lambda m: setattr(m, "on", {}), "on is a whole map or set; assign each"),
    (lambda m: setattr(m, "lit", {Job(0)}), "lit is a whole map or set"),
    (lambda m: delattr(m, "n"), "del n: what a model declares cannot be deleted"),
    (lambda m: m.on[Light.RED], r"on\[RED\]: the key must be Job"),
    (lambda m: m.on.__setitem__(Job(0), 3), "on holds bool; 3 is not one"),
    (lambda m: list(m.on), "on cannot be iterated"),
    (lambda m: len(m.on), "on has no length"),
    (lambda m: bool(m.on), "on has no truth value"),
    (lambda m: Job(0) in m.on, "a Map has every key"),
    (lambda m: len(m.lit), r"len\(lit\): write count\(Job"),
    (lambda m: list(m.lit), "lit cannot be iterated"),
    (lambda m: m.lit.add(Light.RED), "lit is a set of Job; RED is not one"),
    (lambda m: require(m.n), "require needs a bool, not 0"),
    (lambda m: choose(Job), "choose.. has no answer outside a run"),
]


@pytest.mark.parametrize(("use", "message"), USES)
def test_cpython_refuses_what_lifting_refuses(use: Callable[[Any], object], message: str) -> None:
    with scope({Job: 2}), pytest.raises(ModelError, match=message):
        use(Lamps())


def test_a_sort_without_a_scope_says_how_to_give_one() -> None:
    with pytest.raises(ModelError, match=r"Job has no size here: run this inside `with scope\(\{Job: 3\}\):`"):
        list(Job)


def test_constants_without_default_say_how_to_give_them() -> None:
    @model
    class Lamp:
        most: int
        n: int = var(0)

    with pytest.raises(ModelError, match=r"Lamp has constants without a default .*: give an instance"):
        lift(Lamp)


def test_a_refusal_is_a_model_error() -> None:
    assert issubclass(LiftError, ModelError)
