"""Markov chain risk of attackers who begin with several attributes, as a section of a report."""

from collections.abc import Sequence

from anonscope.report.sheet import Section, row
from anonscope.risk.explain.chain import ChainRisk

TITLE = "Markov chain risk of who knows some attributes first"


def chains_section(chains: Sequence[ChainRisk]) -> Section:
    """Return one row a chain."""
    rows = tuple(
        row(" and ".join(c.known), *(f"{value:.4f}" for value in (c.least, c.mean, c.median, c.largest)), f"{c.marketer:.1%}")
        for c in chains
    )
    return Section(
        TITLE,
        ("known first", "least", "mean", "median", "largest", "found for sure (marketer)"),
        rows,
        "PR = 1 - P(R(J)) (1 - P(R | R(J))) times the same of the other attributes one after the other; near 1 for almost every table.",
        matrix=False,
    )
