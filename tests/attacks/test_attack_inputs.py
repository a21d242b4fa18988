"""What attackers know as a file, and a sentence for every input that cannot be attacked."""

import pytest

import anonscope as an
from anonscope.errors import AnonscopeError, AttackError, ColumnNotFound, OptionError
from attacks.attacking import attack, drawn, only

TABLE = drawn(1, 60, age=30, sex=2)
HEAD = 'schema = "anonscope/attackers/1"\n'


def test_a_file_of_attackers(tmp_path):
    """Says everything there is to say; a prior is found beside the file."""
    file = tmp_path / "attackers.toml"
    file.write_text(
        HEAD + '[[attackers]]\nname = "n"\ncolumns = ["age", "sex"]\nwithin = { age = 2 }\nwrong = { sex = 0.1 }\nknown = 0.5\n'
        'attempt = 0.2\nprior = "census.csv"\n\n[[attackers]]\nname = "m"\ncolumns = ["sex"]\n',
        encoding="utf-8",
    )
    first, second = an.load_attackers(file)

    assert first == an.Attacker(
        name="n", columns=("age", "sex"), within={"age": 2}, wrong={"sex": 0.1}, known=0.5, attempt=0.2, prior=str(tmp_path / "census.csv")
    )
    assert (second.columns, second.exact, first.exact) == (("sex",), True, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "first line must be"),
        (HEAD, "at least one"),
        (HEAD + "[[attackers]]\ncolumns = ['a']\n", "name"),
        (HEAD + "[[attackers]]\nname = 'n'\ncolumns = 'a'\n", "line 4.*list of column names"),
        (HEAD + "[[attackers]]\nname = 'n'\ncolumns = ['a']\nreach = 2\n", "no such key"),
        (HEAD + "[[attackers]]\nname = 'n'\ncolumns = ['a']\nwithin = { a = 'two' }\n", "columns and numbers"),
        (HEAD + "[[attackers]]\nname = 'n'\ncolumns = ['a']\nwithin = { b = 2 }\n", "not among the known columns"),
        (HEAD + "[[attackers]]\nname = 'n'\ncolumns = ['a']\nwrong = { a = 1.5 }\n", "share from 0 to below 1"),
        (HEAD + "[[attackers]]\nname = 'n'\ncolumns = ['a']\nknown = 0\n", "share above 0"),
        (HEAD + "[[attackers]]\nname = 'n'\ncolumns = ['a']\n" * 2, "same name"),
    ],
)
def test_a_broken_file_of_attackers_is_named_by_its_line(tmp_path, text, said):
    """File, line, key and problem."""
    file = tmp_path / "attackers.toml"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(AttackError, match=said):
        an.load_attackers(file)


@pytest.mark.parametrize(
    ("release", "options", "said"),
    [
        ({"other": list(range(60))}, {}, "no column in common"),
        (TABLE, {"control": {"other": [1] * 60}}, "no column of the original"),
        (TABLE, {"control": TABLE}, "60 of the 60 control records say the same"),
        (TABLE, {"control": {name: values[:5] for name, values in drawn(9, 60, age=30, sex=2).items()}}, "The control has 5 people"),
        ({"age": ["young"] * 60, "sex": TABLE["sex"]}, {}, "'age': 1 labels in 60 of 60"),
        ({name: values[:50] for name, values in TABLE.items()}, {"paired": True}, "50 records and the original 60"),
        (TABLE, {"key": "sex"}, ""),
    ],
)
def test_a_sentence_for_what_cannot_be_attacked(release, options, said):
    """Counts and names of columns, never a value."""
    control = options.pop("control", None)
    if not said:
        attack(release, TABLE, control, know=["age"], **options)
        return
    with pytest.raises(AttackError, match=said) as error:
        attack(release, TABLE, control, know=["age", "sex"], **options)
    assert "young" not in str(error.value)


def test_too_few_people_say_nothing():
    """A rate over a handful is refused."""
    few = {name: values[:10] for name, values in TABLE.items()}

    with pytest.raises(AttackError, match="The original has 10 people"):
        attack(few, few)


def test_people_who_are_in_both_are_counted_and_named_by_the_column():
    """Where a column tells people apart, one of them is enough."""
    one = {"id": list(range(60)), **TABLE}
    two = {"id": list(range(59, 119)), **drawn(3, 60, age=30, sex=2)}

    with pytest.raises(AttackError, match="1 of the 60 people of the control are in the original"):
        attack(one, one, two, person="id", know=["age", "sex"])


def test_options_that_mean_nothing():
    """No such attack, no targets, an attacker who knows what nobody has."""
    with pytest.raises(OptionError, match="No attack is called 'guess'"):
        attack(TABLE, TABLE, attacks=["guess"])
    with pytest.raises(OptionError, match="at least 1"):
        attack(TABLE, TABLE, targets=0)
    with pytest.raises(ColumnNotFound):
        attack(TABLE, TABLE, attackers=[an.Attacker(name="x", columns=("weight",))])
    with pytest.raises(AttackError, match="does not hold numbers or days"):
        words = {"a": [f"word{i % 9}" for i in range(60)]}
        attack(words, words, attackers=[an.Attacker(name="x", columns=("a",), within={"a": 2})])
    with pytest.raises(OptionError, match="read"):
        an.attack("release.csv", "original.csv")


def test_records_in_another_order_are_not_taken_for_the_same_peoples():
    """Unless somebody says so; what needs to know is then not measured, and says why."""
    table = drawn(1, 300, age=40, sex=2, zip=30)
    mixed = {name: values[150:] + values[:150] for name, values in table.items()}
    found = attack(mixed, table, attacks=["linkability", "downcoding"])

    assert only(found, "linkability", "nearest").status == "not measured"
    assert only(found, "linkability", "candidates").status == "measured"
    assert any("no better in their order than by chance" in note for note in found.notes)
    assert only(attack(mixed, table, attacks=["linkability"], paired=True), "linkability", "nearest").success < 0.1


def test_a_key_pairs_what_stands_in_another_order():
    """Records that the release lacks count as not found."""
    table = {"id": list(range(100)), **drawn(1, 100, age=90, zip=90)}
    kept = {name: values[:20:-1] for name, values in table.items()}
    found = attack(kept, table, key="id", know=["age", "zip"], attacks=["linkability"])

    assert only(found, "linkability", "nearest").success == pytest.approx(0.79, abs=0.02)


def test_no_value_is_in_any_error():
    """Whatever is wrong with the labels."""
    secret = {"age": ["Ann Smith"] * 60, "sex": TABLE["sex"]}

    with pytest.raises(AnonscopeError) as error:
        attack(secret, TABLE, know=["age", "sex"])
    assert "Ann" not in str(error.value)


def test_a_role_of_no_column_is_no_attack_that_was_not_measured():
    """A misspelt sensitive attribute would be attacked by nobody, and the page would look as if little could be found."""
    with pytest.raises(ColumnNotFound, match="No column is named 'il'"):
        attack(TABLE, TABLE, know=["age"], sensitive=["il"])
