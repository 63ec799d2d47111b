"""Agreement: CPython and every reading of a model say the same, and no engine contradicts another."""
