"""Reference models, one file per primitive; their incidents are in ``meshspec.models.incidents``."""
