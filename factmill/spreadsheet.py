"""Texts in CSV files that people open in a spreadsheet."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    >>> harmless_cell("=1+1"), harmless_cell("who sang it")
    ("'=1+1", 'who sang it')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text
