"""A release as Croissant 1.0 (MLCommons), with fields of its vocabulary for responsible AI (RAI 1.0)."""

from typing import Any

from anonscope.operations.describing.known import DescribedColumn, DescribedRelease

_OWN = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format", "includes"),
    *("isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex", "repeated", "replace"),
    *("samplingRate", "separator", "source", "subField", "transform"),
)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _OWN},
}
_TYPES = {
    "BIGINT": "sc:Integer",
    "INTEGER": "sc:Integer",
    "DOUBLE": "sc:Float",
    "FLOAT": "sc:Float",
    "BOOLEAN": "sc:Boolean",
    "DATE": "sc:Date",
}


def croissant(known: DescribedRelease) -> dict[str, Any]:
    """Return the document."""
    said = known.publisher
    records = "records"
    document: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": known.title,
        "description": known.about,
        "license": said.license,
        "url": said.url,
        "publisher": {"@type": "sc:Organization", "name": said.publisher} if said.publisher else None,
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": known.name,
                "name": known.name,
                "contentUrl": known.name,
                "contentSize": f"{known.size} B",
                "encodingFormat": known.media,
                "sha256": known.sha256,
            }
        ],
        "recordSet": [
            {"@type": "cr:RecordSet", "@id": records, "name": records, "field": [_field(known.name, records, c) for c in known.columns]}
        ],
        "rai:personalSensitiveInformation": _personal(known),
        "rai:dataManipulationProtocol": "; ".join(known.steps) or None,
        "rai:dataLimitations": "Values may be coarser than they were, or missing, so that people hide among each other. Nobody says that "
        "the data are anonymous: a policy is met under stated assumptions.",
    }
    return _stated(document)


def _field(file: str, records: str, column: DescribedColumn) -> dict[str, Any]:
    found = {
        "@type": "cr:Field",
        "@id": f"{records}/{column.name}",
        "name": column.name,
        "description": f"Judged as a {column.role}." if column.role else None,
        "dataType": _TYPES.get(column.type, "sc:Text"),
        "source": {"fileObject": {"@id": file}, "extract": {"column": column.name}},
    }
    return _stated(found)


def _personal(known: DescribedRelease) -> list[str]:
    sensitive = f"Sensitive attributes: {', '.join(known.sensitive)}." if known.sensitive else ""
    private = f"Differential privacy: epsilon {known.epsilon} in all." if known.epsilon else ""
    return [text for text in ("Records are about people.", sensitive, *known.verdicts, private) if text]


def _stated(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out what nobody stated."""
    return {key: value for key, value in document.items() if value is not None}
