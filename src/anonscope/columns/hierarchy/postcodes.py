"""Postcodes: those of the United Kingdom by sector, district and area, all others by their beginnings.

In the United Kingdom "SW1A 1AA" is in the sector "SW1A 1", in the district "SW1A" and in the area "SW". Elsewhere the
beginning of a postcode is a larger area, whatever the country.
"""

import re
from collections.abc import Sequence

from anonscope.columns.hierarchy.assemble import Level, assemble
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.prefixes import prefixes, starred

_BRITISH = re.compile(r"(([A-Z]{1,2})\d[A-Z\d]? ?)\d[A-Z]{2}", re.IGNORECASE)
_MOST = 0.8


def postcodes(name: str, values: Sequence[str]) -> Hierarchy:
    """Return ever larger areas."""
    british = {value: found for value in values if (found := _BRITISH.fullmatch(value)) is not None}
    if not values or len(british) < _MOST * len(values):
        return prefixes(name, values)
    leaves = [*sorted(british), *sorted(value for value in values if value not in british)]
    odd = [None] * (len(leaves) - len(british))
    codes = leaves[: len(british)]
    district = [british[code].end(1) for code in codes]
    return assemble(
        name,
        leaves,
        (
            Level("postcode sector", [*starred(codes, [end + 1 for end in district]), *odd]),
            Level("postcode district (outward code)", [*starred(codes, district), *odd]),
            Level("postcode area", [*starred(codes, [british[code].end(2) for code in codes]), *odd]),
        ),
    )
