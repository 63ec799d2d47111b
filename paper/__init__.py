"""The paper's claims as data: ``claims.toml``, the registry that :mod:`meshspec.claims` reads."""
