"""From the counts of an audit to the columns of a search: nothing of the table is read again.

An audit leaves `record` behind, which has a row for every different combination of quasi-identifiers, sensitive attributes and person,
and `dictionary` with the texts that codes stand for. That is all that a search needs to know, and what `read_columns` would give.
"""

import numpy as np

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.errors import NotExplained
from anonscope.risk.counting.arrays import Integers
from anonscope.risk.counting.columns import CodedColumn
from anonscope.risk.explain.tuples import check_size, layout_of

# Different records that are fetched at once; beyond, nobody waits for a plan, and `anonymise` goes part by part where it must.
MOST_RECORDS = 5_000_000


def counted_columns(engine: Engine, roles: Roles) -> tuple[dict[str, CodedColumn], Integers]:
    """Return the columns of the table that was audited last, with a place for every combination, and how many records have it."""
    layout = layout_of(engine, roles)
    check_size(engine, layout)
    ((count,),) = engine.rows("SELECT COUNT(*) FROM record")
    if count > MOST_RECORDS:
        raise NotExplained(
            f"The table has {count:,} different records, and at most {MOST_RECORDS:,} are looked at for a plan. Use anonymise."
        )
    others = [f"t{j}" for j in range(len(layout.sensitive))] + (["u"] if layout.event_level else [])
    *keys, n = engine.arrays(f"SELECT {', '.join([*(f'w{word}' for word in range(layout.words)), *others])}, n FROM record")
    words, others_codes = keys[: layout.words], keys[layout.words :]
    codes = {layout.attributes[r.attribute]: (words[r.word] % r.hi) // r.lo for r in layout.radices}
    texts = _texts(engine, len(layout.attributes) + len(layout.sensitive))
    found = {name: CodedColumn((None, *texts[i]), codes[name].astype(np.int32)) for i, name in enumerate(layout.attributes)}
    for j, name in enumerate(layout.sensitive):
        found[name] = CodedColumn((None, *texts[len(layout.attributes) + j]), others_codes[j].astype(np.int32))
    if roles.person is not None:
        # Who somebody is matters to nobody here; codes of persons may have gaps.
        who, place = np.unique(others_codes[-1], return_inverse=True)
        missing = bool(len(who)) and int(who[0]) == 0
        number = place.astype(np.int32) + (0 if missing else 1)
        found[roles.person] = CodedColumn((None,) * (int(number.max(initial=0)) + 1), number)
    return found, n.astype(np.int64)


def _texts(engine: Engine, columns: int) -> list[tuple[str, ...]]:
    """Return the texts of every column but the person, by their codes from 1 on."""
    found: list[list[str]] = [[] for _ in range(columns)]
    for attribute, text in engine.rows(f"SELECT attribute, v FROM dictionary WHERE attribute < {columns} ORDER BY attribute, code"):
        found[attribute].append(text)
    return [tuple(texts) for texts in found]
