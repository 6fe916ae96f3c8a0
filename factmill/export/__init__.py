"""Exports: the corpus as files that other tools read unchanged. docs/exports.md describes each format for its readers.

chosen.py says which pairs an export holds and counts the others; paq.py, kilt.py and qampari.py turn pairs into lines,
which lines.py writes, with a manifest; hf.py writes Parquet with a data card. formats.py knows them all by name.
"""
