"""Type constraints that match nothing: subject types of a template that no staged subject has."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from factmill.asked import SUBCLASS_OF
from factmill.errors import ConfigError
from factmill.facts import IdSpace
from factmill.home import Home
from factmill.lint import Finding
from factmill.manifest import Stage, staged_sources
from factmill.settings import settings
from factmill.templates import Template, parse_template
from factmill.warehouse import Warehouse


def unmatched_types(home: Home, paths: Iterable[Path]) -> list[Finding]:
    """Return the types that no staged subject of their predicate has; what is not staged says nothing."""
    typed = defaultdict(list)
    for path in paths:
        try:
            template = parse_template(path)
        except ConfigError:
            # The linter says so.
            continue
        if template.matter.subject_types:
            typed[template.shard.source].append(template)
    sources = staged_sources(home)
    if not sources:
        raise ConfigError(f"nothing is staged in {home.root}. Run `factmill stage …` first, or lint without --staged.")
    return [finding for source in sources for finding in _of_source(home, Stage.current(home, source), typed[source])]


def _of_source(home: Home, stage: Stage, templates: list[Template]) -> list[Finding]:
    if not templates:
        return []
    ids = stage.manifest.ids
    rows = [
        (str(template.shard), ids.stored_predicate(template.shard), template.matter.inverse, type_)
        for template in templates
        for type_ in template.matter.subject_types
    ]
    shards, predicates, inverse, types = zip(*rows, strict=True)
    names = {"shard": shards, "predicate": pa.array(predicates, ids.predicate_type), "inverse": inverse, "type": types}
    subclass_of = SUBCLASS_OF if ids is IdSpace.WIKIDATA else None
    read = {*predicates, *([subclass_of] if subclass_of else [])}
    with home.scratch() as scratch, Warehouse(scratch, megabytes=settings().memory_mb) as warehouse:
        warehouse.attach(stage, sorted(read))
        warehouse.load("template_types", pa.table(names))
        warehouse.run("unmatched_types", subclass_of=subclass_of)
        found = warehouse.rows("unmatched_types")
    paths = {str(template.shard): template.path for template in templates}
    return [
        Finding(paths[shard], f"the subject type '{type_}' fits none of the {n_subjects:,} subjects that are staged.")
        for shard, type_, n_subjects in found
    ]
