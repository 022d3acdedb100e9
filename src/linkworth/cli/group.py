"""Groups of verbs that answer an unknown one with what is there."""

import difflib
from collections import Counter
from collections.abc import Sequence

import rich_click as click


class VerbGroup(click.RichGroup):
    """A group of verbs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order in which they are added, which is that of their use."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb at the start of the arguments.

        Raises UsageError with the nearest verbs for an unknown one, and for an option that takes one value and has several.
        """
        verbs = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in verbs:
            near = difflib.get_close_matches(args[0], verbs, n=2, cutoff=0.6)
            meant = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(verbs)}"
            among = "" if ctx.parent is None else f" of {ctx.command_path}"
            raise click.UsageError(f"there is no verb {args[0]!r}{among}; {meant}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None and not isinstance(command, click.Group) and not ctx.resilient_parsing:
            _refuse_repeated(command, rest)
        return name, command, rest


def _refuse_repeated(command: click.Command, words: Sequence[str]) -> None:
    """Raise UsageError for an option that is given twice, of which click would take the last without a word."""
    context = click.Context(command, **command.context_settings)
    try:
        *_, order = command.make_parser(context).parse_args(list(words))
    except click.UsageError:
        return  # the verb itself reports it
    for option, times in Counter(order).items():
        if not isinstance(option, click.Option) or option.multiple or option.count:
            continue
        if times > 1 and (option.secondary_opts or not option.is_flag):
            names = " or ".join([option.opts[0], *option.secondary_opts[:1]])
            raise click.UsageError(f"{names} is given {times} times; give it once")
