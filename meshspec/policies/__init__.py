"""Policies to use: one for each role that has a reference, in plain Python, importing nothing of meshspec."""
