"""Tests of the package. Run them with `python -m unittest discover tests` where it is installed with `[test]`."""

import collections
import doctest
import gzip
import io
import json
import os
import pathlib
import shutil
import signal
import struct
import tempfile
import threading
import unittest
import unittest.mock

import duckdb
import polars
import spall_trace

HERE = pathlib.Path(__file__).parent
BEFORE, AFTER = HERE / "before.json.gz", HERE / "after.json.gz"
EVENTS = json.loads(gzip.decompress(BEFORE.read_bytes()))["traceEvents"]
COMPLETE = [event for event in EVENTS if event["ph"] == "X"]


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(spall_trace, optionflags=doctest.IGNORE_EXCEPTION_DETAIL))
    return tests


def thread_time_by_stack(events):
    """Adds up self thread time by call path, from the events alone: microseconds, by a tuple of names."""
    sums, open_events = collections.Counter(), []
    for event in sorted(events, key=lambda event: (event["ts"], -event.get("dur", 0))):
        while open_events and open_events[-1][1] <= event["ts"]:
            open_events.pop()
        path = tuple(name for name, _, _ in open_events) + (event["name"],)
        if "tdur" in event:
            sums[path] += event["tdur"]
            outer = next((path[:at] for at in range(len(path) - 1, 0, -1) if open_events[at - 1][2]), None)
            if outer is not None:
                sums[outer] -= event["tdur"]
        open_events.append((event["name"], event["ts"] + event.get("dur", 0), "tdur" in event))
    return sums


