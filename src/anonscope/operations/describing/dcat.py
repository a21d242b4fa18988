"""A release as DCAT-AP 3, and as HealthDCAT-AP, in JSON-LD."""

from typing import Any

from anonscope.operations.describing.known import DescribedRelease

_RIGHTS = "http://publications.europa.eu/resource/authority/access-right/"
_FILE_TYPES = {"csv": "CSV", "tsv": "TSV", "parquet": "PARQUET"}
_FILE_TYPE = "http://publications.europa.eu/resource/authority/file-type/"
_HEALTH_THEME = "http://publications.europa.eu/resource/authority/data-theme/HEAL"
_EHDS = "http://data.europa.eu/eli/reg/2025/327/oj"
_CONTEXT = {
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcatap": "http://data.europa.eu/r5r/",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "healthdcatap": "http://healthdataportal.eu/ns/health#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "spdx": "http://spdx.org/rdf/terms#",
    "vcard": "http://www.w3.org/2006/vcard/ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def dcat(known: DescribedRelease, *, health: bool = False) -> dict[str, Any]:
    """Return the document; of health data with the fields of that profile which a release tells."""
    said = known.publisher
    document: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "dcat:Dataset",
        "@id": said.url,
        "dct:identifier": known.sha256,
        "dct:title": known.title,
        "dct:description": known.about,
        "dct:publisher": {"@type": "foaf:Agent", "foaf:name": said.publisher} if said.publisher else None,
        "dcat:contactPoint": {"@type": "vcard:Kind", "vcard:hasEmail": {"@id": f"mailto:{said.contact}"}} if said.contact else None,
        "dct:accessRights": {"@id": f"{_RIGHTS}{said.access_rights.upper().replace('-', '_')}"} if said.access_rights else None,
        "dcat:landingPage": {"@id": said.url} if said.url else None,
        "dct:provenance": [_statement(text) for text in (*known.verdicts, *_done(known))],
        "dcat:distribution": [_distribution(known)],
    }
    if health:
        document |= {
            "dcat:theme": {"@id": _HEALTH_THEME},
            "dcatap:applicableLegislation": {"@id": _EHDS},
            "healthdcatap:numberOfRecords": {"@type": "xsd:nonNegativeInteger", "@value": str(known.records)},
        }
    return _stated(document)


def _distribution(known: DescribedRelease) -> dict[str, Any]:
    said, kind = known.publisher, _FILE_TYPES.get(known.form)
    return _stated(
        {
            "@type": "dcat:Distribution",
            "dct:title": known.name,
            "dcat:accessURL": {"@id": said.url} if said.url else None,
            "dct:license": {"@id": said.license} if said.license else None,
            "dct:format": {"@id": f"{_FILE_TYPE}{kind}"} if kind else None,
            "dcat:mediaType": {"@id": f"https://www.iana.org/assignments/media-types/{known.media}"} if kind in ("CSV", "TSV") else None,
            "dcat:byteSize": {"@type": "xsd:nonNegativeInteger", "@value": str(known.size)},
            "spdx:checksum": {
                "@type": "spdx:Checksum",
                "spdx:algorithm": {"@id": "spdx:checksumAlgorithm_sha256"},
                "spdx:checksumValue": {"@type": "xsd:hexBinary", "@value": known.sha256},
            }
            if known.sha256 is not None
            else None,
        }
    )


def _done(known: DescribedRelease) -> tuple[str, ...]:
    return (f"Steps: {'; '.join(known.steps)}.",) if known.steps else ()


def _statement(text: str) -> dict[str, str]:
    return {"@type": "dct:ProvenanceStatement", "rdfs:label": text}


def _stated(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out what nobody stated."""
    return {key: value for key, value in document.items() if value is not None}
