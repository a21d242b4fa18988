"""What Spark can read: its own data frames, tables of its catalogue, and files on any storage it reaches."""

from pathlib import Path
from typing import Any

from anonscope.engines.choice import is_spark_frame
from anonscope.engines.engine import Engine
from anonscope.engines.spark.engine import Spark, type_of
from anonscope.errors import EngineError, OptionError, SourceError, shown
from anonscope.io.formats import KNOWN, endings, format_names
from anonscope.io.sources.relation import Column, ReadOptions, Relation, named_columns, unnamed_columns
from anonscope.io.sources.spark_files import WrittenAs, charset_of, look_at


def open_on_spark(source: Any, engine: Engine, options: ReadOptions) -> Relation:
    """Return a data frame of Spark, a path or the name of a table as a relation on Spark."""
    assert isinstance(engine, Spark)
    if is_spark_frame(source):
        return _from_frame(engine.adopted(source), engine, "the data frame")
    if not isinstance(source, str | Path):
        raise SourceError(
            f"Spark cannot read a {type(source).__name__}. Give a path, the name of a table, or a data frame of Spark; "
            "for other frames use the engine DuckDB."
        )
    if str(source) == "-":
        raise OptionError("Standard input is not spread over workers. Write it to a file, or use the engine DuckDB.")
    frame, stage, delimited = _read(str(source), engine, options)
    return _from_frame(frame, engine, Path(source).name, stage=stage, delimited=delimited)


def _read(source: str, engine: Spark, options: ReadOptions) -> tuple[Any, bool, bool]:
    """Return the frame, whether it must be stored because reading it anew is dear, and whether it is delimited text."""
    if options.format is not None and options.format not in (read := format_names(spark=True)):
        raise OptionError(f"Spark reads files of the formats {', '.join(read)}, not {options.format}. Use the engine DuckDB for these.")
    path = Path(source)
    here = "://" not in source and (path.exists() or bool(list(path.parent.glob(path.name)) if path.name else False))
    if not here and "://" not in source:
        if _is_table(engine, source):
            return _attempt(lambda: engine.session.table(source), source), False, False
        raise SourceError(f"There is no file and no table of Spark's catalogue called {shown(source)}.")
    told = look_at(source, options) if here and not (path / "_delta_log").is_dir() else _named(source, options)
    where = path.absolute().as_uri() if here and not set("*?[") & set(source) else str(path.absolute()) if here else source
    if told.format == "delta":
        return _delta(where, source, engine), False, False
    match KNOWN[told.format].spark:
        case "csv":
            return _csv(where, source, engine, told), True, True
        case "json":
            # A line that is none must not pass for one of missing values.
            return _attempt(lambda: engine.session.read.option("mode", "FAILFAST").json(where), source), True, False
        case reader:
            return _attempt(lambda: engine.session.read.format(str(reader)).load(where), source), False, False


def _is_table(engine: Spark, name: str) -> bool:
    try:
        return bool(engine.session.catalog.tableExists(name))
    except Exception:
        # A name that cannot be one of a table.
        return False


def _named(source: str, options: ReadOptions) -> WrittenAs:
    """Return what a name and the options tell of files that only Spark reaches."""
    path = Path(source)
    if (path / "_delta_log").is_dir():
        return WrittenAs("delta")
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in (".gz", ".snappy", ".zst", ".bz2")]
    form = options.format or endings(spark=True).get(suffixes[-1] if suffixes else "", "parquet")
    charset = charset_of(options.encoding) if options.encoding else "UTF-8"
    return WrittenAs(form, charset, options.delimiter or KNOWN[form].delimiter or ",", options.quote, options.header is not False)


