"""Named entities by a spaCy model of the user's own: for questions about what no staged source knows.

spaCy is not among factmill's dependencies; it is imported when it is asked for.
"""

import importlib
from collections.abc import Sequence

from factmill.errors import ConfigError
from factmill.linker import Mention


def named_entities(questions: Sequence[str], model: str = "en_core_web_sm") -> list[list[Mention]]:
    """Return the names that a model sees in each question; `entity` is empty and `label` the model's kind of name."""
    try:
        spacy = importlib.import_module("spacy")
        nlp = spacy.load(model)
    except ImportError as error:
        raise ConfigError(
            f"spaCy is not installed. Run `pip install spacy` and `python -m spacy download {model}`."
        ) from error
    except OSError as error:
        raise ConfigError(f"there is no spaCy model {model!r}. Run `python -m spacy download {model}`.") from error
    return [
        [Mention(one.start_char, one.end_char, one.text, "", one.label_, 1.0) for one in doc.ents]
        for doc in nlp.pipe(questions)
    ]
