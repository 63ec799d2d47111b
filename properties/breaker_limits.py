"""Where the rules of a progress breaker end, what they cannot tell apart, and what then is right."""

from collections.abc import Iterable, Sequence
from enum import Enum
from fractions import Fraction
from itertools import combinations, product

from meshspec import Map, answer, eventually, leads_to, model, scope
from meshspec.engines.live import live
from meshspec.lang.lift import lift
from meshspec.models.crowd import Crowd, Service
from meshspec.models.incidents.crowd import ImmediateRetry
from meshspec.models.incidents.layered_retry import EachForItself
from meshspec.models.incidents.repair_rounds import ConstantEvidence, NoDiagnosticsFallback, RawDigests
from meshspec.models.layered_retry import Layer, LayeredRetry
from meshspec.models.progress_breaker import Answer, Call, ProgressBreaker, Session
from meshspec.models.recurring_calls import RecurringCalls
from meshspec.models.repair_rounds import Component, Outcome, RepairRounds
from meshspec.models.session_progress import SessionProgress
from meshspec.properties.asking import is_proved
from meshspec.properties.breaker_claims import SIZES, power, printed, told
from meshspec.properties.loop_claims import AGENT, calls_made, turns
from meshspec.properties.repair_rounds import CRASH, FIVE, TWO, stopped_in
from meshspec.settle import shows

ONE = Session(0)


def recurring(calls: Iterable[int], patience: int = 3) -> int | None:
    """The call at which the count of recurring calls stops a run; ``None`` where it does not."""
    model = RecurringCalls(patience=Map(patience), budget=Map(999))
    with scope({Session: 1, Call: 999, Answer: 1}):
        for number, call in enumerate(calls, 1):
            model.call(ONE, Call(call), Answer(0))
            if model.made[ONE, Call(call), Answer(0)] >= patience:
                return number
    return None


@shows("PB-TRIP-BOUND")
def a_loop_of_two_calls_passes_whoever_looks_for_a_row() -> None:
    """In a row only a loop of one call is seen; counted wherever it recurs, a loop of any period is stopped.

    So is a call that comes back between fresh ones, and so, as its price, is honest work that comes back as often.
    """
    for period in range(2, 6):
        loop = [i % period for i in range(54)]
        assert not calls_made(ProgressBreaker(budget=Map(54)), loop).is_stopped(ONE)
        for patience in (2, 3, 4):
            assert recurring(loop, patience) == (patience - 1) * period + 1
    assert recurring([0, 1, 0, 2, 0, 3, 0, 4]) == 5
    assert recurring(range(54)) is None


@shows("PB-SESSION", "PB-CONTENT-KEY")
def whoever_wanders_through_fresh_files_is_never_stopped() -> None:
    """D38: as many reads as were printed, each of another file, are all news; a second look at them is none.

    What bounds such a session is the number of pairs of path and digest that there are, and nothing else.
    """
    reads = printed("F4.451-reads", "reads")
    assert isinstance(reads, int)
    wander = [f"read {i}" for i in range(reads)]
    assert not turns(SessionProgress(), *wander, files=reads).is_stopped(AGENT)
    session = SessionProgress()
    again = turns(session, *wander, *wander, files=reads)
    assert again.is_stopped(AGENT) and again.dry[AGENT] == session.patience[AGENT]


def ended_by(ranks: Sequence[tuple[int, int]], best_so_far: bool, patience: int = 3) -> int | None:
    """The round in which it is stopped that holds each round against the one before, or against the best so far."""
    reference, stalls = ranks[0], 0
    for number, rank in enumerate(ranks[1:], 2):
        stalls = 0 if rank < reference else stalls + 1
        reference = min(reference, rank) if best_so_far else rank
        if stalls >= patience - 1:
            return number
    return None


@shows("PB-NO-MISS", "PB-NO-FALSE-TRIP")
def who_relapses_and_recovers_is_never_stopped_or_stopped_too_soon() -> None:
    """Held against the round before, better and worse in turn go on for ever. Held against the best so far they end,
    and then whoever climbs out of a relapse, better each round, is stopped. Neither keeps both; a budget must end it.
    """
    crash, five, two = (1, 1), (0, 5), (0, 2)
    assert ended_by([crash, five] * 27, best_so_far=False) is None
    assert stopped_in(RepairRounds, *[CRASH, FIVE] * 5) is None, "and so says the model"
    assert ended_by([crash, five] * 27, best_so_far=True) == 4
    relapse = [five, two, crash, (0, 4), (0, 3)]
    assert ended_by(relapse, best_so_far=False) is None
    assert ended_by(relapse, best_so_far=True) == 4, "the crash and the four, though four is better than a crash"
    climbing_out = [two, crash, five, (0, 4)]
    assert stopped_in(RepairRounds, TWO, CRASH, FIVE, TWO) is None
    assert ended_by(climbing_out, best_so_far=True) == 3


