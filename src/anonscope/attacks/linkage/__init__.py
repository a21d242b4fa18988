"""A release against what an attacker may hold: external linkage, exact, generalised and probabilistic; two releases together."""

from anonscope.attacks.linkage.columns import LinkedColumn, Unpaired, left_out, pair_columns, suggest_pairs, unpaired
from anonscope.attacks.linkage.external import AttackerRisk, ExternalCount, Linkage, Range, link_tables, summarise
from anonscope.attacks.linkage.families import hierarchy_images
from anonscope.attacks.linkage.matches import MISSING, Matches, Missing, Strays, match_tables
from anonscope.attacks.linkage.probabilistic import THRESHOLD, ProbabilisticLinkage, link_probably
from anonscope.attacks.linkage.scores import COEFFICIENTS, AttributeScore, Coefficient, LinkageScores, score_linkage

__all__ = [
    "COEFFICIENTS",
    "MISSING",
    "THRESHOLD",
    "AttackerRisk",
    "AttributeScore",
    "Coefficient",
    "ExternalCount",
    "Linkage",
    "LinkageScores",
    "LinkedColumn",
    "Matches",
    "Missing",
    "ProbabilisticLinkage",
    "Range",
    "Strays",
    "Unpaired",
    "hierarchy_images",
    "left_out",
    "link_probably",
    "link_tables",
    "match_tables",
    "pair_columns",
    "score_linkage",
    "suggest_pairs",
    "summarise",
    "unpaired",
]
