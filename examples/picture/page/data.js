// What `html.rs` wrote: whole numbers of seven bits a byte, low ones first; texts behind their length.
class Reader {
  constructor(base64) {
    const text = atob(base64);
    this.bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at++) this.bytes[at] = text.charCodeAt(at);
    this.at = 0;
  }

  uint() {
    let value = 0, scale = 1, byte;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  }

  float() {
    this.at += 8;
    return new DataView(this.bytes.buffer).getFloat64(this.at - 8, true);
  }

  text() {
    const length = this.uint();
    this.at += length;
    return new TextDecoder().decode(this.bytes.subarray(this.at - length, this.at));
  }

  list(read) {
    return Array.from({ length: this.uint() }, read);
  }
}

// Times are ticks since the beginning of the view. Slices are numbered row by row, ascending in time.
function readTrace(reader) {
  const trace = {
    title: reader.text(),
    about: reader.text(),
    notes: reader.list(() => reader.text()),
    nsPerTick: reader.float(), // 0: ticks are events
    span: reader.uint(),
  };
  const n = reader.uint();
  trace.nameColours = [];
  trace.names = reader.list(() => {
    trace.nameColours.push(reader.uint());
    return reader.text();
  });
  trace.texts = reader.list(() => reader.text());
  Object.assign(trace, {
    length: n,
    isWhole: true, // every box is one slice
    start: new Float64Array(n),
    end: new Float64Array(n),
    self: new Float64Array(n),
    name: new Uint32Array(n),
    category: new Uint32Array(n),
    args: new Uint32Array(n),
    open: new Uint8Array(n), // the file does not say where it ends
    count: new Uint32Array(n).fill(1), // how many slices it stands for
    busy: new Float64Array(n + 1), // how many ticks the slices before take together
  });
  let next = 0;
  const readRow = () => {
    const row = { first: next };
    let now = 0;
    for (let left = reader.uint(); left > 0; left--, next++) {
      now = trace.start[next] = now + reader.uint();
      const length = reader.uint();
      now = trace.end[next] = now + length;
      const name = reader.uint();
      trace.name[next] = Math.floor(name / 4);
      trace.open[next] = name & 1;
      trace.category[next] = reader.uint();
      trace.self[next] = reader.uint();
      trace.args[next] = reader.uint();
      let busy = length;
      if (name & 2) {
        trace.isWhole = false;
        trace.count[next] = reader.uint();
        busy = reader.uint();
      }
      trace.busy[next + 1] = trace.busy[next] + busy;
    }
    row.last = next;
    return row;
  };
  const readInstants = () => {
    let now = 0;
    return reader.list(() => ({ at: (now += reader.uint()), name: reader.uint(), args: reader.uint() }));
  };
  const readSeries = () => {
    let now = 0;
    const name = reader.uint();
    return { name, points: reader.list(() => ({ at: (now += reader.uint()), value: reader.float() })) };
  };
  const readLane = () => {
    const lane = {
      name: reader.text(),
      detail: reader.text(),
      rows: reader.list(readRow),
      states: reader.list(readRow),
      instants: readInstants(),
      series: reader.list(readSeries),
      least: 0,
      most: 0,
    };
    for (const series of lane.series) {
      series.most = 0;
      for (const { value } of series.points) {
        if (!Number.isFinite(value)) continue;
        lane.least = Math.min(lane.least, value);
        series.most = Math.max(series.most, value);
      }
      lane.most = Math.max(lane.most, series.most);
    }
    lane.series.sort((a, b) => b.most - a.most); // so that none is hidden
    return lane;
  };
  trace.processes = reader.list(() => ({
    name: reader.text(),
    detail: reader.text(),
    folded: false,
    lanes: reader.list(readLane),
  }));
  const readFlow = () => {
    const [from, leaves, to, arrives, name] = Array.from({ length: 5 }, () => reader.uint());
    return { from, leaves, to, arrives, name };
  };
  trace.flows = reader.list(readFlow);
  trace.rows = trace.processes.flatMap(({ lanes }) => lanes.flatMap((lane) => [...lane.rows, ...lane.states]));
  return trace;
}

// The first position from `low` to `high` for which `holds`, which then holds for all behind it.
function partition(low, high, holds) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// As `partition`, for positions that are likely to be close to `low`.
function gallop(low, high, holds) {
  let step = 1;
  while (low + step < high && !holds(low + step)) {
    low += step;
    step *= 2;
  }
  return partition(low, Math.min(low + step, high), holds);
}

const UNITS = [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]];

// The largest unit in which `ns` is at least one.
function unitOf(ns) {
  return UNITS.findLast(([size]) => ns >= size) ?? UNITS[0];
}

// Digits in groups of three on both sides of the point.
function grouped(number, decimals) {
  const [whole, part = ""] = number.toFixed(decimals).split(".");
  const left = whole.replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return part ? `${left}.${part.replace(/(\d{3})(?=\d)/g, "$1\u202f")}` : left;
}

// The same without the zeros at its end.
function shortened(number, decimals) {
  return grouped(number, decimals).replace(/(\.[^.]*?)[0\u202f]+$/, "$1").replace(/\.$/, "");
}

// A length of time to read.
function duration(trace, ticks) {
  if (!trace.nsPerTick) return counted(ticks, "event");
  const [size, unit] = unitOf(ticks * trace.nsPerTick);
  const value = (ticks * trace.nsPerTick) / size;
  return `${shortened(value, value >= 100 ? 1 : value >= 10 ? 2 : 3)} ${unit}`;
}

function counted(number, what) {
  return `${grouped(number, 0)} ${what}${number === 1 ? "" : "s"}`;
}

// A point in time to the nanosecond.
function moment(trace, ticks) {
  if (!trace.nsPerTick) return `event ${grouped(ticks, 0)}`;
  const [size, unit] = unitOf(ticks * trace.nsPerTick);
  return `${shortened((ticks * trace.nsPerTick) / size, Math.round(Math.log10(size)))} ${unit}`;
}
