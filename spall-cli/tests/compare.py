#!/usr/bin/env python3
"""Asks several engines the same questions, and fails if their answers differ.

    compare.py SPALL TOP FILE...

SPALL is the command with the feature `sql`, TOP the built example. The files become a data set in a temporary folder. Each
statement below is answered

- by DataFusion from the files themselves, and from the data set (`spall query`),
- by DuckDB and by Spark from the data set, if their Python packages `duckdb` and `pyspark` are installed,

and the functions, with their calls, samples and times, are also compared with what `top` prints for each file. What is
not installed is named.
"""

import itertools
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent / "src/query"

VIEWS = [
    "function_call",
    "top_functions",
    "percentiles",
    "thread_gaps",
    "flow_path",
    "slice_counter",
    "function_difference",
]

STATEMENTS = {
    "functions": "select trace_id, function, url, line, self_dur, total_dur, calls, samples from top_functions",
    "percentiles": "select * from percentiles",
    "gaps": "select trace_id, track_id, ts, dur from thread_gaps",
    "path of flows": "select trace_id, step, slice_id, name, ts, dur from flow_path",
    "counters at slices": "select trace_id, slice_id, name, counter, series, value from slice_counter",
    "differences": "select * from function_difference",
    "arguments": "select trace_id, table_name, value_type, count(*), sum(int_value) from args"
    " where int_value between -1000000000 and 1000000000 or int_value is null group by trace_id, table_name, value_type",
    "map entries": "select trace_id, count(*) from slice where args['size'] is not null group by trace_id",
    "tracks": "select trace_id, type, is_main_thread, count(*) from track group by trace_id, type, is_main_thread",
    "trace": "select trace_id, time_unit, ns_per_tick, start_ts, end_ts, slice_count, diagnostic_count from trace",
}


# The columns of answers that agree if they do to five digits: DataFusion rounds the place between two values to six.
NEAR = {"percentiles": (4, 5, 6)}


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def same_text(value):
    """A value as text that all engines agree on."""
    if value is None or value == "NULL" or value == "":
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        number = float(value)
        return format(number, ".12g") if math.isfinite(number) else str(number)
    except (TypeError, ValueError):
        return str(value)


def same_rows(rows):
    return sorted(tuple(same_text(value) for value in row) for row in rows)


def is_near(a, b):
    """Whether two values agree to five digits."""
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-5)
    except ValueError:
        return False


def are_same(rows, others, near=()):
    """Whether the rows agree. `near` has the positions of columns that agree if they do to five digits."""

    def same_row(row, other):
        values = enumerate(zip(row, other))
        return len(row) == len(other) and all(a == b or (at in near and is_near(a, b)) for at, (a, b) in values)

    return len(rows) == len(others) and all(map(same_row, rows, others))


def unescaped(value):
    """A value as `spall query` prints it, without its escapes."""
    out, rest = [], iter(value)
    for character in rest:
        out.append({"t": "\t", "n": "\n", "r": "\r"}.get(letter := next(rest), letter) if character == "\\" else character)
    return "".join(out)


def datafusion(spall, paths, sql):
    lines = run(spall, "query", *paths, sql).split("\n")
    return same_rows([unescaped(value) for value in line.split("\t")] for line in lines[1:-1])


def duckdb_engine(data_set):
    import duckdb

    connection = duckdb.connect()
    for table in data_set.iterdir():
        files = f"read_parquet('{table}/**/*.parquet', hive_partitioning = true)"
        connection.execute(f"create view {table.name} as select * from {files}")
    for view in VIEWS:
        connection.execute(f"create view {view} as {(HERE / 'views' / f'{view}.sql').read_text()}")
    return lambda sql: same_rows(connection.execute(sql).fetchall())


def spark_engine(data_set):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = session.config("spark.ui.showConsoleProgress", "false")
    session = session.config("spark.sql.cteRecursionLevelLimit", "2000")
    # Spark 4.3 fails to plan a recursive query over partitions if it may prune them while it runs.
    session = session.config("spark.sql.optimizer.dynamicPartitionPruning.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    for table in data_set.iterdir():
        session.read.parquet(str(table)).createOrReplaceTempView(table.name)
    for view in VIEWS:
        session.sql((HERE / "views" / f"{view}.sql").read_text()).createOrReplaceTempView(view)
    return lambda sql: same_rows(session.sql(sql).collect())


UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9, "d": 86400e9, "event": 1, "events": 1}


def top_functions(top, path):
    """What `top` prints: calls, samples, self and total time of each function."""
    functions = {}
    for line in run(top, path, 10**9).split("\n")[1:]:
        if not line:
            break
        words = line.split(None, 6)
        self_time, total = (float(words[at]) * UNITS[words[at + 1]] for at in (0, 2))
        name = words[6] if len(words) > 6 else ""
        calls, samples, *times = functions.get(name, (0, 0, 0.0, 0.0))
        functions[name] = (calls + int(words[4]), samples + int(words[5]), times[0] + self_time, times[1] + total)
    return functions


def compare_with_top(top, paths, rows):
    for path in paths:
        trace_id = "t-" + path.name
        functions = {}
        for row in rows:
            if row[0] != trace_id:
                continue
            function, url, line, self_dur, total_dur, calls, samples = ("" if value == "NULL" else value for value in row[1:])
            name = function + (f" {url}" + (f":{int(line) + 1}" if line else "") if url else "")
            known = functions.get(name, (0, 0, 0.0, 0.0))
            new = (int(calls), int(samples or 0), float(self_dur or 0), float(total_dur or 0))
            functions[name] = tuple(a + b for a, b in zip(known, new))
        for name, (calls, samples, self_time, total) in top_functions(top, path).items():
            found = functions.get(name.strip(), functions.get(name))
            if found is None:
                if self_time or total:
                    yield f"{path.name}: `top` alone has {name!r}"
                continue
            near = all(math.isclose(a, b, rel_tol=1e-3, abs_tol=1) for a, b in zip(found[2:], (self_time, total)))
            if not near or (calls and found[0] != calls):
                yield f"{path.name}: {name!r} is {found}, and for `top` {(calls, samples, self_time, total)}"


def main():
    spall, top, *paths = map(pathlib.Path, sys.argv[1:])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        data_set = pathlib.Path(folder)
        run(spall, "convert", *paths, f"{data_set}/")
        engines = {"DataFusion, data set": lambda sql: datafusion(spall, [data_set], sql)}
        for name, engine in (("DuckDB", duckdb_engine), ("Spark", spark_engine)):
            try:
                engines[name] = engine(data_set)
            except ImportError:
                print(f"not compared: {name} is not installed")
        for question, sql in STATEMENTS.items():
            answer = datafusion(spall, paths, sql)
            for name, engine in engines.items():
                other, near = engine(sql), NEAR.get(question, ())
                if not are_same(answer, other, near):
                    pairs = itertools.zip_longest(answer, other, fillvalue=())
                    first = next(pair for pair in pairs if not are_same(*([row] for row in pair), near))
                    failures.append(f"{question}: DataFusion has {first[0]}, and {name} {first[1]}")
            print(f"{question}: {len(answer)} rows from files and from {', '.join(engines)}")
            if question == "functions":
                failures += compare_with_top(top, paths, answer)
    for failure in failures:
        print(f"DIFFERENT: {failure}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
