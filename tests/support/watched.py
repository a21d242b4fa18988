"""An engine that counts what it hands back, to show that results come back and the table does not."""

from dataclasses import dataclass
from typing import Any

import anonscope as an
from anonscope.engines import Engine, Statement

_OURS = "rows_of_the_watch"


@dataclass(frozen=True)
class Handed:
    """One statement whose rows were handed back, and how many they were."""

    sql: str
    rows: int


class Watched:
    """Any engine, counting the rows of every answer; whatever it is, it is treated as a remote one."""

    remote = True

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.handed: list[Handed] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @property
    def room(self) -> int:
        """A remote engine has none beside it: nothing is counted here that it could count."""
        return 0 if self.remote else self._engine.room

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What was run, without what only the watch asks."""
        return tuple(statement for statement in self._engine.statements if _OURS not in statement.sql)

    def rows(self, select: str) -> list[tuple[Any, ...]]:
        found = self._engine.rows(select)
        self.handed.append(Handed(select, len(found)))
        return found

    def hold(self, name: str, select: str) -> None:
        self._engine.hold(name, select)
        ((rows,),) = self._engine.rows(f"SELECT COUNT(*) AS {_OURS} FROM {name}")
        self.handed.append(Handed(select, rows))

    def arrays(self, select: str) -> list[Any]:
        found = self._engine.arrays(select)
        self.handed.append(Handed(select, len(found[0])))
        return found

    def batches(self, select: str) -> Any:
        table = self._engine.batches(select).read_all()
        self.handed.append(Handed(select, table.num_rows))
        return table.to_reader()

    @property
    def most(self) -> Handed:
        """The answer with most rows."""
        return max(self.handed, key=lambda handed: handed.rows)


def watch(data: an.Data) -> Watched:
    """Put a watched engine in the place of the one that a table is on, and return it."""
    data.engine = Watched(data.engine)
    return data.engine


def assert_only_results_came_back(engine: Watched, audit: an.Audit) -> None:
    """Fail if any answer has more rows than the result it is for: a row an attribute (or pair), or a row a size of class."""
    attributes = len(audit.roles.attributes)
    sizes = max(len(s.sizes.of(level)) for s in audit.scenarios for level in ("record", "person"))
    most = max(sizes, attributes * (attributes + 1) // 2, attributes + len(audit.roles.sensitive) + 1)
    assert engine.handed
    assert engine.most.rows <= most, engine.most
