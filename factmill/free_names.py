"""Which names a wording takes from outside: those that it uses before it has given them a meaning itself.

Jinja's own function for this compiles the wording, and compiling does what the wording says with constants, which may
take any amount of time and memory. This only reads what was parsed.

>>> from jinja2 import Environment
>>> wording = "{% for word in subject.split() %}{{ loop.index }}{{ word }}{% endfor %}{% set role = role | lower %}"
>>> sorted(free_names(Environment().parse(wording)))
['role', 'subject']
"""

from collections.abc import Iterable

from jinja2 import nodes

_Bound = frozenset[str]


def free_names(tree: nodes.Template) -> set[str]:
    """Return the names that nothing in the wording binds where they stand."""
    free: set[str] = set()
    _read(tree, frozenset(), free)
    return free


def _read(node: nodes.Node, bound: _Bound, free: set[str]) -> _Bound:
    """Add what a node takes from outside; return what is bound after it."""
    match node:
        case nodes.Name(ctx="load"):
            if node.name not in bound:
                free.add(node.name)
            return bound
        case nodes.Name():
            return bound | {node.name}
        case nodes.Assign():
            return _read(node.target, _read(node.node, bound, free), free)
        case nodes.AssignBlock():
            _read_all([node.filter, *node.body], bound, free)
            return _read(node.target, bound, free)
        case nodes.For():
            _read(node.iter, bound, free)
            inside = _read(node.target, bound | {"loop"}, free)
            _read_all([node.test, *node.body], inside, free)
            _read_all(node.else_, bound, free)
            return bound
        case nodes.With():
            _read_all(node.values, bound, free)
            _read_all(node.body, _read_all(node.targets, bound, free), free)
            return bound
        case nodes.Macro() | nodes.CallBlock():
            named = bound | ({node.name} if isinstance(node, nodes.Macro) else set())
            if isinstance(node, nodes.CallBlock):
                _read(node.call, bound, free)
            _read_all(node.defaults, named, free)
            inside = _read_all(node.args, named | {"caller", "varargs", "kwargs"}, free)
            _read_all(node.body, inside, free)
            return named
        case _:
            return _read_all(node.iter_child_nodes(), bound, free)


def _read_all(several: Iterable[nodes.Node | None], bound: _Bound, free: set[str]) -> _Bound:
    for node in several:
        if node is not None:
            bound = _read(node, bound, free)
    return bound
