"""Levels of its own for every combination."""
