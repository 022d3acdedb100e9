"""Groups of verbs that answer an unknown one with what is there."""

import difflib

import rich_click as click


class VerbGroup(click.RichGroup):
    """A group of verbs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order in which they are added, which is that of their use."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb at the start of the arguments. Raises UsageError with the nearest verbs otherwise."""
        verbs = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in verbs:
            near = difflib.get_close_matches(args[0], verbs, n=2, cutoff=0.6)
            meant = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(verbs)}"
            among = "" if ctx.parent is None else f" of {ctx.command_path}"
            raise click.UsageError(f"there is no verb {args[0]!r}{among}; {meant}")
        return super().resolve_command(ctx, args)
