"""Profiler traces as tables, call trees and pictures.

>>> import spall_trace
>>> trace = spall_trace.load(b'[{"ph":"X","name":"draw","pid":1,"tid":1,"ts":0,"dur":7,"tdur":5}]')
>>> trace
<Trace bytes: 1 slices on 1 tracks>
>>> trace.slices.to_arrow().select(["name", "dur", "cpu"]).to_pylist()
[{'name': 'draw', 'dur': 7000, 'cpu': 5000}]
"""

import functools as _functools
import os as _os
import warnings as _warnings

from . import _native
from ._native import TraceError

__all__ = ["MEASURES", "Table", "Trace", "TraceError", "load", "load_many"]

#: What call trees, sums and comparisons add up.
MEASURES = tuple(_native.Trace.measure_names())


class Table:
    """A table. pandas, polars, DuckDB and pyarrow also take it as it is, through Arrow's C stream interface."""

    def __init__(self, native):
        self._native = native

    @property
    def column_names(self):
        """The names of the columns."""
        return self._native.column_names

    def select(self, *columns):
        """Return the table with some of its columns, in the order of the table. Other columns are not made."""
        return Table(self._native.select(list(columns)))

    def __arrow_c_stream__(self, requested_schema=None):
        return self._native.__arrow_c_stream__(requested_schema)

    def to_arrow(self):
        """Return a ``pyarrow.Table`` with the same memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self):
        """Return a ``pandas.DataFrame``. Names are categories, and integers that may be absent are ``Int64``.

        >>> load(b'[{"ph":"B","name":"f","pid":1,"tid":1,"ts":3}]').slices.to_pandas()["incomplete"].tolist()
        [True]
        """
        import pandas
        import pyarrow

        nullable = {pyarrow.int32(): pandas.Int32Dtype(), pyarrow.int64(): pandas.Int64Dtype()}
        table = self.to_arrow()
        with_nulls = {column.type for column in table.columns if column.null_count}
        return table.to_pandas(types_mapper={key: nullable[key] for key in nullable if key in with_nulls}.get)

    def to_polars(self):
        """Return a ``polars.DataFrame``."""
        import polars

        return polars.DataFrame(self)

    def __repr__(self):
        return f"<Table of {', '.join(self.column_names)}>"


class Trace:
    """A trace. Each table of it is an attribute: ``trace.slices``, ``trace.tracks``, ``trace.counters`` and so on.

    The names of tables and columns are those that the page of ``spall-arrow`` about its schema lists. Times are ticks;
    :attr:`ns_per_tick` says how long one is.
    """

    def __init__(self, native):
        self._native = native

    def __repr__(self):
        return repr(self._native)

    @property
    def name(self):
        """What the trace was loaded from."""
        return self._native.name

    @property
    def ns_per_tick(self):
        """Nanoseconds per tick, or ``None`` if ticks are no times."""
        return self._native.ns_per_tick

    def table(self, name, *, args=False):
        """Return a table by its name in SQL, such as ``slice``; with ``args`` also its columns of arguments."""
        return Table(self._native.table(name, args=args))

    def __getattr__(self, name):
        table = _TABLES.get(name)
        if table is None:
            raise AttributeError(f"a trace has no {name}")
        return self.table(table)

    def __dir__(self):
        return [*super().__dir__(), *_TABLES]

    def sample_values(self):
        """Return the values that the samples of the file have, such as ``cpu/nanoseconds``: one row for each.

        ``samples`` is the number of samples that have the value, ``weight`` the sum of their weights, and ``shown`` is true if
        tables, sums and pictures are about it unless :meth:`with_value` chooses another one.

        >>> values = load(b"main;f 3 5\\nmain;g 2 1\\n").sample_values()
        >>> values.to_arrow().select(["name", "weight", "shown"]).to_pylist()
        [{'name': 'after', 'weight': 6.0, 'shown': True}, {'name': 'before', 'weight': 5.0, 'shown': False}]
        """
        return Table(self._native.sample_values())

    def with_value(self, name=None):
        """Return the trace with the samples of one value only, or with ``None`` of the one that the file says.

        A value that is no time, such as bytes, has an axis of its own: slices, counters and others with a time are left out.
        Raise ``KeyError`` if no samples have the value. This trace keeps all values.

        >>> load(b"main;f 3 5\\nmain;g 2 1\\n").with_value("before").top(1).to_arrow().select(["function", "self"]).to_pylist()
        [{'function': 'f', 'self': 3}]
        """
        return Trace(self._native.with_value(name))

    def merge_samples(self):
        """Return the trace with slices for the functions that samples of CPU profiles found."""
        return Trace(self._native.merge_samples())

    def call_tree(self, measure="wall-time", tracks=None):
        """Return slices and samples added up by call path, one row for each path.

        ``tracks`` are ``"threads"``, ``"async"`` (async spans, and what else is on no thread) or ``"all"``. Without it they
        are the threads, and a warning says how many slices are left out; if threads have nothing, they are all.
        ``unmeasured`` is the number of slices that have no value of the measure, so that the sums do not contain them.

        >>> trace = load(b'[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":7}]')
        >>> trace.call_tree("thread-time").to_arrow().select(["name", "total", "unmeasured"]).to_pylist()
        [{'name': 'f', 'total': 0, 'unmeasured': 1}]
        """
        self._tell_left_out(tracks)
        return Table(self._native.call_tree(measure, tracks))

    def _tell_left_out(self, tracks):
        n = self._native.n_left_out() if tracks is None else 0
        if n:
            added = "tracks='async' adds up those, and tracks='all' everything"
            _warnings.warn(f"{n} slices on other tracks than threads are left out; {added}", stacklevel=3)

    def top(self, n=20, measure="wall-time", tracks=None):
        """Return the functions with the most self time, or another measure, of ``tracks`` as for ``call_tree``."""
        self._tell_left_out(tracks)
        return Table(self._native.top(n, measure, tracks))

    def diff(self, before, measure="wall-time", tracks=None):
        """Return how each function differs from a trace that was recorded before, those that got slower first.

        Threads and async spans are compared apart, unless ``tracks`` are given. Times are ticks of the trace whose ticks
        are shorter. Raise ``ValueError`` if a trace has nothing of the measure, or if they count different things.
        """
        return Table(self._native.diff(before._native, measure, tracks))

    def export(self, path, format=None, measure="wall-time", ids=False, tracks=None):
        """Write the trace in another format: that of the end of the path, or the one named as in ``spall convert --to``.

        ``measure`` counts for ``nested``, a flame graph as d3-flame-graph reads it, and for ``folded`` stacks. These
        begin with the name of the thread, or with ``ids`` with those of process and thread, such as ``1:2``. ``tracks``, as
        for ``call_tree``, count for these two and for ``pprof``. Return a sentence about what the format does not hold.
        """
        return self._native.export(path, format, measure, ids, tracks)

    def to_parquet(self, folder, name=None):
        """Add the trace to a data set of Parquet files, as a partition of this name."""
        self._native.to_parquet(folder, name)

    def query(self, sql):
        """Answer a question in SQL with DuckDB. The tables have their names in the singular, such as ``slice``.

        >>> load(b'[{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":7}]').query("select sum(dur) from slice").fetchall()
        [(7000,)]
        """
        import duckdb

        connection = duckdb.connect()
        for table in _native.Trace.table_names():
            if table in sql:
                connection.register(table, self.table(table, args=True).to_arrow())
        return connection.sql(sql)

    def show(self, height=500):
        """Show the trace in a cell of a notebook. The page asks this process, so the trace is not copied into it.

        This needs the package ``anywidget``. A notebook that is saved shows the last picture.
        """
        try:
            widget = _widget_class()
        except ImportError as error:
            raise ImportError("show() needs the package anywidget: pip install anywidget") from error
        return widget(self._native.viewer(), title=_os.path.basename(self._native.name), height=int(height))


@_functools.cache
def _widget_class():
    import anywidget
    import traitlets

    class TraceWidget(anywidget.AnyWidget):
        """A trace to move around in."""

        _esm = _native.widget_script()
        title = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)
        picture = traitlets.Unicode().tag(sync=True)

        def __init__(self, viewer, **traits):
            super().__init__(**traits)
            self._viewer = viewer
            self.on_msg(self._answer)

        def _answer(self, _widget, asked, buffers):
            page, number = asked["page"], asked.get("id")
            if number is None:
                return self._viewer.close(page)
            tell = lambda message: self.send({"page": page, "id": number}, [message])
            self._viewer.ask(page, bytes(buffers[0]), tell)

    return TraceWidget


def load(source):
    """Load a trace of any format from a path, from bytes, or from a file that is open.

    Raise ``OSError`` if the file cannot be read, and :class:`TraceError` with an ``offset`` in bytes if it is no trace.

    >>> load(b"hello")
    Traceback (most recent call last):
    spall_trace.TraceError: bytes: not a trace of any supported format, but text
    """
    return Trace(_native.load(_content(source)))


def load_many(paths):
    """Load files on all cores, and return their traces in the order of the files."""
    return [Trace(native) for native in _native.load_many([_os.fspath(path) for path in paths])]


def _content(source):
    if hasattr(source, "read"):
        source = source.read()
        return source.encode() if isinstance(source, str) else source
    return bytes(source) if isinstance(source, (bytearray, memoryview)) else source


#: The attributes of traces that are tables.
_TABLES = {
    name.replace("process", "processe") + "s": name
    for name in _native.Trace.table_names()
    if name not in ("trace", "metadata", "args")
} | {"metadata": "metadata", "args": "args"}
