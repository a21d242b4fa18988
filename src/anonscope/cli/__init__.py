"""The command line: parse, call, print, exit."""

import os
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module

import typer

from anonscope.cli import limited
from anonscope.cli.grouped import Grouped
from anonscope.errors import AnonscopeError, ColumnsWithoutRole, Defect, IdentifierGiven, NotPublished, PersonNotNamed, RecordsLinked, lack
from anonscope.version import VERSION

# Every command is a function in the module of its name.
COMMANDS = (
    "audit",
    "demo",
    "suggest",
    "precheck",
    "associations",
    "fragmentation",
    "hierarchy",
    "recipe",
    "explore",
    "plan",
    "anonymise",
    "pipeline",
    "fragment",
    "answer",
    "synthesise",
    "apply",
    "verify",
    "check",
    "sign-off",
    "describe",
    "intruder-test",
    "register",
    "seal",
    "compare",
    "link",
    "attack",
    "unicity",
    "approximate",
    "serve",
    "mcp",
    "doctor",
)


@cache
def application(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command line with these commands; reading the options of all would take as long as a small audit."""
    app = typer.Typer(
        name="anonscope",
        cls=Grouped,
        help="May this table about people be released? Measures re-identification risk and says why not.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,  # tracebacks would show local variables, and those hold data
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name in names:
        function = name.replace("-", "_")
        app.command(name)(getattr(import_module(f"anonscope.cli.{function}"), function))
    return app


def _version(value: bool) -> None:
    if value:
        typer.echo(f"anonscope {VERSION}")
        raise typer.Exit()


def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version and exit."),
) -> None:
    pass


def __getattr__(name: str) -> typer.Typer:
    """Return the whole command line as `app`, made when somebody asks for it."""
    if name == "app":
        return application()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main() -> None:
    """Run; 0 policy met, 1 not met or withheld, 2 unusable input, 3 a defect of ours, 130 interrupted."""
    if limited.memory() is not None:
        limited.go_on_in_a_child()
    try:
        application(_wanted())()
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


def _wanted() -> tuple[str, ...]:
    """Return the one command that was called; all of them for help, for what is none, and for a shell that completes what is typed."""
    called = sys.argv[1:2]
    return tuple(called) if called and called[0] in COMMANDS and "_ANONSCOPE_COMPLETE" not in os.environ else COMMANDS


def _stop(message: str, status: int) -> None:
    print(message, file=sys.stderr)  # noqa: T201
    sys.exit(status)
