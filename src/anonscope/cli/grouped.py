"""The list of commands in `--help`: by what one wants to do, each with its whole first sentence."""

from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "Look": ("audit", "suggest", "precheck", "associations", "unicity", "approximate", "demo"),
    "Repair": ("plan", "explore", "hierarchy", "recipe", "anonymise", "pipeline", "apply"),
    "Check": ("check", "verify", "compare", "link", "attack"),
    "Answer for": ("sign-off", "intruder-test", "seal", "register"),
    "Share": ("fragment", "fragmentation", "synthesise", "answer", "describe"),
    "Serve": ("serve", "mcp", "doctor"),
}


class Grouped(TyperGroup):
    """A group of commands that lists them under headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, every one under one heading."""
        known = {name for names in GROUPS.values() for name in names}
        others = tuple(name for name in self.list_commands(ctx) if name not in known)
        for title, names in {**GROUPS, "Further": others}.items():
            rows = [
                (name, _sentence(command)) for name in names if (command := self.get_command(ctx, name)) is not None and not command.hidden
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _sentence(command: Any) -> str:
    """Return the first sentence of a command's help, uncut."""
    first = (command.help or "").strip().split("\n\n")[0]
    return " ".join(first.split())
