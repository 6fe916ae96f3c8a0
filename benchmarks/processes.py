"""Processes that start in an instant: each is forked from a server that has imported everything and done nothing."""

import multiprocessing
import os
import sys
from multiprocessing.context import ForkServerContext

_PRELOADED = ["factmill.cli.app", "factmill.corpus", "factmill.importing", "factmill.steps"]


def quick_processes() -> ForkServerContext:
    """Return the context in which processes start at once."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


def run_factmill(*words: str) -> None:
    """Be the process of one command, in silence but for errors."""
    from factmill.cli import main

    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (the process ends with it)
    sys.argv = ["factmill", *words]
    main()
