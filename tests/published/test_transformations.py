"""Papers 2 and 5: their worked examples of transformations, cell by cell, by recipes that anybody can repeat."""

from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.transform.steps import (
    DropColumn,
    GeneraliseInterval,
    GeneraliseMapping,
    GeneralisePrefix,
    Mask,
    SuppressCells,
    SuppressColumn,
    SuppressRecords,
)
from anonscope.transform.transformation import Transformation
from support.transformed import transformed

# The first six records of the Adult data.
ADULT: dict[str, list[Any]] = {
    "age": [39, 50, 38, 53, 28, 37],
    "fnlwgt": [77516, 83311, 215646, 234721, 338409, 284582],
    "education": ["Bachelors", "Bachelors", "HS-grad", "11th", "Bachelors", "Masters"],
    "education-num": [13, 13, 9, 7, 13, 14],
    "marital-status": ["Never-married", "Married-civ-spouse", "Divorced", *["Married-civ-spouse"] * 3],
    "capital-loss": [0] * 6,
    "native-country": ["United-States"] * 4 + ["Cuba", "United-States"],
}
HIGHER = "{Bachelors, Masters}"
KNOWN = ["education", "education-num", "capital-loss", "native-country"]

# Appendix 3 of Khan 2025.
PATIENTS = {
    "Name": ["Emma", "Bob", "Tommy", "Michael", "Sara", "Ziggy"],
    "Postal code": ["3500", "3510", "3520", "3530", "3540", "3550"],
    "Age": [25, 32, 36, 45, 23, 43],
    "Sex": ["F", "M", "M", "M", "F", "M"],
    "Diagnosis": ["Gastric flu", "Flu", "COVID", "Gastric flu", "Flu", "COVID"],
}

# Appendix 4 of Khan 2025; it writes decimals with a comma.
REGISTER = {
    "secret_name": ["C_1038", "P_311", "C_1060", "P_289", "P_338", "C_1174", "C_1349", "P_512"],
    "age": [38, 26, 38, 25, 41, 64, 53, 46],
    "edss": [0.7, 3.7, 1.3, 2.2, 0.5, 3.5, 5.5, 6.2],
    "covid19_symptoms": ["shortness_breath", "pneumonia", "chills", "chills", "no", "no", "no", "no"],
    "comorbidities": [
        *("no", "no", "other", "chronic_kidney_disease", "chronic_liver_disease", "lung_disease", "other", "cardiovascular_disease"),
    ],
    "ms_type": ["CIS", "not_sure", "not_sure", "CIS", "PPMS", "PPMS", "RRMS", "RRMS"],
    "ms_diagnosis_date": [1997, 2017, 2005, 2012, 2015, 2020, 1990, 2013],
    "bmi": [23.8, 28.4, 32.1, 24.7, 30.7, 20.0, 21.6, 27.4],
}
DE_IDENTIFIED = {
    "secret_name": REGISTER["secret_name"],
    "age": ["18-40"] * 4 + ["40-69"] * 4,
    "edss": ["0.0-4.5"] * 6 + ["5.0-10.0"] * 2,
    "covid19_symptoms": ["yes"] * 4 + ["no"] * 4,
    "comorbidities": ["no", "no", *["yes"] * 6],
    "ms_type": ["other"] * 4 + ["progressive_MS"] * 2 + ["relapsing_remitting"] * 2,
    "ms_diagnosis_date": ["1995-1999", "2015-2019", "2005-2009", "2010-2014", "2015-2019", "> 2019", "1990-1994", "2010-2014"],
    "bmi": ["healthy weight", "overweight", "obese", "healthy weight", "obese", "healthy weight", "healthy weight", "overweight"],
}
# The bands "18-40" and "40-69" share a year in the paper; nobody in its table is 40, and here they begin at 41.
REGISTER_STEPS = [
    GeneraliseInterval(column="age", cuts=(18, 41, 70), labels=("< 18", "18-40", "40-69", "> 69")),
    GeneraliseInterval(column="edss", cuts=(5,), whole=False, labels=("0.0-4.5", "5.0-10.0")),
    GeneraliseMapping(column="covid19_symptoms", mapping={"no": "no"}, rest="yes"),
    GeneraliseMapping(column="comorbidities", mapping={"no": "no"}, rest="yes"),
    GeneraliseMapping(
        column="ms_type", mapping={"CIS": "other", "not_sure": "other", "PPMS": "progressive_MS", "RRMS": "relapsing_remitting"}
    ),
    GeneraliseInterval(
        column="ms_diagnosis_date",
        cuts=(1990, 1995, 2000, 2005, 2010, 2015, 2020),
        labels=("< 1990", *(f"{year}-{year + 4}" for year in range(1990, 2020, 5)), "> 2019"),
    ),
    GeneraliseInterval(column="bmi", cuts=(18.5, 25, 30), whole=False, labels=("underweight", "healthy weight", "overweight", "obese")),
]


def k_of(steps: list[Transformation], columns: dict[str, list[Any]], known: list[str]) -> float | None:
    with an.read(pa.table(columns), quasi_identifiers=known) as data, an.apply(steps, data).read() as release:
        return an.audit(release, "pipeline")["k_anonymity"].value


