"""Tests of the adequacy of functions: every word of every answer, here and in other processes."""
