"""What of single people shows in a release whose records are nobody's: exact matches, unique ones, and secrets that follow from it."""

import numpy as np

from anonscope.utility.unpaired.tables import Unpaired


def exact_share(tables: Unpaired) -> float:
    """Return the share of released records that are records of the original, in all columns compared."""
    ours, theirs, count = tables.tuples(range(len(tables.names)))
    return float((np.bincount(ours, minlength=count) > 0)[theirs].mean())


def unique_share(tables: Unpaired) -> float:
    """Return the share of the original's records that nobody else has and that the release has exactly."""
    ours, theirs, count = tables.tuples(range(len(tables.names)))
    before, after = np.bincount(ours, minlength=count), np.bincount(theirs, minlength=count)
    return float(((before == 1) & (after > 0)).sum() / len(ours))


def disclosed_share(tables: Unpaired, secret: str) -> float | str:
    """Return the share of the original's records whose keys have one value of the secret in the release, and it is theirs."""
    keys = [place for name, place in zip(tables.keys, tables.places(tables.keys), strict=True) if name != secret]
    if not keys:
        return "there is no quasi-identifier that an outsider could know"
    ours, theirs, count = tables.tuples(keys)
    place = tables.names.index(secret)
    truth, told = tables.original[place], tables.release[place]
    least, most = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(least, theirs, told)
    np.maximum.at(most, theirs, told)
    return float(((least == most)[ours] & (most[ours] == truth)).mean())
