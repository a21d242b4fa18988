"""Steps that Hypothesis draws: for every transformation settings that mean something, on columns x (values), d (dates), n (rows)."""

from typing import Any

from hypothesis import strategies as st

from anonscope.transform import steps as t

KEY_VARIABLE = "ANONSCOPE_TEST_KEY"
HIERARCHY = "hierarchy.csv"
# Texts that look like numbers, codes, dates and like the notation of releases, and none of them plain.
TEXTS = (
    *("1", "1.0", "2.5", "0.29", "0.15", "10", "-3", "007", "39", " 39", "1e3", "nan", "1_0", "12345", "2138"),
    *("a", "b", "B, c", "é", "", '"q"', "it's", "a\nb", "2019-05-01", "2019-05", "2019"),
    *("90+", "<18", "[30-39]", "[1, 2)", "{a, b}", '{"B, c", a}', "*", "**", "ab*", "12*45", "1*"),
)
NUMBERS = (-3.0, 0.0, 0.1, 0.15, 0.29, 0.3, 0.7, 1.0, 1.005, 2.5, 10.0, 39.0, 90.0, 1234.5, 1e17)
WHOLE = (-7, 0, 1, 4, 5, 17, 18, 39, 40, 89, 90, 104, 1_000_003)

_text = st.sampled_from(TEXTS)
_otherwise = st.sampled_from(["error", "suppress", "keep"])
_gone = st.sampled_from(["error", "suppress"])
_step = st.sampled_from([1, 2, 5, 10, 0.1, 0.01, 0.25, 0.3, 2.5, 1 / 3])
_seed = st.integers(0, 2**31)
_few = st.lists(_text, min_size=1, max_size=4, unique=True).map(tuple)
_limit = st.sampled_from([0, 1, 2.5, 18, 90])


def _intervals() -> st.SearchStrategy[Any]:
    by_width = st.fixed_dictionaries({"width": _step, "start": st.sampled_from([0, 0.05, 1, -2.5])})
    by_cuts = st.fixed_dictionaries({"cuts": st.lists(_limit, min_size=1, max_size=3, unique=True).map(lambda cuts: tuple(sorted(cuts)))})
    chosen = (by_width | by_cuts).map(lambda given: given | {"whole": _all_whole(given)})
    return st.builds(lambda given, otherwise: t.GeneraliseInterval(column="x", otherwise=otherwise, **given), chosen, _otherwise)


def _all_whole(given: dict[str, Any]) -> bool:
    numbers = (*given.get("cuts", ()), given.get("width", 0), given.get("start", 0))
    return all(number == int(number) for number in numbers)


def _mapping() -> st.SearchStrategy[Any]:
    labels = st.dictionaries(_text, st.sampled_from(["A", "*", "a", "[30-39]"]), min_size=1, max_size=4)
    by_label = st.builds(lambda m, o: t.GeneraliseMapping(column="x", mapping=m, otherwise=o), labels, _otherwise)
    with_rest = st.builds(lambda m, r: t.GeneraliseMapping(column="x", mapping=m, rest=r), labels, st.sampled_from(["A", "rest", "*"]))
    grouped = st.builds(lambda g, o: t.GeneraliseMapping(column="x", groups=(g,), otherwise=o), _few, _otherwise)
    return by_label | with_rest | grouped


def _mask() -> st.SearchStrategy[Any]:
    ends = {"first": st.integers(0, 3), "last": st.integers(0, 2), "length": st.none() | st.integers(1, 4)}
    by_ends = st.builds(t.Mask, column=st.just("x"), character=st.sampled_from("x*1"), **ends)
    return by_ends | st.just(t.Mask(column="x", pattern="[0-9]", replacement="#"))


def _end(kind: Any, key: str) -> st.SearchStrategy[Any]:
    where = st.builds(lambda limit: {key: limit}, _limit) | st.builds(lambda share: {"share": share}, st.sampled_from([0.1, 0.5]))
    return st.builds(lambda given, label, o: kind(column="x", label=label, otherwise=o, **given), where, st.booleans(), _otherwise)


def _noise(kind: Any, **more: Any) -> st.SearchStrategy[Any]:
    kinds = {"distribution": st.sampled_from(["uniform", "normal"]), "whole": st.booleans(), "otherwise": _otherwise, "seed": _seed}
    return st.builds(kind, column=st.just("x"), scale=st.sampled_from([0.5, 3, 0.1]), **kinds, **more)


