"""A model inside a function of a module whose annotations are strings: they cannot be read."""

from __future__ import annotations

from enum import Enum

from meshspec import action, model, var


def model_inside_a_function() -> type:
    class Light(Enum):
        RED = 0
        GREEN = 1

    @model
    class Lamp:
        light: Light = var(Light.RED)

    return Lamp


def parameter_inside_a_function() -> type:
    class Light(Enum):
        RED = 0
        GREEN = 1

    @model
    class Lamp:
        on: bool = var(False)

        @action
        def turn(self, to: Light) -> None:
            self.on = True

    return Lamp
