"""Evidence for what the reference models promise: it holds, it is proved, each incident refutes it."""
