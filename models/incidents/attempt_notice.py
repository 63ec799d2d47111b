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
