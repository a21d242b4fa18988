"""A table that Spark reaches, opened in the web app: of what the server was started with, and no other."""

import pytest

from anonscope.errors import OptionError
from anonscope.web.lakes import Lake
from support.served import API, result, served

LINES = "age,sex,zip\n" + "".join(f"{20 + i % 30},{'F' if i % 2 else 'M'},0{i % 7}\n" for i in range(90))
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["zip"]}


@pytest.fixture
def lake(tmp_path):
    """A folder of parts, as Spark writes them."""
    folder = tmp_path / "visits"
    folder.mkdir()
    (folder / "part-0.csv").write_text(LINES)
    (folder / "part-1.csv").write_text(LINES)
    return folder


def test_it_is_listed_opened_and_measured_as_the_same_folder_is(spark, lake):
    """Columns, strip and risk say the same; zip codes keep their zeros; the address is told to nobody."""
    with served(sources=(lake, f"spark:{lake}")) as server:
        client = server.browser()
        assert client.get(f"{API}/sources").json()["roots"] == ["visits", "Spark: visits"]
        assert client.get(f"{API}/sources/1").json()["entries"] == [{"name": "visits", "kind": "table", "bytes": None}]
        opened = [client.post(f"{API}/sources", json={"root": root, "path": path}) for root, path in ((1, "visits"), (0, ""))]
        assert [answer.status_code for answer in opened] == [201, 201], [answer.text for answer in opened]
        assert [answer.json()["records"] for answer in opened] == [180, 180] and str(lake.parent) not in opened[0].text
        found = []
        for answer in opened:
            at = f"{API}/tables/{answer.json()['id']}"
            result(client, client.post(f"{at}/suggest", json={}))
            audit = result(client, client.post(f"{at}/audit", json={"roles": ROLES, "plan": False}))
            found.append((audit["measurements"], client.get(f"{at}/alone").json()["words"]))
        assert found[0] == found[1]
        for path in ("../visits", "people", ""):
            assert client.post(f"{API}/sources", json={"root": 1, "path": path}).status_code == 404


def test_what_is_too_large_stays_there(spark, lake):
    """It is counted, not fetched, and the sentence says where it is measured instead."""
    with served(sources=(f"spark:{lake}",), row_limit=100) as server:
        answer = server.browser().post(f"{API}/sources", json={"root": 0, "path": "visits"})
        assert answer.status_code == 413 and "stays on Spark" in answer.json()["error"] and str(lake) not in answer.text


def test_an_address_that_names_nothing_stops_the_start():
    """Before anybody comes."""
    with pytest.raises(OptionError, match="names no table"), served(sources=("spark:",)):
        pass
    assert Lake.of("spark:s3a://lake/2026/visits/", None).name == "Spark: visits"
    assert "lake" not in repr(Lake.of("spark:s3a://lake/visits.parquet", None))
