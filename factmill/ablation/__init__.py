"""Ablation: what each part of the corpus is worth, from one search pass.

experiment.py   what is compared, as a TOML file or options
rankings.py     each question searched once in each shard and view of it
variants.py     which combinations there are; each is a merge of stored rankings
tables.py       what each variant gains and loses against another, with what was retrieved
selection.py    choosing shards on a development set: by a least gain, or forward
curing.py       choosing what keeps a shard from doing harm
run.py          an experiment from one end to the other
result.py       what comes out
"""
