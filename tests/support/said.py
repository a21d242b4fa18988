"""A word about every column, for tests that are about something else."""

from dataclasses import replace

import anonscope as an


def all_said(data: an.Data) -> an.Data:
    """Return a table whose columns without a role were all called insensitive, also those that outsiders surely know."""
    rest = tuple(column for column in data.columns if column not in data.roles.assigned)
    data.roles = replace(data.roles, insensitive=(*data.roles.insensitive, *rest))
    data.acknowledged = replace(data.acknowledged, rest="a test about something else")
    return data
