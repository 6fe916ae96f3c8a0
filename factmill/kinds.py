"""What a value is. Apart from facts.py, because templates name kinds and must not wait for Arrow to load."""

from enum import StrEnum


class Kind(StrEnum):
    """What the object of a fact is."""

    ENTITY = "entity"
    DATE = "date"
    QUANTITY = "quantity"
    TEXT = "text"
    COORDINATE = "coordinate"
    URL = "url"
