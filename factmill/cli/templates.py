"""`factmill templates`: list, lint, preview."""

from pathlib import Path
from typing import Annotated, Any

import typer

from factmill.cli.options import HomeOption, JsonOption, open_home
from factmill.cli.output import print_json, print_table, say

templates_app = typer.Typer(help="Question templates: list, lint, preview.", no_args_is_help=True)


@templates_app.command("list")
def list_templates(as_json: JsonOption = False) -> None:
    """List the templates and their wordings.

    Example: factmill templates list
    """
    from factmill.templates import catalogue

    templates = catalogue().values()
    if as_json:
        print_json(
            [{"shard": t.shard, "label": t.matter.label, "wordings": t.wordings, "file": t.path} for t in templates]
        )
        return
    print_table(["shard", "label", "wording"], [(t.shard, t.matter.label, tuple(t.wordings)) for t in templates])


@templates_app.command()
def lint(
    files: Annotated[list[Path] | None, typer.Argument(help="Template files; default: all of the project.")] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="Also name subject types that no staged subject has.")
    ] = False,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what is wrong with templates; status 1 if anything is.

    Example: factmill templates lint my_template.j2
    """
    from factmill.lint import lint as run
    from factmill.templates import template_files

    paths = files or template_files()
    findings = run(paths)
    if staged:
        from factmill.type_constraints import unmatched_types

        findings += unmatched_types(open_home(home), paths)
    if as_json:
        print_json([{"file": finding.path, "message": finding.message} for finding in findings])
    else:
        for finding in findings:
            say(f"{finding.path}: {finding.message}")
        say(f"{len(paths):,} templates, {len(findings):,} findings.")
    if findings:
        raise typer.Exit(1)


@templates_app.command()
def preview(
    template: Annotated[str, typer.Argument(help="A shard (wikidata/P175), its predicate (P175) or a template file.")],
    n: Annotated[int, typer.Option("-n", min=1, max=1000, help="How many pairs to show.")] = 10,
    home: HomeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Render a template on staged facts and show the fact beside each pair. Nothing is written.

    Example: factmill templates preview P175 -n 10
    """
    from factmill.steps import preview as run

    shown = run(open_home(home), template, n)
    if as_json:
        print_json(shown)
        return
    print_table(
        ["question", "answer", "fact"],
        [(pair["question"], pair["answer"][0], _fact(shown.label, pair)) for pair in shown.pairs],
    )
    say(f"{shown.n_facts:,} facts about the best known subjects give {shown.n_pairs:,} pairs.")
    for reason, count in shown.refused.items():
        say(f"  refused: {count:,}, {reason}")
    say(f"Next: factmill augment {shown.shard} --dry-run")


def _fact(label: str, pair: dict[str, Any]) -> str:
    return f"{pair['subject']} ({pair['subject_label']}), {label}: {', '.join(pair['objects'][:3])}"
