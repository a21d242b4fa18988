"""Releases on a storage that only Spark reaches: written under a staging prefix, read back there, moved, and the manifest last.

Such a storage has no journal and no private files. So nothing that is not for others goes there: the archive is left out.
"""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anonscope.columns.roles import Acknowledgements
from anonscope.engines.spark.engine import Spark
from anonscope.errors import OutputError, shown
from anonscope.operations.audit import audit
from anonscope.operations.publishing import judging
from anonscope.operations.publishing.judging import Promise
from anonscope.operations.read import read
from anonscope.transform.release import papers
from anonscope.transform.release.writing import check_release, release_format, write_release
from anonscope.transform.table import Table

STAGING = "_anonscope-staging-"


def publish_elsewhere(
    uri: str,
    facts: papers.Facts,
    table: Table,
    delimiter: str,
    promises: Sequence[Promise],
    acknowledged: Acknowledgements,
    *,
    force: bool = False,
) -> list[dict[str, Any]]:
    """Write a release under a staging prefix, judge it there as Spark reads it, and move it to its place; return the verdicts on it.

    Its manifest comes last.
    """
    engine, target = table.engine, uri.rstrip("/")
    check_release(uri, force=force, parts=engine.remote)
    assert isinstance(engine, Spark), "no other engine reaches such a storage"
    if table.files:
        raise OutputError(f"A step keeps a file apart from the release, which cannot be private beside {shown(uri)}. Write to a file here.")
    manifest = f"{target}.manifest.json"
    if not force and (engine.exists(target) or engine.exists(manifest)):
        raise OutputError(f"{shown(uri)} exists. Say --force (force=True) to replace it, or give another name.")
    folder, _, name = target.rpartition("/")
    staged, form = f"{folder}/{STAGING}{secrets.token_hex(8)}/{name}", release_format(uri, parts=True)
    sign = "\t" if form == "tsv" else delimiter
    try:
        write_release(table, staged, delimiter=delimiter, form=form)
        verdicts = _judged(engine, staged, form, sign, facts, table, promises, acknowledged, name)
        described: dict[str, Any] = {"name": name, "format": form, "sha256": None, "records": facts.changes.records_after}
        described |= {"delimiter": sign} if form != "parquet" else {}
        facts = replace(facts, release=described | {"columns": list(table.names)}, verdicts=tuple(verdicts))
        # Without its manifest a release reads as unfinished, so the old one goes first and the new one comes last.
        engine.delete(manifest)
        engine.delete(target)
        engine.move(staged, target)
        engine.put(manifest, papers.text_of(papers.for_recipient(facts)))
        return verdicts
    finally:
        engine.delete(staged.rpartition("/")[0])


def _judged(
    engine: Spark,
    staged: str,
    form: str,
    delimiter: str,
    facts: papers.Facts,
    table: Table,
    promises: Sequence[Promise],
    acknowledged: Acknowledgements,
    name: str,
) -> list[dict[str, Any]]:
    """Return the verdicts on what was written, read by Spark from where it lies; raise if it must not be published."""
    frame = engine.written(staged, "csv" if form == "tsv" else form, delimiter)
    judging.check_columns(tuple(frame.columns), table.names, name)
    verdicts = []
    records: int | None = None
    for promise in promises:
        with read(frame, roles=promise.roles) as data:
            data.perturbed, data.acknowledged = facts.perturbed, acknowledged.left_of(table.names)
            found = audit(data, promise.policy)
        records = found.rows
        judging.check_asked(found.verdict, promise, name)
        if broken := judging.broken(found.verdict, promise):
            raise judging.refusal(name, broken)
        verdicts.append(judging.verdict_to_dict(found, promise.kept if promise.counted else None))
    judging.check_records(records if records is not None else int(frame.count()), facts.changes.records_after, name)
    return verdicts
