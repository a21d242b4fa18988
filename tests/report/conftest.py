"""A result of every verb, made once."""

import pytest

from benchmarks.pages import Shown, pages


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """A result of every verb that has pages, of a few patients whose columns are called as somebody would."""
    from anonscope.io.samples import write_hospital

    folder = tmp_path_factory.mktemp("results")
    write_hospital(folder)
    known = {"roles": folder / "patients.roles.toml", "rows": 250}
    return dict(pages(Shown(folder / "patients.csv", known, ("sex", "age", "insurance"), folder / "patients.queries.toml")))
