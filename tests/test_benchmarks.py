"""The benchmarks that take minutes run at a small size, too; what they then measure says nothing."""

import gzip
import json
import re
from pathlib import Path

import pytest

from benchmarks import (
    bench_ablate,
    bench_cinemagoer,
    bench_clusters,
    bench_corpus,
    bench_corpus_kills,
    bench_date_policy,
    bench_diff,
    bench_export,
    bench_gaps,
    bench_imdb,
    bench_linker,
    bench_metrics,
    bench_mill,
    bench_norm,
    bench_reindex,
    bench_render,
    bench_search,
    bench_select,
    bench_staging,
    bench_views,
    bench_why,
    bench_writers,
)
from tests.dumps import date, name, write_dump


def test_the_staging_benchmark_measures_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    bench_staging.main(["--megabytes", "1", "2", "--repeats", "1"])
    out = capsys.readouterr().out
    table = [line.replace(",", "").split() for line in out.splitlines() if re.fullmatch(r"( +-?[\d.,]+){9}", line)]
    rows = [list(map(float, line)) for line in table]
    assert [round(row[0]) for row in rows] == [1, 2]
    assert all(figure > 0 for row in rows for figure in row[1:6])
    assert all(megabytes < 700 for row in rows for megabytes in row[7:])
    for reader in ("isal", "pyoxigraph", "rdflib"):
        assert re.search(rf"^{reader}.* \d+\.\d times the processor time of zcat$", out, re.MULTILINE)
    assert re.search(r"^P\d+, [\d,]+ of [\d,]+ facts .* read in 0\.\d+ s, \d+ times faster", out, re.MULTILINE)


def test_the_cinemagoer_benchmark_counts_what_each_side_kept(capsys: pytest.CaptureFixture[str]) -> None:
    bench_cinemagoer.main(["--titles", "2000", "--repeats", "1"])
    told, theirs, ours, ratio, looked_up = capsys.readouterr().out.splitlines()
    assert told == "2,000 titles"
    figures = r"\d+\.\d s, \d+\.\d s of the processors"
    assert re.fullmatch(rf"cinemagoer [\d.]+: {figures}, 0 facts with a character", theirs)
    assert re.fullmatch(rf"factmill stage imdb: {figures}, \d,\d\d\d facts with a character", ours)
    assert re.fullmatch(r"factmill is \d+\.\d times as fast on the clock, \d+\.\d times in processor time", ratio)
    assert re.fullmatch(r"one title looked up by name in \d\.\d\d s", looked_up)


def test_the_imdb_benchmark_measures_time_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    bench_imdb.main(["--titles", "5000", "--repeats", "1"])
    out = capsys.readouterr().out
    assert re.search(r"^ratio: \d+\.\d\d, of the processors \d+\.\d\d; aim 3$", out, re.MULTILINE)
    memory = re.search(r"^memory: (\d+\.\d\d) GB; aim 4$", out, re.MULTILINE)
    assert memory is not None
    assert 0.05 < float(memory[1]) < 4


def test_the_diff_benchmark_counts_as_the_plain_join_does(capsys: pytest.CaptureFixture[str]) -> None:
    bench_diff.main(["--pairs", "2000", "--shards", "2"])
    told, compared, memory, joined, ratio = capsys.readouterr().out.splitlines()
    assert told == "2,000 pairs in 2 shards: 20 added, 38 changed, 20 retired, 1,942 unchanged"
    assert re.fullmatch(r"compared in \d+\.\d s; aim 20", compared)
    assert re.fullmatch(r"memory: \d\.\d\d GB; aim 1\.5", memory)
    assert re.fullmatch(r"plain join in polars: \d+\.\d s, \d\.\d\d GB", joined)
    assert re.fullmatch(r"ratio: \d+\.\d\d, of the memory \d+\.\d\d", ratio)


