"""Problems of real tables, with the hierarchies that are made from the data."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import anonscope as an
from anonscope.columns.hierarchy.for_columns import hierarchies_for
from anonscope.risk.counting.columns import read_columns
from anonscope.transform.search.prepare import SearchSettings, prepare
from anonscope.transform.search.problem import Problem


@dataclass(frozen=True)
class Real:
    """A file of the folder of real microdata, and what its columns are."""

    path: str
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]


OULAD = Real("oulad/studentInfo.csv", ("gender", "region", "highest_education", "age_band", "disability"), ("final_result",))
ACS = Real("nist_acs/national2019.csv", ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"), ("PINCP_DECILE",))
ADULT_SORTED = Real(
    "adult/adult_kaggle_order_32561.csv",
    ("age", "workclass", "education", "marital.status", "occupation", "relationship", "race", "sex"),
    ("income",),
)


@lru_cache(maxsize=8)
def rows_of_file(folder: Path, real: Real, rows: int, suppression: float = 0.05) -> Problem:
    """Return the problem that the first rows of a file pose."""
    with TemporaryDirectory() as place:
        path = Path(place) / "rows.csv"
        with (folder / real.path).open(encoding="utf-8") as source:
            path.write_text("".join(islice(source, rows + 1)), encoding="utf-8")
        with an.read(path, quasi_identifiers=real.quasi_identifiers, sensitive=real.sensitive) as data:
            made = hierarchies_for(data.engine, data.relation, data.roles.attributes, {})
            columns = read_columns(data.engine, data.relation, (*real.quasi_identifiers, *real.sensitive))
            return prepare(columns, data.roles, made, SearchSettings(suppression=suppression)).problem
