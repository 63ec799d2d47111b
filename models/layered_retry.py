"""Layered retry: one call to a service is as many requests as its one owner was allowed, whoever else could retry.

A stream, a library and an HTTP client stand one inside the other; each may try again when what is inside it has given
up. Every try of an outer layer gives the inner ones all of theirs once more, so that requests are bounded by the
product of what the layers are allowed, and by what one of them is allowed only where the others try once. Here one
budget for the call is asked before each request. Which layer waits between two tries, and how long, is not modelled.
"""

from enum import Enum

from meshspec import Map, action, always, fault, model, require, sometimes, var


class Layer(Enum):
    """From the outside in."""

    STREAM = 0
    LIBRARY = 1
    CLIENT = 2


@model
class LayeredRetry:
    """The service refuses everything, which is the worst case."""

    budget: int = 5  # requests for one call
    tries: Map[Layer, int] = Map(2)  # for each try of the layer outside it
    tried: Map[Layer, int] = var(0)  # the present try, and those before it
    requests: int = var(0)

    def is_spent(self, layer: Layer) -> bool:
        return self.tried[layer] >= self.tries[layer]

    def may_send(self) -> bool:
        return self.requests < self.budget

    @action
    def begin(self) -> None:
        """The caller asks for one thing, once."""
        require(self.tried[Layer.STREAM] == 0)
        self.tried[Layer.STREAM] = 1
        self.tried[Layer.LIBRARY] = 1

    @fault
    def refuse(self) -> None:
        """The client sends a request, and gets a 429."""
        require(self.tried[Layer.STREAM] > 0 and not self.is_spent(Layer.CLIENT) and self.may_send())
        self.tried[Layer.CLIENT] += 1
        self.requests += 1

    @action
    def retry_in_library(self) -> None:
        require(self.is_spent(Layer.CLIENT) and not self.is_spent(Layer.LIBRARY))
        self.tried[Layer.LIBRARY] += 1
        self.tried[Layer.CLIENT] = 0

    @action
    def retry_stream(self) -> None:
        require(self.is_spent(Layer.CLIENT) and self.is_spent(Layer.LIBRARY) and not self.is_spent(Layer.STREAM))
        self.tried[Layer.STREAM] += 1
        self.tried[Layer.LIBRARY] = 1
        self.tried[Layer.CLIENT] = 0

    @always
    def requests_stay_within_the_budget(self) -> bool:
        return self.requests <= self.budget

    @sometimes
    def the_budget_is_used(self) -> bool:
        return self.requests == self.budget
