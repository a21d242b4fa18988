"""Counts of a table that is audited part by part: the folder they are kept in, and its key."""
