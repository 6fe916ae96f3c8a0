"""Tables of a run, as files for people, spreadsheets and papers: CSV, Parquet and LaTeX."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmill.home import write_atomically
from factmill.spreadsheet import harmless_cell

_LEAST = 0.005
"""What two decimals show as nought."""


@dataclass(frozen=True)
class Table:
    """A table with a name for its files and a title for its readers; None is an empty cell."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    note: str = ""

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Tell which columns hold numbers and nothing else; one without a value holds none."""
        columns = [[row[n] for row in self.rows if row[n] is not None] for n in range(len(self.columns))]
        return tuple(bool(cells) and all(isinstance(cell, int | float) for cell in cells) for cells in columns)


def write_tables(folder: Path, *tables: Table) -> None:
    """Write each table three times, under its name."""
    for table in tables:
        write_atomically(folder / f"{table.name}.csv", to_csv(table))
        write_atomically(folder / f"{table.name}.tex", to_latex(table))
        _write_parquet(folder / f"{table.name}.parquet", table)


def to_csv(table: Table) -> str:
    """Return a table as CSV; a text that a spreadsheet would run as a formula begins with an apostrophe."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(map(harmless_cell, table.columns))
    writer.writerows([harmless_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in table.rows)
    return text.getvalue()


def to_latex(table: Table) -> str:
    r"""Return a table as LaTeX, for the package booktabs.

    >>> print(to_latex(Table("t", "", ("name", "n"), (("ab", 1),))), end="")
    \begin{tabular}{lr}
    \toprule
     name   &   n \\
    \midrule
     ab     &   1 \\
    \bottomrule
    \end{tabular}
    """
    from tabulate import tabulate

    cells = [["" if cell is None else _shown(cell) for cell in row] for row in table.rows]
    align = ["right" if is_number else "left" for is_number in table.numeric]
    return tabulate(cells, table.columns, "latex_booktabs", colalign=align, disable_numparse=True) + "\n"


def decimal(number: float) -> str:
    """Return a number with two decimals, or as many as it takes to be no nought.

    >>> decimal(3.14159), decimal(12345.0), decimal(8.1e-18), decimal(0.0)
    ('3.14', '12,345.00', '8e-18', '0.00')
    """
    return f"{number:.0e}".replace("e-0", "e-") if 0 < abs(number) < _LEAST else f"{number:,.2f}"


def _shown(cell: Any) -> str:
    # An empty line would end a paragraph.
    return decimal(cell).replace(",", "") if isinstance(cell, float) else " ".join(str(cell).split())


def _write_parquet(path: Path, table: Table) -> None:
    import polars as pl

    columns = {}
    for n, (name, is_number) in enumerate(zip(table.columns, table.numeric, strict=True)):
        cells = [row[n] if is_number or row[n] is None else str(row[n]) for row in table.rows]
        kind = pl.Float64 if any(isinstance(cell, float) for cell in cells) else pl.Int64
        columns[name] = pl.Series(cells, dtype=kind if is_number else pl.String)
    temporary = path.with_name(f".{path.name}")
    pl.DataFrame(columns).write_parquet(temporary)
    temporary.replace(path)
