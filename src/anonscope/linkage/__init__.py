"""A release against what an attacker may hold: external linkage, exact, generalised and probabilistic; two releases together."""

from anonscope.linkage.columns import LinkedColumn, pair_columns, suggest_pairs
from anonscope.linkage.composition import Candidates, Composition, compose
from anonscope.linkage.external import AttackerRisk, ExternalCount, Linkage, Range, link_tables, summarise
from anonscope.linkage.families import hierarchy_images
from anonscope.linkage.matches import MISSING, Matches, Missing, match_tables
from anonscope.linkage.probabilistic import THRESHOLD, ProbabilisticLinkage, link_probably
from anonscope.linkage.scores import COEFFICIENTS, AttributeScore, Coefficient, LinkageScores, score_linkage

__all__ = [
    "COEFFICIENTS",
    "MISSING",
    "THRESHOLD",
    "AttackerRisk",
    "AttributeScore",
    "Candidates",
    "Coefficient",
    "Composition",
    "ExternalCount",
    "Linkage",
    "LinkageScores",
    "LinkedColumn",
    "Matches",
    "Missing",
    "ProbabilisticLinkage",
    "Range",
    "compose",
    "hierarchy_images",
    "link_probably",
    "link_tables",
    "match_tables",
    "pair_columns",
    "score_linkage",
    "suggest_pairs",
    "summarise",
]
