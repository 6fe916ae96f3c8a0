"""What is wrong with a file or options that do not fit their model, in words."""

from pydantic import ValidationError


def explained(error: ValidationError) -> str:
    """Say what the first fault is, as the rest of a sentence about the file."""
    fault = error.errors(include_url=False)[0]
    key = ".".join(map(str, fault["loc"]))
    if fault["type"] == "missing":
        return f"lacks '{key}'"
    if fault["type"] == "extra_forbidden":
        return f"has an unknown key '{key}'"
    message = fault["msg"].removeprefix("Value error, ")
    return f"has a wrong '{key}': {message}" if key else message
