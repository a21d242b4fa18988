"""How much each attribute counts where several make one number."""

from collections.abc import Mapping, Sequence

from anonscope.errors import OptionError, shown


def attribute_weights(columns: Sequence[str], weights: Mapping[str, float] | None) -> list[float]:
    """Return a weight for each column: as given, 1 for the rest; at least one must count."""
    given = weights or {}
    for column, weight in given.items():
        if column not in columns:
            raise OptionError(f"Column {shown(column)} has a weight, but it is not among those that are compared.")
        if not 0 <= weight < float("inf"):
            raise OptionError(f"The weight of column {shown(column)} must be a number of at least 0, not {weight:g}.")
    found = [float(given.get(column, 1)) for column in columns]
    if columns and not any(found):
        raise OptionError("All weights are 0: at least one column must count.")
    return found
