"""One example of every body that REST takes, about the bundled sample of patients, for the document that describes the interface."""

from typing import Any

_TABLE, _RELEASE, _CONTROL = "mZ0yJ8qkQ1b7n2vXcW5sLA", "Yw3uT6rDf9a1k4mPzE8hGQ", "c7Vn0sRb2xLd5qJt9oKyUw"
_ROLES = {
    "direct_identifiers": ["patient_id", "name"],
    "quasi_identifiers": ["sex", "age", "zip"],
    "sensitive": ["diagnosis"],
    "insensitive": ["length_of_stay"],
}
_WHY = "agreed with the registry"
_RECIPE = 'schema = "anonscope/recipe/1"\n\n[[steps]]\napply = "drop_column"\ncolumn = "name"\n'
_DOMAIN = '[columns.sex]\ncategories = ["female", "male", "other"]\n\n[columns.age]\nlower = 0\nupper = 110\nwhole = true\n'
_ASKED = '[[queries]]\nname = "mean age"\nkind = "mean"\ncolumn = "age"\n'
_QUERIES = f'epsilon = 1\nperson = "patient_id"\nrecords_per_person = 1\n\n{_DOMAIN}\n{_ASKED}'

# By the name of the body in the document.
EXAMPLES: dict[str, dict[str, Any]] = {
    "SuggestAsked": {"dictionary": {"zip": "postcode of the home address"}},
    "AuditAsked": {"roles": _ROLES, "policy": "ema-0070", "acknowledge_rest": _WHY},
    "RecordsAsked": {"top": 20, "rule": "k_anonymity"},
    "GroupsAsked": {"rule": "k_anonymity"},
    "ExplorerAsked": {"policy": "ema-0070"},
    "ExploreAsked": {"levels": {"age": 2, "zip": 1}, "suppression": 0.05},
    "PlanAsked": {"policy": "ema-0070", "suppression": 0.05},
    "AnonymiseAsked": {"limits": {"k_anonymity": 5}, "suppression": 0.05, "acknowledge_rest": _WHY},
    "CompareAsked": {"original": _TABLE, "versions": [1, 2], "utility_weight": 0.4},
    "LinkAsked": {"release": _TABLE, "version": 1, "external": _CONTROL, "columns": {"age": "age_at_election"}},
    "AttackAsked": {"original": _TABLE, "version": 1, "control": _CONTROL},
    "UnicityAsked": {"person": "patient_id", "points": ["age", "zip"], "coarsen": {"age": "10"}, "most": 2},
    "OpenAsked": {"root": 0, "path": "2026/patients.csv"},
    "WorkspaceAsked": {"assign": {"zip": "quasi_identifiers"}, "policy": "ema-0070", "notes": "ask the registry about zip"},
    "ReadingSent": {"delimiter": ",", "encoding": "utf-8"},
    "PreviewAsked": {"rows": 8},
    "BesideAsked": {"table": _CONTROL, "columns": {"age": "age_at_election"}},
    "LadderSent": {"csv": "female;*\nmale;*\nother;*\n"},
    "LadderChange": {"change": "rename", "level": 1, "labels": ["[20-24]"], "name": "early twenties"},
    "PrecheckAsked": {"roles": _ROLES},
    "CheckAsked": {"roles": _ROLES, "policy": "ema-0070", "acknowledge_rest": _WHY},
    "ApproximateAsked": {"roles": _ROLES, "groups": 10_000},
    "AssociationsAsked": {"columns": ["age", "diagnosis"]},
    "AnswerAsked": {"queries": _QUERIES},
    "FragmentationAsked": {"columns": ["sex", "age", "zip"], "number": 2},
    "HierarchyAsked": {"roles": _ROLES},
    "RecipeAsked": {"level": "P2", "roles": _ROLES},
    "DescribeAsked": {"standard": "croissant", "title": "Patients of 2026, in groups of eleven", "license": "CC-BY-4.0"},
    "ApplyAsked": {"recipe": _RECIPE, "acknowledge_rest": _WHY},
    "PipelineAsked": {"roles": _ROLES, "acknowledge_rest": _WHY},
    "FragmentAsked": {"limits": {"k_anonymity": 5}, "acknowledge_rest": _WHY},
    "SignOffAsked": {"version": 1, "edition": "publishable"},
    "SynthesiseAsked": {"method": "tree", "epsilon": 1, "domain": _DOMAIN},
    "BudgetAsked": {"population_name": "patients of 2026", "epsilon": 1},
    "RegisterAsked": {"population_name": "patients of 2026", "recipient": "the university", "version": 1},
    "SealAsked": {"version": 1},
    "IntruderTestAsked": {"questions": 20, "version": 1},
    "OutcomeSent": {"form": "name,age,record\n", "version": 1},
}


def with_examples(document: dict[str, Any]) -> dict[str, Any]:
    """Return an OpenAPI document whose bodies have their examples."""
    schemas = document["components"]["schemas"]
    for name, example in EXAMPLES.items():
        if name in schemas:
            schemas[name]["examples"] = [example]
    return document