_MATRIX = {"a": {"a": 0.5, "b": 0.5}, "b": {"b": 1.0}}
STEPS: dict[str, st.SearchStrategy[Any]] = {
    "drop_column": st.just(t.DropColumn(column="x")),
    "mask": _mask(),
    "pseudonymise": st.builds(t.Pseudonymise, column=st.just("x"), key_variable=st.just(KEY_VARIABLE), length=st.sampled_from([32, 64])),
    "shift_dates": st.builds(
        t.ShiftDates,
        dates=st.sampled_from([("d",), ("x",), ("d", "x")]),
        person=st.just("n"),
        days=st.sampled_from([1, 30, 366]),
        zero=st.booleans(),
        key_variable=st.just(KEY_VARIABLE),
        otherwise=_otherwise,
    ),
    "generalise_interval": _intervals(),
    "generalise_date": st.builds(
        t.GeneraliseDate,
        column=st.sampled_from(["d", "x"]),
        part=st.sampled_from(["day", "week", "month", "quarter", "year", "decade"]),
        otherwise=_otherwise,
    ),
    "generalise_prefix": st.builds(
        t.GeneralisePrefix, column=st.just("x"), characters=st.integers(1, 4), stars=st.sampled_from(["each", "one"])
    ),
    "generalise_mapping": _mapping(),
    "generalise_hierarchy": st.builds(
        t.GeneraliseHierarchy, column=st.just("x"), file=st.just(HIERARCHY), level=st.integers(0, 2), otherwise=_otherwise
    ),
    "round": st.builds(
        t.Round, column=st.just("x"), to=_step, direction=st.sampled_from(["nearest", "floor", "ceiling"]), otherwise=_otherwise
    ),
    "top_code": _end(t.TopCode, "ceiling"),
    "bottom_code": _end(t.BottomCode, "floor"),
    "suppress_cells": st.builds(t.SuppressCells, column=st.just("x"), values=_few, below=st.none() | st.just(2), missing=st.booleans()),
    "suppress_column": st.builds(
        t.SuppressColumn,
        column=st.just("x"),
        statistic=st.sampled_from(["", "mean", "median", "mode", "maximum"]),
        missing=st.booleans(),
        otherwise=_otherwise,
    ),
    "sort_records": st.just(t.SortRecords()),
    "suppress_records": st.builds(
        t.SuppressRecords, quasi_identifiers=st.just(("x",)), k=st.just(2), suppressed=st.sampled_from(["drop", "keep"])
    ),
    "microaggregate": st.builds(
        t.Microaggregate,
        columns=st.just(("x",)),
        k=st.just(2),
        categories=st.sampled_from([(), ("x",)]),
        missing=st.sampled_from(["keep", "fill"]),
    ),
    "permute_column": st.builds(t.PermuteColumn, column=st.just("x"), seed=_seed),
    "swap_ranks": st.builds(
        t.SwapRanks, column=st.just("x"), percent=st.just(50), order=st.sampled_from(["number", "text"]), otherwise=_otherwise, seed=_seed
    ),
    "add_noise": _noise(t.AddNoise, minimum=st.none() | st.just(0), maximum=st.none() | st.just(50), relative=st.booleans()),
    "multiply_noise": _noise(t.MultiplyNoise, keep_sign=st.booleans()),
    "post_randomise": st.builds(t.PostRandomise, column=st.just("x"), keep=st.just(0.5), otherwise=_otherwise, seed=_seed)
    | st.builds(t.PostRandomise, column=st.just("x"), matrix=st.just(_MATRIX), otherwise=_otherwise, seed=_seed),
    "randomised_response": st.builds(
        t.RandomisedResponse, column=st.just("x"), epsilon=st.just(1.5), values=st.just(("a", "b")), otherwise=_gone, seed=_seed
    ),
    "joint_randomised_response": st.builds(
        t.JointRandomisedResponse,
        epsilon=st.just(1.5),
        values=st.just({"x": ("a", "b"), "d": ("2019-05-01", "2020-01-01")}),
        otherwise=_gone,
        seed=_seed,
    ),
    "laplace_mechanism": st.builds(
        t.LaplaceMechanism, column=st.just("x"), epsilon=st.just(0.5), lower=st.just(0), upper=st.just(90), otherwise=_gone
    ),
    "exponential_mechanism": st.builds(
        t.ExponentialMechanism,
        column=st.just("x"),
        epsilon=st.just(0.5),
        values=st.sampled_from([("a", "b"), (0.5, 1, 90)]),
        otherwise=_gone,
    ),
}