def test_figure_3_generalisation_and_discretisation():
    """Aufschläger 2023: ages in intervals of 10, and "Bachelors" and "Masters" as a set; others stay."""
    steps = [
        GeneraliseInterval(column="age", width=10),
        GeneraliseMapping(column="education", groups=(("Bachelors", "Masters"),), otherwise="keep"),
    ]
    made = transformed(steps, ADULT)

    assert made["age"] == ["[30-39]", "[50-59]", "[30-39]", "[50-59]", "[20-29]", "[30-39]"]
    assert made["education"] == [HIGHER, HIGHER, "HS-grad", "11th", HIGHER, HIGHER]


def test_figure_4_suppression():
    """fnlwgt becomes its mean, 205,697.5; two of the three values of marital-status become *, listed or because they are rare."""
    mean = SuppressColumn(column="fnlwgt", statistic="mean")
    starred = ["*", "Married-civ-spouse", "*", *["Married-civ-spouse"] * 3]
    for rule in ({"values": ("Never-married", "Divorced")}, {"below": 2}):
        made = transformed([mean, SuppressCells(column="marital-status", **rule)], ADULT)
        assert made["fnlwgt"] == [205697.5] * 6
        assert made["marital-status"] == starred


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        ("sum", 1234185),
        ("variance", 56185395101.5 / 6),
        ("standard_deviation", (56185395101.5 / 6) ** 0.5),
        ("median", 225183.5),
        ("mode", 77516),
        ("minimum", 77516),
        ("maximum", 338409),
    ],
)
def test_section_4_3_statistics(statistic, value):
    """Aufschläger 2023 names them for numerical attributes without an example; these are of figure 4's column, by hand."""
    assert transformed(SuppressColumn(column="fnlwgt", statistic=statistic), ADULT)["fnlwgt"] == pytest.approx([value] * 6, rel=1e-12)


def test_figure_8_reaches_two_anonymity():
    """Aufschläger 2023: sets, intervals of 5 and both countries as one set raise k from 1 to 2, with groups {1, 2, 5, 6} and {3, 4}.

    The paper prints the intervals as (10.0, 14.0) and (5.0, 9.0), both ends meant to be in.
    """
    steps = [
        GeneraliseMapping(column="education", groups=(("Bachelors", "Masters"), ("HS-grad", "11th"))),
        GeneraliseInterval(column="education-num", width=5),
        GeneraliseMapping(column="native-country", groups=(("United-States", "Cuba"),)),
    ]
    made = transformed(steps, ADULT)

    assert made["education"] == [HIGHER, HIGHER, "{HS-grad, 11th}", "{HS-grad, 11th}", HIGHER, HIGHER]
    assert made["education-num"] == ["[10-14]", "[10-14]", "[5-9]", "[5-9]", "[10-14]", "[10-14]"]
    assert made["native-country"] == ["{United-States, Cuba}"] * 6
    assert made["age"] == ADULT["age"]
    assert k_of([DropColumn(column="fnlwgt")], ADULT, KNOWN) == 1
    assert k_of(steps, ADULT, KNOWN) == 2


def test_section_4_3_tuple_suppression():
    """Entries of groups of fewer than k are deleted; on education, the two records alone in theirs."""
    step = SuppressRecords(quasi_identifiers=("education",), k=2)
    assert transformed(step, ADULT)["education"] == ["Bachelors"] * 3
    assert k_of([step], ADULT, ["education"]) == 3


def test_appendix_3_suppression():
    """Khan 2025: the column of names is empty, which is what is left of it in a release without the column."""
    made = transformed(DropColumn(column="Name"), PATIENTS)
    assert made == {column: values for column, values in PATIENTS.items() if column != "Name"}


def test_appendix_3_masking():
    """Khan 2025: every name becomes xxxx, whatever its length."""
    assert transformed(Mask(column="Name", length=4), PATIENTS) == PATIENTS | {"Name": ["xxxx"] * 6}


def test_appendix_3_generalisation():
    """Khan 2025: ages become decades; it writes 20-29 where we write [20-29], unless told."""
    printed = ["20-29", "30-39", "30-39", "40-49", "20-29", "40-49"]
    ours = transformed(GeneraliseInterval(column="Age", width=10), PATIENTS)["Age"]
    assert ours == [f"[{band}]" for band in printed]
    bands = ("< 20", "20-29", "30-39", "40-49", "> 49")
    assert transformed(GeneraliseInterval(column="Age", cuts=(20, 30, 40, 50), labels=bands), PATIENTS)["Age"] == printed


def test_appendix_3_aggregation():
    """Khan 2025: diagnoses become what they have in common."""
    step = GeneraliseMapping(column="Diagnosis", mapping={"Gastric flu": "Digestive", "Flu": "Respiratory", "COVID": "Respiratory"})
    printed = ["Digestive", "Respiratory", "Respiratory", "Digestive", "Respiratory", "Respiratory"]
    assert transformed(step, PATIENTS) == PATIENTS | {"Diagnosis": printed}
    assert transformed(GeneralisePrefix(column="Postal code", characters=2), PATIENTS)["Postal code"] == ["35**"] * 6


def test_appendix_4_de_identification():
    """Khan 2025: all seven columns of its table, and k = 2 over the five quasi-identifiers, as its heading says."""
    assert transformed(REGISTER_STEPS, REGISTER) == DE_IDENTIFIED
    known = ["age", "edss", "covid19_symptoms", "comorbidities", "ms_type"]
    assert k_of([DropColumn(column="secret_name")], REGISTER, known) == 1
    assert k_of(REGISTER_STEPS, REGISTER, known) == 2
