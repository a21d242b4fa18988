"""Noisy answers and synthetic tables on Spark: counted there, with the numbers that DuckDB has."""

from typing import Any

import numpy as np
import pytest
from remote_synthesis import DOMAIN, QUESTIONS, TYPES, answers, assert_near, counted, margins, people, rows, table

import anonscope as an
from anonscope.engines.spark.engine import Spark
from anonscope.errors import DomainError, OptionError
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.mechanisms import Noise
from anonscope.synthesis.queries import parse_queries


@pytest.fixture(scope="module")
def there(spark: Any) -> Any:
    """The table as a frame of Spark."""
    return spark.createDataFrame(rows(), TYPES)


def test_spark_answers_as_duckdb(there: Any) -> None:
    """Every kind of question, people bounded, dates and numbers in their bins."""
    assert_near(answers(there), answers(table()), 0.02)


def test_spark_is_drawn_from_as_duckdb(there: Any) -> None:
    """A private tree of what was counted there."""
    assert_near(margins(there), margins(table()), 6)
    assert_near(people(there), people(table()), 0.02)


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Everything that comes back from Spark: of fetched rows those of the table itself, of the workers what OpenDP made."""
    found: dict[str, list[Any]] = {"rows": [], "worked": []}
    for name in found:
        real = getattr(Spark, name)

        def fetch(self: Any, *given: Any, name: str = name, real: Any = real) -> Any:
            answer = real(self, *given)
            found[name].append(answer)
            return answer

        monkeypatch.setattr(Spark, name, fetch)
    monkeypatch.setattr(Spark, "arrays", lambda *_: pytest.fail("records were fetched"))
    monkeypatch.setattr(Spark, "batches", lambda *_: pytest.fail("records were fetched"))
    return found


ANY_RECORD = [[(1,)]]  # whether there is one, asked when the table is opened
NOISY = QUESTIONS[: QUESTIONS.index('[[queries]]\nname = "rounded"')]


def test_answers_with_noise_inside_are_those_of_duckdb_and_nothing_else_is_fetched(there: Any, fetched: Any) -> None:
    """With next to no noise they are the true numbers; no statement brings a count back that did not go through OpenDP."""
    asked = parse_queries("epsilon = 1_000_000\n" + DOMAIN + NOISY)
    with an.read(there) as data:
        found = an.answer(data, asked, noise_inside=True)
    wanted = {key: value for key, value in answers(table()).items() if key[0] not in ("rounded", "withheld")}

    assert_near({(a.query, a.statistic, *a.group): a.value for a in found.answers}, wanted, 0.02)
    assert fetched["rows"] == ANY_RECORD and len(fetched["worked"]) >= 8


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_noise_inside_is_as_wide_as_stated(there: Any, noise: str) -> None:
    """The deviation of two hundred noisy cells is that of the scale, and no two runs are alike."""
    head = f'epsilon = 1\nnoise = "{noise}"\n' + ("delta = 1e-6\n" if noise == "gaussian" else "")
    asked = parse_queries(head + 'record_is_person = true\n[columns.age]\nlower = 200\nupper = 399\nwhole = true\nbins = 200\n'
                          '[[queries]]\nkind = "histogram"\nby = ["age"]\n')  # fmt: skip
    with an.read(there) as data:
        one, other = ([a.value for a in an.answer(data, asked, noise_inside=True).answers][1:] for _ in range(2))
    loss = asked.losses["query 1"]
    scale = Noise.for_loss(loss, one=1, squared=1).scale
    wide = scale if noise == "gaussian" else scale * 2**0.5

    assert one != other
    assert 0.75 * wide < float(np.std([*one, *other])) < 1.25 * wide


@pytest.mark.parametrize("method", ["tree", "adaptive"])
def test_a_synthetic_table_with_noise_inside(there: Any, fetched: Any, method: str) -> None:
    """Columns come out as on DuckDB, and only noisy numbers and choices left the cluster."""
    domain = parse_domain(DOMAIN).only(["sex", "region", "age"])
    with an.read(there, person="id") as data:
        made = an.synthesise(data, domain, method=method, epsilon=1_000_000, records=2400, noise_inside=True)

    assert made.guarantee.holds and made.structure and made.budget["left"]["rho"] == "0"
    assert_near(counted(made.table), margins(table()), 12)
    assert fetched["rows"] == ANY_RECORD and len(fetched["worked"]) >= 5


def test_what_would_leave_the_cluster_as_it_is_is_refused(there: Any) -> None:
    """Exact tables, people who are not declared, a seed; and engines that have no workers."""
    domain = parse_domain(DOMAIN)
    with an.read(there, person="id") as data:
        with pytest.raises(OptionError, match="only noisy numbers leave"):
            an.answer(data, parse_queries("epsilon = 1\n" + DOMAIN + QUESTIONS), noise_inside=True)
        with pytest.raises(OptionError, match="no seed"):
            an.synthesise(data, domain, epsilon=1, seed=1, noise_inside=True)
    alone = parse_queries('epsilon = 1\n[columns.sex]\ncategories = ["f", "m"]\n[[queries]]\nkind = "histogram"\nby = ["sex"]\n')
    with an.read(there) as data, pytest.raises(DomainError, match="Only noisy numbers may leave"):
        an.answer(data, alone, noise_inside=True)
    with an.read(table(), person="id") as data, pytest.raises(OptionError, match="is for Spark"):
        an.synthesise(data, domain, epsilon=1, noise_inside=True)
