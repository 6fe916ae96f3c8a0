"""The documents say what the code does: commands, settings, columns, SQL headers, template keys, dependencies."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from factmill.ablation.experiment import Experiment
from factmill.cli.reference import reference
from factmill.export.formats import FormatName, Options
from factmill.facts import IdSpace
from factmill.front_matter import FrontMatter
from factmill.manifest import Manifest
from factmill.pairs import PAIR_SCHEMA
from factmill.presets import FixedThresholds
from factmill.selection import SelectedPredicate
from factmill.settings import Settings
from factmill.thresholds import Thresholds
from factmill.warehouse import Warehouse
from tests.conftest import ROOT

SQL_FILES = sorted((ROOT / "sql").rglob("*.sql"))


def _first_cells(page: str, heading: str = "# ") -> list[str]:
    """Return the first column of the first table after a heading."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8").split(heading, 1)[1]
    table = text.split("\n|---", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)


def test_the_command_line_reference_is_what_help_says() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference(), "run `make docs`"


def test_every_setting_is_documented() -> None:
    assert _first_cells("settings.md") == list(Settings.model_fields)


def test_every_figure_and_threshold_of_the_selection_is_documented() -> None:
    cells = _first_cells("selection.md", "## The figures")
    assert ", ".join(cells).split(", ") == [field.name for field in fields(SelectedPredicate)]
    thresholds = [field.name for field in fields(Thresholds)]
    assert sorted(_first_cells("selection.md", "## The thresholds")) == sorted(thresholds)
    assert list(FixedThresholds.model_fields) == thresholds


def test_every_column_is_documented() -> None:
    assert _first_cells("formats.md", "## Staged facts") == IdSpace.TEXT.fact_schema().names
    assert _first_cells("formats.md", "## Question-answer pairs") == PAIR_SCHEMA.names


def test_the_identity_of_a_pair_is_as_documented(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    found = re.search(r"Test vector: `(.+?)`, `(.+?)`, `(.+?)` give `([0-9a-f]{32})`", page)
    assert found is not None
    shard, wording, subject, qa_id = found.groups()
    with Warehouse(tmp_path) as warehouse:
        made = warehouse.query(f"select qa_id('{shard}', '{wording}', ['{subject}']) as qa_id")
        composed, decomposed = (
            warehouse.query(f"select qa_id('a/b', 'w', ['{text}']) as qa_id")["qa_id"] for text in ("é", "e\u0301")
        )
    assert made["qa_id"].to_pylist() == [qa_id]
    assert composed == decomposed


def test_every_export_format_and_its_options_are_documented() -> None:
    page = (ROOT / "docs" / "exports.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == list(get_args(FormatName))
    for option in fields(Options):
        assert f"--{option.name.replace('_', '-')}" in page


def test_every_template_key_is_documented() -> None:
    assert _first_cells("templates.md", "## The keys") == list(FrontMatter.model_fields)


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = {re.split(r"[<>=;]", text)[0].lower() for text in project["dependencies"]}
    cells = ", ".join(_first_cells("decisions.md", "## Dependencies")).replace(" (bound)", "").lower()
    assert named == set(cells.split(", "))


@pytest.mark.parametrize("path", SQL_FILES, ids=lambda path: path.stem)
def test_every_sql_file_states_what_it_reads_and_writes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    is_check = path.parent.name == "checks"
    for word in ("reads", "returns" if is_check else "writes") + (() if is_check else ("params",)):
        assert f"\n-- {word}: " in text
    if not is_check:
        created = re.findall(r"create or replace (?:table|view|macro) (\w+)", text)
        assert created == [path.stem]
    statement = re.sub(r"--.*", "", text)
    assert statement.count(";") == 1, "one statement a file"
    asked = set(re.findall(r"\$(\w+)", statement))
    stated = set(re.findall(r"\$(\w+)", text.split("params:", 1)[-1].split("\n", 1)[0]))
    assert asked == stated


def test_the_lock_has_hashes_and_names_no_index() -> None:
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    assert not re.search(r"^--", text, re.MULTILINE)
    for entry in re.split(r"\n(?=\S)", text):
        if not entry.startswith("#") and "==" in entry:
            assert "--hash=sha256:" in entry, entry


def test_a_manifest_has_no_field_that_differs_between_machines_but_the_clock() -> None:
    assert {"staged_at", "seconds"} <= set(Manifest.model_fields)
    assert not {"path", "host", "user"} & set(Manifest.model_fields)


def test_the_readme_names_only_commands_that_exist() -> None:
    known = set(re.findall(r"^## factmill (.+)$", reference(), re.MULTILINE))
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            for words in re.findall(r"^(?:\$ )?factmill ([a-z ]+)", block, re.MULTILINE):
                assert any(words.strip().startswith(name) for name in known), f"{page.name}: factmill {words}"


def test_every_key_of_an_experiment_is_documented() -> None:
    assert _first_cells("ablation.md", "## Experiments as files") == list(Experiment.model_fields)
    example = re.search(r"```toml\n(.*?)```", (ROOT / "docs" / "ablation.md").read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    Experiment.model_validate(tomllib.loads(example[1]))
