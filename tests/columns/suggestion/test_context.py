"""What the table, the answers and the parts of a word say of a column that its name alone does not."""

import random

import pyarrow as pa

import anonscope as an
from anonscope.columns.suggestion.vocabulary import Reader

# Names that no lexicon has and that do not begin alike.
UNHEARD = ("xqv", "bzd", "kwp", "fjq", "vgh", "zzr")


def suggested(**columns: str) -> an.Suggestion:
    drawn = random.Random(5)
    return an.suggest(
        pa.table({name: [drawn.choice(kinds.split("|")) for _ in range(200)] for name, kinds in columns.items()}), time_budget=0
    )


def test_an_unknown_column_beside_secrets_is_one():
    """Of two tables with the same unknown column, the one that holds income and debts has a secret more; the other an attribute."""
    among_secrets = suggested(age="21|34|55|61", income="900|1200|3100", debt="0|100|900", xqv="a|b|c")["xqv"]
    among_others = suggested(age="21|34|55|61", sex="f|m", city="Ulm|Bonn|Trier", xqv="a|b|c")["xqv"]

    assert (among_secrets.role, among_secrets.confidence, among_secrets.unknown) == ("sensitive", "low", True)
    assert (among_others.role, among_others.confidence, among_others.unknown) == ("quasi-identifier", "low", True)


def test_among_names_that_nobody_understands_secrets_prove_nothing():
    """Where most columns are unknown, one that tells people apart stays what an outsider may know."""
    found = suggested(income="900|1200|3100", debt="0|100|900", **{name: f"a{i}|b{i}|c{i}" for i, name in enumerate(UNHEARD)})

    assert {found[name].role for name in UNHEARD} == {"quasi-identifier"}


def test_yes_and_no_are_no_house():
    """Whether somebody was in a hospital is not which hospital; a hospital of two names still is one."""
    flag = suggested(diagnosis="flu|gout|cold", treatment="a|b|c", glucose="80|95|120", hosp_yn="Yes|No")["hosp_yn"]
    house = suggested(diagnosis="flu|gout|cold", treatment="a|b|c", glucose="80|95|120", hospital="North|South")["hospital"]

    assert (flag.role, house.role) == ("sensitive", "quasi-identifier")


def test_the_last_part_of_a_compound_says_what_it_is():
    """A debt for one's studies is a debt."""
    reader = Reader(["studieschuld", "leeftijd", "geslacht", "opleiding"])

    assert reader.match("studieschuld").concept.name == "money"


def test_the_name_of_a_country_is_no_name_of_parents():
    """ "pais" is a country in Spanish and parents in Portuguese; the state of an address is a state."""
    reader = Reader(["Nombre_del_pais", "Edad", "Sexo", "Estado", "addr_state"])

    assert reader.match("Nombre_del_pais").concept.name == "nationality"
    assert reader.match("addr_state").concept.name == "large_area"


def test_words_that_everybody_shares_name_nobody():
    """A guardian who is the mother, the father or another is not a person's id; codes of guardians are."""
    kinds = suggested(age="15|16|17", sex="f|m", guardian="mother|father|other")["guardian"]
    codes = suggested(age="15|16|17", sex="f|m", patient="|".join(f"K{i}" for i in range(40)))["patient"]

    assert (kinds.role, codes.role) == ("quasi-identifier", "person")


def test_the_id_of_a_status_is_a_code():
    """An employee's status has an id, which is not the employee's."""
    found = suggested(age="21|34|55|61", sex="f|m", EmpStatusID="1|2|3|5", EmpID="|".join(f"{i}" for i in range(1000, 1060)))

    assert found["EmpStatusID"].role not in ("direct identifier", "person")
    assert found["EmpID"].role in ("direct identifier", "person")


def test_bare_words_say_nothing_in_a_table_of_patients():
    """The code of what happened to a patient is no matter of administration; that of a parcel is."""
    values = {"CODE": [f"{430193006 + i % 7}" for i in range(120)], "DESCRIPTION": [f"kind {i % 7}" for i in range(120)]}
    ill = an.suggest(pa.table({"PATIENT": [f"p-{i // 4:05}" for i in range(120)]} | values))
    parcels = an.suggest(pa.table({"parcel_number": [f"p-{i // 4:05}" for i in range(120)]} | values))

    assert [ill[name].role for name in ("PATIENT", "CODE", "DESCRIPTION")] == ["person", "sensitive", "sensitive"]
    assert ill["CODE"].confidence == "low"
    assert "sensitive" not in [parcels[name].role for name in ("CODE", "DESCRIPTION")]


def test_short_forms_beside_words_that_nobody_knows_are_not_sure():
    """Three letters that happen to stand for an operation or a blood test prove nothing beside a word that no lexicon has."""
    assert not Reader(["DevOps", "Country", "Salary"]).match("DevOps").sure
    assert not Reader(["AstXqv2007", "Kommun", "Kon"]).match("AstXqv2007").sure
    assert not Reader(["prenat", "motherAge", "childAge", "toilet", "cluster"]).match("prenat").sure
    assert Reader(["ast", "alt", "patient_id"]).match("ast").sure


