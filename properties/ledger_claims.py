"""What the texts say of the effect ledger, settled: each from the models, or by going through all cases."""

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from enum import Enum
from fractions import Fraction

from meshspec import action, model, require
from meshspec.answer import Answer, Counterexample
from meshspec.claims import load
from meshspec.engines.explore import explore
from meshspec.engines.lookalikes import lookalikes
from meshspec.lang.declare import declared
from meshspec.lang.lift import lift
from meshspec.models.effect_identity import Content, EffectIdentity
from meshspec.models.effect_ledger import EffectLedger
from meshspec.models.environment import Effect, Throttling
from meshspec.models.incidents.effect_identity import ContentAlone, TransactionInKey
from meshspec.models.incidents.effect_ledger import ExecuteThenRecord, ResendInDoubt
from meshspec.models.incidents.recovery_contracts import AnswerTooSoon, CommittedApart, KeyIgnored
from meshspec.models.incidents.tenant_ledger import OneLedgerForAll
from meshspec.models.recovery_contracts import Contract, ContractLedger
from meshspec.models.recovery_lease import RecoveryLease
from meshspec.models.tenant_ledger import Fingerprint, Tenant, TenantLedger
from meshspec.properties import ledger_impossible, ledger_levels
from meshspec.settle import Values, settles
from meshspec.sorts import Sort

Scope = Mapping[type[Sort], int]

ONE: Scope = {Effect: 1}
TWO_CONTENTS: Scope = {Content: 2}
TWO_TENANTS: Scope = {Tenant: 2, Fingerprint: 1}


def answers(design: object, sizes: Scope) -> dict[str, Answer]:
    return {one.property: one.answer for one in explore(lift(design), sizes)}


def shortest(design: object, claim: str, sizes: Scope) -> Counterexample:
    """The shortest path on which the claim is broken; there must be one."""
    found = next(one for one in explore(lift(design), sizes) if one.property == claim)
    assert found.counterexample is not None, f"{claim} is not broken"
    return found.counterexample


# ---- keys and identities


@settles("A.no-key-site", "reproduced")
def a_key_that_is_fixed_beforehand_merges_calls_or_misses_one(values: Values) -> None:
    """An agent's calls all leave from one place. A key made of that place and the position is too coarse or too fine.

    Either two positions share their key, and then two calls of one run do; or no two do, and then a replay that makes
    the same call in another position is not recognised. By enumeration: all 27 functions from three positions to
    three keys. That there is no place but the one is what the statement says of agents, and is taken from it.
    """
    assert not values
    positions = range(3)
    for keys in itertools.product(range(3), repeat=3):
        merges = any(keys[one] == keys[other] for one, other in itertools.combinations(positions, 2))
        misses = any(keys[first] != keys[again] for first, again in itertools.permutations(positions, 2))
        assert merges or misses, keys


def fields_needed(fields: Sequence[str]) -> int:
    """How many of the fields a key must have for no two effects that differ in some field to share it."""
    effects = list(itertools.product((0, 1), repeat=len(fields)))
    for size in range(len(fields) + 1):
        for kept in itertools.combinations(range(len(fields)), size):
            if len({tuple(effect[at] for at in kept) for effect in effects}) == len(effects):
                return size
    raise AssertionError("all fields together tell all effects apart")


@settles("P3.rule", "conditional")
def a_fingerprint_needs_its_inputs_and_an_occurrence_number(values: Values) -> None:
    """None of the inputs can be left out, and together they are not enough: an intended repeat has the same ones.

    With how often the attempt has made the call beside them, retries are recognised and repeats happen; that they
    happen at most once is the business of the order (Fig6.ledger-check) and of a contract (N.three-resolvers).
    """
    inputs = ("canonical call", "digest of its arguments", "external mutation id")
    assert fields_needed(inputs) == values.number("inputs")
    assert answers(ContentAlone, TWO_CONTENTS)["an_intended_repeat_is_executed"] is Answer.VIOLATED
    numbered = answers(EffectIdentity, TWO_CONTENTS)
    assert numbered["an_intended_repeat_is_executed"] is numbered["no_call_is_executed_again"] is Answer.HOLDS