def _csv(where: str, source: str, engine: Spark, told: WrittenAs) -> Any:
    """Return delimited text as a frame of texts; the first line names the columns, and an empty field is missing."""
    import csv

    from pyspark.sql.functions import col, length, lit, nullif, replace
    from pyspark.sql.types import StringType, StructField, StructType

    separator = told.delimiter or ","
    quote = '"' if told.quote is None else told.quote
    reader = engine.session.read.option("encoding", told.charset)
    first = _attempt(lambda: reader.text(where).first(), source)
    if first is None:
        raise SourceError(f"{shown(source)} is empty.")
    # A line with an odd number of quotes begins or ends a value that has a line break in it. Only then is a file read as one piece.
    odd = (length(col("value")) - length(replace(col("value"), lit(quote)))) % 2 == 1
    broken = quote != "" and bool(_attempt(lambda: reader.text(where).where(odd).limit(1).collect(), source))
    header = next(csv.reader([first[0].lstrip("\ufeff")], delimiter=separator, quotechar=quote or None))
    if not told.headed:
        header = list(unnamed_columns(len(header)))
    named_columns(header, source)
    schema = StructType([StructField(name, StringType()) for name in header])
    reader = (
        reader.option("header", told.headed)
        .option("multiLine", broken)
        .option("sep", separator)
        .option("quote", quote)
        .option("escape", quote)
        # Parts whose header differs, and lines with too many or too few values, must not pass.
        .option("enforceSchema", False)
        .option("mode", "FAILFAST")
        .schema(schema)
    )
    read = _attempt(lambda: reader.csv(where), source)
    # Folders named key=value are columns too.
    names = named_columns(read.columns, source)
    renamed = read.toDF(*(f"c{i}" for i in range(len(names))))
    # Quoted or not, an empty field is a missing one, as everywhere else.
    return renamed.select(*(nullif(col(f"c{i}"), lit("")).alias(f"c{i}") for i in range(len(names)))).toDF(*names)


def _delta(where: str, source: str, engine: Spark) -> Any:
    try:
        return engine.session.read.format("delta").load(where)
    except Exception:
        raise SourceError(
            f"{shown(source)} is a Delta table, which this session of Spark cannot read. Add Delta to it, for instance with "
            "--spark-conf spark.jars.packages=io.delta:delta-spark_2.13:VERSION, or export the table as Parquet."
        ) from None


def _attempt(read: Any, source: str) -> Any:
    try:
        return read()
    except Exception:
        raise SourceError(
            f"Spark cannot read {shown(source)}. Check that it is there and may be read, and is what its name says."
        ) from None


def _from_frame(frame: Any, engine: Spark, name: str, *, stage: bool = True, delimited: bool = False) -> Relation:
    """Return a frame as a relation; its columns are addressed by position."""
    names = named_columns([str(column) for column in frame.columns], name)
    kinds = [field.dataType.simpleString() for field in frame.schema.fields]
    renamed = frame.toDF(*(f"c{i}" for i in range(len(names))))
    shown_columns = [_readable(f"c{i}", kind) for i, kind in enumerate(kinds)]
    number = 1 + sum(known.startswith("spark_source") for known in engine.known)
    view = f"spark_source_{number}"
    engine.view(view, renamed.selectExpr(*shown_columns))
    try:
        empty = not engine.rows(f"SELECT 1 AS one FROM {view} LIMIT 1")
    except EngineError:
        raise SourceError(f"Spark cannot read {shown(name)}: it is damaged, or not what its name says.") from None
    if empty:
        raise SourceError(f"{shown(name)} has columns but no records.")
    types = ["VARCHAR" if kind == "binary" or "collate" in kind else type_of(kind) for kind in kinds]
    columns = tuple(Column(n, t) for n, t in zip(names, types, strict=True))
    return Relation(name, columns, f"{view} AS t", stage=stage, delimited=delimited)


def _readable(column: str, kind: str) -> str:
    """Return the expression for a column in a type whose text tells all its values apart."""
    if kind == "binary":
        # As text, bytes that are no UTF-8 would all look alike.
        return f"LOWER(HEX({column})) AS {column}"
    if "collate" in kind:
        return f"{column} COLLATE UTF8_BINARY AS {column}"
    return column
