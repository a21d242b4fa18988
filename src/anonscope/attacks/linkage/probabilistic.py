"""Linkage of keys with errors in them, by Splink: how likely two records are the same person when not everything agrees.

I. P. Fellegi and A. B. Sunter (1969), "A theory for record linkage", JASA 64(328), as Splink (extra `linkage`) carries it out: every
column is compared in levels of likeness, how often each level occurs among matches is learned from the tables without labels, and a
pair's levels add up to a match probability. Only pairs that agree on something are looked at. Values are compared as they are written;
generalised ones are what exact linkage is for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from anonscope.attacks.linkage.columns import LinkedColumn
from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.values import canonical
from anonscope.errors import LinkageError, MissingExtra, shown
from anonscope.io.sources import Relation
from anonscope.io.sources.unreadable import unreadable

THRESHOLD = 0.95
MOST_PAIRS = 5_000_000
_SAMPLED_PAIRS = 1e6


@dataclass(frozen=True, slots=True)
class ProbabilisticLinkage:
    """What linking by likeness tells, with everything that it hangs on."""

    release: str
    external: str
    columns: tuple[LinkedColumn, ...]
    threshold: float  # of the match probability; pairs below it are no matches
    overlap: float  # the share of released people who are taken to be in the external table at all
    seed: int
    blocking: tuple[tuple[str, ...], ...]  # released columns on which pairs agree that were compared, any of these
    records: int
    external_records: int
    matched_records: int | None  # None, as the next two, where likeness says nothing: the release is not written as the other table is
    unique_match_share: float | None
    # Mean over released records of the chance that the likeliest match is right: its probability, divided by the sum over all matches of
    # the record where that passes 1, because at most one of them can be. Records without a match count 0.
    average_risk: float | None
    unlike: tuple[str, ...]  # released columns most of whose cells hold texts that the other table has not

    @property
    def measured(self) -> bool:
        """Whether both tables are written alike, so that likeness says something."""
        return not self.unlike

    @property
    def matched_share(self) -> float | None:
        """The share of released records with a match at the threshold."""
        return None if self.matched_records is None else self.matched_records / self.records


def link_probably(
    engine: Engine,
    release: Relation,
    external: Relation,
    columns: Sequence[LinkedColumn],
    *,
    threshold: float = THRESHOLD,
    overlap: float = 1.0,
    seed: int = 1,
    most_pairs: int = MOST_PAIRS,
    external_engine: Engine | None = None,
) -> ProbabilisticLinkage:
    """Return who of a release may be whom in an external table, by likeness; nothing but the seed is random."""
    assert 0 < threshold <= 1 and 0 < overlap <= 1, "whoever asked for other shares was told"
    if len(columns) < 2:
        raise LinkageError("Linking by likeness learns from how columns agree with each other, so it needs at least two of them.")
    try:
        from splink import DuckDBAPI
    except ImportError:
        raise MissingExtra("Linking keys with errors in them", "splink") from None
    import duckdb

    ours = _texts(engine, release, [pair.release for pair in columns])
    theirs = _texts(external_engine or engine, external, [pair.external for pair in columns])
    config: dict[str, Any] = {
        # No network, and nothing outside the private folder.
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": str(engine.scratch),
    }
    with duckdb.connect(":memory:", config=config) as connection:
        connection.register("release_source", ours)
        connection.register("external_source", theirs)
        unlike = tuple(pair.release for i, pair in enumerate(columns) if _unlike(connection, i))
        rules = _rules(connection, len(columns), most_pairs) if not unlike else []
        matched = unique = hits = None
        try:
            if not unlike:
                found = _matches(DuckDBAPI(connection=connection), len(columns), rules, threshold, overlap / theirs.num_rows, seed)
        except Exception as error:
            # Messages of Splink and of its engine quote what they work on, so they do not travel on.
            raise LinkageError(
                f"Splink could not learn how these {len(columns)} columns agree ({type(error).__name__}); its message is withheld, as it "
                "may hold data. Columns of one value, or tables without a common value, cannot be linked by likeness."
            ) from None
        if not unlike:
            matched, unique, hits = connection.execute(_SUMMARY.format(found)).fetchall()[0]
    return ProbabilisticLinkage(
        release=release.name,
        external=external.name,
        columns=tuple(columns),
        threshold=threshold,
        overlap=overlap,
        seed=seed,
        blocking=tuple(tuple(columns[i].release for i in rule) for rule in rules),
        records=ours.num_rows,
        external_records=theirs.num_rows,
        matched_records=None if matched is None else int(matched),
        unique_match_share=None if unique is None else int(unique) / ours.num_rows,
        average_risk=None if unlike else float(hits or 0) / ours.num_rows,
        unlike=unlike,
    )


def _unlike(connection: Any, column: int) -> bool:
    """Return whether most cells of a released column hold texts that the other table has not: misspelt keys are the smaller part."""
    held = f"SELECT k{column} FROM external_source WHERE k{column} IS NOT NULL"
    counted = f"SELECT COUNT(*), COUNT(CASE WHEN k{column} IN ({held}) THEN 1 END) FROM release_source WHERE k{column} IS NOT NULL"
    cells, known = connection.execute(counted).fetchall()[0]
    return bool(2 * known < cells)


_SUMMARY = (
    "SELECT COUNT(*), COUNT(CASE WHEN n = 1 THEN 1 END), SUM(best / GREATEST(total, CAST(1 AS DOUBLE))) FROM ("
    "SELECT released, COUNT(*) AS n, MAX(match_probability) AS best, SUM(match_probability) AS total FROM ("
    "SELECT CASE WHEN source_dataset_l = 'release' THEN unique_id_l ELSE unique_id_r END AS released, match_probability FROM {}"
    ") AS x GROUP BY released) AS y"
)


def _texts(engine: Engine, relation: Relation, names: Sequence[str]) -> Any:
    """Return the columns as texts k0, k1, ... with the number of the record, as an Arrow table."""
    import numpy as np
    import pyarrow as pa

    places = [relation.position(name) for name in names]
    texts = ", ".join(f"{canonical(f'c{i}', relation.columns[i].type, relation.columns[i].name)} AS k{j}" for j, i in enumerate(places))
    try:
        table = engine.batches(f"SELECT {texts} FROM {relation.origin}").read_all()
    except UnreadableLine as error:
        raise unreadable(relation, error) from None
    if not table.num_rows:
        raise LinkageError(f"{shown(relation.name)} has no records, so there is nothing to link.")
    return table.append_column("unique_id", pa.array(np.arange(table.num_rows)))


def _rules(connection: Any, columns: int, most_pairs: int) -> list[tuple[int, ...]]:
    """Return sets of columns on which pairs must agree to be compared: each alone that leaves few enough pairs, the rest in twos."""

    def pairs(rule: tuple[int, ...]) -> int:
        keys = ", ".join(f"k{i}" for i in rule)
        counted = "(SELECT {0}, CAST(COUNT(*) AS DOUBLE) AS n FROM {1} GROUP BY {0}) AS {2}"
        joined = f"{counted.format(keys, 'release_source', 'a')} JOIN {counted.format(keys, 'external_source', 'b')} USING ({keys})"
        return int(connection.execute(f"SELECT COALESCE(SUM(a.n * b.n), 0) FROM {joined}").fetchall()[0][0])

    counted = {(i,): pairs((i,)) for i in range(columns)}
    alone = [rule for rule, number in counted.items() if 0 < number <= most_pairs]
    rest = [i for i in range(columns) if counted[(i,)] > most_pairs]
    chosen: list[tuple[int, ...]] = [*alone, *(rule for rule in combinations(rest, 2) if 0 < pairs(rule) <= most_pairs)]
    if chosen:
        return chosen
    everything = tuple(range(columns))
    if 0 < pairs(everything) <= most_pairs:
        return [everything]
    raise LinkageError(
        f"No set of columns leaves between 1 and {most_pairs:,} pairs to compare: the tables agree on nothing, or on so little detail "
        "that likeness tells nobody apart. Link them exactly, or add a column."
    )


def _matches(api: Any, columns: int, rules: Sequence[tuple[int, ...]], threshold: float, prior: float, seed: int) -> str:
    """Return the name of Splink's table of pairs at or above the threshold."""
    import logging

    from splink import Linker, SettingsCreator, block_on
    from splink.comparison_library import LevenshteinAtThresholds

    tables = [api.register(f"{name}_source", dataset_display_name=name) for name in ("release", "external")]
    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[LevenshteinAtThresholds(f"k{i}", [1, 2]) for i in range(columns)],
        blocking_rules_to_generate_predictions=[block_on(*(f"k{i}" for i in rule)) for rule in rules],
        probability_two_random_records_match=prior,
        retain_matching_columns=False,
    )
    linker = Linker(tables, settings, log_level=logging.ERROR)
    linker.training.estimate_u_using_random_sampling(max_pairs=_SAMPLED_PAIRS, seed=seed)
    # A session learns nothing about the columns it blocks on, so a second one must block on others.
    first = rules[0]
    second = next((rule for rule in rules[1:] if not set(rule) & set(first)), None)
    for rule in (first, second):
        if rule is not None and len(rule) < columns:
            linker.training.estimate_parameters_using_expectation_maximisation(
                block_on(*(f"k{i}" for i in rule)), fix_probability_two_random_records_match=False
            )
    found: str = linker.inference.predict(threshold_match_probability=threshold).physical_name
    return found
