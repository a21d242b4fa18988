"""A release described to catalogues: what the readers of each standard make of it, and nothing that nobody said."""

import json
import warnings

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError, SourceError

CANARY = "canary-5512"
SAID = {
    "title": "Visits",
    "description": "Visits of a clinic.",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "publisher": "A clinic",
    "contact": "data@clinic.example",
    "url": "https://clinic.example/visits",
    "access_rights": "non-public",
}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    target = tmp_path_factory.mktemp("described") / "release.parquet"
    table = pa.table({"age": [30, 31, 52, 57] * 3, "sex": ["F", "F", "M", "M"] * 3, "ill": ["flu", CANARY, "gout"] * 4})
    with an.read(table, quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data:
        an.anonymise(data, limits={"k_anonymity": 3}).write(target)
    return target


def graph(document):
    """Read a document as the statements that it makes, without asking anybody for anything."""
    import rdflib

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rdflib.Graph().parse(data=json.dumps(document), format="json-ld")


def test_croissant_is_read_by_its_own_reader(release):
    """No error, the fields of the file, its hash, and the verdict among the fields of responsible AI."""
    import mlcroissant as mlc

    document = an.describe(release, "croissant", **SAID)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read = mlc.Dataset(jsonld=document)
    assert not read.metadata.ctx.issues.errors
    assert [field.name for field in read.metadata.record_sets[0].fields] == ["age", "sex", "ill"]
    assert read.metadata.distribution[0].sha256 == document["distribution"][0]["sha256"]
    assert any("Judged by the policy" in text for text in document["rai:personalSensitiveInformation"])
    assert any("ill" in text for text in document["rai:personalSensitiveInformation"])


def test_croissant_has_the_context_of_its_reader():
    """Terms mean what the standard says."""
    import mlcroissant as mlc

    from anonscope.operations.describing.croissant import CONTEXT

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = mlc.Metadata(name="x", url="https://example.org").to_json()["@context"]
    assert {key: CONTEXT.get(key) for key in theirs} == theirs


def test_table_schema_describes_the_file(release, tmp_path):
    """It is valid, and the release as CSV fits it."""
    from frictionless import Resource, Schema

    document = an.describe(release, "table-schema")
    schema = Schema.from_descriptor(document)
    assert [field.name for field in schema.fields] == ["age", "sex", "ill"]
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.csv.write_csv(pyarrow.parquet.read_table(release), tmp_path / "release.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = Resource(path="release.csv", basepath=str(tmp_path), schema=schema).validate()
    assert report.valid, report.flatten()
    assert document["anonscope"]["verdicts"]


@pytest.mark.parametrize("standard", ["dcat", "healthdcat"])
def test_dcat_says_what_the_profile_asks_for(release, standard):
    """As RDF: title, description, publisher, contact, access rights, a distribution with address, licence and hash, the verdict."""
    import rdflib
    from rdflib.namespace import DCAT, DCTERMS, RDF

    found = graph(an.describe(release, standard, **SAID))
    (dataset,) = found.subjects(RDF.type, DCAT.Dataset)
    assert str(dataset) == SAID["url"]
    for term in (DCTERMS.title, DCTERMS.description, DCTERMS.publisher, DCAT.contactPoint, DCTERMS.accessRights, DCTERMS.provenance):
        assert found.value(dataset, term) is not None, term
    assert str(found.value(dataset, DCTERMS.accessRights)).endswith("/NON_PUBLIC")
    place = found.value(dataset, DCAT.distribution)
    for term in (DCAT.accessURL, DCTERMS.license, DCAT.byteSize, rdflib.URIRef("http://spdx.org/rdf/terms#checksum")):
        assert found.value(place, term) is not None, term
    records = found.value(dataset, rdflib.URIRef("http://healthdataportal.eu/ns/health#numberOfRecords"))
    assert (records is not None and int(records) == 12) if standard == "healthdcat" else records is None


def test_what_nobody_says_is_left_out_and_told(release):
    """Nothing is invented; the terminal names what the standard would want."""
    for standard in ("croissant", "dcat", "healthdcat", "table-schema"):
        text = json.dumps(an.describe(release, standard))
        assert "null" not in text.replace('"epsilon": null', "") and CANARY not in text and "is anonymous" not in text
    done = CliRunner().invoke(app, ["describe", str(release), "--as", "dcat", "--publisher", "A clinic"])
    assert done.exit_code == 0 and "--contact" in done.stderr and "--publisher" not in done.stderr
    assert json.loads(done.stdout)["@type"] == "dcat:Dataset"


def test_what_was_not_published_is_not_described(release, tmp_path):
    """No manifest, a changed file, a broken manifest, an unknown standard."""
    table = tmp_path / "table.csv"
    table.write_text("a\n1\n")
    with pytest.raises(SourceError, match="no manifest"):
        an.describe(table)
    changed = tmp_path / "release.parquet"
    changed.write_bytes(release.read_bytes() + b" ")
    papers = release.with_name("release.parquet.manifest.json").read_text(encoding="utf-8")
    manifest = changed.with_name("release.parquet.manifest.json")
    manifest.write_text(papers, encoding="utf-8")
    with pytest.raises(SourceError, match="bytes were changed"):
        an.describe(changed)
    manifest.write_text(papers.replace('"format"', '"form"'), encoding="utf-8")
    changed.write_bytes(release.read_bytes())
    with pytest.raises(SourceError, match="fields of one"):
        an.describe(changed)
    with pytest.raises(SourceError, match="No such file"):
        an.describe(tmp_path / "none.csv")
    with pytest.raises(AnonscopeError, match="croissant, dcat"):
        an.describe(release, "word")
