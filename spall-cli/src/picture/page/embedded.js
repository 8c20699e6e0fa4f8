// A source that has its trace in the page: what `html.rs` wrote. It answers what `web/ui` asks, as far as it can.
import { duration, grouped, measure, moment } from '../../web/ui/text.js';
import { byActivity, inOrder } from '../../web/ui/order.js';
import { Graphs } from './graphs.js';
import { UNFINISHED, HIT, STATE, OWN, UPPER_BITS } from '../../web/ui/boxes.js';

const PROCESS = 22, ROW = 18, FOLDED = 20, COUNTER = 44, GAP = 5, STATES = 7; // pixels
const OPEN_LINES = 50; // the most of async spans of one kind that are open at first
const MAX_ARROWS = 400;
const FLAGS = (3 << 5) | UNFINISHED | HIT | STATE; // of a style: all but its colour

// Whole numbers of seven bits a byte, low ones first; texts behind their length.
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
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
    return new DataView(this.bytes.buffer, this.bytes.byteOffset).getFloat64(this.at - 8, true);
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

// Times are ticks since the start. Slices are numbered row by row, ascending in time, and so are the states of a track.
function readTrace(reader) {
  const trace = {
    title: reader.text(),
    summary: reader.text(),
    notes: reader.list(() => ({ text: reader.text() })),
    unit: [reader.float(), reader.text()].find(Boolean),
    span: reader.uint(),
    active: [reader.uint(), reader.uint()],
  };
  trace.isWhole = reader.uint() === 1; // every box is one slice
  const n = reader.uint();
  trace.shades = [];
  trace.names = reader.list(() => {
    trace.shades.push(reader.uint());
    return reader.text();
  });
  trace.texts = reader.list(() => reader.text());
  Object.assign(trace, {
    length: n,
    start: new Float64Array(n), end: new Float64Array(n), self: new Float64Array(n),
    name: new Uint32Array(n), category: new Uint32Array(n), args: new Uint32Array(n), source: new Uint32Array(n),
    own: new Uint8Array(n), // the number of the colour that the file asks for, counted from 1
    isOpen: new Uint8Array(n), // the file does not say where it ends
    parent: new Uint32Array(n), // the slice around it in a whole trace, plus 1; 0 if there is none
    count: new Uint32Array(n).fill(1), // how many slices it stands for
    busy: new Float64Array(n + 1), // how many ticks the boxes before take together
    cpu: new Map(), // in how many ticks the thread was running, of boxes of which the file says it
    rows: [],
  });
  let next = 0;
  const readRow = (isState) => {
    const row = { first: next, depth: reader.uint(), isState };
    let now = 0;
    for (let left = reader.uint(); left > 0; left--, next++) {
      now = trace.start[next] = now + reader.uint();
      const length = reader.uint();
      now = trace.end[next] = now + length;
      const name = reader.uint();
      trace.name[next] = Math.floor(name / 16);
      trace.isOpen[next] = name & 1;
      trace.category[next] = reader.uint();
      trace.self[next] = reader.uint();
      trace.args[next] = reader.uint();
      trace.source[next] = reader.uint();
      const distance = reader.uint();
      if (distance) trace.parent[next] = next + 1 + (distance % 2 ? 1 : -1) * Math.floor(distance / 2);
      if (name & 4) trace.own[next] = reader.uint();
      if (name & 8) trace.cpu.set(next, reader.uint());
      let busy = length;
      if (name & 2) {
        trace.count[next] = reader.uint();
        busy = reader.uint();
      }
      trace.busy[next + 1] = trace.busy[next] + busy;
    }
    row.last = next;
    trace.rows.push(row);
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
  let id = 0;
  trace.instants = [];
  const readLane = () => {
    const lane = { label: reader.text(), detail: reader.text(), what: reader.text() };
    lane.item = { kind: 'track', id: id++ };
    lane.rows = reader.list(() => readRow(false));
    lane.states = reader.list(() => readRow(true));
    lane.firstInstant = trace.instants.length;
    lane.instants = readInstants();
    trace.instants.push(...lane.instants.map((instant) => ({ ...instant, lane })));
    lane.series = reader.list(readSeries);
    for (const row of [...lane.rows, ...lane.states]) row.lane = lane;
    lane.busy = lane.rows.reduce((sum, row) => sum + (row.depth ? 0 : trace.busy[row.last] - trace.busy[row.first]), 0);
    return lane;
  };
  trace.groups = reader.list(() => ({ label: reader.text(), detail: reader.text(), members: reader.list(readLane) }));
  for (const [index, group] of trace.groups.entries()) {
    group.item = { kind: 'process', id: index };
    for (const lane of group.members) lane.group = group;
  }
  trace.lanes = trace.groups.flatMap(({ members }) => members);
  trace.flows = reader.list((_, number) => {
    const [from, leaves, to, arrives, name] = Array.from({ length: 5 }, () => reader.uint());
    return { number, from, leaves, to, arrives, name };
  });
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

export class EmbeddedSource {
  constructor(bytes) {
    this.trace = readTrace(new Reader(bytes));
    this.hitsByStart = undefined;
    this.name();
    // As the library has it: what is very high is folded at first, and threads are added up if they have something.
    this.high = this.trace.lanes.filter(({ what, rows }) => what === 'async' && rows.length > OPEN_LINES).map(({ item }) => item);
    this.set = this.trace.lanes.some(({ what, rows }) => what === 'thread' && rows.length) ? 'threads' : 'all';
    this.arrange({ folded: [], hidden: [], pinned: [] });
    // A box that stands for several slices says too little about them.
    if (!this.trace.isWhole) {
      this.statistics = undefined;
      return;
    }
    const graphs = new Graphs(this);
    this.graph = (...wanted) => graphs.make(...wanted);
    this.graphFrame = (...wanted) => graphs.frame(...wanted);
    this.graphBox = (...wanted) => graphs.box(...wanted);
    this.cancelGraph = () => {};
  }

  about(colours) {
    const { title, summary, notes, unit, span, active, groups, lanes } = this.trace;
    const isLeftOut = ({ what }) => this.set === 'threads' && what !== 'thread';
    const leftOut = lanes.filter(isLeftOut).reduce((sum, { rows }) => sum + rows.reduce((sum, { first, last }) => sum + last - first, 0), 0);
    return { title, summary, notes, unit, start: 0, end: span, span, active, groups, folded: this.high, tracks: this.set, leftOut, colours, commands: COMMANDS }; // `modules.rs` writes the table of commands before the modules
  }

  // Shows what a place says.
  apply(place) {
    const pathOf = (item) => this.paths.get(`${item.kind}:${item.id}`);
    const all = this.trace.groups.flatMap((group) => [group, ...group.members]);
    const items = (paths) => all.filter(({ path }) => paths?.includes(path)).map(({ item }) => item);
    const isOrdered = place.byActivity || place.moves.length;
    const groups = inOrder(place.byActivity ? byActivity(this.trace.groups) : this.trace.groups, place.moves, pathOf);
    const order = isOrdered ? groups.flatMap(({ members }) => members.map(({ item }) => item)) : undefined;
    const [main, pinned] = this.arrange({ folded: place.folded ? items(place.folded) : this.high, hidden: items(place.hidden), pinned: items(place.pinned), order });
    return { missing: [], place, main, pinned, groups };
  }

  act({ select: [element, at] }) {
    return { place: { selected: element ? { element, at, name: '' } : undefined } };
  }

  // Gives each process and track the path that a place has for it.
  name() {
    const counts = new Map();
    const numbered = (path) => {
      counts.set(path, (counts.get(path) ?? 0) + 1);
      return counts.get(path) > 1 ? `${path}#${counts.get(path)}` : path;
    };
    for (const group of this.trace.groups) {
      group.path = numbered(group.label);
      for (const member of group.members) member.path = numbered(`${group.path}/${member.label.trimStart()}`);
    }
    this.paths = new Map(this.trace.groups.flatMap((group) => [group, ...group.members]).map(({ item, path }) => [`${item.kind}:${item.id}`, path]));
  }

  // Lines from top to bottom: a header for each process and track, and the rows below it.
  arrange(choice) {
    const key = ({ kind, id }) => `${kind}:${id}`;
    const [folded, hidden, pinned] = [choice.folded, choice.hidden, choice.pinned].map((items) => new Set(items.map(key)));
    const has = (set, { item }) => set.has(key(item));
    const places = new Map((choice.order ?? []).map((item, place) => [key(item), place]));
    const byPlace = (a, b) => places.get(key(a.item)) - places.get(key(b.item));
    const groups = this.trace.groups.map((group) => ({ ...group, members: choice.order ? [...group.members].sort(byPlace) : group.members }));
    if (choice.order) groups.sort((a, b) => byPlace(a.members[0], b.members[0]));
    const stack = (isPinned) => {
      const lines = [], headers = [];
      let top = 0;
      const header = (of, height) => {
        headers.push({ item: of.item, top, height, bottom: top + height });
        lines.push({ top, height, of });
        top += height;
      };
      for (const group of groups) {
        const members = group.members.filter((lane) => !has(hidden, lane) && !has(hidden, group) && (!isPinned || has(pinned, lane)));
        if (!members.length) continue;
        if (!isPinned) header(group, PROCESS);
        if (!isPinned && has(folded, group)) continue;
        for (const lane of members) {
          const hasMarks = lane.instants.length || lane.states.length;
          // A lane of which there is nothing but its name has tracks below it.
          const open = lane.series.length ? COUNTER : hasMarks || !lane.rows.length ? FOLDED : GAP;
          header(lane, has(folded, lane) ? Math.max(open, FOLDED) : open);
          if (has(folded, lane)) continue;
          for (const row of lane.rows) {
            lines.push({ top, height: ROW, row });
            top += ROW;
          }
          headers[headers.length - 1].bottom = top;
        }
      }
      return { lines, headers, height: top };
    };
    this.main = stack(false);
    this.pinned = stack(true);
    this.lineOf = new Map(this.main.lines.filter(({ row }) => row).map((line) => [line.row, line]));
    return [this.main, this.pinned].map(({ headers, height }) => ({ headers, height }));
  }

  frame(wanted) {
    const { trace } = this;
    const names = this.areNamesSent ? [] : trace.names.map((name, id) => [id, name]);
    this.areNamesSent = true;
    const main = this.part(this.main, wanted.main, wanted), pinned = this.part(this.pinned, wanted.pinned, wanted);
    return { main, pinned, names, ruler: this.ruler(wanted), ...this.arrows(wanted) };
  }

  part({ lines }, { start: top, end: bottom }, wanted) {
    const boxes = { edges: [], numbers: [] };
    const part = { marks: [], strips: [], charts: [] };
    const first = partition(0, lines.length, (at) => lines[at].top + lines[at].height > top);
    for (let at = first; at < lines.length && lines[at].top < bottom; at++) {
      const line = lines[at];
      if (line.row) {
        this.rowBoxes(line.row, line.top, line.height, wanted, boxes);
        continue;
      }
      const isAlone = !lines[at + 1]?.row;
      const lanes = line.of.members ?? [line.of];
      if (isAlone && lanes.some((lane) => lane.rows.length)) part.strips.push({ top: line.top, height: line.height, offset: 0, busy: this.busy(lanes, wanted.start, wanted.duration, wanted.columns) });
      if (line.of.members) continue;
      for (const row of line.of.states) this.rowBoxes(row, line.top + line.height - STATES, STATES, wanted, boxes);
      if (line.of.instants.length) part.marks.push({ top: line.top, offset: 0, numbers: this.marks(line.of, wanted) });
      if (line.of.series.length) part.charts.push(this.chart(line, wanted));
    }
    return { ...part, edges: Float32Array.from(boxes.edges), numbers: Uint32Array.from(boxes.numbers) };
  }

  // Boxes wider than two columns one by one, the others column by column.
  rowBoxes(row, top, height, { start, duration, columns, colorBy, ownColors }, { edges, numbers }) {
    const { trace } = this;
    const perTick = columns / duration, until = start + duration;
    const flag = row.isState ? STATE : 0;
    const colour = (slice) => this.shade(slice, colorBy, row) | (ownColors && trace.own[slice] ? OWN | ((trace.own[slice] - 1) << UPPER_BITS) : 0);
    const push = (left, right, slice, count, strength) => {
      const isHit = this.isHit && count === 1 ? this.isHit[slice] : this.isHit && this.anyHit(slice, slice + count);
      const torn = trace.isOpen[slice] && count === 1 ? UNFINISHED : 0;
      edges.push(left, right);
      numbers.push(top, height, slice, trace.name[slice], this.countOf(slice, slice + count),
        colour(slice) | (strength << 5) | torn | (isHit ? HIT : 0) | flag);
    };
    let at = partition(row.first, row.last, (at) => trace.end[at] >= start);
    while (at < row.last && trace.start[at] <= until) {
      const left = (trace.start[at] - start) * perTick, right = (trace.end[at] - start) * perTick;
      if (right - left >= 2) {
        const length = trace.end[at] - trace.start[at];
        const part = trace.count[at] > 1 ? (trace.busy[at + 1] - trace.busy[at]) / length : 1;
        push(Math.max(left, -4), Math.min(right, columns + 4), at, 1, quarters(part));
        at++;
        continue;
      }
      const column = Math.floor(left), edge = start + (column + 1) / perTick;
      const next = Math.max(gallop(at, row.last, (at) => trace.end[at] > edge), at + 1);
      let shown = at;
      const length = (slice) => trace.end[slice] - trace.start[slice];
      for (let slice = at + 1; slice < next; slice++) if (length(slice) > length(shown)) shown = slice;
      const isAlone = next === at + 1;
      const box = numbers.length;
      push(column, column + 1, at, next - at, isAlone ? 3 : quarters(((trace.busy[next] - trace.busy[at]) * perTick)));
      if (shown !== at) {
        numbers[box + 2] = shown;
        numbers[box + 3] = trace.name[shown];
        numbers[box + 5] = (numbers[box + 5] & FLAGS) | colour(shown);
      }
      at = next;
    }
  }

  countOf(first, last) {
    let count = 0;
    for (let slice = first; slice < last; slice++) count += this.trace.count[slice];
    return count;
  }

  anyHit(first, last) {
    for (let slice = first; slice < last; slice++) if (this.isHit[slice]) return true;
    return false;
  }

  shade(slice, colorBy, row) {
    const { trace } = this;
    if (colorBy === 'category') return trace.shades[trace.category[slice]] ?? 0;
    if (colorBy === 'track') return (row.lane.item.id * 11) % 32;
    if (colorBy === 'duration') return (Math.floor(Math.log2(trace.end[slice] - trace.start[slice] + 1) / 3) * 7) % 32;
    return trace.shades[trace.name[slice]];
  }

  marks({ instants, firstInstant }, { start, duration, columns }) {
    const numbers = [];
    const perTick = columns / duration;
    let at = partition(0, instants.length, (at) => instants[at].at >= start);
    while (at < instants.length && instants[at].at < start + duration) {
      const column = Math.floor((instants[at].at - start) * perTick);
      const next = Math.max(gallop(at, instants.length, (at) => (instants[at].at - start) * perTick >= column + 1), at + 1);
      numbers.push(column, firstInstant + at, next - at, this.isName?.[instants[at].name] ? 1 : 0);
      at = next;
    }
    return numbers;
  }

  // Each series from zero, the highest behind the others.
  chart({ top, height, of }, { start, duration, columns }) {
    const perTick = columns / duration;
    let least = 0, most = 0;
    const finite = (value) => (Number.isFinite(value) ? value : 0);
    for (const { points } of of.series) for (const { value } of points) [least, most] = [Math.min(least, finite(value)), Math.max(most, finite(value))];
    const layer = ({ name, points }) => {
      const runs = [];
      let at = Math.max(partition(0, points.length, (at) => points[at].at > start) - 1, 0);
      let x = Math.max((points[at]?.at - start) * perTick, 0);
      while (at < points.length && x <= columns) {
        let low = finite(points[at].value), high = low, next = columns;
        for (at++; at < points.length; at++) {
          next = Math.max((points[at].at - start) * perTick, 0);
          if (next >= x + 1) break;
          [low, high] = [Math.min(low, finite(points[at].value)), Math.max(high, finite(points[at].value))];
        }
        const end = at < points.length ? next : columns;
        runs.push(x, end, low, high);
        x = end;
      }
      return { shade: this.trace.shades[name], runs };
    };
    const highest = ({ points }) => points.reduce((most, { value }) => Math.max(most, finite(value)), 0);
    return { top, height, offset: 0, least, most, layers: [...of.series].sort((a, b) => highest(b) - highest(a)).map(layer) };
  }

  // How many outermost rows of these tracks are busy in each column.
  busy(lanes, start, duration, columns) {
    const { trace } = this;
    const busy = new Float32Array(columns);
    for (const row of lanes.flatMap(({ rows }) => rows.filter(({ depth }) => depth === 0))) {
      for (let column = 0, at = row.first; column < columns; column++) {
        const from = start + (column * duration) / columns, to = start + ((column + 1) * duration) / columns;
        at = gallop(at, row.last, (at) => trace.end[at] > from);
        if (at < row.last && trace.end[at] <= from) at++;
        const end = gallop(at, row.last, (at) => trace.start[at] >= to);
        if (at >= row.last || trace.start[at] >= to) continue;
        const behind = trace.start[end] < to ? end + 1 : end;
        const inside = trace.busy[behind] - trace.busy[at] - Math.max(from - trace.start[at], 0) - Math.max(trace.end[behind - 1] - to, 0);
        busy[column] += Math.min(Math.max(inside / (to - from), 0.02), 1);
      }
    }
    return busy;
  }

  overview(start, end, columns) {
    return this.busy(this.trace.lanes.filter(({ what }) => what !== 'async'), start, end - start, columns);
  }

  // Round times: 1, 2 or 5 times a power of ten nanoseconds, or of what ticks count, apart.
  ruler({ start, duration, columns, betweenMarks }) {
    const { unit } = this.trace;
    const ns = Number(unit) || 1;
    const least = Math.max((betweenMarks / columns) * duration * ns, 1);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].find((times) => times * power >= least * 0.999) * power;
    const marks = [];
    for (let index = Math.ceil((start * ns) / step); index * step <= (start + duration) * ns && marks.length < 200; index++) {
      const at = (index * step) / ns;
      marks.push([((at - start) / duration) * columns, axisLabel(at, step / ns, start + duration, unit)]);
    }
    return marks;
  }

  // Too many are thinned as `thin_arrows` of the library does.
  arrows({ start, duration, columns, selected, main, arrows }) {
    const { trace, lineOf } = this;
    const until = start + duration;
    const isOwn = ({ from, to }) => from === selected || to === selected;
    const isWanted = (flow) => arrows === 'all' || (arrows === 'selected' && isOwn(flow));
    const inView = trace.flows.filter((flow) => isWanted(flow) && Math.min(flow.leaves, flow.arrives) <= until && Math.max(flow.leaves, flow.arrives) >= start);
    const rank = (flow) => (isOwn(flow) ? -1 : Math.imul(flow.number, 0x9E3779B1) >>> 0);
    const flows = inView.length > MAX_ARROWS ? inView.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_ARROWS) : inView;
    const x = (time) => Math.min(Math.max(((time - start) / duration) * columns, 0), columns);
    const numbers = flows.flatMap((flow) => {
      const [from, to] = [flow.from, flow.to].map((slice) => lineOf.get(this.rowOf(slice)));
      if (!from || !to || Math.min(from.top, to.top) > main.end || Math.max(from.top, to.top) + ROW < main.start) return [];
      return [x(Math.min(flow.leaves, trace.end[flow.from])), from.top + ROW / 2, x(flow.arrives), to.top + ROW / 2, 1, isOwn(flow) ? 1 : 0];
    });
    return { arrows: Float32Array.from(numbers), arrowsLeftOut: inView.length - flows.length };
  }

  rowOf(slice) {
    const { rows } = this.trace;
    return rows[partition(0, rows.length, (at) => rows[at].last > slice)];
  }

  details({ kind, id, at }) {
    const { trace } = this;
    const length = (ticks) => duration(ticks, trace.unit);
    const argsOf = (number) => trace.texts[number].split('\n').filter(Boolean).map((line) => line.split(/: ([^]*)/).slice(0, 2));
    const where = (lane) => [['track', lane.label], ['process', lane.group.label]];
    if (kind === 'instant') {
      const { at, name, args, lane } = trace.instants[id];
      return { name: trace.names[name], facts: [...where(lane), ['time', moment(at, trace.unit)]], args: argsOf(args), flows: [] };
    }
    if (kind === 'counter') {
      const lane = trace.lanes[id];
      const valueAt = ({ points }) => points[partition(0, points.length, (index) => points[index].at > at) - 1]?.value;
      const values = lane.series.map((series) => [trace.names[series.name] || 'value', String(valueAt(series) ?? '')]);
      return { name: lane.label, facts: [...where(lane), ['time', moment(at, trace.unit)]], args: values, flows: [] };
    }
    if (id >= trace.length) return undefined;
    const row = this.rowOf(id), ticks = trace.end[id] - trace.start[id], count = trace.count[id];
    const facts = [...where(row.lane)];
    const category = trace.names[trace.category[id]];
    if (category) facts.push(['category', category]);
    facts.push(['start', moment(trace.start[id], trace.unit)], ['duration', length(ticks) + (trace.isOpen[id] ? ', not finished' : '')]);
    if (count > 1) facts.push(['stands for', `${count} slices`], ['busy', length(trace.busy[id + 1] - trace.busy[id])]);
    else if (!row.isState) facts.push(['self', `${length(trace.self[id])}, ${((100 * trace.self[id]) / Math.max(ticks, 1)).toFixed(1)} %`], ['depth', String(trace.isWhole ? this.around(id).length : row.depth)]);
    if (trace.cpu.has(id)) facts.push(['CPU', length(trace.cpu.get(id))], ['waiting', length(Math.max(ticks - trace.cpu.get(id), 0))]);
    if (trace.source[id]) facts.push(['source', trace.texts[trace.source[id]]]);
    const flows = trace.flows.filter(({ from, to }) => from === id || to === id).map((flow) => {
      const leaves = flow.from === id, slice = leaves ? flow.to : flow.from;
      return { leaves, slice, takes: flow.arrives - flow.leaves, name: `${trace.names[trace.name[slice]]} (${trace.names[flow.name]})` };
    });
    return { name: trace.names[trace.name[id]], facts, args: argsOf(trace.args[id]), flows: row.isState ? [] : flows };
  }

  place(slice) {
    const { trace } = this;
    if (slice >= trace.length) return undefined;
    const row = this.rowOf(slice), line = this.lineOf.get(row);
    const header = this.main.headers.find(({ item }) => item === row.lane.item) ?? this.main.headers.find(({ item }) => item === row.lane.group.item);
    const found = line ?? header;
    return {
      start: trace.start[slice], end: trace.end[slice], item: row.lane.item, process: row.lane.group.item,
      line: found && [found.top, found.height], shown: Boolean(line),
    };
  }

  step(slice, how) {
    const { trace } = this;
    const row = this.rowOf(slice);
    if (how === 'next') return slice + 1 < row.last ? slice + 1 : undefined;
    if (how === 'previous') return slice > row.first ? slice - 1 : undefined;
    if (how === 'parent' && trace.isWhole) return this.around(slice)[0];
    const other = trace.rows[trace.rows.indexOf(row) + (how === 'parent' ? -1 : 1)];
    if (trace.isWhole) return other?.lane === row.lane && !other.isState ? this.longestChild(slice, other) : undefined;
    if (!other || other.lane !== row.lane || other.isState || other.depth !== row.depth + (how === 'parent' ? -1 : 1)) return undefined;
    const first = partition(other.first, other.last, (at) => trace.end[at] >= trace.start[slice] && (how === 'parent' || trace.start[at] >= trace.start[slice]));
    if (how === 'parent') return first < other.last && trace.start[first] <= trace.start[slice] ? first : undefined;
    let longest;
    for (let at = first; at < other.last && trace.start[at] < trace.end[slice]; at++) {
      if (longest === undefined || trace.end[at] - trace.start[at] > trace.end[longest] - trace.start[longest]) longest = at;
    }
    return longest;
  }

  // The slices around one, the innermost first.
  around(slice) {
    const { parent } = this.trace, found = [];
    for (let outer = parent[slice]; outer; outer = parent[outer - 1]) found.push(outer - 1);
    return found;
  }

  longestChild(slice, { first, last }) {
    const { trace } = this, length = (child) => trace.end[child] - trace.start[child];
    let longest;
    for (let at = partition(first, last, (at) => trace.start[at] >= trace.start[slice]); at < last && trace.start[at] <= trace.end[slice]; at++) {
      if (trace.parent[at] === slice + 1 && (longest === undefined || length(at) > length(longest))) longest = at;
    }
    return longest;
  }

  find(text) {
    const { trace } = this;
    this.isHit = this.isName = this.hitsByStart = undefined;
    if (text === undefined) return undefined;
    const [, pattern] = text.match(/^\/(.+)\/$/) ?? [];
    const wanted = text.toLowerCase();
    let matches = (one) => one.toLowerCase().includes(wanted);
    try {
      const expression = pattern && new RegExp(pattern, 'iu');
      if (expression) matches = (one) => expression.test(one);
    } catch (error) {
      return { error: error.message };
    }
    const inTexts = Uint8Array.from(trace.texts, matches);
    this.isName = Uint8Array.from(trace.names, matches);
    return this.foundBy((slice) => this.isName[trace.name[slice]] || inTexts[trace.args[slice]], trace.lanes.filter(({ label }) => matches(label)).map(({ item }) => item));
  }

  findName(slice) {
    const { trace } = this;
    this.isName = undefined;
    return this.foundBy((other) => trace.name[other] === trace.name[slice], []);
  }

  foundBy(matches, tracks) {
    const { trace } = this;
    const hits = [];
    this.isHit = new Uint8Array(trace.length);
    for (const row of trace.rows) {
      if (row.isState) continue;
      for (let slice = row.first; slice < row.last; slice++) {
        if (!matches(slice)) continue;
        this.isHit[slice] = 1;
        hits.push(slice);
      }
    }
    this.hitsByStart = Uint32Array.from(hits.sort((a, b) => trace.start[a] - trace.start[b] || a - b));
    const instants = this.isName ? trace.instants.filter(({ name }) => this.isName[name]).length : 0;
    return { slices: hits.length, instants, tracks };
  }

  hits(slice, at, backwards, count) {
    const { trace, hitsByStart } = this;
    if (!hitsByStart) return [];
    const [from, id] = slice === undefined ? [at, -1] : [trace.start[slice], slice];
    const isBehind = (hit) => trace.start[hit] > from || (trace.start[hit] === from && hit > id);
    const isNotBefore = (hit) => trace.start[hit] > from || (trace.start[hit] === from && hit >= id);
    let rank = partition(0, hitsByStart.length, (at) => (backwards ? isNotBefore : isBehind)(hitsByStart[at]));
    const found = [];
    if (backwards) rank--;
    for (; found.length < count && rank >= 0 && rank < hitsByStart.length; rank += backwards ? -1 : 1) {
      const hit = hitsByStart[rank];
      found.push({ slice: hit, rank, name: trace.names[trace.name[hit]], start: trace.start[hit] });
    }
    return found;
  }

  hitsOverview(start, end, columns) {
    const found = new Uint32Array(columns);
    for (const hit of this.hitsByStart ?? []) {
      const column = Math.floor(((this.trace.start[hit] - start) / (end - start)) * columns);
      if (column >= 0 && column < columns) found[column]++;
    }
    return found;
  }

  // Visits the slices of an area, each after those around it: where its part in the range begins and ends, the slice around it
  // if that is in the range, and its lane.
  walk({ start, end, items, tracks = this.set }, visit) {
    const { trace } = this;
    const ids = items && new Set(items.map(({ kind, id }) => `${kind} ${id}`));
    const isInSet = (what) => tracks === 'all' || (what === 'thread') === (tracks === 'threads');
    const isWanted = ({ item, group, what }) => (ids ? ids.has(`track ${item.id}`) || ids.has(`process ${group.item.id}`) : isInSet(what));
    const isInRange = (slice) => trace.start[slice] < end && (trace.end[slice] > start || trace.start[slice] >= start);
    for (const lane of trace.lanes.filter(isWanted)) {
      const slices = [];
      for (const { first, last } of lane.rows) {
        for (let at = partition(first, last, (at) => trace.end[at] > start || trace.start[at] >= start); at < last && trace.start[at] < end; at++) slices.push(at);
      }
      for (const slice of slices.sort((a, b) => trace.start[a] - trace.start[b] || a - b)) {
        const outer = trace.parent[slice] - 1; // as the library has it
        const around = outer >= 0 && isInRange(outer) ? outer : undefined;
        visit(slice, Math.max(trace.start[slice], start), Math.min(trace.end[slice], end), around, lane);
      }
    }
  }

  // Sums by name over a range. A slice counts with the part inside; one inside another of its name adds no total.
  statistics(area, by, ranking) {
    const { trace } = this, sums = new Map();
    const of = (name) => {
      if (!sums.has(name)) sums.set(name, { name: trace.names[name], count: 0, total: 0, own: 0, all: 0, min: Infinity, max: 0 });
      return sums.get(name);
    };
    this.walk(area, (slice, from, until, around, lane) => {
      const name = trace.name[slice], sum = of(name), ticks = until - from;
      sum.count++;
      sum.own += ticks;
      sum.all += ticks;
      sum.min = Math.min(sum.min, ticks);
      sum.max = Math.max(sum.max, ticks);
      if (lane.what === 'async' || !this.around(slice).some((outer) => trace.name[outer] === name)) sum.total += ticks;
      // A span may outlive the one around it, which may be over before the span begins.
      if (around !== undefined) of(trace.name[around]).own -= Math.max(Math.min(until, trace.end[around]) - from, 0);
    });
    return ranked([...sums.values()].map((sum) => ({ ...sum, mean: Math.floor(sum.all / sum.count) })), ranking);
  }
}

// The sums that are wanted, in their order; how many there are; and the total of their own times.
function ranked(sums, { order, isAscending, filter, most }) {
  const sign = isAscending ? 1 : -1;
  const byName = (a, b) => (a.name < b.name ? -1 : Number(a.name > b.name));
  const compare = (a, b) => sign * (order === 'name' ? byName(a, b) : a[order] - b[order]) || byName(a, b);
  const found = sums.filter(({ name }) => name.toLowerCase().includes(filter)).sort(compare);
  return { rows: found.slice(0, most), count: found.length, own: sums.reduce((sum, { own }) => sum + own, 0) };
}

// The label of a mark of an axis: all in the unit of the largest, with the digits that tell them apart.
function axisLabel(ticks, step, largest, unit) {
  const [perTick, size, name, isCount] = measure(unit, largest);
  if (isCount) return moment(ticks, unit);
  const decimals = Math.max(0, -Math.floor(Math.log10(((step * perTick) / size) * 1.001)));
  return `${grouped((ticks * perTick) / size, Math.min(decimals, 12))} ${name}`;
}

// How busy a box is, in quarters.
function quarters(part) {
  return Math.min(Math.floor(part * 4), 3) || 0;
}
