"""Databases that speak SQL."""
