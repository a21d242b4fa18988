"""Forty groups of diagnoses, named like those of ICD-10, and whom each befalls.

The weights are invented. They only have the shape of the real thing: births to women between eighteen and
forty-nine, asthma in children, hearts and hips in old age.
"""

from dataclasses import dataclass

from anonscope.io.samples.draws import Weighted


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One group: how often it occurs in childhood, youth, middle and old age, and what it costs."""

    name: str
    department: str
    by_age: tuple[int, int, int, int]
    female: float  # how often women have it, compared with men at 1
    days: float  # mean length of a stay
    daily: int  # charges per day
    once: int  # charges per stay
    returns: float  # mean number of visits


def _group(name: str, department: str, by_age: tuple[int, int, int, int], *rest: float) -> Diagnosis:
    female, days, daily, once, returns = rest
    return Diagnosis(name, department, by_age, female, days, int(daily), int(once), returns)


DIAGNOSES = (
    _group("A00-A09 Intestinal infections", "Internal medicine", (60, 18, 12, 16), 1.1, 2.4, 610, 900, 1.3),
    _group("A15-A19 Tuberculosis", "Pulmonology", (1, 3, 3, 3), 0.7, 12, 640, 2100, 4.5),
    _group("A40-A41 Sepsis", "Intensive care", (4, 4, 14, 46), 0.9, 9, 2100, 5200, 1.8),
    _group("B15-B19 Viral hepatitis", "Internal medicine", (1, 6, 9, 3), 0.7, 4, 700, 1500, 4.2),
    _group("B20-B24 HIV disease", "Infectious diseases", (0, 7, 8, 1), 0.4, 5, 780, 2400, 6.5),
    _group("C15-C26 Cancer of digestive organs", "Oncology", (0, 2, 24, 48), 0.8, 8, 1150, 9000, 7.5),
    _group("C30-C39 Cancer of respiratory organs", "Oncology", (0, 1, 19, 36), 0.7, 8, 1150, 8600, 7),
    _group("C50 Cancer of the breast", "Oncology", (0, 4, 32, 30), 60, 4, 1200, 9800, 8),
    _group("C60-C63 Cancer of reproductive organs", "Oncology", (0, 3, 12, 26), 0.8, 5, 1150, 8800, 6.5),
    _group("C81-C96 Leukaemia and lymphoma", "Oncology", (6, 5, 9, 18), 0.8, 11, 1500, 12000, 9),
    _group("D50-D53 Nutritional anaemias", "Internal medicine", (5, 9, 8, 16), 1.9, 3, 600, 700, 2.1),
    _group("E10-E14 Diabetes mellitus", "Endocrinology", (8, 12, 34, 40), 0.9, 5, 680, 1300, 5.5),
    _group("E65-E68 Obesity", "Endocrinology", (1, 9, 16, 3), 2.2, 3, 900, 6500, 3.2),
    _group("F10-F19 Disorders due to substance use", "Psychiatry", (0, 44, 48, 9), 0.4, 7, 520, 600, 4),
    _group("F20-F29 Schizophrenia", "Psychiatry", (0, 22, 16, 4), 0.8, 19, 480, 500, 5),
    _group("F30-F39 Mood disorders", "Psychiatry", (3, 40, 42, 15), 1.7, 16, 480, 500, 4.5),
    _group("F40-F48 Anxiety and stress disorders", "Psychiatry", (6, 30, 24, 6), 1.8, 7, 470, 400, 3.6),
    _group("G20 Parkinson's disease", "Neurology", (0, 0, 4, 22), 0.7, 8, 640, 1100, 4),
    _group("G30 Alzheimer's disease", "Neurology", (0, 0, 1, 21), 1.5, 9, 560, 800, 2.6),
    _group("G40-G41 Epilepsy", "Neurology", (22, 14, 13, 12), 0.9, 4, 760, 1200, 3.4),
    _group("H25-H26 Cataract", "Ophthalmology", (1, 1, 8, 50), 1.2, 1, 500, 2300, 2),
    _group("I10-I15 High blood pressure", "Cardiology", (0, 4, 30, 42), 1.3, 3, 640, 700, 3.4),
    _group("I20-I25 Coronary heart disease", "Cardiology", (0, 4, 62, 96), 0.5, 5, 1250, 7400, 3.2),
    _group("I50 Heart failure", "Cardiology", (0, 2, 20, 96), 1, 9, 820, 2200, 3.6),
    _group("I60-I69 Stroke", "Neurology", (0, 3, 24, 70), 0.9, 10, 1050, 4100, 2.8),
    _group("J12-J18 Pneumonia", "Pulmonology", (40, 9, 22, 78), 0.8, 7, 740, 1600, 1.5),
    _group("J40-J44 Chronic bronchitis", "Pulmonology", (1, 3, 28, 56), 0.8, 7, 700, 1500, 4.3),
    _group("J45 Asthma", "Pulmonology", (46, 13, 8, 5), 0.9, 3, 640, 700, 2.7),
    _group("K35-K38 Appendicitis", "Surgery", (40, 44, 16, 6), 0.9, 3, 900, 5200, 1.1),
    _group("K40-K46 Hernia", "Surgery", (14, 14, 34, 30), 0.2, 2, 820, 4300, 1.2),
    _group("K80-K81 Gallstones", "Surgery", (1, 30, 40, 28), 1.8, 4, 860, 5400, 1.3),
    _group("M15-M19 Arthrosis", "Orthopaedics", (0, 3, 52, 84), 1.4, 8, 880, 11000, 2.4),
    _group("M40-M54 Disorders of the back", "Orthopaedics", (2, 26, 54, 34), 1, 5, 760, 4100, 2.8),
    _group("N17-N19 Kidney failure", "Nephrology", (1, 4, 14, 38), 0.8, 8, 980, 3600, 8.5),
    _group("O00-O48 Complications of pregnancy", "Obstetrics", (0, 90, 5, 0), 900, 3, 690, 900, 2.9),
    _group("O60-O80 Childbirth", "Obstetrics", (0, 210, 6, 0), 900, 3, 780, 2900, 2),
    _group("P00-P96 Conditions of the newborn", "Neonatology", (52, 0, 0, 0), 0.9, 8, 1350, 2600, 1.6),
    _group("S00-S09 Injuries of the head", "Emergency", (56, 30, 22, 34), 0.7, 3, 900, 1400, 1.2),
    _group("S72 Fracture of the hip", "Orthopaedics", (1, 1, 8, 60), 2.1, 13, 860, 9800, 1.7),
    _group("T36-T50 Poisoning by drugs", "Emergency", (9, 20, 12, 6), 1.4, 2, 980, 1100, 1.4),
)


# Childhood to 14, youth to 39, middle age to 64, old age.
_STAGE = tuple(0 if age <= 14 else 1 if age <= 39 else 2 if age <= 64 else 3 for age in range(121))


def _chances(stage: int, sex: str, *, fertile: bool, newborn: bool) -> Weighted[Diagnosis]:
    def weight(diagnosis: Diagnosis) -> float:
        if diagnosis.department == "Neonatology":
            # Nearly every patient in the first year of life is one, and nobody later.
            return 600.0 if newborn else 0.0
        if diagnosis.department == "Obstetrics" and not fertile:
            return 0.0
        share = diagnosis.female / (1 + diagnosis.female)
        return diagnosis.by_age[stage] * {"female": share, "male": 1 - share}.get(sex, 0.5)

    return Weighted({diagnosis: weight(diagnosis) for diagnosis in DIAGNOSES})


_CHANCES = {
    (stage, sex, fertile, newborn): _chances(stage, sex, fertile=fertile, newborn=newborn)
    for stage in range(4)
    for sex in ("female", "male", "other")
    for fertile in (False, True)
    for newborn in (False, True)
}


def chances(age: int, sex: str) -> Weighted[Diagnosis]:
    """Return how often each diagnosis befalls somebody of this age and sex."""
    return _CHANCES[_STAGE[age], sex, sex == "female" and 18 <= age <= 49, age == 0]
