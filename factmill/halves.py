"""Two halves of any set of questions: the even one is for tuning, the odd one is what figures are reported on.

Which half a question is in depends on its text alone, so it is the same in every file, order and programme.
"""

import hashlib


def is_for_tuning(question: str) -> bool:
    """Tell whether a question is in the even half: whether the first byte of its SHA-256 is even.

    >>> is_for_tuning("who sang it"), is_for_tuning("who wrote dune")
    (True, False)
    """
    return hashlib.sha256(question.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 0