class Loading(unittest.TestCase):
    def test_a_trace_is_loaded_from_a_path_bytes_or_a_file(self):
        with open(BEFORE, "rb") as file:
            sources = [BEFORE, str(BEFORE), BEFORE.read_bytes(), bytearray(BEFORE.read_bytes()), file]
            n_slices = {len(spall_trace.load(source).slices.to_polars()) for source in sources}
        self.assertEqual(len(n_slices), 1)
        text = io.StringIO('[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":1}]')
        self.assertEqual(len(spall_trace.load(text).slices.to_polars()), 1)

    def test_many_files_keep_their_order(self):
        names = [trace.name for trace in spall_trace.load_many([AFTER, BEFORE])]
        self.assertEqual(names, [str(AFTER), str(BEFORE)])

    def test_errors_are_exceptions_with_the_sentence_and_the_offset(self):
        with self.assertRaisesRegex(FileNotFoundError, "no-such-file"):
            spall_trace.load("no-such-file")
        with self.assertRaisesRegex(spall_trace.TraceError, "^bytes: not a trace .*text$") as raised:
            spall_trace.load(b"hello")
        self.assertEqual(raised.exception.offset, 0)
        with self.assertRaisesRegex(ValueError, "thread-time"):
            spall_trace.load(BEFORE).top(measure="cpu")
        with self.assertRaises(AttributeError):
            spall_trace.load(BEFORE).slicess

    def test_oddities_of_the_file_are_a_table(self):
        trace = spall_trace.load(b'[{"ph":"E","pid":1,"tid":1,"ts":0},{"ph":"i","pid":1,"tid":1,"ts":0,"name":"i"}]')
        self.assertEqual(trace.diagnostics.to_polars()["kind"].to_list(), ["unmatched-end"])

    @unittest.skipUnless(hasattr(os, "mkfifo"), "needs named pipes")
    def test_an_interrupt_ends_loading_and_other_threads_go_on(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            # A program that is started in the background may have been told to ignore it.
            self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
            threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
            with self.assertRaises(KeyboardInterrupt):
                spall_trace.load(pipe)


class Tables(unittest.TestCase):
    def test_every_table_is_an_attribute_that_all_libraries_take(self):
        trace = spall_trace.load(BEFORE)
        for name in ["processes", "tracks", "slices", "instants", "counters", "states", "flows", "profiles", "frames",
                     "samples", "objects", "snapshots", "metadata", "other_events", "args", "diagnostics"]:
            table = getattr(trace, name)
            self.assertEqual(table.to_polars().columns, table.column_names, name)
            self.assertEqual(list(table.to_pandas().columns), table.column_names, name)

    def test_a_selection_has_the_columns_asked_for(self):
        slices = spall_trace.load(BEFORE).slices.select("name", "dur")
        self.assertEqual(sorted(slices.to_pandas().columns), ["dur", "name"])
        with self.assertRaises(KeyError):
            slices.select("cpu")

    def test_sql_and_parquet_have_the_same_rows(self):
        trace = spall_trace.load(BEFORE)
        sums = "select name, sum(cpu), count(*) from {} group by name order by 1"
        found = trace.query(sums.format("slice")).fetchall()
        self.assertGreater(len(found), 10)
        with tempfile.TemporaryDirectory() as folder:
            trace.to_parquet(folder)
            files = os.path.join(folder, "slice", "**", "*.parquet")
            self.assertEqual(duckdb.sql(sums.format(f"'{files}'")).fetchall(), found)


class ThreadTime(unittest.TestCase):
    def test_slices_have_the_thread_time_of_the_file(self):
        slices = spall_trace.load(BEFORE).slices.to_pandas()
        self.assertEqual(slices["cpu"].sum(), 1000 * sum(event.get("tdur", 0) for event in COMPLETE))
        self.assertEqual(slices["cpu"].count(), sum("tdur" in event for event in COMPLETE))

    def test_async_spans_are_added_up_beside_threads(self):
        def trace(query):
            ends = (40 + query, 60 + query)
            return spall_trace.load(
                b'[{"ph":"X","name":"call","pid":1,"tid":1,"ts":0,"dur":10},'
                b'{"ph":"b","name":"request","cat":"c","id":7,"pid":1,"ts":0},{"ph":"b","name":"query","cat":"c","id":7,"pid":1,"ts":40},'
                b'{"ph":"e","name":"query","cat":"c","id":7,"pid":1,"ts":%d},{"ph":"e","name":"request","cat":"c","id":7,"pid":1,"ts":%d}]'
                % ends
            )

        def sums(table):
            return dict(zip(table.to_polars()["function"], table.to_polars()["self"]))

        one = trace(30)
        with self.assertWarnsRegex(UserWarning, "2 slices on other tracks than threads are left out"):
            self.assertEqual(sums(one.top()), {"call": 10_000})
        self.assertEqual(sums(one.top(tracks="async")), {"request": 60_000, "query": 30_000})
        self.assertEqual(sum(sums(one.top(tracks="all")).values()), 100_000)
        with self.assertRaisesRegex(ValueError, "no set of tracks. Use one of threads, async, all"):
            one.call_tree(tracks="some")
        changes = trace(50).diff(one).to_polars()
        self.assertEqual(set(changes["tracks"]), {"threads", "async"})
        self.assertEqual(dict(zip(changes["function"], changes["change"])), {"call": 0, "query": 20_000, "request": 0})

    def test_a_call_tree_adds_up_self_thread_time(self):
        expected = {path: 1000 * us for path, us in thread_time_by_stack(COMPLETE).items() if us > 0}
        nodes, paths, found = spall_trace.load(BEFORE).call_tree("thread-time").to_pandas(), {}, {}
        for node in nodes.itertuples():
            above = () if node.depth == 0 else paths[int(node.parent_id)]
            paths[node.id] = above + (node.name,)
            if node.self > 0:
                found[paths[node.id]] = node.self
        # Without the functions that only samples found, of which the file says no thread time.
        names = {event["name"] for event in COMPLETE}
        own = collections.Counter()
        for path, time in found.items():
            own[tuple(name for name in path if name in names)] += time
        self.assertEqual(own, expected)

    def test_nested_json_has_the_totals_of_the_tree(self):
        trace = spall_trace.load(BEFORE)
        for measure in spall_trace.MEASURES:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "flame.nested.json")
                trace.export(path, measure=measure)
                with open(path) as file:
                    nested = json.load(file)
            tree = trace.call_tree(measure).to_polars()
            self.assertEqual(nested["value"], tree.filter(polars.col("depth") == 0)["total"].sum(), measure)

    def test_a_comparison_finds_what_got_slower(self):
        before, after = spall_trace.load_many([BEFORE, AFTER])
        slowest = after.diff(before).to_polars().row(0, named=True)
        self.assertIn("sift", slowest["function"])
        self.assertEqual(slowest["change"], slowest["after"] - slowest["before"])
        most = after.top(1).to_polars()["function"]
        self.assertEqual(len(most), 1)
        self.assertIn("sift", most[0])

    def test_recordings_with_clocks_of_different_units_are_compared(self):
        def recording(ns_per_tick, ticks):
            # A file of spall's version 3 with one slice.
            header = struct.pack("<QQdQ", 0x0BADF00D, 3, ns_per_tick, 0)
            records = struct.pack("<BQBB", 3, 0, 1, 0) + b"f" + struct.pack("<BQ", 4, ticks)
            return header + struct.pack("<IIIQ", len(records), 1, 1, 0) + records

        before, after = (spall_trace.load(recording(*of)) for of in [(0.333, 1_000_000), (0.3331, 3_000_000)])
        row = after.diff(before).to_polars().row(0, named=True)
        self.assertEqual((row["function"], row["before"], row["after"]), ("f", 1_000_000, 3_000_901))
        counted = spall_trace.load(b"main;f 3\nmain;g 2\n")
        with self.assertRaisesRegex(ValueError, "count different things: the one before nanoseconds, .* samples"):
            counted.diff(before)
        with self.assertRaisesRegex(ValueError, "the trace before has nothing to add up"):
            counted.diff(before, "thread-time")

    def test_a_trace_is_written_in_the_format_of_its_name_or_of_the_end_of_the_path(self):
        trace = spall_trace.load(b"main;f 3\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.FOLDED"
            trace.export(path)
            self.assertEqual(path.read_text(), "1:1;main;f 3\n")
            trace.export(path, format="nested")
            self.assertEqual(json.loads(path.read_text())["name"], "all")
            with self.assertRaisesRegex(ValueError, r"no format. Use one of json \(.json\), .*nested \(.nested.json\)"):
                trace.export(path, format="svg")
            with self.assertRaisesRegex(ValueError, "run.json.gz: this says no format"):
                trace.export("run.json.gz")


class Values(unittest.TestCase):
    def setUp(self):
        # Folded stacks that compare two recordings: the number before, then the number after.
        self.trace = spall_trace.load(b"main;f 30 5\nmain;g 2 1\n")

    def total(self, trace):
        return trace.call_tree().to_polars().filter(polars.col("depth") == 0)["total"].sum()

    def test_each_value_has_sums_of_its_own(self):
        values = self.trace.sample_values().to_polars()
        self.assertEqual(values["name"].to_list(), ["after", "before"])
        self.assertEqual(values["samples"].to_list(), [2, 2])
        self.assertEqual(values["shown"].to_list(), [True, False])
        totals = [self.total(self.trace.with_value(name)) for name in (None, "after", "before")]
        self.assertEqual(totals, [6, 6, 32])
        self.assertEqual(self.total(self.trace), 6)
        slices = self.trace.with_value("before").merge_samples().slices.to_polars()
        self.assertEqual(slices["dur"].max(), 32)

    def test_an_unknown_value_names_those_there_are(self):
        with self.assertRaisesRegex(KeyError, 'no samples have the value "bytes". They have: after, before.'):
            self.trace.with_value("bytes")

    def test_page_faults_alone_are_shown_as_page_faults(self):
        text = "".join(f"run 7 {at}.0: 3 page-faults: \n\t1000 work ([unknown])\n\n" for at in (1, 5))
        trace = spall_trace.load(text.encode())
        self.assertIsNone(trace.ns_per_tick)
        self.assertEqual((self.total(trace), self.total(trace.with_value())), (6, 6))
        self.assertEqual(trace.merge_samples().slices.to_polars()["dur"].max(), 6)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "faults.folded")
            trace.export(path)
            with open(path) as file:
                self.assertRegex(file.read(), "work 6\n$")


