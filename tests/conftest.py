"""What every test may ask for."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an

ROLES = (
    *("quasi_identifiers", "sensitive", "person", "scenarios", "distance", "direct_identifiers"),
    *("weight", "household", "population", "population_columns", "sampling_fraction", "population_size"),
)


# Files whose tests share a server, which takes longer to start than most of them take; or a browser, and what was done in it once.
SHARING = {
    "rooms": (
        "test_browser_access",
        "test_browser_at_size",
        "test_browser_census",
        "test_browser_compare",
        "test_browser_drawn",
        "test_browser_explorer",
        "test_browser_flow",
        "test_browser_keyboard",
        "test_browser_numbers",
        "test_browser_plan",
        "test_browser_project",
        "test_browser_whom",
        "test_browser_workspace",
    ),
    "pages": ("test_browser_widths",),
    "spark": (
        "test_spark_approximate",
        "test_spark_audit",
        "test_spark_cluster",
        "test_spark_recipes",
        "test_spark_in_rooms",
        "test_spark_search",
        "test_spark_synthesis",
        "test_spark_threads",
        "test_spark_tutorial",
        "test_spark_unicity",
    ),
    "postgres": ("test_postgres", "test_database_access", "test_database_synthesis"),
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let one process run all tests that share a server, and spread the others one by one."""
    from xdist.scheduler import LoadScopeScheduling

    class BySharedServer(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = Path(nodeid.partition("::")[0]).stem
            return next((server for server, files in SHARING.items() if file in files), nodeid)

    return BySharedServer(config, log)


@pytest.fixture
def audit() -> Callable[..., an.Audit]:
    """Audit a small table given column by column: `audit(year=[1991, 1993], quasi_identifiers=["year"])`."""

    def run(*, policy: Any = "scorr", columns: dict[str, list[Any]] | None = None, **given: Any) -> an.Audit:
        roles = {role: given.pop(role) for role in ROLES if role in given}
        with an.read(pa.table({**(columns or {}), **given}), **roles) as data:
            return an.audit(data, policy=policy)

    return run


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """Return the folder of real microdata, which is never part of the project."""
    folder = os.environ.get("ANONSCOPE_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("ANONSCOPE_DATA does not name the folder of real microdata")
    return Path(folder)