def test_the_export_benchmark_compares_equal_files(capsys: pytest.CaptureFixture[str]) -> None:
    bench_export.main(["--pairs", "2000", "--repeats", "1"])
    told, ours, theirs, ratio = capsys.readouterr().out.splitlines()
    assert told == "2,000 pairs, 2,000 lines"
    assert re.fullmatch(r"factmill corpus export: [\d,]+ pairs a second \(\d+\.\d s\)", ours)
    assert re.fullmatch(r"loop of json\.dumps: [\d,]+ pairs a second \(\d+\.\d s\)", theirs)
    assert re.fullmatch(r"ratio: \d+\.\d\d", ratio)


def test_the_why_benchmark_matches_every_line(capsys: pytest.CaptureFixture[str]) -> None:
    bench_why.main(["--megabytes", "8", "--pairs", "100", "--single", "2", "--peers", "2", "--shards", "2"])
    _, match, *_, ratio = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"100 of 100 match: \d+ lines read and compared", match)
    assert re.fullmatch(r"ratio: zcat up to the line takes \d+\.\d times as long \(of 2 lines\)", ratio)


def test_the_render_benchmark_compares_equal_outputs(capsys: pytest.CaptureFixture[str]) -> None:
    bench_render.main(5_000)
    rates = [line for line in capsys.readouterr().out.splitlines() if "ratio" in line and "loop" in line]
    assert len(rates) == len(bench_render.WORDINGS)


def test_the_milling_benchmark_gives_what_the_plain_loop_gives(capsys: pytest.CaptureFixture[str]) -> None:
    bench_mill.main(["--facts", "20000", "--labels", "30000"])
    told, a_minute, memory, _, ratio = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"20,000 facts, 30,000 labels: 15,\d\d\d pairs in \d+\.\d s", told)
    assert re.fullmatch(r"a minute: \d+\.\d\d million facts; aim 5", a_minute)
    assert re.fullmatch(r"memory: 0\.\d\d GB; aim 2", memory)
    assert re.fullmatch(r"ratio: \d+\.\d, of the processors \d+\.\d", ratio)


def test_the_selection_benchmark_finds_what_polars_finds(capsys: pytest.CaptureFixture[str]) -> None:
    bench_select.main(["--facts", "20000", "--labels", "10000"])
    told, cost, memory, equal, ours, theirs, ratio = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"20,000 facts of 2,000 predicates, 10,000 labels: 2,0\d\d shards", told)
    assert re.fullmatch(r"selected: \d+\.\d s, \d+\.\d s of the processors; aim 90 s", cost)
    assert re.fullmatch(r"memory: 0\.\d\d GB; aim 2", memory)
    assert re.fullmatch(r"20,000 facts: 2,000 predicates have equal figures; \d\d variants are counted beside", equal)
    assert ours.startswith("selected: ")
    assert theirs.startswith("polars: ")
    assert re.fullmatch(r"ratio: \d+\.\d\d, of the memory \d+\.\d\d", ratio)


def test_the_corpus_benchmark_measures_writing_and_importing(capsys: pytest.CaptureFixture[str]) -> None:
    bench_corpus.main(["--pairs", "2000", "--imported", "2000"])
    written, plain, ratio, imported, memory, loop = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"2,000 pairs: written in \d+\.\d\d s, replaced in \d+\.\d\d s \(2,000 changed\)", written)
    assert re.fullmatch(r"the same rows, from memory to plain Parquet by polars: \d+\.\d\d s", plain)
    assert re.fullmatch(r"ratio: \d+\.\d\d; aim 2\. Replacing: \d+\.\d\d", ratio)
    assert re.fullmatch(r"2,000 pairs imported in \d+\.\d s: [\d,]+ a second; aim 200,000", imported)
    assert re.fullmatch(r"memory: 0\.\d\d GB; aim 1\.5\. A million takes [\d.]+ s", memory)
    assert re.fullmatch(r"ratio: [\d.]+ times a loop of json\.loads, which keeps nothing", loop)