@settles("P3.delta", "conditional")
def dropping_the_transaction_makes_it_content_addressed_and_suppresses_repeats(values: Values) -> None:
    """Of the fields of a commit's id only one differs between a commit and its retry: without it they share the id.

    As an address of content that is right. As the identity of an effect it is not yet: X, Y, X leaves Y (D40).
    """
    fields = ("transaction", "component", "phase", "content manifest")
    assert fields_needed(fields) == values.number("fields")
    commit, retry = (1, 7, 7, 7), (2, 7, 7, 7)
    enough = [
        kept
        for size in range(len(fields) + 1)
        for kept in itertools.combinations(range(len(fields)), size)
        if all(commit[at] == retry[at] for at in kept)
    ]
    assert len(fields) - max(map(len, enough)) == values.number("dropped")
    assert max(enough, key=len) == (1, 2, 3), "the transaction is what goes"
    assert answers(ContentAlone, TWO_CONTENTS)["no_call_is_executed_again"] is Answer.HOLDS
    broken = shortest(ContentAlone, "the_last_write_stands", TWO_CONTENTS)
    assert broken.actions == ("write(content0)", "write(content1)", "write(content0)")


# ---- the order of steps, and what a crash leaves


@settles("Fig6.ledger-check", "refuted")
def execute_and_record_is_done_twice_after_a_crash_between_the_two(values: Values) -> None:
    """Absent from the ledger means "execute", also where it was executed and not yet recorded (D39).

    Only where the two are one transaction, or the intent is written first, is it right.
    """
    assert not values
    steps = shortest(ExecuteThenRecord, "at_most_once", ONE).actions
    acts = [at for at, step in enumerate(steps) if step == "act(effect0)"]
    assert len(acts) == 2 and "crash" in steps[acts[0] : acts[1]] and "record(effect0)" not in steps
    assert answers(EffectLedger, ONE)["at_most_once"] is Answer.HOLDS
    assert answers(ledger_levels.CoupledCount, ONE)["at_most_once"] is Answer.HOLDS


@settles("N.log-insufficient", "reproduced")
def no_log_tells_whether_it_happened(values: Values) -> None:
    """Every function from the log to {send again, close} is refuted by two runs with one log.

    By enumeration, over the views of one effect in doubt that the effect ledger reaches, which are two, and so over
    four functions. Of more effects, and of logs that write down more, nothing is tried here.
    """
    assert not values
    ledger_impossible.no_function_of_the_log_recovers.run()


@settles("N.three-resolvers", "reproduced")
def each_resolver_makes_a_recovery_possible(values: Values) -> None:
    """A key, a transaction, an answer: with each some function of what is seen is right; without any, none is.

    That each of the three resolves, and that what a runtime does alone (its log, and the suppression of what the log
    knows) does not, is explored with one effect. That they are three rests on the list below, which is the
    statement's own: one that did not resolve would be missed in the count, a fourth kind of help would not be found.
    """
    designs = (
        ledger_impossible.RecoveryByLog,
        ledger_impossible.WithKey,
        ledger_impossible.WithTransaction,
        ledger_impossible.WithQuery,
    )
    resolving = [design for design in designs if some_function_works(design)]
    assert len(resolving) == values.number("resolvers")
    assert ledger_impossible.RecoveryByLog not in resolving


def some_function_works(design: type[ledger_impossible.RecoveryByLog]) -> bool:
    """Whether some function of what is seen is right; those that are likely to be are tried first."""
    sights = ledger_impossible.in_doubt(design)
    always: dict[Hashable, bool] = {sight.seen: True for sight in sights}
    where_undone: dict[Hashable, bool] = {sight.seen: set(sight.runs) == {"not done"} for sight in sights}
    if any(ledger_impossible.works(design, decisions) for decisions in (always, where_undone)):
        return True
    return any(ledger_impossible.works(design, decisions) for decisions in ledger_impossible.functions(sights))


@settles("N.four-levels", "reproduced")
def the_levels_are_as_many_as_can_be_told_apart(values: Values) -> None:
    """Seven designs keep different ones; of the ordered pairs only "exactly once, never executed" is empty."""
    kept: dict[type, frozenset[str]] = {design: ledger_levels.levels(design) for design in ledger_levels.DESIGNS}
    told_apart = {frozenset(d for d in kept if level in kept[d]) for level in ledger_levels.LEVELS}
    assert len(told_apart) == values.number("levels")
    apart = ledger_levels.apart(kept)
    assert set(itertools.permutations(ledger_levels.LEVELS, 2)) - set(apart) == {
        ("seen exactly once", "executed in the end")
    }


