"""Is this function of evidence or of identity adequate? Of any Python function, a user's own included."""
