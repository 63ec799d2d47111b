"""What goes wrong with late notices: each incident changes what looking at one does."""

from meshspec import model
from meshspec.models.attempt_notice import AttemptNotice, Fate
from meshspec.models.environment import Attempt


@model
class NoticeForTheTask(AttemptNotice):
    """A notice is taken to be about the task: whoever is at it by then, or was, has failed."""

    def look_at(self, a: Attempt) -> None:
        if self.present is not None and self.fate[self.present] is not Fate.FAILED:
            self.blame(self.present)
            self.failed = True


@model
class EveryNoticeCounts(AttemptNotice):
    """Each notice about a death is charged with a retry, though it was one death."""

    def look_at(self, a: Attempt) -> None:
        if self.fate[a] is Fate.SILENT or self.fate[a] is Fate.FAILED:
            self.blame(a)
            self.failed = self.failed or self.present == a


@model
class NoticeStartsOver(AttemptNotice):
    """A notice about one that was replaced puts the task back: who is at it is forgotten, and may start again."""

    def look_at(self, a: Attempt) -> None:
        if self.fate[a] is Fate.REPLACED and self.present is not None and self.fate[self.present] is Fate.RUNNING:
            self.fate[self.present] = Fate.NOT_STARTED
            self.present = None
        elif self.fate[a] is Fate.SILENT:
            self.blame(a)
            self.failed = True


@model
class NoticeClearsTheTask(AttemptNotice):
    """A notice about one that was replaced is taken as said, and with it that the task has failed."""

    def look_at(self, a: Attempt) -> None:
        if self.fate[a] is Fate.REPLACED:
            self.failed = False
        elif self.fate[a] is Fate.SILENT:
            self.blame(a)
            self.failed = True
