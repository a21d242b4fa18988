"""What goes before what: ids, dates and people before topics, values under poor names, and what the table adds."""

import random

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.suggestion.dictionary import read_dictionary
from anonscope.columns.suggestion.letters import reading
from anonscope.columns.suggestion.propose import propose
from anonscope.columns.suggestion.subjects import counts, subject_of
from anonscope.columns.suggestion.terms import is_substance
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.errors import OptionError


def suggested(rows: int = 200, **columns) -> an.Suggestion:
    """Suggest roles for columns given as lists, or as what to draw each value from."""
    drawn = random.Random(5)
    filled = {name: values if isinstance(values, list) else [drawn.choice(values) for _ in range(rows)] for name, values in columns.items()}
    return an.suggest(pa.table({name: [None if v is None else str(v) for v in values] for name, values in filled.items()}), time_budget=0)


@pytest.mark.parametrize(
    ("name", "subject"),
    [
        *(("SUBJECT_ID", "person"), ("patient_nbr", "person"), ("EmployeeNumber", "person"), ("id_cliente", "person")),
        *(("ICUSTAY_ID", "event"), ("visit_occurrence_id", "event"), ("patient_visit_id", "event"), ("numero_sejour", "event")),
        *(("NRO_HOGAR", "household"), ("provider_id", "group"), ("IdLandkreis", "group"), ("admission_type_id", "list")),
        *(("condition_concept_id", "list"), ("id", "bare"), ("Kennung", "bare"), ("row_id", "record"), ("leerling", "someone")),
        *(("age", None), ("icu_stay", None)),
    ],
)
def test_whose_number_a_name_speaks_of(name, subject):
    """Persons, their visits, households, groups, lists; in several languages."""
    assert subject_of(Reader(()).parsed(name)) == subject


def test_a_number_that_counts_is_no_id():
    """Number before what it counts."""
    assert counts(Reader(()).parsed("number_of_visits"))
    assert not counts(Reader(()).parsed("patient_number"))


def test_an_id_word_goes_before_the_topic():
    """The id of a stay in intensive care is no treatment, though eight stays fill a thousand records."""
    found = suggested(
        1000,
        SUBJECT_ID=[10_000 + 37 * (i % 7) for i in range(1000)],
        ICUSTAY_ID=[200_001 + 911 * (i % 8) for i in range(1000)],
        DRUG=("Furosemide", "Insulin", "Heparin"),
    )

    assert found.roles.person == "SUBJECT_ID"
    assert found["ICUSTAY_ID"].role == "direct identifier"
    assert found["DRUG"].role == "sensitive"


