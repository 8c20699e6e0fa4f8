#!/usr/bin/env python3
"""Measures what questions about the slices of a data set cost, in DuckDB, DataFusion and Spark.

    fleet.py DATA_SET FOLDER

DATA_SET is what `spall convert` writes, of many traces: those that `generate` makes, or a fleet's own. Each line gives the processor
time of all threads, user and system, the wall time, and the greatest resident memory. Then the slices are written again as
few files into FOLDER, which must not exist and is removed at the end, and DuckDB is asked again. Engines whose Python
packages are not installed are named.
"""

import os
import pathlib
import shutil
import sys
import time

# Traces that become one file.
COMPACTED = 100

QUESTIONS = {
    "one trace": "select name, sum(self_dur) as self_dur from slice where trace_id = '{trace}' group by name"
    " order by self_dur desc nulls last limit 10",
    "count": "select count(*) from slice",
    "all slices": "select name, count(*), sum(self_dur) as self_dur from slice group by name"
    " order by self_dur desc nulls last, name limit 10",
    "one name, by trace": "select trace_id, count(*), max(dur) from slice where name = '{name}' group by trace_id"
    " order by trace_id limit 10",
    "percentile of a name": "select percentile_cont(0.99) within group (order by dur) from slice where name = '{name}'",
}


def measured(what, work):
    """Runs `work` in a process of its own, and prints what that takes."""
    sys.stdout.flush()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            print(f"{what}: {error}", file=sys.stderr)
            os._exit(1)
    _, status, usage = os.wait4(child, 0)
    cost = f"{usage.ru_utime + usage.ru_stime:.2f} s of processor, {time.monotonic() - start:.1f} s, {usage.ru_maxrss // 1024} MiB"
    print(f"{what}: {'failed' if status else cost}", flush=True)


def duckdb(folder, sql):
    import duckdb

    connection = duckdb.connect()
    files = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
    connection.execute(f"create view slice as select * from {files}")
    return connection.execute(sql).fetchall()


def datafusion(folder, sql):
    import datafusion
    import pyarrow

    context = datafusion.SessionContext()
    context.register_parquet("slice", str(folder), table_partition_cols=[("trace_id", pyarrow.string())])
    return context.sql(sql).to_pydict()


def spark(folder, sql):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = session.config("spark.ui.showConsoleProgress", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.read.parquet(str(folder)).createOrReplaceTempView("slice")
    answer = session.sql(sql).collect()
    # Java's processor time counts once it has ended.
    session.stop()
    session.sparkContext._gateway.shutdown()
    session.sparkContext._gateway.proc.stdin.close()
    session.sparkContext._gateway.proc.wait()
    return answer


def compact(folder, to):
    """Writes the slices of many traces as few files, sorted by trace, track and time."""
    import duckdb

    to.mkdir()
    connection = duckdb.connect()
    connection.execute("set memory_limit = '4GB'")
    connection.execute(f"set temp_directory = '{to.parent / 'temporary'}'")
    files = sorted(str(file) for file in folder.glob("*/*.parquet"))
    for number in range(0, len(files), COMPACTED):
        some = files[number : number + COMPACTED]
        connection.execute(
            f"copy (select * from read_parquet({some}, hive_partitioning = true) order by trace_id, track_id, ts)"
            f" to '{to}/{number}.parquet' (format parquet, parquet_version v2)"
        )


def n_bytes(folder):
    return sum(file.stat().st_size for file in folder.rglob("*.parquet"))


def main():
    data_set, folder = map(pathlib.Path, sys.argv[1:])
    many, few = data_set / "slice", folder / "few"
    trace = next(many.iterdir()).name.removeprefix("trace_id=")
    name, n_slices, of_all = duckdb(
        many, "select name, count(*), sum(count(*)) over () from slice group by name order by 2 desc, 1 limit 1"
    )[0]
    print(f"{len(list(many.iterdir()))} traces, {of_all} slices, {n_bytes(many)} bytes; {n_slices} slices are {name!r}")
    questions = {
        question: sql.replace("{name}", name).replace("{trace}", trace) for question, sql in QUESTIONS.items()
    }
    for engine in (duckdb, datafusion, spark):
        for question, sql in questions.items():
            measured(f"{engine.__name__}: {question}", lambda: engine(many, sql))
    folder.mkdir()
    try:
        measured("compaction", lambda: compact(many, few))
        print(f"{len(list(few.iterdir()))} files, {n_bytes(few)} bytes")
        for question, sql in questions.items():
            measured(f"duckdb, few files: {question}", lambda: duckdb(few, sql))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
