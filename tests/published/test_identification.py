"""Khan, Menten, Peeters: all 30 re-identification risk rates of appendix 7, and both columns of classes."""

import pyarrow as pa
import pytest

import anonscope as an

RATES = {
    500: {
        "bmi": 38.50,
        "ms_diagnosis_date": 27.65,
        "edss": 22.58,
        "age": 5.49,
        "comorbidities": 3.63,
        "covid19_symptoms": 3.12,
        "ms_type": 1.34,
        "covid19_ventilation": 0.96,
        "covid19_outcome_recovered": 0.61,
        "covid19_icu_stay": 0.53,
        "covid19_confirmed_case": 0.50,
        "report_source": 0.40,
        "sex": 0.40,
        "covid19_admission_hospital": 0.40,
        "covid19_diagnosis": 0.40,
    },
    1000: {
        "bmi": 20.98,
        "ms_diagnosis_date": 13.81,
        "edss": 10.04,
        "age": 2.66,
        "comorbidities": 1.80,
        "covid19_symptoms": 1.54,
        "ms_type": 0.67,
        "covid19_ventilation": 0.52,
        "covid19_outcome_recovered": 0.31,
        "covid19_icu_stay": 0.26,
        "covid19_confirmed_case": 0.26,
        "report_source": 0.20,
        "sex": 0.20,
        "covid19_admission_hospital": 0.20,
        "covid19_diagnosis": 0.20,
    },
}
CLASSES = {
    500: {"sensitive": ("bmi", "ms_diagnosis_date"), "quasi-identifier": ("edss", "age", "comorbidities", "covid19_symptoms", "ms_type")},
    1000: {"sensitive": ("bmi", "ms_diagnosis_date", "edss"), "quasi-identifier": ("age", "comorbidities", "covid19_symptoms")},
}
ALPHA = {500: 25, 1000: 10}
MISSING = {500: 0.88, 1000: 0.918}


@pytest.fixture(scope="module", params=(500, 1000))
def published(request, data_folder) -> tuple[int, an.Suggestion]:
    rows = request.param
    table = data_folder / f"ms_mock/df_{rows}_rows/stage_1_df_mock_{rows}.csv"
    return rows, an.suggest(table, alpha=ALPHA[rows], beta=1, time_budget=0)


def test_the_risk_rates_are_those_of_the_paper(published):
    """All fifteen percentages of a table, to the two decimals that are printed."""
    rows, found = published

    assert {name: round(found[name].evidence.risk_rate, 2) for name in RATES[rows]} == RATES[rows]


def test_the_classes_are_those_of_the_paper(published):
    """Above alpha sensitive, from beta on quasi-identifier, below non-sensitive."""
    rows, found = published
    expected = dict.fromkeys(RATES[rows], "non-sensitive") | {c: label for label, columns in CLASSES[rows].items() for c in columns}

    assert {name: found[name].evidence.risk_rate_label for name in RATES[rows]} == expected


def test_a_larger_registry_has_lower_rates(published):
    """Values lose their uniqueness among more records: every column's rate of 1,000 is below that of 500."""
    rows, found = published
    for name in RATES[rows]:
        if rows == 1000:
            assert found[name].evidence.risk_rate < RATES[500][name]
        else:
            assert found[name].evidence.risk_rate > RATES[1000][name]


def test_a_column_with_many_missing_values_is_set_aside(published):
    """Self-isolation is missing in 88 % and 91.8 % of the records, and has no rate."""
    rows, found = published
    column = found["covid19_self_isolation"]

    assert column.evidence.missing == pytest.approx(MISSING[rows])
    assert (column.evidence.risk_rate, column.evidence.risk_rate_label) == (None, "set aside")


def test_the_name_is_a_direct_identifier(published):
    """The paper removes it before anything is counted."""
    assert published[1]["secret_name"].role == "direct identifier"


def test_the_weakness_of_the_rate_is_not_ours(published):
    """Sex is harmless by its rate; everybody can know it, so it is proposed as a quasi-identifier and the disagreement is told."""
    sex = published[1]["sex"]

    assert sex.evidence.risk_rate_label == "non-sensitive"
    assert sex.role == "quasi-identifier"
    assert "calls it non-sensitive" in sex.disagreements[0]


def test_years_are_no_dates_finer_than_a_year():
    """A column of years is in no class of Safe Harbor by its meaning; one of days is in class 3."""
    years, days = [f"{1990 + i % 20}" for i in range(60)], [f"2020-01-{1 + i % 28:02d}" for i in range(60)]
    table = pa.table({"admission_date": years, "discharge_date": days})
    with an.read(table, threads=1) as data:
        coarse, fine = an.suggest(data).columns

    assert fine.evidence.safe_harbor == 3 and any("finer than a year" in reason for reason in fine.reasons)
    assert coarse.evidence.safe_harbor is None and not any("finer than a year" in reason for reason in coarse.reasons)
