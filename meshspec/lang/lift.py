"""Lifting: reading a model's methods as decision trees over its state.

A lifted method is not to be trusted before its certificate (:mod:`meshspec.backends.certificate`): engines get
their models from there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import CodeType, FunctionType
from typing import Any

import attrs

from meshspec.display import Shown
from meshspec.errors import Blocked, LiftError, ModelError, Where
from meshspec.expr.build import FALSE, TRUE
from meshspec.expr.handles import done, node_of, reading
from meshspec.expr.nodes import IntType, Name, Node
from meshspec.expr.text import text, value_text
from meshspec.expr.walk import free_names
from meshspec.lang import sequences
from meshspec.lang.asserting import refuse_optimized
from meshspec.lang.declare import MARK, PARTS, Declared, Method, Parameter, declared
from meshspec.lang.fences import calling
from meshspec.lang.fences import reading as reading_method
from meshspec.lang.lifted import lifted_instance
from meshspec.lang.model import sorts_of
from meshspec.lang.outcomes import (
    Blocks,
    Does,
    Outcome,
    Raises,
    Says,
    Tree,
    Write,
    expression,
    grouped,
    leaves,
    merged,
)
from meshspec.lang.places import is_authors, where_is, where_raised
from meshspec.lang.response import listening, refuse_mixed, response_in
from meshspec.lang.scan import Watch, refuse_blind_spots
from meshspec.lang.stale import refuse_stale
from meshspec.lang.trace import Tracer
from meshspec.sorts import Sort, no_iteration

MAX_OUTCOMES = 64


@attrs.frozen
class Path:
    """One merged path: the conjuncts under which it is taken, and what it comes to."""

    condition: tuple[Node, ...]
    outcome: Outcome


@attrs.frozen(eq=False)
class Lifted:
    """One method, lifted.

    ``parameters`` are flat (a tuple is its length and its elements) and include the choices the body makes;
    ``raw`` is the tree as asked, ``paths`` are merged;
    ``reads`` lists every expression whose value the body looked at, outside quantifiers.
    """

    method: Method
    parameters: tuple[Parameter, ...]
    raw: Tree[Outcome]
    tree: Tree[Outcome]
    reads: tuple[Node, ...]
    sorts: tuple[type[Sort], ...]
    runs: int
    ran: frozenset[CodeType] = frozenset()

    @property
    def name(self) -> str:
        return self.method.name

    @property
    def choices(self) -> tuple[Parameter, ...]:
        """The choices the body makes, which follow the method's own parameters."""
        return sequences.choices(self.method.parameters, self.parameters)

    def assembled(self, arguments: Sequence[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Values of ``parameters`` as the method takes them, tuples put together; and those of ``choices``."""
        return sequences.assembled(self.method.parameters, self.parameters, arguments)

    def called(self, arguments: Sequence[Any]) -> str:
        """The method with values of ``parameters`` as counterexamples print it."""
        own, chosen = self.assembled(arguments)
        return label(self.name, own + chosen)

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        return tuple(Path(condition, outcome) for condition, outcome in grouped(self.tree))

    @cached_property
    def claim(self) -> Node:
        """A claim as one expression; where its body raises it is false."""
        return expression(self.tree, lambda leaf: leaf.value if isinstance(leaf, Says) else FALSE)

    @cached_property
    def raising(self) -> Node:
        """Where the body raises."""
        return expression(self.tree, lambda leaf: TRUE if isinstance(leaf, Raises) else FALSE)

    @property
    def antecedents(self) -> Mapping[str, Node]:
        """For every ``implies`` of a claim, by place: when its antecedent is true."""
        sites: dict[str, Node] = {}
        for site in sorted(
            {site for _, leaf in leaves(self.raw) if isinstance(leaf, Says) for site, _ in leaf.antecedents}
        ):
            sites[site] = expression(
                self.raw,
                lambda leaf: dict(leaf.antecedents).get(site, FALSE) if isinstance(leaf, Says) else FALSE,  # noqa: B023
            )
        return sites


@attrs.frozen(eq=False)
class LiftedModel(Shown):
    """A model with its constants, every method lifted."""

    instance: object
    declared: Declared
    actions: tuple[Lifted, ...]
    claims: tuple[Lifted, ...]

    @property
    def name(self) -> str:
        return self.declared.cls.__name__

    @property
    def unread(self) -> list[tuple[str, Where]]:
        """The plain methods that have no mark and that nothing called: perhaps a mark was forgotten."""
        ran = frozenset[CodeType]().union(*(lifted.ran for lifted in (*self.actions, *self.claims)))
        found: list[tuple[str, Where]] = []
        for name, value in vars(self.declared.cls).items():
            plain = isinstance(value, FunctionType) and not name.startswith("_") and not hasattr(value, MARK)
            if plain and is_authors(value.__code__.co_filename) and value.__code__ not in ran:
                found.append((name, where_is(value)))
        return found

    @property
    def sorts(self) -> tuple[type[Sort], ...]:
        """Every sort the model ranges over, quantifiers included, in order of appearance."""
        found = dict.fromkeys(sorts_of(self.declared))
        found.update((sort, None) for lifted in (*self.actions, *self.claims) for sort in lifted.sorts)
        return tuple(found)


def lift(model: Any) -> LiftedModel:
    """Lift every method of a model (a class, or an instance with its constants chosen).

    Raises :class:`LiftError` where a body does what has no symbolic meaning, and
    :class:`meshspec.errors.UsageError` where Python runs with ``-O``.
    """
    instance: object = instantiate(model)
    known = declared(type(instance))
    actions = tuple(lift_method(instance, known, method) for method in known.actions)
    claims = tuple(lift_method(instance, known, method) for method in known.methods if method.kind not in PARTS)
    return LiftedModel(instance, known, actions, claims)


def instantiate(model: object) -> Any:
    """An instance of the model: itself, or the class with its default constants."""
    refuse_optimized()
    refuse_stale(declared(model if isinstance(model, type) else type(model)))
    if not isinstance(model, type):
        return model
    try:
        with calling:
            return model()
    except TypeError as error:
        raise ModelError(
            f"{model.__name__} has constants without a default ({error}): give an instance, "
            f"{model.__name__}(capacity=3), or write defaults",
            where_is(model),
        ) from None


def lift_method(instance: Any, known: Declared, method: Method) -> Lifted:
    """Lift one method of a model instance."""
    claim = method.kind not in PARTS
    tracer = Tracer(not claim, frozenset(parameter.name for parameter in method.parameters))
    flat = sequences.flat(method.parameters, instance, method.where)

    def run() -> Outcome:
        tracer.store, tracer.choices = {}, []
        subject = lifted_instance(instance, known.variables, tracer, ())
        for part in method.path:
            subject = getattr(subject, part)
        tracer.entering = method.where
        arguments = sequences.arguments(method.parameters, flat, instance, tracer)
        tracer.entering = None
        return _outcome(tracer, method, subject, arguments, claim)

    watch = Watch(method.function.__code__.co_filename)
    token = no_iteration.set(tracer.refuse)
    reading(tracer)
    try:
        with watch, reading_method(f"{type(instance).__name__}.{method.name}"):
            raw = tracer.cases(run)
    finally:
        done()
        no_iteration.reset(token)
    not_ints = {p.name for p in method.parameters if p.length or not isinstance(p.type, IntType)} | {"self"}
    refuse_blind_spots(list(watch.ran.values()), {method.function.__code__: not_ints})
    found = flat + tuple(tracer.all_choices.values())
    refuse_mixed(method, raw)
    _nothing_escaped(method, raw, {Name(p.name, p.type) for p in found})
    tree = merged(raw)
    if not claim and (many := sum(1 for _ in grouped(tree))) > MAX_OUTCOMES:
        raise LiftError(
            f"{method.name} has {many} different outcomes, more than {MAX_OUTCOMES}: split it", method.where
        )
    ran = frozenset(watch.ran)
    return Lifted(method, found, raw, tree, tuple(tracer.reads), tuple(tracer.sorts), tracer.runs, ran)


def _outcome(tracer: Tracer, method: Method, subject: Any, arguments: list[Any], claim: bool) -> Outcome:
    try:
        with listening() as calls, calling:
            result = method.function(subject, *arguments)
    except Blocked:
        return Blocks()
    except RecursionError as error:
        where = where_raised(error)
        tracer.refuse(
            "the body calls itself without end on symbolic values: bound the recursion by a constant", where
        )
    except (ModelError, KeyboardInterrupt):  # a refusal, a word of ours that was given nonsense, or the user's wish
        raise
    except BaseException as error:  # whatever else a body raises is an outcome of it, SystemExit too
        if tracer.error is not None:
            raise tracer.error from None
        return Raises(type(error).__name__)
    if tracer.error is not None:
        raise tracer.error
    response = response_in(method, calls)
    if claim:
        if not isinstance(result, bool):
            tracer.error = LiftError(
                f"{method.name} is a claim and must return a bool, not {_kind(result)}", method.where
            )
            raise tracer.error
        sites = sorted(tracer.levels[-1].antecedents.items(), key=lambda item: item[0])
        return Says(node_of(result), tuple(sites), response)
    if result is not None:
        tracer.error = LiftError(f"{method.name} is an action and returns nothing, not {_kind(result)}", method.where)
        raise tracer.error
    return Does(tracer.updates())


def _kind(value: object) -> str:
    return f"a value of type {value.__class__.__name__}"


def _nothing_escaped(method: Method, raw: Tree[Outcome], allowed: set[Name]) -> None:
    nodes: list[Node] = []
    for condition, leaf in leaves(raw):
        nodes += condition
        if isinstance(leaf, Does):
            for update in leaf.updates:
                for write in update.writes:
                    if isinstance(write, Write):
                        nodes += [*write.keys, write.value]
    stray = _escaped(nodes, allowed)
    if stray is not None:
        raise LiftError(
            f"{method.name}: a value of the quantifier over {stray.type} is used outside it", method.where
        )


def _escaped(nodes: list[Node], allowed: set[Name]) -> Name | None:
    """A bound variable that got out of its quantifier (kept in a list by a body, say), or ``None``."""
    return next((name for node in nodes for name in sorted(free_names(node), key=text) if name not in allowed), None)


def label(name: str, arguments: Mapping[str, object] | tuple[object, ...]) -> str:
    """An action with its arguments as counterexamples print it: ``send(effect0)``, ``crash``."""
    values = arguments.values() if isinstance(arguments, Mapping) else arguments
    inside = ", ".join(value_text(value) for value in values)
    return f"{name}({inside})" if inside else name
