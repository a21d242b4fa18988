"""The pages show reports with the report's own style, so a class that means something there must mean nothing else here."""

import re
from importlib import resources

# Colour and list marks, which nothing in a chart or a table has.
HARMLESS = {"danger", "plain", "small"}


def test_no_class_of_the_app_restyles_a_report():
    """A rule for a bare class of the app would reach every table and chart of a report that has a class of the same name."""
    app = resources.files("anonscope.web").joinpath("static/style.css").read_text()
    bare = set(re.findall(r"(?m)^\.([a-z][\w-]*)(?= \{)", app))
    report = resources.files("anonscope.report").joinpath("templates")
    used = {name for file in report.iterdir() if file.name.endswith(".css") for name in re.findall(r"\.([a-z][\w-]*)", file.read_text())}
    assert bare & used - HARMLESS == set()
