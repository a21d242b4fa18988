"""Counting, measuring and judging: how easily somebody is singled out or something concluded about them."""
