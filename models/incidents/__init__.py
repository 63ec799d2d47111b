"""Incidents: each is a reference model with one decision changed, and breaks what it is listed for."""
