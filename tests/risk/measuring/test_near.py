"""One worker of a remote engine measures what was counted, and hands back measurements and nothing else."""

import pickle
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

import anonscope as an
from anonscope.errors import EngineError
from anonscope.risk.counting import in_other_form
from anonscope.risk.measuring import near
from support.explained import opened
from support.strategies import Table, numbers
from support.watched import Handed, Watched

KNOWN = ("age", "zip", "job")
PEOPLE = Table(
    (
        ("age", tuple(r * r % 23 for r in range(200))),
        ("zip", tuple(None if r % 19 == 0 else f"0{r * 7 % 11}" for r in range(200))),
        ("job", tuple("abc"[r % 3] for r in range(200))),
        ("ill", tuple(f"d{r * r % 7}" for r in range(200))),
        ("cost", tuple(None if r % 31 == 0 else r % 13 for r in range(200))),
        ("who", tuple(r // 2 for r in range(200))),
    ),
    KNOWN,
    ("cost",),
    scenarios=(("some", ("zip", "age")),),
)


class Cluster(Watched):
    """An engine whose worker is this process; what its work gives is one answer."""

    def __init__(self, engine: Any) -> None:
        super().__init__(engine)
        self.worked = 0

    def near(self, select: str, most: int, module: str, function: str, given: bytes) -> bytes | None:
        if len(self._engine.rows(select)) > most:
            return None
        self.worked += 1
        self.handed.append(Handed(select, 1))
        table = self._engine.batches(select).read_all()
        return bytes(getattr(import_module(module), function)(table, 1, given))


def audited(table: Table, kind: type[Watched] = Cluster, **asked: Any) -> tuple[Any, an.Audit]:
    with opened(table) as data:
        data.engine = engine = kind(data.engine)
        return engine, an.audit(data, **asked)


@pytest.mark.parametrize("sensitive", [("cost",), ("ill", "cost"), ()], ids=["one", "two", "none"])
@pytest.mark.parametrize("person", [None, "who"])
def test_a_worker_measures_what_statements_do(person: str | None, sensitive: tuple[str, ...]) -> None:
    """Attackers who know a part, persons, numbers with an order, pairs, joined and the literal chain: all of it to 1e-9."""
    table = replace(PEOPLE, person=person, sensitive=sensitive)
    asked = {"pairs": True, "joined": True, "literal_chain": True}
    engine, found = audited(table, **asked)
    _, wanted = audited(table, Watched, **asked)

    assert engine.worked == 1
    mine, theirs = numbers(found), numbers(wanted)
    assert mine.keys() == theirs.keys()
    for key, values in theirs.items():
        assert mine[key] == pytest.approx(values, rel=1e-9, abs=1e-9), key
    for part in ("warnings", "assumptions", "missing", "sensitive", "scenarios"):
        assert getattr(found, part) == getattr(wanted, part), part
    # What rules carry of a measurement is held above, to the digit that sums in another order keep.
    mine, theirs = ([(rule.rule, rule.status, rule.risk, rule.failing) for rule in audit.verdict.rules] for audit in (found, wanted))
    assert mine == theirs
    assert replace(found.verdict, rules=(), about=()) == replace(wanted.verdict, rules=(), about=())
    # What the worker ran is told as well.
    assert {"class", "record"} <= {statement.name for statement in found.statements}


def test_more_than_one_worker_can_take_is_left_to_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is it asked for what is counted from more than the records' numbers."""
    monkeypatch.setattr(near, "LIMIT", 100)
    engine, found = audited(PEOPLE)
    assert (engine.worked, found["k_anonymity"].value) == (0, 1)

    monkeypatch.undo()
    engine, _ = audited(PEOPLE, only=["k_anonymity"])
    assert engine.worked == 0


def test_an_error_of_ours_is_the_error_of_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a worker cannot measure is said in the same words."""

    def refuse(*_: Any) -> None:
        raise EngineError("There is no room.")

    monkeypatch.setattr("anonscope.risk.measuring.run.open_scenario", refuse)
    with pytest.raises(EngineError, match=r"There is no room\."):
        audited(PEOPLE)


class _Command:
    def __reduce__(self) -> tuple[Any, ...]:
        return (in_other_form, ())


def test_nothing_but_results_is_read_from_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that ask for anything else to be done are refused, whatever they ask for."""
    monkeypatch.setattr(Cluster, "near", lambda *_: pickle.dumps(_Command()))
    with pytest.raises(EngineError, match="something else than measurements"):
        audited(PEOPLE)
