"""What anybody would write first: the longest name that stands in a question, and the best known entity of it."""

from factmill.home import Home
from factmill.linking.words import is_weak, words_of
from factmill.manifest import Stage
from factmill.warehouse import Warehouse

_MOST_WORDS = 12


class LongestNames:
    """Links a question to the best known entity of its longest name."""

    def __init__(self, home: Home) -> None:
        with home.scratch() as scratch, Warehouse(scratch) as warehouse:
            warehouse.attach(Stage.current(home, "wikidata"))
            warehouse.run("linkable_entities")
            warehouse.run("linked_names")
            rows = warehouse.query(
                "select name, entity from linked_names join linkable_entities using (number)"
                " order by popularity, entity"
            )
        names = zip(rows["name"].to_pylist(), rows["entity"].to_pylist(), strict=True)
        self._entities: dict[str, str] = {" ".join(words_of(name)): entity for name, entity in names}

    def is_name(self, text: str) -> bool:
        """Tell whether an entity is called so."""
        return " ".join(words_of(text)) in self._entities

    def best(self, question: str) -> str | None:
        """Return an entity, or None if no name stands in the question."""
        words = words_of(question)
        for length in range(min(_MOST_WORDS, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                piece = words[start : start + length]
                if not all(map(is_weak, piece)) and (entity := self._entities.get(" ".join(piece))):
                    return entity
        return None