def test_people_go_before_visits():
    """The visit has more values and repeats as well; the person is the person."""
    found = suggested(
        600,
        person_id=[579 + i // 9 for i in range(600)],
        visit_occurrence_id=[1_000_000 + i // 2 for i in range(600)],
    )

    assert found.roles.person == "person_id"
    assert found["visit_occurrence_id"].role == "direct identifier"


def test_a_date_goes_before_what_is_dated():
    """Also beyond 2100, where intensive-care data are shifted to."""
    found = suggested(
        condition_start_datetime=[f"2{i % 9}12-0{1 + i % 9}-1{i % 9} 10:00:00" for i in range(200)],
        diagnosis_date=[f"20{10 + i % 10}-03-1{i % 9}" for i in range(200)],
    )

    assert found.of("quasi-identifier") == ("condition_start_datetime", "diagnosis_date")
    assert all(column.type == "date" for column in found.columns)


NAMES = {
    "es": "DE LA CRUZ, GARCÍA, HERNÁNDEZ, MARTÍNEZ, QUISPE, ROJAS, VARGAS, CASTILLO, GUTIÉRREZ, MENDOZA, SALAZAR, ESPINOZA, PAREDES, "
    "HUAMÁN, FLORES, CHÁVEZ, RAMÍREZ, NÚÑEZ, IBÁÑEZ, ZAMBRANO, VELÁSQUEZ, CONTRERAS",
    "pt": "Thiago, Beatriz, Rafael, Larissa, Vinícius, Letícia, Guilherme, Juliana, Henrique, Fernanda, Rodrigo, Mariana, Gustavo, Camila, "
    "Leandro, Patrícia, Anderson, Tatiane, Caio, Luana, Murilo",
    "fr": "Lefebvre, Moreau, Fournier, Girard, Mercier, Dupont, Lambert, Bonnet, François, Martinez, Legrand, Garnier, Faure, Rousseau, "
    "Blanc, Guérin, Muller, Roussel, Nicolas, Perrin, Morin, Mathieu",
    "de": "Schmidt, Schneider, Fischer, Weber, Schulz, Hoffmann, Schäfer, Bauer, Richter, Schröder, Neumann, Zimmermann, Hartmann, Krüger, "
    "Lange, Krause, Lehmann, Köhler, Herrmann, Walter, Kaiser",
    "nl": "Jansen, Bakker, Visser, Meijer, Mulder, Hendriks, Dekker, Dijkstra, Vermeulen, van den Berg, van Dijk, Hoekstra, Willems, Maas, "
    "Verhoeven, Jacobs, van der Meer, Kuipers, Schouten, Timmermans, Scholten",
    "pl": "Kowalski, Wiśniewski, Wójcik, Kowalczyk, Kamiński, Lewandowski, Zieliński, Szymański, Woźniak, Dąbrowski, Kozłowski, Jankowski, "
    "Mazur, Kwiatkowski, Krawczyk, Piotrowski, Grabowski, Nowakowski, Pawłowski, Michalski",
    "sv": "Andersson, Johansson, Karlsson, Nilsson, Eriksson, Larsson, Olsson, Persson, Svensson, Gustafsson, Jonsson, Jansson, "
    "Hansson, Bengtsson, Jönsson, Lindberg, Jakobsson, Magnusson, Olofsson",
    "synthetic": "Emilio417, Ona426, Iraida50, Josefa218, Marcelino885, Dorotha46, Alfonso758, Guillermina902, Ramiro608, Concepción77, "
    "Kimberely163, Rodolfo25, Georgeann130, Leonel449, Yolonda722, Kasandra481, Micheal721, Sherie92, Dannie881, Tomasa310",
}


@pytest.mark.parametrize("language", NAMES)
def test_names_are_told_by_their_letters(language):
    """Under a column called x, in capitals, with digits or particles."""
    found = suggested(x=tuple(NAMES[language].split(", ")))["x"]

    assert (found.role, found.evidence.concept) == ("direct identifier", "names")


@pytest.mark.parametrize(
    "words",
    [
        "Aachen Bottrop Chemnitz Dortmund Erlangen Freiburg Gütersloh Ingolstadt Koblenz Leverkusen Magdeburg Oldenburg Paderborn",
        "surgery cardiology orthopaedics radiology urology neurology oncology paediatrics psychiatry dermatology anaesthesia pathology",
        "carpenter plumber electrician accountant teacher nurse engineer cleaner driver cook waiter secretary lawyer architect painter",
        "Furosemide Metoprolol Heparin Insulin Vancomycin Lorazepam Omeprazole Acetaminophen Docusate Warfarin Simvastatin Fentanyl",
        "red green blue yellow purple orange black white brown grey silver golden turquoise violet pink",
    ],
)
def test_places_jobs_and_drugs_are_no_names(words):
    """Their letters are others."""
    found = reading(words.split())

    assert found is not None
    assert found.name < 0.55
    assert suggested(x=tuple(words.split()))["x"].evidence.concept != "names"


@pytest.mark.parametrize(
    "word", ["metformin", "repaglinide", "rosiglitazone", "ramipril", "candesartan", "atorvastatin", "omeprazole", "insulin"]
)
def test_substances_are_known_by_their_stems(word):
    """WHO's stems of international nonproprietary names."""
    assert is_substance(word)
    assert suggested(**{word: ("No", "Steady", "Up")})[word].role == "sensitive"


@pytest.mark.parametrize("word", ["concept", "condition", "education", "april", "category", "position"])
def test_common_words_are_no_substances(word):
    assert not is_substance(word)


@pytest.mark.parametrize(
    ("values", "concept"),
    [
        (("E11.9", "I10", "J45.1", "K35.8", "C50.9", "F32.1", "M54.5", "N39.0", "S72.0"), "diagnosis"),
        (("A10BA02", "C07AB02", "N02BE01", "J01CA04", "B01AC06", "R03AC02", "C09AA05", "H02AB06"), "treatment"),
        (("DE131", "DEA27", "DE212", "DE300", "DE600", "DED21", "DEF03", "DEG01"), "large_area"),
        (("DEU", "FRA", "ESP", "NLD", "POL", "SWE", "ITA", "PRT", "BEL"), "nationality"),
        (("195662009", "444814009", "10509002", "70704007", "262574004", "59621000", "38341003", "44054006"), "diagnosis"),
    ],
)
def test_codes_are_known_by_shape_and_check_digit(values, concept):
    """ICD-10, ATC, NUTS, ISO 3166, SNOMED; whatever the column is called."""
    assert suggested(c7=values)["c7"].evidence.concept == concept


WORDS = {
    "de": "Geschlecht AnzahlKinder:family Familienstand:marital_status Monatseinkommen:income Wohnort:small_area Schulabschluss:education",
    "nl": "geslacht gebmnd:birth_date burgerlijke_staat:marital_status inkomen:income woonplaats:small_area hoogste_opleiding:education",
    "fr": "sexe an_nais:birth_year situation_matrimoniale:marital_status salaire_brut:income commune:small_area niveau_etudes:education",
    "es": "sexo fecha_nac:birth_date est_civil:marital_status sueldo_bruto:income municipio:small_area nivel_educativo:education",
    "pt": "sexo dt_nasc:birth_date estado_civil:marital_status salario:income municipio_resid:small_area escolaridade:education",
    "it": "sesso data_nascita:birth_date stato_civile:marital_status reddito:income comune_residenza:small_area titolo_studio:education",
    "pl": "plec data_urodzenia:birth_date stan_cywilny:marital_status wynagrodzenie:income miejscowosc:small_area wyksztalcenie:education",
    "sv": "kon fodelsedatum:birth_date civilstand:marital_status inkomst:income kommun:small_area utbildning:education",
}


@pytest.mark.parametrize("language", WORDS)
def test_names_in_eight_languages_besides_english(language):
    """Compounds and short forms are taken apart; the names of the table say which language it is."""
    expected = {name: concept for name, _, concept in (entry.partition(":") for entry in WORDS[language].split())}
    reader = Reader(tuple(expected))

    assert language in reader.languages
    matches = {name: reader.match(name) for name, concept in expected.items() if concept}
    assert {name: match and match.concept.name for name, match in matches.items()} == {n: c for n, c in expected.items() if c}


def test_items_of_a_questionnaire_are_no_quasi_identifiers():
    """They share the beginning of their names and their answers."""
    items = {f"q7_{i}": (1, 2, 3, 4, 5) for i in range(1, 9)}
    found = suggested(**items, region=("North", "South", "East"), age=[20 + i % 60 for i in range(200)])

    assert found.of("quasi-identifier") == ("region", "age")
    assert {found[name].evidence.concept for name in items} == {"questionnaire_item"}


def test_numbered_columns_are_no_questionnaire():
    """Where all columns are called c1, c2, ..., their names say nothing."""
    found = suggested(**{f"c{i}": (1, 2, 3, 4, 5) for i in range(1, 9)})

    assert found.unknown == tuple(f"c{i}" for i in range(1, 9))


def test_an_unknown_column_of_a_table_about_health_is_sensitive():
    """It may be a finding; elsewhere it is a quasi-identifier. Both times nobody is sure."""
    known = {"diagnosis": ("a", "b"), "medication": ("c", "d"), "hba1c": [5 + i % 4 for i in range(200)], "sex": ("F", "M")}
    inside, outside = suggested(**known, xyzzy=("p", "q", "r"))["xyzzy"], suggested(sex=("F", "M"), xyzzy=("p", "q", "r"))["xyzzy"]

    assert (inside.role, inside.confidence, inside.unknown) == ("sensitive", "low", True)
    assert (outside.role, outside.confidence, outside.unknown) == ("quasi-identifier", "low", True)


def test_columns_with_the_answers_of_others_are_about_what_they_are_about():
    """An unknown drug among known ones."""
    answers = ("No", "Steady", "Up", "Down")
    found = suggested(metformin=answers, glipizide=answers, insulin=answers, glyburide=answers, qwrtz=answers)["qwrtz"]

    assert (found.role, found.evidence.concept, found.confidence) == ("sensitive", "treatment", "low")


def test_a_weight_beside_heights_is_a_body():
    """Alone it may be a survey's."""
    weights = [50 + i % 60 for i in range(200)]

    assert suggested(weight=weights, height=[150 + i % 50 for i in range(200)]).roles.weight is None
    assert suggested(weight=weights, region=("a", "b")).roles.weight == "weight"


def test_what_is_to_be_looked_at_comes_first():
    """In print; the data stay in the order of the table."""
    found = suggested(age=[20 + i % 60 for i in range(200)], xyzzy=("p", "q", "r"))

    assert [column.name for column in found.columns] == ["age", "xyzzy"]
    assert [column.certainty for column in found.to_check] == ["please look", "sure"]
    assert found.to_text().index("xyzzy") < found.to_text().index("age ")


def test_what_follows_from_what_is_said():
    """The city from the postal code."""
    zips = [10_000 + 7 * (i % 40) for i in range(400)]
    found = an.suggest(pa.table({"zip": zips, "city": [f"Town {z % 9}" for z in zips], "sex": ["F", "M", "M", "F"] * 100}))

    assert any("follows from 'zip'" in reason for reason in found["city"].reasons)


def test_the_same_answer_every_time():
    """Nothing depends on the clock."""
    table = pa.table({f"x{i}": [str((row * (i + 3)) % (5 + i)) for row in range(400)] for i in range(30)})

    assert an.suggest(table, time_budget=0.05).to_json() == an.suggest(table, time_budget=0.05).to_json()


def test_a_dictionary_says_what_names_do_not(tmp_path):
    """A CSV table, a Table Schema, a Data Package or a mapping; the label is read as a name is."""
    (tmp_path / "a.csv").write_text("Variable;Description\nx1;Monthly household income\nx2;Sex of respondent\n", encoding="utf-8")
    schema = '{"fields": [{"name": "x1", "title": "Household income"}, {"name": "x2", "description": "Sex"}]}'
    (tmp_path / "b.json").write_text(schema, encoding="utf-8")
    (tmp_path / "c.json").write_text(f'{{"resources": [{{"schema": {schema}}}]}}', encoding="utf-8")
    table = pa.table({"x1": list(range(1000, 1400)), "x2": [1, 2] * 200})
    for dictionary in (tmp_path / "a.csv", tmp_path / "b.json", str(tmp_path / "c.json"), {"x1": "income", "x2": "sex"}):
        found = an.suggest(table, dictionary=dictionary, time_budget=0)
        assert [column.evidence.concept for column in found.columns] == ["income", "sex"]


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "name,label\n"])
def test_a_dictionary_that_says_nothing_is_refused(tmp_path, content):
    (tmp_path / "empty.csv").write_text(content, encoding="utf-8")

    with pytest.raises(OptionError, match="names no column"):
        read_dictionary(tmp_path / "empty.csv")
    with pytest.raises(OptionError, match="There is no dictionary"):
        read_dictionary(tmp_path / "nowhere.csv")


def test_kinds_of_evidence_that_do_not_exist_are_refused():
    with an.read(pa.table({"a": [1]})) as data, pytest.raises(OptionError, match="Kinds of evidence"):
        propose(data.engine, data.relation, without=["astrology"])
