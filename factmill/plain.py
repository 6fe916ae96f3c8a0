"""Results as plain values that JSON can hold."""

import dataclasses
from datetime import date, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from factmill.names import ShardName


def plain(value: Any) -> Any:
    """Turn data classes, models, names, paths and dates into dictionaries, lists and text.

    >>> plain({"shard": ShardName("paq", "base")})
    {'shard': 'paq/base'}
    """
    if isinstance(value, ShardName | Path):
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, BaseModel):
        return plain(dict(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def harmless(text: object) -> str:
    """Return a text on one line without what a terminal would obey.

    >>> harmless("red: " + chr(27) + "[31m")
    'red: �[31m'
    """
    return "".join(character if character.isprintable() else "\ufffd" for character in str(text))
