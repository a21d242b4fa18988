"""A trial draw: how like its original a table would be, before anybody decides to make it. What is drawn is thrown away."""

from dataclasses import dataclass

from anonscope.errors import AnonscopeError
from anonscope.operations.read import Data
from anonscope.synthesis.cells import cell_table
from anonscope.synthesis.counts import RecordCounts, counts_of
from anonscope.synthesis.curator import Here
from anonscope.synthesis.draft import draft_domain
from anonscope.synthesis.ledger import Exact, Ledger
from anonscope.synthesis.likeness import Likeness, likeness
from anonscope.synthesis.mechanisms import Seeded, chance_of
from anonscope.synthesis.method import Method, PrivateMethod, RecordMethod
from anonscope.synthesis.records import read_records
from anonscope.synthesis.values import to_cells

MOST_RECORDS = {True: 50_000, False: 20_000}  # that are drawn from, by whether the method is private
_SEED = 1  # a plan is the same whenever it is asked for


@dataclass(frozen=True, slots=True)
class Trial:
    """How like a trial draw was, from how many of the records."""

    like: Likeness
    records: int
    of: int

    @property
    def in_words(self) -> str:
        """The same in a sentence."""
        part = f"the first {self.records:,} of {self.of:,}" if self.records < self.of else f"{self.records:,}"
        closer = "; drawn from all of them it should be closer" if self.records < self.of else ""
        return f"in a trial draw from {part} records, which was thrown away, {self.like.in_words}{closer}"


def trial(data: Data, method: Method, epsilon: Exact, delta: Exact) -> Trial | str:
    """Return what a trial draw was like, or why there is none; the domain is drafted from the data."""
    if data.engine.remote:
        return f"on {data.engine.title} records stay where they are"
    most = MOST_RECORDS[method.private]
    rows = most if data.rows is None else min(most, data.rows)
    try:
        domain = draft_domain(data.engine, data.relation, data.roles, rows=rows)
        method.check(domain)
        chance = chance_of(_SEED)
        if isinstance(method, PrivateMethod):
            cells = cell_table(data.engine, data.relation, domain, rows=rows, name="trial_cells")
            counts = counts_of(data.engine, cells, domain)
            assert isinstance(counts, RecordCounts), "records are here"
            model = method.fit(Here(counts, Seeded(_SEED)), domain, Ledger.concentrated(epsilon, delta))
            drawn = model.draw(len(counts.codes[0]), chance)
        else:
            assert isinstance(method, RecordMethod), "there is no other kind"
            values = read_records(data.engine, data.relation, domain, rows)
            counts = RecordCounts(to_cells(values, domain), domain.sizes)
            drawn = to_cells(method.make(values, domain, len(values[0]), chance), domain)
    except AnonscopeError as error:
        return str(error)
    there = int(data.engine.rows(f"SELECT COUNT(*) FROM {data.relation.origin}")[0][0])
    used = len(counts.codes[0])
    # What has no place in the domain was left out, and is not what is missing of the table.
    left = there if data.rows is None else min(there, data.rows)
    return Trial(likeness(counts, RecordCounts(drawn, domain.sizes), domain), used, left if left > rows else used)
