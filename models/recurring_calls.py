"""Recurring calls: what was asked and answered too often is stopped, in a row or not.

A breaker that looks for equal calls in a row is passed by any two calls taken in turn. This one keeps a count for
each pair of call and answer in its session, so that no loop escapes it, whatever its period and whatever stands
between; the price is that it also stops who comes back to the same question, honestly, often enough.
"""

from meshspec import Map, action, always, exists, implies, lemma, model, require, sometimes, var
from meshspec.models.progress_breaker import Answer, Call, Session


@model
class RecurringCalls:
    patience: Map[Session, int] = Map(3)
    budget: Map[Session, int] = Map(7)
    made: Map[tuple[Session, Call, Answer], int] = var(0)
    last: Map[Session, Call | None] = var(None)
    answered: Map[Session, Answer | None] = var(None)
    in_a_row: Map[Session, int] = var(0)
    steps: Map[Session, int] = var(0)
    stopped: Map[Session, bool] = var(False)

    def gives_up(self, made: int, in_a_row: int, patience: int) -> bool:
        return made >= patience

    @action
    def call(self, s: Session, c: Call, a: Answer) -> None:
        require(self.patience[s] >= 1 and not self.stopped[s] and self.steps[s] < self.budget[s])
        made = self.made[s, c, a] + 1
        in_a_row = self.in_a_row[s] + 1 if self.last[s] is c and self.answered[s] is a else 1
        self.made[s, c, a] = made
        self.in_a_row[s] = in_a_row
        self.last[s] = c
        self.answered[s] = a
        self.steps[s] += 1
        self.stopped[s] = self.gives_up(made, in_a_row, self.patience[s])

    @always
    def nothing_is_asked_and_answered_too_often(self, s: Session, c: Call, a: Answer) -> bool:
        return self.made[s, c, a] <= max(self.patience[s], 0)

    @always
    def only_what_recurs_is_stopped(self, s: Session) -> bool:
        recurs = exists(Call, lambda c: exists(Answer, lambda a: self.made[s, c, a] >= self.patience[s]))
        return implies(self.stopped[s], recurs)

    @sometimes
    def another_call_is_made(self, s: Session) -> bool:
        return self.steps[s] >= 2 and self.in_a_row[s] == 1

    @lemma
    def while_it_runs_there_is_room(self, s: Session, c: Call, a: Answer) -> bool:
        return self.stopped[s] or self.made[s, c, a] < max(self.patience[s], 1)