@model
class StuckToTheEnd(RepairRounds):
    """Who goes on being stuck is stopped in the end, with no fairness: of one component, which has all the rounds."""

    @eventually
    def who_stays_stuck_is_stopped(self, c: Component) -> bool:
        return leads_to(self.stuck[c] > 0, self.is_stopped(c) or self.stuck[c] == 0)


@model
class StuckForEver(NoDiagnosticsFallback):
    """The same is asked where nothing stands in for evidence that the filter has emptied."""

    @eventually
    def who_stays_stuck_is_stopped(self, c: Component) -> bool:
        return leads_to(self.stuck[c] > 0, self.is_stopped(c) or self.stuck[c] == 0)


@shows("PB-NO-MISS")
def a_stuck_replay_stops_in_the_end_and_without_the_fallback_goes_on_for_ever() -> None:
    """As liveness: the one holds on every run, the other has a run that repeats its last round for ever."""
    (held,) = live(lift(StuckToTheEnd), SIZES)
    (refuted,) = live(lift(StuckForEver), SIZES)
    assert held.answer is answer.Answer.HOLDS
    assert refuted.answer is answer.Answer.VIOLATED and refuted.counterexample is not None
    assert refuted.counterexample.steps[-1].action == f"repair(component0, outcome{CRASH}, outcome{CRASH})"
    assert refuted.counterexample.loop == len(refuted.counterexample.steps) - 1


@shows("PB-NO-MISS", "PB-ADEQUATE")
def evidence_that_always_moves_hides_who_gets_nowhere() -> None:
    """A report is the same but for its time: masked it is stopped, its raw digest is new each round."""
    assert stopped_in(RepairRounds, *[FIVE] * 54) == 3
    assert stopped_in(RawDigests, *[FIVE] * 54) is None
    other = 3  # as many failures as TWO, and other ones
    assert stopped_in(RepairRounds, *[TWO, other] * 27) == 3, "moving is not progress: the rank is the same"


@shows("PB-ADEQUATE")
def another_outcome_would_have_read_otherwise() -> None:
    """Wherever it is stopped there was an outcome that would have been told apart; over a constant there was none."""
    with scope(SIZES):
        for before in Outcome:
            assert any(told(RepairRounds(), now, before) for now in Outcome)
            assert not any(told(ConstantEvidence(), now, before) for now in Outcome)


@shows("PB-POWER")
def power_is_a_fraction_and_of_nothing_it_is_none() -> None:
    """Constant strategies have none of it, whatever they decide; adding a decision on news never lowers it."""
    assert power([], {"check"}) is None
    for decisions in range(1, 6):
        assert power([{"check"}] * decisions, {"check"}) == 0
        assert power([set[str]()] * decisions, {"check"}) == 0, "no evidence is no news"
        for moving in range(decisions + 1):
            rounds = [{"check", "test"}] * moving + [{"check"}] * (decisions - moving)
            found = power(rounds, {"check"})
            assert found == Fraction(moving, decisions)
            more = power([*rounds, {"test"}], {"check"})
            assert more is not None and found is not None and more >= found


class Act(Enum):
    CONTINUE = "continue"
    STOP = "stop"  # cannot be taken back
    HOLD = "hold"  # nothing is spent until somebody says go on


def comes_to(acts: Sequence[Act], done_after: int | None) -> tuple[bool, int]:
    """Whether a run that polls gets its answer, and how often it polled; held, it goes on if it would end."""
    for polls, act in enumerate(acts, 1):
        if done_after == polls:
            return True, polls
        if act is Act.STOP:
            return False, polls
        if act is Act.HOLD:
            return done_after is not None, done_after or polls
    return False, len(acts)


@shows("PB-GRADED")
def two_runs_look_the_same_and_only_what_can_be_taken_back_is_right_for_both() -> None:
    """Six polls of a build say "running". One build ends at the seventh, the other never; so far they are one run.

    Of all rules that continue or stop, none lets the first end and the second cost fewer polls than there are. To
    hold is right for both, at any poll.
    """
    polls, honest, stuck = 7, 7, None
    for bound in range(1, polls):
        rules = [comes_to(acts, honest)[0] and comes_to(acts, stuck)[1] <= bound for acts in _rules(polls)]
        assert rules and not any(rules)
        held = [Act.CONTINUE] * (bound - 1) + [Act.HOLD] * (polls - bound + 1)
        assert comes_to(held, honest)[0] and comes_to(held, stuck)[1] == bound


