"""One recipe for every transformation, on a small table of people that all of them fit."""

from pathlib import Path

from anonscope.transform.steps import (
    TRANSFORMATIONS,
    AddNoise,
    BottomCode,
    DropColumn,
    ExponentialMechanism,
    GeneraliseDate,
    GeneraliseHierarchy,
    GeneraliseInterval,
    GeneraliseMapping,
    GeneralisePrefix,
    JointRandomisedResponse,
    LaplaceMechanism,
    Mask,
    Microaggregate,
    MultiplyNoise,
    PermuteColumn,
    PostRandomise,
    Pseudonymise,
    RandomisedResponse,
    Recode,
    Round,
    ShiftDates,
    SortRecords,
    SuppressCells,
    SuppressColumn,
    SuppressRecords,
    SwapRanks,
    TopCode,
)
from anonscope.transform.transformation import Transformation

KEY = "EVERY_CHANGE_TEST_KEY"
QUASI_IDENTIFIERS = ("age", "sex", "born")
RECORDS = 48
JOINT_ANSWERS = {"age": tuple(str(age) for age in range(20, 60, 5)), "sex": ("F", "M")}
STEPS: dict[str, Transformation] = {
    step.name: step
    for step in (
        DropColumn(column="name"),
        Mask(column="sex", first=1),
        Pseudonymise(column="name", key_variable=KEY),
        ShiftDates(dates=("born",), person="name", days=30, key_variable=KEY),
        GeneraliseInterval(column="age", width=10),
        GeneraliseDate(column="born", part="year"),
        GeneralisePrefix(column="born", characters=3),
        GeneraliseMapping(column="sex", mapping={"F": "any", "M": "any"}),
        GeneraliseHierarchy(column="sex", file="sex.csv", level=1),
        Round(column="age", to=5),
        TopCode(column="age", ceiling=40),
        BottomCode(column="age", floor=30),
        SuppressCells(column="age", below=3),
        SuppressColumn(column="age", statistic="mean"),
        SuppressRecords(quasi_identifiers=("age", "sex"), k=2, suppressed="drop"),
        SortRecords(),
        Microaggregate(columns=("age",), k=3),
        PermuteColumn(column="age", seed=1),
        SwapRanks(column="age", percent=20, seed=1),
        AddNoise(column="age", scale=3, whole=True, seed=1),
        MultiplyNoise(column="age", scale=0.1, seed=1),
        PostRandomise(column="sex", keep=0.8, seed=1),
        RandomisedResponse(column="sex", epsilon=1.5, values=("F", "M"), seed=1),
        JointRandomisedResponse(epsilon=1.5, values=JOINT_ANSWERS, seed=1),
        LaplaceMechanism(column="age", epsilon=2, lower=20, upper=60),
        ExponentialMechanism(column="age", epsilon=2, values=(20, 40, 60)),
        Recode(quasi_identifiers=QUASI_IDENTIFIERS, rules=({"metric": "k_anonymity", "minimum": 2},), suppression=0.5),
    )
}


def write_people(folder: Path) -> Path:
    """Write the table, and the hierarchy that a step names, into a folder."""
    lines = (
        f"p{i},{20 + i % 8 * 5},{'FM'[i % 2]},19{60 + i % 4 * 9}-0{1 + i % 2}-11,{('flu', 'asthma', 'gout')[i % 3]}\n"
        for i in range(RECORDS)
    )
    (folder / "people.csv").write_text("name,age,sex,born,ill\n" + "".join(lines), encoding="utf-8")
    (folder / "sex.csv").write_text("F;any;*\nM;any;*\n", encoding="utf-8")
    return folder / "people.csv"


def test_there_is_one_for_every_transformation():
    """So that a new one cannot be forgotten."""
    assert set(STEPS) == set(TRANSFORMATIONS)