@settles("C.fg.unknown", "conditional")
def there_are_as_many_outcomes_as_sets_of_worlds_that_look_alike(values: Values) -> None:
    """Done, not done, and either: a third outcome exists because one sight is met in both worlds.

    A paired read resolves it. So do a key and a shared transaction, which need no read (D47).
    """
    e = Effect(0)
    sights = lookalikes(
        lift(EffectLedger),
        ONE,
        sees=lambda state: (state.told[e], state.recorded[e], state.intended[e]),
        world=lambda state: state.applied[e] > 0,
        when=lambda state: state.up and not state.awaiting[e],
    )
    assert len({frozenset(sight.runs) for sight in sights}) == values.number("states")
    for design in (ledger_impossible.WithQuery, ledger_impossible.WithKey, ledger_impossible.WithTransaction):
        assert some_function_works(design)
    assert not some_function_works(ledger_impossible.RecoveryByLog)


@model
class IssueCredit(EffectLedger, Throttling):
    """A payment tool with every hazard at once: its worker dies, its answer is lost, it is throttled."""

    @action
    def send(self, e: Effect) -> None:
        require(self.up and self.intended[e] and not self.recorded[e])
        require(not self.awaiting[e] and not self.doubtful[e] and not self.throttled)
        self.on_the_way[e] = True
        self.awaiting[e] = True


@settles("C.atlas.credit", "conditional")
def a_credit_survives_all_its_hazards_where_the_service_can_be_asked(values: Values) -> None:
    """No credit is issued twice and none is told that was not issued, under all hazards; resent in doubt, one is."""
    lifted = lift(IssueCredit)
    others = ("act_late", "redeliver")  # what the service and the queue do to anybody
    hazards = [it.name for it in declared(IssueCredit).of_kind("fault") if it.name not in others]
    assert len(hazards) == values.number("hazards")
    found = {one.property: one.answer for one in explore(lifted, ONE)}
    for claim in ("every fault strikes", "at_most_once", "recorded_is_done_once", "delivered_work_is_not_lost"):
        assert found[claim] is Answer.HOLDS, claim
    assert answers(ResendInDoubt, ONE)["at_most_once"] is Answer.VIOLATED


@settles("N.rd.contracts", "conditional")
def contracts_of_tools_can_be_stated_and_checked(values: Values) -> None:
    """With a key, a transaction or an answer, in any mix: kept, the contract does what it says; broken, not."""
    assert not values
    broken = {Contract.KEY: KeyIgnored, Contract.COUPLED: CommittedApart, Contract.QUERY: AnswerTooSoon}
    assert set(broken) == set(Contract)
    assert answers(ContractLedger, ONE)["at_most_once"] is Answer.HOLDS
    assert {answers(design, ONE)["at_most_once"] for design in broken.values()} == {Answer.VIOLATED}


# ---- calls that are not always idempotent, and what a time-out says


class Compensated(Enum):
    """How an undo ended."""

    UNDONE = 0
    FAILED = 1


@settles("N.idempotence-state", "proved")
def whether_a_call_is_idempotent_depends_on_its_arguments_and_the_state(values: Values) -> None:
    """Taking an amount from an account, as far as it goes: once is twice where nothing was taken, or nothing is left.

    And its undo, giving it back: it fails on an account that was closed in between, and before that somebody else
    could see, and spend by, what was not there to stay.
    """
    assert not values

    def take(balance: int, amount: int) -> int:
        return balance - min(balance, amount)

    def is_idempotent(call: Callable[[int], int], state: int) -> bool:
        return call(call(state)) == call(state)

    once_is_twice = {
        (balance, amount)
        for balance, amount in itertools.product(range(8), range(8))
        if is_idempotent(lambda b, a=amount: take(b, a), balance)  # type: ignore[misc]
    }
    assert once_is_twice == {(b, a) for b, a in itertools.product(range(8), range(8)) if a == 0 or b <= a}
    assert {(3, 5), (3, 0)} < once_is_twice and (5, 3) not in once_is_twice

    def give_back(account: int | None, amount: int) -> tuple[int | None, Compensated]:
        return (None, Compensated.FAILED) if account is None else (account + amount, Compensated.UNDONE)

    assert give_back(take(5, 3), 3) == (5, Compensated.UNDONE)
    assert give_back(None, 3) == (None, Compensated.FAILED), "closed in between"
    assert take(take(5, 3), 4) != take(5, 4), "who looks in between sees what will be undone"


