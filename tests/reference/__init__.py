"""Slow and obvious versions of what the product computes; they share no code with it."""
