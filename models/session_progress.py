"""Session progress: a session that learns nothing and changes nothing is stopped, and one that learns is let run.

A turn is worth something if it reads content that this session has not seen at that path, or if an accepted write
leaves other content than was there. What was seen is known by path and digest, because a file that is read again
after it has changed is news, whoever changed it. Four turns in a row without any of these stop the session, and so
does one check more than ten.
"""

from meshspec import Map, Sort, action, always, any_of, fault, implies, lemma, model, require, sometimes, var


class Session(Sort):
    """One tool session."""


class File(Sort):
    """A path."""


class Digest(Sort):
    """What is in a file, as its digest tells."""


@model
class SessionProgress:
    """Any number of sessions over the same files, each with limits of its own."""

    patience: Map[Session, int] = Map(4)  # turns without progress
    most_checks: Map[Session, int] = Map(10)
    content: Map[File, Digest] = var(any_of(Digest))
    seen: Map[tuple[Session, File, Digest], bool] = var(False)
    dry: Map[Session, int] = var(0)  # turns in a row without progress, as the breaker counts them
    barren: Map[Session, int] = var(0)  # the same in truth, counted up to the patience
    checks: Map[Session, int] = var(0)

    def is_stopped(self, s: Session) -> bool:
        return self.dry[s] >= self.patience[s]

    def is_news(self, s: Session, f: File) -> bool:
        return not self.seen[s, f, self.content[f]]

    def grounds(self, s: Session, f: File) -> bool:
        """Whether the breaker counts a read as progress: the digest comes back with the content."""
        return self.is_news(s, f)

    def takes_turn(self, s: Session, counted: bool, true: bool) -> None:
        self.dry[s] = 0 if counted else self.dry[s] + 1
        self.barren[s] = 0 if true else min(self.barren[s] + 1, self.patience[s])

    @action
    def read(self, s: Session, f: File) -> None:
        require(self.patience[s] >= 1 and not self.is_stopped(s))
        counted, true = self.grounds(s, f), self.is_news(s, f)
        self.seen[s, f, self.content[f]] = True
        self.takes_turn(s, counted, true)

    @action
    def write(self, s: Session, f: File, d: Digest) -> None:
        """A write that is accepted; of what is there already it changes nothing."""
        require(self.patience[s] >= 1 and not self.is_stopped(s))
        changes = self.content[f] is not d
        self.content[f] = d
        self.takes_turn(s, self.counts_write(changes), changes)

    @action
    def write_in_vain(self, s: Session) -> None:
        """A write that is refused."""
        require(self.patience[s] >= 1 and not self.is_stopped(s))
        self.takes_turn(s, self.counts_refused_writes(), False)

    def counts_write(self, changes: bool) -> bool:
        """Whether the breaker counts an accepted write as progress."""
        return changes

    def counts_refused_writes(self) -> bool:
        return False

    @action
    def run_check(self, s: Session) -> None:
        require(self.patience[s] >= 1 and not self.is_stopped(s))
        require(self.checks[s] < self.most_checks[s])
        self.checks[s] += 1
        self.takes_turn(s, False, False)

    @fault
    def change(self, f: File, d: Digest) -> None:
        """A subprocess changes a file: a formatter, a generator, a test."""
        require(self.content[f] is not d)
        self.content[f] = d

    @always
    def who_learns_nothing_is_stopped(self, s: Session) -> bool:
        return implies(self.barren[s] >= self.patience[s] and self.patience[s] >= 1, self.is_stopped(s))

    @always
    def who_learns_is_not_stopped(self, s: Session) -> bool:
        return implies(self.is_stopped(s), self.barren[s] >= self.patience[s])

    @always
    def checks_are_bounded(self, s: Session) -> bool:
        return self.checks[s] <= max(self.most_checks[s], 0)

    @sometimes
    def it_runs_all_its_checks(self, s: Session) -> bool:
        return self.checks[s] == self.most_checks[s] and not self.is_stopped(s)

    @lemma
    def it_counts_what_is_true(self, s: Session) -> bool:
        return self.dry[s] == self.barren[s]
