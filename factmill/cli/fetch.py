"""`factmill fetch`: one command a source."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmill.cli.options import JsonOption
from factmill.cli.output import note, print_json, say

if TYPE_CHECKING:
    from factmill.fetch import Fetched

fetch_app = typer.Typer(help="Download a source if it changed, and verify it.", no_args_is_help=True)


@fetch_app.command()
def wikidata(
    to: Annotated[
        Path | None, typer.Option(help="The folder to keep it in.  [default: downloads]", show_default=False)
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="The dump's address.  [default: Wikimedia's latest-truthy.nt.gz]", show_default=False),
    ] = None,
    checksums: Annotated[
        str | None,
        typer.Option(help="The address of a list with its checksum.  [default: looked for]", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch Wikidata's truthy dump. A download that stopped is resumed; the file before stays until it is whole.

    Example: factmill fetch wikidata --to downloads
    """
    from factmill.fetch import fetch_wikidata

    fetched = fetch_wikidata(url, to, checksums, tell=note)
    if as_json:
        print_json(fetched)
        return
    _say_what_is_here(fetched)
    say(f"Next: factmill stage wikidata {fetched.path}")


@fetch_app.command()
def imdb(
    to: Annotated[
        Path | None, typer.Option(help="The folder to keep them in.  [default: downloads/imdb]", show_default=False)
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="The address of the folder.  [default: IMDb's own]", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch IMDb's data sets, those that changed. They are for personal and non-commercial use.

    Example: factmill fetch imdb
    """
    from factmill.fetch import fetch_imdb

    files = fetch_imdb(url, to, tell=note)
    if as_json:
        print_json(files)
        return
    for fetched in files:
        _say_what_is_here(fetched)
    say("IMDb's data sets are for personal and non-commercial use, and not to be passed on.")
    say(f"Next: factmill stage imdb {files[0].path.parent}")


def _say_what_is_here(fetched: "Fetched") -> None:
    if fetched.is_new:
        say(f"Fetched {fetched.path}: {fetched.n_bytes:,} bytes in {fetched.seconds:.1f} s.")
    else:
        say(f"{fetched.path} is unchanged: {fetched.n_bytes:,} bytes.")
    if fetched.checksum:
        say(f"Its {fetched.checksum.algorithm} is that of {fetched.checksum.url}.")
    else:
        say(f"No checksum is published. Its sha256 is {fetched.sha256}.")