def test_kills_lose_nothing_and_double_nothing_in_the_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    bench_corpus_kills.main(["--kills", "4"])
    kills, damage, left, peer, ratio = capsys.readouterr().out.splitlines()
    hits = re.match(r"6 kills: (\d+) before the write, (\d+) during the write, (\d+) after the commit; ", kills)
    assert hits is not None
    assert sum(map(int, hits.groups())) == 6
    assert damage == "0 rows lost, 0 duplicated, 0 half shards"
    assert re.fullmatch(r"\d+ files were left in the corpus, all of which a vacuum finds", left)
    assert re.fullmatch(r"plain appender, 4 kills: [\d,]+ rows duplicated, \d+ torn", peer)
    assert re.fullmatch(r"ratio: 0 to [\d,]+ rows duplicated, in \d+ s", ratio)


def test_many_writers_make_a_version_of_each_real_change(capsys: pytest.CaptureFixture[str]) -> None:
    bench_writers.main(["--rounds", "4"])
    told, versions, same, damage = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"4 rounds of 12 writers: 48 writes in \d+\.\d s", told)
    found = re.fullmatch(r"(\d+) versions: 16 of shards of their own, (\d+) of the shared one", versions)
    assert found is not None
    assert int(found[1]) == 16 + int(found[2])
    assert same == f"{48 - int(found[1])} writes found their rows there already and made no version"
    assert damage == "0 rounds or versions were wrong"


def test_the_linker_benchmark_measures_memory_without_real_data(capsys: pytest.CaptureFixture[str]) -> None:
    bench_linker.main(["--names", "20000", "--shared", "/nowhere"])
    told = capsys.readouterr().out.strip()
    assert re.fullmatch(r"20,000 names: 0\.\d\d GB at most, aim 2; started and opened in \d+ s", told)


def test_the_search_benchmark_compares_equal_scores(capsys: pytest.CaptureFixture[str]) -> None:
    bench_search.main(["--pairs", "9000", "--shards", "4", "--queries", "50"])
    told = capsys.readouterr().out
    assert "Merged scores equal: True" in told
    assert re.search(r"memory, everything touched: [\d,]+ bytes a pair", told)


def test_the_reindexing_benchmark_reaches_the_same_digest(capsys: pytest.CaptureFixture[str]) -> None:
    bench_reindex.main(["--pairs", "6000"])
    told = capsys.readouterr().out
    assert "6,000 pairs, 60 of them new" in told
    assert "Digests equal: True" in told


def test_the_view_benchmark_measures_the_room_of_views(capsys: pytest.CaptureFixture[str]) -> None:
    bench_views.main(["--pairs", "2000"])
    assert re.search(r"more room: [\d.]+%; aim 1%", capsys.readouterr().out)


def test_the_metrics_benchmark_counts_as_its_peer_does(capsys: pytest.CaptureFixture[str]) -> None:
    bench_metrics.main(["--predictions", "3000"])
    told, ours, plain, ratio = capsys.readouterr().out.splitlines()
    assert told == "3,000 predictions, 9,000 gold answers: 1,000 right"
    assert re.fullmatch(r"exact_match: \d+\.\d s; aim 20", ours)
    assert re.fullmatch(r"plain: \d+\.\d s", plain)
    assert re.fullmatch(r"ratio: \d+\.\d", ratio)


def test_the_benchmark_of_em_norm_compares_equal_exact_matches(capsys: pytest.CaptureFixture[str]) -> None:
    bench_norm.main(["--names", "5000", "--questions", "60"])
    told, seconds, parts, equal, ratio = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"60 questions, 50 candidates each; opened in \d+\.\d s", told)
    assert re.fullmatch(r"prepared in \d+\.\d s, marked in \d+\.\d s; aim 60 s together", seconds)
    assert re.fullmatch(r"wrong 2,9\d\d, exact \d+, name \d+, date \d+, amount \d+", parts)
    assert equal == "exact matches equal: True"
    assert re.fullmatch(r"exact match alone: \d+\.\d s; ratio \d+\.\d\d", ratio)


