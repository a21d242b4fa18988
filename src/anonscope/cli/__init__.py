"""The command line: parse, call, print, exit."""

import os
import sys

import typer

from anonscope.cli import limited
from anonscope.cli.anonymise import anonymise
from anonscope.cli.answer import answer
from anonscope.cli.apply import apply
from anonscope.cli.approximate import approximate
from anonscope.cli.associations import associations
from anonscope.cli.attack import attack
from anonscope.cli.audit import audit
from anonscope.cli.check import check
from anonscope.cli.compare import compare
from anonscope.cli.demo import demo
from anonscope.cli.describe import describe
from anonscope.cli.doctor import doctor
from anonscope.cli.explore import explore
from anonscope.cli.fragment import fragment
from anonscope.cli.fragmentation import fragmentation
from anonscope.cli.grouped import Grouped
from anonscope.cli.hierarchy import hierarchy
from anonscope.cli.intruder_test import intruder_test
from anonscope.cli.link import link
from anonscope.cli.mcp import mcp
from anonscope.cli.pipeline import pipeline
from anonscope.cli.plan import plan
from anonscope.cli.precheck import precheck
from anonscope.cli.recipe import recipe
from anonscope.cli.register import register
from anonscope.cli.seal import seal
from anonscope.cli.serve import serve
from anonscope.cli.sign_off import sign_off
from anonscope.cli.suggest import suggest
from anonscope.cli.synthesise import synthesise
from anonscope.cli.unicity import unicity
from anonscope.cli.verify import verify
from anonscope.errors import AnonscopeError, ColumnsWithoutRole, Defect, IdentifierGiven, NotPublished, PersonNotNamed, RecordsLinked, lack
from anonscope.version import VERSION

app = typer.Typer(
    name="anonscope",
    cls=Grouped,
    help="May this table about people be released? Measures re-identification risk and says why not.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # tracebacks would show local variables, and those hold data
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:
    if value:
        typer.echo(f"anonscope {VERSION}")
        raise typer.Exit()


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and exit."),
) -> None:
    pass


app.command()(audit)
app.command()(demo)
app.command()(suggest)
app.command()(precheck)
app.command()(associations)
app.command()(fragmentation)
app.command()(hierarchy)
app.command()(recipe)
app.command()(explore)
app.command()(plan)
app.command()(anonymise)
app.command()(pipeline)
app.command()(fragment)
app.command()(answer)
app.command()(synthesise)
app.command()(apply)
app.command()(verify)
app.command()(check)
app.command("sign-off")(sign_off)
app.command()(describe)
app.command("intruder-test")(intruder_test)
app.command()(register)
app.command()(seal)
app.command()(compare)
app.command()(link)
app.command()(attack)
app.command()(unicity)
app.command()(approximate)
app.command()(serve)
app.command()(mcp)
app.command()(doctor)


def main() -> None:
    """Run; 0 policy met, 1 not met or withheld, 2 unusable input, 3 a defect of ours, 130 interrupted."""
    if limited.memory() is not None:
        limited.go_on_in_a_child()
    try:
        app()
    except SystemExit as status:
        if status.code == 130:
            _stop("Interrupted; nothing was written.", 130)
        raise
    except ColumnsWithoutRole as error:
        from anonscope.cli.again import with_words

        _stop(f"{error}{with_words(sys.argv[1:], error)}", 1)
    except PersonNotNamed as error:
        from anonscope.cli.again import with_person

        _stop(f"{error}{with_person(sys.argv[1:], error.column)}", 1)
    except IdentifierGiven as error:
        from anonscope.cli.again import with_reasons

        _stop(f"{error}{with_reasons(sys.argv[1:], error.columns)}", 1)
    except RecordsLinked as error:
        from anonscope.cli.again import with_reasons

        _stop(f"{error}{with_reasons(sys.argv[1:], error.columns)}", 1)
    except NotPublished as error:
        _stop(str(error), 1)
    except AnonscopeError as error:
        _stop(f"Error: {error}", 2)
    except BrokenPipeError:
        # Whoever read our output has had enough; that is no fault of the data.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Defect as error:
        _stop(f"This is a defect in anonscope: {error} Please report it; no data is in this message.", 3)
    except Exception as error:
        if lacking := lack(error):
            _stop(f"Error: {lacking}", 2)
        if isinstance(error, ImportError) and (error.name or "").partition(".")[0] != "anonscope":
            _stop(
                f"Error: {error.name or 'A library'} cannot be loaded. It is not installed as it should be, or there is too little memory.",
                2,
            )
        # The message may quote data, so only the kind of error and the place in our code are shown.
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_qualname} line {place.tb_lineno}" if place else "an unknown place"
        _stop(f"This is a defect in anonscope: {type(error).__name__} in {where}. Please report it; no data is in this message.", 3)


def _stop(message: str, status: int) -> None:
    print(message, file=sys.stderr)  # noqa: T201
    sys.exit(status)
