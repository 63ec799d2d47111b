"""Effect identity: what makes two calls the same effect, for a ledger that suppresses what it knows.

An agent composes its calls as it goes. When an attempt is tried again, its calls are met a second time and must not
be executed again; yet within an attempt the same call may be meant twice: X, Y and X again leave X. The key of a call
here is its content together with how often the attempt has made it so far. That needs no place in the program, no
position and no transaction, so it survives a replay that takes another path: each content is executed exactly as
often as the most that any one attempt has called for it.
"""

from typing import Annotated

from meshspec import Map, Range, Sort, action, always, each, fault, implies, lemma, model, require, sometimes, var


class Content(Sort):
    """A call in canonical form: component, phase and arguments, and nothing of who makes it or when."""


@model
class EffectIdentity:
    """A ledger of keys that outlives every attempt, and a register that shows what was written last."""

    most: int = 3  # calls that an attempt makes
    calls: Annotated[int, Range(0, lambda m: m.most)] = var(0)  # of this attempt
    called: Map[Content, Annotated[int, Range(0, lambda m: m.most)]] = var(0)  # of this attempt
    meant: Map[Content, Annotated[int, Range(0, lambda m: m.most)]] = var(0)  # the most that one attempt has called
    known: Map[Content, Annotated[int, Range(0, lambda m: m.most)]] = var(0)  # durable: the highest number in a key
    executed: Map[Content, Annotated[int, Range(0, lambda m: m.most + 1)]] = var(0)  # or "more often"
    register: Content | None = var(None)  # what the world shows
    last: Content | None = var(None)  # what this attempt has written last
    retried: bool = var(False)

    def is_known(self, c: Content) -> bool:
        """Whether the key of the call that is about to be made is in the ledger."""
        return self.called[c] + 1 <= self.known[c]

    def note(self, c: Content) -> None:
        """Put the key of the call that is about to be made into the ledger."""
        self.known[c] = self.called[c] + 1

    @action
    def write(self, c: Content) -> None:
        """Execute the call, or suppress it as a duplicate."""
        require(self.calls < self.most)
        if not self.is_known(c):
            self.note(c)
            self.executed[c] = min(self.executed[c] + 1, self.most + 1)
            self.register = c
        self.last = c
        self.calls = self.calls + 1
        self.called[c] = self.called[c] + 1
        self.meant[c] = max(self.meant[c], self.called[c])

    @fault
    def retry(self) -> None:
        """A new attempt begins, under another transaction; its calls need not come in the same order."""
        require(self.calls > 0)
        self.calls = 0
        self.called = each(Content, lambda c: 0)
        self.last = None
        self.retried = True

    @always
    def no_call_is_executed_again(self, c: Content) -> bool:
        return self.executed[c] <= self.meant[c]

    @always
    def an_intended_repeat_is_executed(self, c: Content) -> bool:
        return self.executed[c] >= self.called[c]

    @always
    def no_content_stands_for_another(self, c: Content) -> bool:
        return implies(self.called[c] > 0, self.executed[c] > 0)

    @always
    def the_last_write_stands(self) -> bool:
        """In a first attempt; a replay that is suppressed writes nothing."""
        return implies(not self.retried, self.register == self.last)

    @sometimes
    def a_later_attempt_calls_for_it(self, c: Content) -> bool:
        return self.retried and self.called[c] == 1 and self.executed[c] == 1

    @lemma
    def as_often_as_meant(self, c: Content) -> bool:
        return self.executed[c] == self.meant[c] and self.known[c] == self.meant[c]

    @lemma
    def an_attempt_calls_no_more_than_is_meant(self, c: Content) -> bool:
        return self.called[c] <= self.meant[c] and self.called[c] <= self.calls

    @lemma
    def a_first_attempt_means_what_it_calls(self, c: Content) -> bool:
        return implies(not self.retried, self.meant[c] == self.called[c])
