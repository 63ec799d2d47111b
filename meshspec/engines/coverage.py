"""coverage: what was tried at all in a scope?

Over every reachable state of a scope: how often each action fires, whether each conjunct of a guard is once true and
once false where it is evaluated, whether each antecedent is true somewhere, whether each ``@sometimes`` is witnessed,
how many states lie at each depth, and how many hold each value.

*Sound when* the model is certified and every state was visited; else what was not seen yet is UNDETERMINED. *Misses*
guards reached by ``super()``, and everything beyond the scope: a conjunct that is redundant in it need not be so in a
larger one.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import attrs

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.generated import Code, Generator
from meshspec.backends.layout import Layout, State
from meshspec.display import Shown
from meshspec.engines.explore import FIRES
from meshspec.engines.limits import INTERRUPTED, Limits
from meshspec.engines.mutation import counted
from meshspec.engines.reach import reach
from meshspec.expr.build import negate
from meshspec.expr.nodes import Node
from meshspec.expr.text import value_text
from meshspec.lang.containers import order_of
from meshspec.lang.guards import GUARD, Noted, Site, guarded
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Leaf, Tree
from meshspec.lang.places import where_is
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

MET = "every guard can be met"
FAILS = "every guard is once false"
ANTECEDENTS = "every antecedent is true somewhere"
WITNESSED = "every @sometimes is witnessed"


@attrs.frozen
class Covered:
    """A conjunct of a guard, or the test of an ``if``, and how often it came out true and false."""

    site: Site
    true: int
    false: int

    @property
    def word(self) -> str:
        """What is missing: nothing, or that it never was one of the two, or was not evaluated at all."""
        if self.true and self.false:
            return ""
        if not (self.true or self.false):
            return "never evaluated"
        return "never false" if self.true else "never true"


@attrs.frozen(eq=False)
class Coverage(Shown):
    """What was tried of a model at a scope; a count of states or of evaluations is a plain number.

    Attributes:
        fired: how often each action was taken, over all states and arguments.
        guards: conjuncts of guards and tests of ``if``, in the order of the text.
        antecedents: by claim and place, in how many states it is true for some arguments.
        witnesses: by ``@sometimes`` with its arguments, in how many states it is true.
        depths: how many states are reached in so many steps and not in fewer.
        values: by variable, how many states hold a value in at least one entry.
        unread: why some methods have no guards here.
        cut: why not all states were visited, or nothing.
        name: the target as the user gave it, for the commands that are told.
        only_raise: the actions that were begun and never done, for they raised each time.
    """

    model: str
    where: str
    scope: Mapping[str, int]
    states: int
    cut: str
    fired: Mapping[str, int]
    guards: tuple[Covered, ...]
    antecedents: Mapping[tuple[str, str], int]
    witnesses: Mapping[str, int]
    depths: Mapping[int, int]
    values: Mapping[str, Mapping[str, int]]
    unread: tuple[str, ...] = ()
    name: str = ""
    only_raise: tuple[str, ...] = ()

    def missing(self, *words: str) -> list[Covered]:
        """The conjuncts of guards of which one of these words is true."""
        return [one for one in self.guards if one.site.kind == GUARD and one.word in words]

    def to_dict(self) -> dict[str, Any]:
        """All of it, plain."""
        return {
            "model": self.model,
            "scope": dict(self.scope),
            "states": self.states,
            "cut": self.cut,
            "fired": dict(self.fired),
            "guards": [
                {
                    "method": one.site.method,
                    "kind": one.site.kind,
                    "where": str(one.site.where),
                    "text": one.site.text,
                    "true": one.true,
                    "false": one.false,
                    "word": one.word,
                }
                for one in self.guards
            ],
            "antecedents": [
                {"claim": name, "where": place, "states": count} for (name, place), count in self.antecedents.items()
            ],
            "witnesses": dict(self.witnesses),
            "depths": {str(depth): count for depth, count in self.depths.items()},
            "values": {variable: dict(counts) for variable, counts in self.values.items()},
            "no guards read": list(self.unread),
        }

    # -- answers -----------------------------------------------------------------------------------------------

    def findings(self) -> list[Finding]:
        """One answer for each of: actions, guards met, guards false, antecedents, witnesses, where there are any."""
        done = {one: 0 if one in self.only_raise else count for one, count in self.fired.items()}
        what = "never enabled" if not self.only_raise else "never enabled, or raises wherever it is"
        found = [self._all(FIRES, "fires", done, what, "the model has no action")]
        found[0] = attrs.evolve(found[0], facts={**found[0].facts, "coverage": self.to_dict()})
        guards = [one for one in self.guards if one.site.kind == GUARD]
        if guards or self.unread:
            dead = {_told(one): one.true for one in guards}
            what = "never true" if self.cut else "never true where evaluated, so that its action is dead"
            met = self._all(MET, "check", dead, what, "")
            found += [self._of_those_read(met, guards), self._of_those_read(self._false(), guards)]
        if self.antecedents:
            held = {f"{claim} at {place}": count for (claim, place), count in self.antecedents.items()}
            found.append(self._all(ANTECEDENTS, "check", held, "true in no reachable state", ""))
        if self.witnesses:
            found.append(self._all(WITNESSED, "check", self.witnesses, "true in no reachable state", ""))
        return found

    def _of_those_read(self, found: Finding, guards: Sequence[Covered]) -> Finding:
        """What is said of every guard is open where some were not read, unless one that was read fails it."""
        if not self.unread or (guards and found.answer is not Answer.HOLDS):
            return found
        reason = f"no source: not every guard was read ({self.unread[0]})"
        known, settles = f"{counted(len(guards), 'conjunct')} read", "the model in a file, no action running itself"
        return attrs.evolve(
            found, answer=Answer.UNDETERMINED, strength=None, tested=None, reason=reason, known=known, settles=settles
        )

    def _finding(self, name: str, kind: str, answer: Answer, **more: Any) -> Finding:
        strength = None
        if answer is Answer.HOLDS:
            strength = Strength.TESTED if self.cut else Strength.EXHAUSTIVE
        if answer is Answer.UNDETERMINED and self.cut:
            more["known"] = f"{counted(self.states, 'state')} visited"
            more["settles"] = "letting it run to its end" if self.cut == INTERRUPTED else "a higher --max-states"
        return Finding(
            self.model,
            name,
            answer,
            "coverage",
            kind=kind,
            strength=strength,
            scope=self.scope,
            states=self.states,
            tested=self.states if strength is Strength.TESTED else None,
            where=self.where,
            facts={"unit": "states", "cut": self.cut, "complete": not self.cut},
            **more,
        )

    def _all(self, name: str, kind: str, counts: Mapping[str, int], what: str, nothing: str) -> Finding:
        """HOLDS if each was counted at least once; else VACUOUS, or UNDETERMINED where there may be more states."""
        never = [one for one, count in counts.items() if not count]
        if counts and not never:
            return self._finding(name, kind, Answer.HOLDS)
        reason = f"{'; '.join(never)}: {what}" if never else nothing
        if self.cut:
            return self._finding(name, kind, Answer.UNDETERMINED, reason=f"{self._why()}; so far {reason}")
        return self._finding(name, kind, Answer.VACUOUS, reason=reason)

    def _false(self) -> Finding:
        """A conjunct that is never false guards nothing in this scope; that is no fault, and not shown to matter."""
        idle, unseen = self.missing("never false"), self.missing("never evaluated")
        if not idle and not unseen:
            return self._finding(FAILS, "check", Answer.HOLDS)
        told = [f"{'; '.join(map(_told, unseen))}: never evaluated"] if unseen else []
        redundant = "never false" if self.cut else "never false, so redundant in this scope"
        told += [f"{'; '.join(map(_told, idle))}: {redundant}"] if idle else []
        reason = "; ".join(told)
        if self.cut:
            return self._finding(FAILS, "check", Answer.UNDETERMINED, reason=f"{self._why()}; so far {reason}")
        if unseen:
            return self._finding(FAILS, "check", Answer.VACUOUS, reason=reason)
        asks = shlex.join(["meshspec", "mutate", self.name])
        settles = f"a larger scope, or the model without it ({asks} tells whether it matters)"
        return self._finding(FAILS, "check", Answer.UNDETERMINED, reason=reason, settles=settles)

    def _why(self) -> str:
        return self.cut if self.cut == INTERRUPTED else f"cut off after {counted(self.states, 'state')}"


def _in_text(site: str) -> tuple[str, int]:
    """Two antecedents of one line in the order of the text: ``ledger.py:12#88`` before ``ledger.py:12#104``."""
    place, _, offset = site.partition("#")
    return place, int(offset or 0)