class Showing(unittest.TestCase):
    def ask(self, widget, question, page="one"):
        """The kinds of the messages of an answer, and the last message."""
        sent = []
        with unittest.mock.patch.object(widget, "send", lambda content, buffers: sent.append((content, buffers[0]))):
            widget._answer(widget, {"page": page, "id": 7}, [question])
        self.assertTrue(all(content == {"page": page, "id": 7} for content, _ in sent))
        return [message[0] for _, message in sent], sent[-1][1]

    def test_a_page_asks_the_engine_of_this_process(self):
        widget = spall_trace.load(BEFORE).show(height=300)
        self.assertEqual(widget.height, 300)
        self.assertIn("trace-view", widget._esm)
        # Questions and answers are MessagePack: "about" is a text of five bytes.
        kinds, about = self.ask(widget, b"\xa5about")
        self.assertEqual(kinds, [0])
        self.assertIn(b"\xa5slice", about)
        # A search is a long question: {"find": "EvaluateScript"}.
        kinds, found = self.ask(widget, b"\x81\xa4find\xaeEvaluateScript")
        self.assertEqual(kinds[-1], 0)
        self.assertIn(b"slices", found)
        self.assertEqual(self.ask(widget, b"nonsense")[0], [4])
        # Another page of the same trace has nothing found.
        nothing = self.ask(widget, b"\x81\xa4hits\x92\x00\x0a", page="two")[1]
        some = self.ask(widget, b"\x81\xa4hits\x92\x00\x0a")[1]
        self.assertLess(len(nothing), len(some))
        widget._answer(widget, {"page": "one"}, [])

    def test_without_widgets_it_is_said_what_is_missing(self):
        spall_trace._widget_class.cache_clear()
        with unittest.mock.patch.dict("sys.modules", {"anywidget": None}):
            with self.assertRaisesRegex(ImportError, "pip install anywidget"):
                spall_trace.load(BEFORE).show()
        spall_trace._widget_class.cache_clear()


class Notebook(unittest.TestCase):
    def test_the_notebook_runs_and_its_sums_are_those_of_the_library(self):
        import nbclient
        import nbformat

        notebook = nbformat.read(HERE.parent / "merged-flame-graph.ipynb", as_version=4)
        self.assertLessEqual(len(notebook.cells), 10)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(HERE, os.path.join(folder, "tests"), ignore=shutil.ignore_patterns("*.py"))
            notebook.cells.append(nbformat.v4.new_code_cell("print(tree['self'].sum())"))
            nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": folder}}).execute()
            with open(os.path.join(folder, "flame.nested.json")) as file:
                nested = json.load(file)
            kept = os.environ.get("SPALL_NOTEBOOK")
            if kept:
                nbformat.write(notebook, kept)
        printed = notebook.cells[-1].outputs[0].text
        expected = spall_trace.load(BEFORE).merge_samples().call_tree("thread-time").to_polars()["self"].sum()
        self.assertEqual((int(printed), nested["value"]), (expected, expected))
        data = [output["data"] for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]
        self.assertTrue(any("application/vnd.jupyter.widget-view+json" in found for found in data))
        self.assertEqual(sum("image/png" in found for found in data), 2)


if __name__ == "__main__":
    unittest.main()
