"""Expressions: nodes, their construction, one traversal, text, and the handles that stand for them in a body."""
