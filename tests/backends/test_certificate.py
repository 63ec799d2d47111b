"""The certificate passes what was lifted rightly and stops whatever was not; without it the engine believes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import attrs
import pytest

from meshspec import Map, action, always, count, eventually, forall, leads_to, model, require, var
from meshspec.answer import Answer
from meshspec.backends import certificate
from meshspec.backends.certificate import Certificate, certified, certify
from meshspec.backends.solver import Solver, Unknown
from meshspec.engines.explore import explore
from meshspec.errors import CertificateError
from meshspec.expr.build import const, negate
from meshspec.expr.nodes import Cell, Const, Node, Op, Quant
from meshspec.lang.lift import Lifted, LiftedModel, lift
from meshspec.lang.outcomes import (
    Blocks,
    Does,
    Leaf,
    Outcome,
    Raises,
    Says,
    Split,
    Tree,
    Update,
    Write,
    merged,
)
from tests.lang.reading import method_of, no_scan
from tests.models import shops
from tests.models.shops import Item, Plant, Shop, Voter

SHOP = lift(Shop)
Change = Callable[[Tree[Outcome]], Tree[Outcome]]


def one(action: str, claim: str, model: LiftedModel = SHOP) -> LiftedModel:
    """The shop with one action and one claim."""
    actions = tuple(lifted for lifted in model.actions if lifted.name == action)
    claims = tuple(lifted for lifted in model.claims if lifted.name == claim)
    return attrs.evolve(model, actions=actions, claims=claims)


def changed(lifted: Lifted, change: Change) -> Lifted:
    raw = change(lifted.raw)
    assert raw != lifted.raw, "nothing was planted"
    return attrs.evolve(lifted, raw=raw, tree=merged(raw))


NEAR = "meshspec.backends.certificate._Check._near"


def no_numbers(numbers: object) -> set[int]:
    """In place of the numbers that a body names."""
    return set()


def no_solver(check: object, scope: object, numbers: object) -> list[int]:
    """In place of the witnesses: nothing is left unmet."""
    return []


def gives_up(solver: object) -> Unknown:
    return Unknown("the solver gave up: tired")


# -- faults in the lifting -------------------------------------------------------------------------------------


def questions(change: Callable[[Node], Node]) -> Change:
    def of(tree: Tree[Outcome]) -> Tree[Outcome]:
        if isinstance(tree, Leaf):
            return tree
        return attrs.evolve(tree, question=change(tree.question), below=tuple(map(of, tree.below)))

    return of


def leaves(change: Callable[[Outcome], Outcome]) -> Change:
    def of(tree: Tree[Outcome]) -> Tree[Outcome]:
        if isinstance(tree, Leaf):
            return Leaf(change(tree.value))
        return attrs.evolve(tree, below=tuple(map(of, tree.below)))

    return of


def writes(change: Callable[[Update], Iterator[Update]]) -> Change:
    def of(outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Does):
            return outcome
        return Does(tuple(new for update in outcome.updates for new in change(update)))

    return leaves(of)


def swap_branches(tree: Tree[Outcome]) -> Tree[Outcome]:
    assert isinstance(tree, Split)
    return attrs.evolve(tree, below=tree.below[::-1])


def off_by_one(node: Node) -> Node:
    if isinstance(node, Op) and isinstance(node.args[1], Const) and node.args[1].value == 42:
        return attrs.evolve(node, args=(node.args[0], const(41)))
    return node


def strictly_more(node: Node) -> Node:
    if isinstance(node, Op) and node.op == "<":
        return attrs.evolve(node, op="<=", args=(node.args[0], const(0)))
    return node


def exists_for_forall(node: Node) -> Node:
    return negate(node) if isinstance(node, Quant) else node


def dropped(update: Update) -> Iterator[Update]:
    yield from ()


def unchanged_value(update: Update) -> Iterator[Update]:
    kept = tuple(
        attrs.evolve(write, value=Cell(update.symbol, write.keys))
        for write in update.writes
        if isinstance(write, Write)
    )
    yield attrs.evolve(update, writes=kept)


def nothing_for_something(update: Update) -> Iterator[Update]:
    yield attrs.evolve(update, writes=tuple(attrs.evolve(write, absent=const(True)) for write in update.writes))


def last_write_lost(update: Update) -> Iterator[Update]:
    yield attrs.evolve(update, writes=update.writes[1:])


def wrong_frame(update: Update) -> Iterator[Update]:
    small = next(v.symbol for v in SHOP.declared.variables if v.symbol.name == "small")
    yield Update(small, (Write((), const(0)),))


def whole_map_lost_its_negation(update: Update) -> Iterator[Update]:
    yield attrs.evolve(update, writes=tuple(attrs.evolve(w, value=const(False)) for w in update.writes))


def blocks_for_raises(outcome: Outcome) -> Outcome:
    return Blocks() if isinstance(outcome, Raises) else outcome


def one_choice_only(update: Update) -> Iterator[Update]:
    yield attrs.evolve(update, writes=(Write((), const(1)),))


def always_true(outcome: Outcome) -> Outcome:
    return Says(const(True)) if isinstance(outcome, Says) else outcome


FAULTS: dict[str, tuple[str, str, Change]] = {
    "branches swapped": ("count_up", "n_below_42", swap_branches),
    "a constant off by one": ("count_up", "n_below_42", questions(off_by_one)),
    "an order confused": ("sell", "never_sold_twice", questions(strictly_more)),
    "a write dropped": ("count_up", "n_below_42", writes(dropped)),
    "a write without effect": ("sell", "never_sold_twice", writes(unchanged_value)),
    "a wrong frame": ("lose", "something_is_left", writes(wrong_frame)),
    "answers of an enum swapped": ("work", "never_shut", swap_branches),
    "a quantifier negated": ("ring", "no_alarm", questions(exists_for_forall)),
    "a whole map with other values": ("clear", "something_is_left", writes(whole_map_lost_its_negation)),
    "None for a value": ("take", "nobody_holds", writes(nothing_for_something)),
    "a write of two lost": ("see", "unseen", writes(last_write_lost)),
    "a choice not made": ("draw", "small_below_3", writes(one_choice_only)),
    "a raise read as blocked": ("check_till", "no action raises", leaves(blocks_for_raises)),
}


def answer(model: LiftedModel, claim: str) -> Answer:
    return next(finding.answer for finding in explore(model, {Item: 2}) if finding.property == claim)


@pytest.mark.parametrize(("method", "claim", "change"), FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_deceives_the_engine_and_not_the_certificate(method: str, claim: str, change: Change) -> None:
    right = one(method, claim)
    wrong = attrs.evolve(right, actions=(changed(right.actions[0], change),))
    assert answer(right, claim) is Answer.VIOLATED
    assert answer(wrong, claim) is Answer.HOLDS, "without the certificate the engine believes it"
    certify(right)
    with pytest.raises(CertificateError, match=f"{method} cannot be trusted as it was read") as refusal:
        certify(wrong)
    assert refusal.value.where is not None and refusal.value.where.file.endswith("shops.py")


def test_a_claim_read_as_true_deceives_the_engine_and_not_the_certificate() -> None:
    right = one("count_up", "n_below_42")
    wrong = attrs.evolve(right, claims=(changed(right.claims[0], leaves(always_true)),))
    assert (answer(right, "n_below_42"), answer(wrong, "n_below_42")) == (Answer.VIOLATED, Answer.VACUOUS)
    with pytest.raises(CertificateError, match="n_below_42 cannot be trusted"):
        certify(wrong)


def test_a_wrong_merge_deceives_the_engine_and_not_the_certificate() -> None:
    right = one("count_up", "n_below_42")
    blocked = attrs.evolve(right.actions[0], tree=Leaf(Blocks()))
    wrong = attrs.evolve(right, actions=(blocked,))
    assert answer(wrong, "n_below_42") is Answer.HOLDS
    with pytest.raises(CertificateError, match="the merged reading: is blocked"):
        certify(wrong)


@pytest.mark.parametrize("method", ["ring_by_identity", "ring_by_a_hidden_counter"])
def test_what_no_handle_sees_deceives_the_engine_and_not_the_certificate(method: str) -> None:
    shop = one(method, "no_alarm")
    assert answer(shop, "no_alarm") is Answer.HOLDS
    with pytest.raises(CertificateError) as refusal:
        certify(shop)
    assert refusal.value.where is not None
    assert 0 <= refusal.value.where.line - method_of(Shop, method).where.line <= 4


def never(node: Node) -> Node:
    return const(False)


def test_a_reading_that_has_no_value_is_a_disagreement_and_no_crash() -> None:
    @model
    class Shares:
        n: int = var(0)
        each: int = var(0)

        @action
        def share(self) -> None:
            self.each = 0 if self.n == 0 else 12 // self.n

    (share,) = lift(Shares).actions
    wrong = changed(share, questions(never))
    with pytest.raises(CertificateError, match="the reading: has no value"):
        certify(attrs.evolve(lift(Shares), actions=(wrong,)))


def test_the_sides_of_leads_to_are_held_against_what_the_body_gave() -> None:
    @model
    class Bell:
        asked: bool = var(False)
        rung: bool = var(False)

        @action
        def ring(self) -> None:
            self.rung = True

        @eventually
        def is_answered(self) -> bool:
            return leads_to(self.asked, self.rung)

    def nothing_is_asked_for(outcome: Outcome) -> Outcome:
        """True where it has come about and where nothing is asked for: the value alone stays the same."""
        if isinstance(outcome, Says) and outcome.value == const(True):
            return attrs.evolve(outcome, response=(const(False), const(False)))
        return outcome

    bell = lift(Bell)
    certify(bell)
    wrong = changed(bell.claims[0], leaves(nothing_is_asked_for))
    with pytest.raises(
        CertificateError, match="asked for True and come about True; the lifted reading: says True, asked for False"
    ):
        certify(attrs.evolve(bell, claims=(wrong,)))


def test_a_fault_that_merging_hides_is_seen_on_the_raw_paths() -> None:
    deep = one("ring_deep", "no_alarm")
    first_merged = attrs.evolve(deep.actions[0], raw=deep.actions[0].tree)
    certify(attrs.evolve(deep, actions=(first_merged,)))  # the witness of the merged path says nothing
    with pytest.raises(CertificateError):
        certify(deep)


def test_random_states_alone_do_not_see_what_lies_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = one("ring_deep", "no_alarm")
    monkeypatch.setattr(NEAR, staticmethod(no_numbers))
    monkeypatch.setattr("meshspec.backends.certificate._Check._with_solver", no_solver)
    certify(deep)


def test_a_blocked_action_that_changes_something_is_no_action() -> None:
    with pytest.raises(CertificateError, match="the state after it, which must be unchanged: leads to alarm=True"):
        certify(one("ring_before_the_guard_in_a_finally", "no_alarm"))


def test_the_scan_turned_off_the_certificate_still_sees_an_is_on_ints(monkeypatch: pytest.MonkeyPatch) -> None:
    @model
    class Leak:
        i: int = var(0)
        j: int = var(0)
        b: bool = var(False)

        @action
        def turn(self) -> None:
            if self.i is self.j:
                self.b = True

        @always
        def dark(self) -> bool:
            return not self.b

    monkeypatch.setattr("meshspec.lang.lift.refuse_blind_spots", no_scan)
    leak = lift(Leak)
    assert next(f.answer for f in explore(leak, {}) if f.property == "dark") is Answer.HOLDS
    with pytest.raises(CertificateError, match="turn cannot be trusted"):
        certify(leak)


# -- what a disagreement says ----------------------------------------------------------------------------------


def test_a_disagreement_tells_state_arguments_both_outcomes_and_what_to_do() -> None:
    right = one("sell", "never_sold_twice")
    wrong = attrs.evolve(right, actions=(changed(right.actions[0], writes(dropped)),))
    with pytest.raises(CertificateError) as refusal:
        certify(wrong)
    message = str(refusal.value)
    assert "CPython leads to sold[" in message
    assert "the lifted reading: leads to the same state" in message
    assert "State: sold[item0]=" in message
    assert "arguments: x=item" in message
    assert "write it with ==" in message


# -- what is certified -----------------------------------------------------------------------------------------


def test_the_certificate_counts_what_it_did() -> None:
    found = certify(one("sell", "never_sold_twice"), random_states=40)
    assert found.model == "Shop" and found.seed == 0
    sell, claim = found.methods
    assert (sell.name, sell.paths, sell.dead, sell.random_states) == ("sell", 2, 0, 40)
    assert sell.witnesses >= 2 and claim.witnesses >= 2
    assert dict(sell.sizes)["Item"] >= 2
    assert found.states == sum(m.witnesses + m.random_states for m in found.methods)


def test_the_same_seed_gives_the_same_certificate() -> None:
    certificates = {certify(one("see", "unseen"), seed=7) for _ in range(3)}
    assert len(certificates) == 1
    assert isinstance(certificates.pop(), Certificate)


def test_a_path_that_arithmetic_makes_impossible_is_dropped_quietly() -> None:
    @model
    class Twice:
        n: int = var(0)

        @action
        def turn(self) -> None:
            require(self.n > 3)
            if self.n < 2:
                self.n = 0
            self.n += 1

    (turn,) = certify(lift(Twice)).methods
    assert (turn.paths, turn.dead) == (3, 1)


def test_a_path_that_needs_many_members_gets_them() -> None:
    @model
    class Vote:
        yes: Map[Voter, bool] = var(False)
        passed: bool = var(False)

        @action
        def close(self) -> None:
            require(count(Voter, lambda v: self.yes[v]) >= 12)
            self.passed = True

    (close,) = certify(lift(Vote)).methods
    assert (close.paths, close.dead) == (2, 0)


def test_a_path_that_needs_members_for_two_counts_gets_them() -> None:
    @model
    class Vote:
        yes: Map[Voter, bool] = var(False)
        no: Map[Voter, bool] = var(False)
        split: bool = var(False)

        @action
        def close(self) -> None:
            require(forall(Voter, lambda v: not (self.yes[v] and self.no[v])))
            require(count(Voter, lambda v: self.yes[v]) > 5 and count(Voter, lambda v: self.no[v]) > 5)
            self.split = True

    (close,) = certify(lift(Vote)).methods
    assert close.dead == 0


def test_a_path_that_needs_more_members_than_can_be_tried_fails_closed() -> None:
    @model
    class Vote:
        yes: Map[Voter, bool] = var(False)
        passed: bool = var(False)

        @action
        def close(self) -> None:
            require(count(Voter, lambda v: self.yes[v]) >= 1000)
            self.passed = True

    with pytest.raises(CertificateError, match="close is not certified: no state was found for the path where") as no:
        certify(lift(Vote))
    assert no.value.where is not None and no.value.where.file.endswith("test_certificate.py")


def test_a_path_the_solver_gives_up_on_fails_closed_unless_a_random_state_took_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Solver, "check", gives_up)
    certify(one("lose", "something_is_left"))
    with pytest.raises(CertificateError, match=r"ring_deep is not certified: .* gave up: tired, and no random state"):
        monkeypatch.setattr(NEAR, staticmethod(no_numbers))
        certify(one("ring_deep", "no_alarm"))


def test_all_named_members_can_differ() -> None:
    @model
    class Chairs:
        taken: Map[Voter, bool] = var(False)

        @action
        def sit(self, a: Voter, b: Voter, c: Voter, d: Voter) -> None:
            require(len({a, b, c, d}) == 4 and exists_other(self, a, b, c, d))
            self.taken[a] = True

    def exists_other(chairs: Chairs, *named: Voter) -> bool:
        return not forall(Voter, lambda v: v in named)

    (sit,) = certify(lift(Chairs), random_states=20).methods
    assert sit.dead == 0


def test_nested_machines_choices_sets_optionals_and_whole_maps_are_certified() -> None:
    found = certify(lift(Plant))
    assert [method.name for method in found.methods] == ["fail", "forget", "breaker.counts"]


def test_the_door_for_engines_certifies_once_for_a_class_and_its_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    @model
    class Counter:
        most: int = 3
        n: int = var(0)

        @action
        def up(self) -> None:
            require(self.n < self.most)
            self.n += 1

    times: list[str] = []
    right = certificate.certify

    def counted(lifted: LiftedModel, **how: bool) -> Certificate:
        times.append(lifted.name)
        return right(lifted, **how)

    monkeypatch.setattr(certificate, "certify", counted)
    assert certified(Counter) is certified(Counter())
    assert certified(Counter(most=4)) is not certified(Counter)
    assert certified(Counter(most=4)) is certified(Counter(most=4))
    assert len(times) == 2


def test_the_door_for_engines_does_not_let_a_wrong_reading_through() -> None:
    @model
    class Lamp:
        n: int = var(0)

        @action
        def turn(self) -> None:
            shops.HIDDEN[0] += 1
            self.n = shops.HIDDEN[0]

    for _ in range(2):
        with pytest.raises(CertificateError):
            certified(Lamp)
