"""Engines: one question per file."""
