"""Recipes that are ready to use."""