def done_given_timeout(request_lost: Fraction, reply_lost: Fraction, slow: Fraction) -> Fraction:
    """By going through all that may happen to one call: how often it was done, of those that timed out."""
    timed_out, done = Fraction(0), Fraction(0)
    for arrives, answered, late in itertools.product((True, False), repeat=3):
        weight = (1 - request_lost if arrives else request_lost) * (1 - reply_lost if answered else reply_lost)
        weight *= slow if late else 1 - slow
        if not arrives or not answered or late:
            timed_out += weight
            done += weight if arrives else 0
    return done / timed_out


@settles("C.timeout-succeeded", "conditional")
def a_call_that_timed_out_was_likely_done_where_the_way_back_is_the_worse(values: Values) -> None:
    """P(done | time-out) > 1/2 exactly where "it arrived, and no answer came in time" outweighs a lost request."""
    assert not values
    grid = [Fraction(n, 5) for n in range(1, 5)]
    found: set[bool] = set()
    for request, reply, slow in itertools.product(grid, grid, grid):
        unanswered = (1 - request) * (1 - (1 - reply) * (1 - slow))
        likely = done_given_timeout(request, reply, slow) > Fraction(1, 2)
        assert likely == (unanswered > request), (request, reply, slow)
        found.add(likely)
    assert found == {True, False}, "it is no constant"


# ---- what is said to be built


@settles("Fig1.ledger-contents", "conditional")
def a_ledger_keeps_as_many_kinds_of_things_as_there_are_guarantees_to_lose(values: Values) -> None:
    """Fingerprints, leases and commits, each durable in a model that needs it; and no tenant notices another.

    The partitions are a design: with them nobody can tell, without them one tenant's effect suppresses another's.
    """
    kinds = ((EffectIdentity, "known"), (RecoveryLease, "held"), (EffectLedger, "recorded"))
    kept = [name for design, name in kinds if name in {it.symbol.name for it in declared(design).variables}]
    assert len(kept) == values.number("items")
    claim = "no_tenant_can_tell_that_it_is_not_alone"
    assert answers(TenantLedger, TWO_TENANTS)[claim] is Answer.HOLDS
    assert answers(OneLedgerForAll, TWO_TENANTS)[claim] is Answer.VIOLATED


def statement(claim: str) -> str:
    return load().claims[claim].statement


@settles("P3.unbuilt", "inconsistent")
def not_built_and_hosted_in_a_minimal_form(values: Values) -> None:
    """One place says that the ledger is not built, another that a harness hosts a minimal one (D24).

    Readings: not built in the production platform, and built as far as the harness needs it; or planned in both. That
    it works is shown here of models of ours, of no system of the paper's.
    """
    assert not values
    assert "not built" in statement("P3.unbuilt")
    assert "hosting" in statement("Fig9.substrates") and "minimal M3" in statement("Fig9.substrates")


@settles("T3.r09.ledger", "conditional")
def one_field_less_makes_a_ledger_where_repeats_are_told_apart(values: Values) -> None:
    """With the transaction in the key a retry is executed again; without it, it is not: one field, and the incident.

    On the condition that something else tells an intended repeat from a retry (an occurrence number does; the content
    alone suppresses both). That the status is "specified" is a matter of history: it is only compared with what
    another section prints (P3.unbuilt), and no model can say more of it.
    """
    assert f"is {values.text('status')}, not built" in statement("P3.unbuilt")
    again = "no_call_is_executed_again"
    assert shortest(TransactionInKey, again, TWO_CONTENTS).actions == ("write(content0)", "retry", "write(content0)")
    assert answers(ContentAlone, TWO_CONTENTS)[again] is Answer.HOLDS
    assert answers(ContentAlone, TWO_CONTENTS)["an_intended_repeat_is_executed"] is Answer.VIOLATED
    numbered = answers(EffectIdentity, TWO_CONTENTS)
    assert numbered[again] is numbered["an_intended_repeat_is_executed"] is Answer.HOLDS


@settles("T3.r11.tenants", "inconsistent")
def what_is_unbuilt_is_said_to_be_evaluated(values: Values) -> None:
    """Designed and unbuilt, and evaluated on a harness (D24).

    Readings: the harness has partitions and the platform has none; or what is evaluated is tenancy without them. The
    property itself holds of the design (Fig1.ledger-contents).
    """
    said = statement("T3.r11.tenants")
    assert f"{values.text('status')}, unbuilt" in said and "evaluated only on the harness" in said
    assert answers(TenantLedger, TWO_TENANTS)["no_tenant_can_tell_that_it_is_not_alone"] is Answer.HOLDS
