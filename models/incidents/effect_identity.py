"""Keys that are too fine never match; keys that are too coarse merge what is meant to happen twice."""

from meshspec import Map, exists, model, var
from meshspec.models.effect_identity import Content, EffectIdentity


@model
class ContentAlone(EffectIdentity):
    """The key is the content: an intended repeat is taken for a duplicate, and X, Y, X leaves Y."""

    def is_known(self, c: Content) -> bool:
        return self.known[c] > 0


@model
class TransactionInKey(EffectIdentity):
    """The transaction is part of the key: no retry is ever recognised, and a repeat within one transaction is."""

    def is_known(self, c: Content) -> bool:
        return self.called[c] > 0  # in this transaction; the keys of others do not match


@model
class PositionInKey(EffectIdentity):
    """The position in the attempt is part of the key: a replay that takes another path executes its calls again."""

    first: Map[Content, bool] = var(False)  # durable: the keys, by their position
    second: Map[Content, bool] = var(False)
    third: Map[Content, bool] = var(False)

    def is_known(self, c: Content) -> bool:
        if self.calls == 0:
            return self.first[c]
        return self.second[c] if self.calls == 1 else self.third[c]

    def note(self, c: Content) -> None:
        if self.calls == 0:
            self.first[c] = True
        elif self.calls == 1:
            self.second[c] = True
        else:
            self.third[c] = True


@model
class ArgumentDropped(EffectIdentity):
    """The canonical form drops the argument in which two calls differ: the second is taken for the first."""

    def is_known(self, c: Content) -> bool:
        return exists(Content, lambda d: self.called[c] + 1 <= self.known[d])