def _rules(polls: int) -> Iterable[tuple[Act, ...]]:
    return product((Act.CONTINUE, Act.STOP), repeat=polls)


def refusals(model: Crowd) -> int:
    """How many refusals a crowd comes to, run on CPython to its end."""
    with scope({Service: 1}):
        service = Service(0)
        model.arrive(service)
        while model.asking[service]:
            model.tick(service)
        assert model.served[service] == model.clients[service]
        return model.refused[service]


@shows("PEER-429")
def who_listens_is_refused_once_and_who_does_not_with_everybody_else() -> None:
    """Of n clients and c in a tick: n - c refusals, against n (n - c) / 2c. With 50 and 5 that is 45 and 225."""
    assert is_proved(Crowd, "nobody_is_refused_twice")
    for clients, room in ((50, 5), (12, 3), (5, 5), (100, 4)):
        assert refusals(Crowd(clients=Map(clients), room=Map(room))) == clients - room
        deaf = ImmediateRetry(clients=Map(clients), room=Map(room))
        assert refusals(deaf) == clients * (clients - room) // (2 * room)
    assert (refusals(Crowd()), refusals(ImmediateRetry())) == (45, 225)


def idle(asks: Sequence[int], free: int) -> int | None:
    """For how long a service that is free from a tick on is not asked; ``None`` where it is not asked again."""
    return next((ask - free for ask in asks if ask >= free), None)


def fewest_asks(ticks: int) -> int:
    """Of all rules that ask a service no later than twice the time after which it was free, the fewest asks."""
    for number in range(1, ticks + 1):
        for asks in combinations(range(1, 2 * ticks + 1), number):
            late = [idle(asks, free) for free in range(1, ticks + 1)]
            if all(one is not None and one <= free for free, one in enumerate(late, 1)):
                return number
    raise AssertionError("to ask in every tick is such a rule")


@shows("PEER-429", "PEER-429-BREAKER")
def no_rule_is_right_in_both_worlds_and_doubling_is_nearly_so() -> None:
    """A code without a delay looks the same whether the service is busy for a tick or its quota is gone for days.

    Whoever never lets a free service wait asks an empty quota in every tick: of all rules none does better. If a wait
    may be as long as the trouble was, its logarithm is enough, and fewer asks are not; a wait that doubles
    asks no more often than that in vain. Whoever is told the delay, and truly, needs neither.
    """
    ticks = 10
    rules = [asks for number in range(ticks + 1) for asks in combinations(range(1, ticks + 1), number)]
    prompt = [asks for asks in rules if all(idle(asks, free) == 0 for free in range(1, ticks + 1))]
    assert prompt == [tuple(range(1, ticks + 1))], "and in the other world each of these is in vain"
    for horizon in range(1, 11):
        fewest = (horizon + 1).bit_length() - 1
        assert fewest_asks(horizon) == fewest
        doubling = [2**n - 1 for n in range(1, horizon.bit_length() + 2)]
        late = [idle(doubling, free) for free in range(1, horizon + 1)]
        assert all(one is not None and one <= free for free, one in enumerate(late, 1))
        assert sum(ask < horizon for ask in doubling) <= fewest, "as many in vain, and the next is served"
    for delay in (1, 5, ticks, 10 * ticks):  # seconds, or days
        assert idle([delay], delay) == 0, "told the delay, one asks once, in no world in vain"


@shows("RETRY-PRODUCT")
def layers_that_retry_each_for_itself_make_the_product() -> None:
    """The bound, and not who owns the delay: with 3, 3 and 5 tries 45 requests, with the middle layer off 15.

    With one budget for the call they are no more than that.
    """
    for stream, library, client in ((3, 3, 5), (3, 1, 5), (1, 1, 5), (2, 2, 2)):
        tries = Map(1, {Layer.STREAM: stream, Layer.LIBRARY: library, Layer.CLIENT: client})
        assert requests(EachForItself(tries=tries)) == stream * library * client
        assert requests(LayeredRetry(tries=tries, budget=5)) <= 5


def requests(model: LayeredRetry) -> int:
    """How many requests one call comes to, run on CPython until no layer tries again."""
    model.begin()
    while True:
        if not model.is_spent(Layer.CLIENT):
            if not model.may_send():
                return model.requests
            model.refuse()
        elif not model.is_spent(Layer.LIBRARY):
            model.retry_in_library()
        elif not model.is_spent(Layer.STREAM):
            model.retry_stream()
        else:
            return model.requests