def test_the_date_policy_benchmark_scores_every_way_to_write_a_date(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = [name("Q1", "Jaws"), date("Q1", "P577", "1975-06-20"), name("Q2", "Heat"), date("Q2", "P577", "1995-01-01")]
    (tmp_path / "wikidata").mkdir()
    write_dump(tmp_path / "wikidata" / "subset.truthy.nt.gz", lines)
    questions = {
        "nq_dev": [("when did jaws come out", "June 20 , 1975"), ("when was heat released", "1995"), ("who", "1995")],
        "simplequestions_wd_train": [("who wrote jaws", "1975")],
        "webq_train": [("when did jaws come out", "1976")],
    }
    (tmp_path / "questions").mkdir()
    for each, pairs in questions.items():
        rows = [json.dumps({"question": question, "answer": [answer]}) for question, answer in pairs]
        (tmp_path / "questions" / f"{each}.jsonl.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    bench_date_policy.main(["--shared", str(tmp_path)])
    assert capsys.readouterr().out.splitlines() == [
        "nq_dev: 2 questions ask when; 2 staged dates answer 2 of them",
        "  written as   EM %  EM_norm %  ratio",
        "  year         50.0       50.0   1.00",
        "  full date    50.0      100.0   2.00",
        "  as milled   100.0      100.0   1.00",
        "simplequestions_wd_train: 0 questions ask when; 0 staged dates answer 0 of them",
        "webq_train: 1 questions ask when; 0 staged dates answer 0 of them",
    ]


def test_the_cluster_benchmark_groups_as_all_pairs_do(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["--questions", "2000", "--grouped", "12000"]
    bench_clusters.main([*sizes, "--shared", "/nowhere", "--encoders", "static"])
    timed, grouped, found = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"static: 2,000 questions in \d+\.\d s, aim 60; \d+ clusters of [\d,]+", timed)
    assert re.fullmatch(
        r"  12,000 questions, 1\d,\d{3} wordings grouped in [\d.]+ s, by all pairs in [\d.]+ s: ratio [\d.]+; aim 20",
        grouped,
    )
    told = re.match(r"  of ([\d,]+) near pairs ([\d.]+) % found, [\d,]+ clusters of [\d,]+, ([\d.]+) % of", found)
    assert told is not None
    assert int(told[1].replace(",", "")) > 1_000
    assert float(told[2]) > 95
    assert float(told[3]) > 90


def test_the_gap_benchmark_finds_the_right_predicates(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench_gaps.main(["--questions", "60", "--shared", str(shared)])
    told = capsys.readouterr().out
    assert re.search(r"simplequestions_wd_train.jsonl.gz: 60 questions in .* aim 120 s; \d+ answered", told)
    (share,) = re.findall(r"the right predicate is found for ([\d.]+)% of 60; aim 80%", told)
    assert float(share) >= 80
    assert re.search(r"ratio [\d.]+", told)


def test_the_ablation_benchmark_compares_equal_scores(capsys: pytest.CaptureFixture[str]) -> None:
    bench_ablate.main(["--pairs", "2000", "--shards", "4", "--questions", "60"])
    added, left_out, variant, bootstrap = capsys.readouterr().out.splitlines()
    figures = r"4 variants, \d+ changes, \d+\.\d s; .+: ratio \d+\.\d\d; aim 1\.5"
    assert re.fullmatch(f"predicate: {figures}", added)
    assert re.fullmatch(f"leave-one-out: {figures}", left_out)
    assert re.fullmatch(r"a variant .+: ratio \d+; aim 20\. Equal scores: True", variant)
    assert re.fullmatch(r"bootstrap, 4 variants: \d\.\d\d s; aim 30", bootstrap)
