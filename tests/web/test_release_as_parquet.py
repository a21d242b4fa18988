"""Every format that the web app offers is a release of its own: written, read back and judged."""

import io
import zipfile

import pyarrow.parquet as pq

from support.served import API, result, sent, served

TABLE = "age,ill\n" + "".join(f"{20 + i % 4},{'flu' if i % 3 else 'gout'}\n" for i in range(40))


def test_a_release_is_there_as_parquet_with_its_own_manifest():
    """The Parquet file has the records of the CSV, and its manifest names it."""
    with served() as server:
        client = server.browser()
        table = f"{API}/tables/{sent(client, TABLE.encode()).json()['id']}"
        assert client.get(f"{table}/release.parquet").status_code == 409
        result(client, client.post(f"{table}/audit", json={"roles": {"quasi_identifiers": ["age"], "sensitive": ["ill"]}}))
        result(client, client.post(f"{table}/anonymise", json={"limits": {"k_anonymity": 5}}))
        rows = pq.read_table(io.BytesIO(client.get(f"{table}/release.parquet").content)).to_pylist()
        lines = client.get(f"{table}/release.csv").text.splitlines()
        assert sorted(f"{row['age']},{row['ill']}" for row in rows) == sorted(lines[1:])
        manifest = client.get(f"{table}/release.manifest.json?format=parquet").json()
        assert manifest["release"]["format"] == "parquet" and manifest["verdicts"][0]["met"]
        bundle = zipfile.ZipFile(io.BytesIO(client.get(f"{table}/release-for-recipient.zip?format=parquet").content))
        assert sorted(bundle.namelist()) == ["release.parquet", "release.parquet.manifest.json"]
