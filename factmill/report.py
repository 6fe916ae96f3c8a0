"""The report of an ablation: a page that works offline, and the table as CSV and JSON."""

import json
from pathlib import Path

from factmill.ablation.page import ablation_page, ablation_tables
from factmill.ablation.result import Ablation
from factmill.errors import ConfigError
from factmill.home import Home, write_atomically
from factmill.plain import plain
from factmill.rejects import run_name
from factmill.reporting.tables import write_tables


def write_report(home: Home, ablation: Ablation) -> Path:
    """Write metrics.json, ablation.csv, each table and report.html to a run folder; return the page."""
    folder = home.run(run_name("ablate"))
    try:
        folder.mkdir(parents=True)
        write_atomically(folder / "metrics.json", json.dumps(plain(ablation), ensure_ascii=False, indent=2) + "\n")
        write_atomically(folder / "ablation.csv", _csv(ablation))
        write_tables(folder, *ablation_tables(ablation))
        write_atomically(folder / "report.html", ablation_page(ablation))
    except OSError as error:
        raise ConfigError(f"cannot write the report to {folder}: {error.strerror}.") from error
    return folder / "report.html"


def _csv(ablation: Ablation) -> str:
    import polars as pl

    # Tables differ in their columns, and the first row of each has no deltas.
    frames = [
        pl.DataFrame(table.rows(), infer_schema_length=None).select(
            pl.lit(table.title).alias("table"), pl.lit(table.questions).alias("questions"), pl.all()
        )
        for table in ablation.tables
    ]
    return pl.concat(frames, how="diagonal_relaxed").write_csv()