def test_numbers_that_spread_as_ages_are_ages_once():
    """Numbers from 20 to 90 under a name that says nothing are ages, unless another column is called so."""
    drawn = random.Random(3)
    numbers = [str(drawn.randrange(20, 91)) for _ in range(300)]
    others = [str(drawn.randrange(20, 91)) for _ in range(300)]

    alone = an.suggest(pa.table({"xqv": numbers, "sex": ["f", "m"] * 150}), time_budget=0)
    beside = an.suggest(pa.table({"xqv": numbers, "sex": ["f", "m"] * 150, "age": others}), time_budget=0)

    assert alone["xqv"].evidence.concept == "age"
    assert beside["xqv"].evidence.concept is None


def test_households_are_not_numbered_from_one_to_five():
    """How many live in a household, or of which kind it is, is no id of it; a number for every few records is."""
    drawn = random.Random(3)
    table = {
        "HHPers": [drawn.choice("12345") for _ in range(300)],
        "hh": [str(1000 + row // 3) for row in range(300)],
        "sex": ["f", "m"] * 150,
    }
    found = an.suggest(pa.table(table), time_budget=0)

    assert found["HHPers"].role == "quasi-identifier"
    assert found["hh"].role == "household"


def test_a_table_of_patients_is_about_health():
    """An unknown column beside the id of patients may be a matter of their health, with one record a patient too."""
    drawn = random.Random(3)
    table = {
        "paciente_id": [f"P{row:04}" for row in range(200)],
        "edad": [str(drawn.randrange(18, 90)) for _ in range(200)],
        "xqv": [drawn.choice(["a", "b", "c"]) for _ in range(200)],
    }

    assert an.suggest(pa.table(table), time_budget=0)["xqv"].role == "sensitive"


def test_a_region_is_no_number_of_a_citizen():
    """ "RG" is a Brazilian's number; beside a residence it is a region."""
    drawn = random.Random(3)
    table = {
        "ID_RG_RESI": [str(drawn.randrange(1301, 1399)) for _ in range(300)],
        "CS_SEXO": ["M", "F"] * 150,
        "DT_NASC": ["01/02/1980"] * 300,
    }

    assert an.suggest(pa.table(table), time_budget=0)["ID_RG_RESI"].role == "quasi-identifier"


def test_words_of_medicine_are_known_by_how_they_are_built():
    """No list has every illness: what ends as illnesses or operations do is one, in several languages, and an academy is none."""
    reader = Reader(["age", "sex", "fibromyalgia", "nefropatia", "lobectomy", "Polydipsia", "hypopituitaritis", "academia"])

    assert [reader.match(name).concept.name for name in ("fibromyalgia", "nefropatia", "Polydipsia", "hypopituitaritis")] == [
        "diagnosis"
    ] * 4
    assert reader.match("lobectomy").concept.name == "treatment"
    assert (found := reader.match("academia")) is None or found.concept.domain != "health"


def test_squares_logarithms_and_relatives_are_what_they_are_made_of():
    """The square of an age is about age, a logarithm of an income about income, a father's age an age; none of it is sure."""
    reader = Reader(["agesq", "lnincome", "fage", "meduc", "stage"])
    found = {name: reader.match(name) for name in ("agesq", "lnincome", "fage", "meduc")}

    assert {name: match.concept.name for name, match in found.items()} == {
        "agesq": "age",
        "lnincome": "income",
        "fage": "age",
        "meduc": "education",
    }
    assert not any(match.sure for match in found.values())


def test_what_words_say_of_health_goes_before_a_name_of_a_place():
    """A class of the sick and the healthy is no class of a school; a way into the body is no day of entry."""
    found = suggested(age="21|34|55|61", sex="f|m", bodyclass="sick|unhealthy|benign", glucose="80|95|120", entry="femoral|radial")

    assert found["bodyclass"].role == "sensitive"
    assert found["entry"].role == "sensitive"


def test_names_of_trials_are_read_by_their_endings():
    """In a table of a trial an unheard name that ends in FL is a flag, and one that ends in DT a day; elsewhere neither is."""
    trial = Reader(["USUBJID", "STUDYID", "XQVFL", "XQVDT"])

    assert trial.match("XQVFL").concept.name == "administration"
    assert trial.match("XQVDT").concept.name == "event_date"
    assert Reader(["name", "XQVFL"]).match("XQVFL") is None


def test_a_word_that_nobody_knows_takes_away_certainty():
    """The state of a body is no state of a country: a name with a word that no lexicon has is never sure, unless it is an age or a date."""
    reader = Reader(["estado_xqvico", "edad_xqvica", "fecha_xqvica", "municipio", "sexo"])

    assert not reader.match("estado_xqvico").sure
    assert reader.match("edad_xqvica").sure
    assert reader.match("fecha_xqvica").sure


def test_letters_that_most_names_begin_with_are_no_part_of_them():
    """Half of the columns begin with the letter of their register: behind it stand plain words, in the other half nothing changes."""
    reader = Reader(["UGEMEINDE", "UJAHR", "UMONAT", "UKATEGORIE", "Objekt", "Fahrrad", "ULICHT"])

    assert reader.match("UGEMEINDE").concept.name == "small_area"
    assert reader.match("UJAHR").concept.name == "event_date"


def test_numbers_may_count_what_a_name_seems_to_name():
    """Stays in hospital from none to eight are no hospitals, and hundreds of votes no conviction: neither is sure."""
    drawn = random.Random(3)
    table = {
        "age": [str(drawn.randrange(18, 90)) for _ in range(300)],
        "hospital": [drawn.choice("0000012345678") for _ in range(300)],
        "vote": [str(drawn.randrange(900)) for _ in range(300)],
    }
    found = an.suggest(pa.table(table), time_budget=0)

    assert {found["hospital"].confidence, found["vote"].confidence} == {"low"}
    assert suggested(age="21|34|55", hospital="North|South", vote="red|green|blue")["vote"].confidence != "low"


def test_the_number_of_a_vehicle_is_no_attribute_of_people():
    """An id of things that several people share says little of them."""
    drawn = random.Random(3)
    table = {"id_veiculo": [str(200000 + row // 2 * 3) for row in range(300)], "idade": [str(drawn.randrange(18, 90)) for _ in range(300)]}

    assert an.suggest(pa.table(table | {"sexo": ["M", "F"] * 150}), time_budget=0)["id_veiculo"].role == "insensitive"


def test_nobody_weighs_one_kilogram():
    """A weight between 0.3 and 3 is that of a record in a survey; one between 45 and 120 is a body's."""
    drawn = random.Random(3)
    surveyed = {"kon": ["1", "2"] * 150, "alder": [str(drawn.randrange(18, 90)) for _ in range(300)]}
    light = surveyed | {"vikt": [f"{drawn.uniform(0.3, 3):.3f}" for _ in range(300)]}
    heavy = surveyed | {"vikt": [f"{drawn.uniform(45, 120):.1f}" for _ in range(300)]}

    assert an.suggest(pa.table(light), time_budget=0)["vikt"].role == "weight"
    assert an.suggest(pa.table(heavy), time_budget=0)["vikt"].role == "sensitive"


def test_three_names_that_all_share_may_be_of_groups():
    """Names that a hundred records share each may be those of parties or wards: to be removed, but not for sure."""
    few = suggested(customer_name="Rot|Blau|Gruen", age="21|34|55")["customer_name"]

    assert (few.role, few.confidence) == ("direct identifier", "low")


def test_the_postcode_of_an_address_or_a_pupil_is_a_postcode():
    """A postcode names no street and no pupil, whatever stands beside it."""
    drawn = random.Random(3)
    codes = [str(drawn.randrange(10000, 99000)) for _ in range(300)]
    found = an.suggest(pa.table({"address_postalCode": codes, "POSTCODE_LEERLING": codes[::-1], "sex": ["f", "m"] * 150}), time_budget=0)

    assert {found["address_postalCode"].role, found["POSTCODE_LEERLING"].role} == {"quasi-identifier"}


def test_money_is_counted():
    """How a bill was paid is no amount: a name that speaks of money over words without a digit is not sure, over amounts it is."""
    words = suggested(eleve="a|b", montant="advance|balance", sexe="f|m")["montant"]
    amounts = suggested(eleve="a|b", montant="120|340|560|900|15", sexe="f|m")["montant"]

    assert words.confidence == "medium"
    assert amounts.confidence == "high"


def test_a_word_of_two_meanings_is_not_sure():
    """ "estado" is a state of a country and a status; beside its country's other words it is no more than fairly sure."""
    found = suggested(edad="21|34|55", sexo="f|m", fecha="2020-01-02|2020-02-03", estado="1|2|3")

    assert found["estado"].confidence != "high"


def test_the_year_of_a_birth_is_a_year():
    """A year or a month goes before what happened then; what somebody earns in a year stays an income."""
    reader = Reader(["Anno_Parto", "Mese_Ricovero", "Sesso", "Reddito", "Anno_Reddito"])

    assert reader.match("Anno_Parto").concept.domain == "temporal"
    assert reader.match("Mese_Ricovero").concept.domain == "temporal"
    assert reader.match("Anno_Reddito").concept.name == "income"


def test_a_class_of_licences_is_no_licence():
    """Six classes of driving licences that hundreds have are no numbers of papers; their numbers are."""
    drawn = random.Random(3)
    numbers = [f"{drawn.choice('ABC')}{100000 + row * 7}" for row in range(200)]
    classes = [drawn.choice(["B", "C1", "C2", "D"]) for _ in range(200)]
    found = an.suggest(pa.table({"Fuehrerscheinklasse": classes, "Fuehrerscheinnummer": numbers, "Alter": ["44"] * 200}), time_budget=0)

    assert found["Fuehrerscheinklasse"].role != "direct identifier"
    assert found["Fuehrerscheinnummer"].role == "direct identifier"