def _told(one: Covered) -> str:
    return f"{one.site.method}: `{one.site.text}` at {one.site.where}"


def coverage(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits | None = None,
    progress: Progress = silent,
    *,
    name: str = "",
) -> Coverage:
    """Visit every reachable state and count what is tried there; `name` is the target as asked for.

    Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build.
    """
    progress(f"coverage {model.name}: visiting its states")
    reached = reach(model, sizes, limits)
    progress("")
    counting = _Counting(model, reached.layout, list(reached.depths), list(reached.inner))
    met: Counter[tuple[int, bool]] = Counter()
    cut = reached.cut
    sites, actions, unread = guarded(model)
    try:
        for one in actions:
            progress(f"coverage {model.name}: {one.action.name}")
            for noted, times in counting.leaves(one.action, one.tree).items():
                for key in dict.fromkeys(noted.met):
                    met[key] += times
        fired, antecedents, witnesses = counting.fired(), counting.antecedents(), counting.witnesses()
        values, only_raise = counting.values(), counting.only_raise()
    except KeyboardInterrupt:
        only_raise = ()
        cut, none = INTERRUPTED, _Counting(model, reached.layout, [], [])
        fired, antecedents, witnesses, values = none.fired(), none.antecedents(), none.witnesses(), none.values()
    progress("")
    return Coverage(
        model.name,
        str(where_is(model.declared.cls)),
        reached.layout.scope_names,
        len(reached.depths),
        cut,
        fired,
        tuple(Covered(site, met[number, True], met[number, False]) for number, site in enumerate(sites)),
        antecedents,
        witnesses,
        dict(sorted(Counter(reached.depths.values()).items())),
        values,
        tuple(unread),
        name or model.name,
        only_raise,
    )


class _Counting:
    """Counts over states, and over those of them from which steps are taken (`inner`)."""

    def __init__(self, model: LiftedModel, layout: Layout, states: Sequence[State], inner: Sequence[State]) -> None:
        self.model, self.layout, self.states, self.inner = model, layout, states, inner
        self.generator = Generator(layout)

    def fired(self) -> dict[str, int]:
        """How often each action is taken, raising included."""
        successors = self.generator.successors()
        times = Counter(number for state in self.inner for number, _, _ in successors(state))
        found = {action.name: 0 for action in self.model.actions}
        for number, (action, _) in enumerate(self.layout.ground_actions()):
            found[action.name] += times[number]
        return found

    def only_raise(self) -> tuple[str, ...]:
        """The actions that were taken, and raised each time."""
        successors, ground = self.generator.successors(), self.layout.ground_actions()
        ways = {
            (ground[number][0].name, after is None) for state in self.inner for number, after, _ in successors(state)
        }
        every = [one.name for one in self.model.actions]
        return tuple(one for one in every if (one, True) in ways and (one, False) not in ways)

    def leaves(self, action: Lifted, tree: Tree[Noted]) -> Counter[Noted]:
        """How often each leaf of an action's tree is come to, over all states and arguments."""
        names = {p.name: Code(f"a{place}") for place, p in enumerate(action.parameters)}
        every: list[Noted] = []
        lines = [f"def leaf({', '.join(['s', *(code.text for code in names.values())])}):"]
        self._written(tree, names, every, 1, lines)
        scope: dict[str, Any] = dict(self.generator.constants)
        exec(compile("\n".join(lines), f"<generated guards of {action.name}>", "exec"), scope)  # our own text
        leaf = cast("Callable[..., int]", scope["leaf"])
        arguments = [tuple(map(self.layout.encode_value, a)) for a in self.layout.arguments(action.parameters)]
        counts = Counter(leaf(state, *given) for state in self.inner for given in arguments)
        found: Counter[Noted] = Counter()
        for number, times in counts.items():
            found[every[number]] += times
        return found

    def _written(
        self, tree: Tree[Noted], names: Mapping[str, Code], every: list[Noted], depth: int, lines: list[str]
    ) -> None:
        indent = "    " * depth
        if isinstance(tree, Leaf):
            lines.append(f"{indent}return {len(every)}")
            every.append(tree.value)
            return
        question = self.generator.code(tree.question, names)
        last = len(tree.options) - 1
        for place, (option, child) in enumerate(zip(tree.options, tree.below, strict=True)):
            value = option if isinstance(option, bool) else order_of(option)
            if place < last:
                lines.append(f"{indent}if {question.text} == {value!r}:")
                self._written(child, names, every, depth + 1, lines)
            else:
                self._written(child, names, every, depth, lines)

    def antecedents(self) -> dict[tuple[str, str], int]:
        found: dict[tuple[str, str], int] = {}
        for claim in self.model.claims:
            for site, node in sorted(claim.antecedents.items(), key=lambda item: _in_text(item[0])):
                every = self.layout.arguments(claim.parameters)
                found[claim.name, site] = self._true_in(claim, node, every)
        numbered = Counter((claim, site.partition("#")[0]) for claim, site in found)
        seen: Counter[tuple[str, str]] = Counter()
        named: dict[tuple[str, str], int] = {}
        for (name, site), count in found.items():
            place = site.partition("#")[0]
            seen[name, place] += 1
            again = f" (number {seen[name, place]})" if numbered[name, place] > 1 else ""
            named[name, place + again] = count
        return named

    def witnesses(self) -> dict[str, int]:
        return {
            claim.called(arguments): self._true_in(claim, claim.claim, [arguments])
            for claim in self.model.claims
            if claim.method.kind == "sometimes"
            for arguments in self.layout.arguments(claim.parameters)
        }

    def _true_in(self, claim: Lifted, node: Node, every: list[tuple[Any, ...]]) -> int:
        """In how many states it is true for some of the arguments."""
        given = [self.generator.names(claim, arguments) for arguments in every]
        first = self.generator.first_failure(negate(node), given)
        return sum(first(state) >= 0 for state in self.states)

    def values(self) -> dict[str, dict[str, int]]:
        """By variable, how many states hold each value in some entry."""
        places: dict[str, list[int]] = {}
        for place, cell in enumerate(self.layout.cells):
            places.setdefault(cell.variable.symbol.name, []).append(place)
        found: dict[str, dict[str, int]] = {}
        for name, mine in places.items():
            type_ = self.layout.cells[mine[0]].variable.symbol.type
            counts = Counter(value for state in self.states for value in {state[place] for place in mine})
            ordered = sorted(counts, key=lambda value: (value is None, value))
            found[name] = {value_text(self.layout.decode_value(value, type_)): counts[value] for value in ordered}
        return found
