// Where things are from top to bottom, in pixels from the first process. All but the view itself.
const NAMES = 220, RULER = 30;
const ROW = 18, PROCESS = 26, INSTANTS = 10, STATES = 7, CHART = 40, GAP = 5;

// Gives processes and lanes, and what is on them, their `y`; returns what there is, in order, and the height.
function place(trace) {
  const items = [];
  let y = 0;
  for (const process of trace.processes) {
    items.push({ process, y, height: PROCESS });
    y += PROCESS;
    if (process.folded) continue;
    for (const lane of process.lanes) {
      const item = { process, lane, y, parts: [] };
      const add = (kind, height, what) => {
        item.parts.push({ kind, y, height, ...what });
        y += height;
      };
      y += 2;
      if (lane.series.length) add("chart", CHART, {});
      if (lane.instants.length) add("instants", INSTANTS, {});
      for (const row of lane.rows) add("row", ROW, { row });
      for (const row of lane.states) add("row", STATES, { row });
      y = Math.max(y, item.y + ROW + 2) + GAP;
      item.height = y - item.y;
      items.push(item);
    }
  }
  return { items, height: y + 40 };
}

// The items, or the parts of one, that are seen between two heights.
function seen(items, top, bottom) {
  const first = partition(0, items.length, (at) => items[at].y + items[at].height > top);
  const last = partition(first, items.length, (at) => items[at].y >= bottom);
  return items.slice(first, last);
}

// The row of a slice.
function rowOf(trace, slice) {
  return trace.rows[partition(0, trace.rows.length, (at) => trace.rows[at].last > slice)];
}

// The slice of a row at a time, or the closest one no more than `reach` away; -1 if there is none.
function sliceAt(trace, row, time, reach) {
  const next = partition(row.first, row.last, (at) => trace.end[at] > time);
  if (next < row.last && trace.start[next] <= time) return next;
  const after = next < row.last ? trace.start[next] - time : Infinity;
  const before = next > row.first ? time - trace.end[next - 1] : Infinity;
  if (Math.min(before, after) > reach) return -1;
  return after < before ? next : next - 1;
}

// The one of `list`, sorted by `at`, that is closest to a time and no more than `reach` away.
function closest(list, time, reach) {
  const next = partition(0, list.length, (at) => list[at].at >= time);
  const candidates = [list[next - 1], list[next]].filter((one) => one && Math.abs(one.at - time) <= reach);
  return candidates.sort((a, b) => Math.abs(a.at - time) - Math.abs(b.at - time))[0];
}

// What is under a point `x` right of the names and `y` below the ruler.
function hit(trace, places, view, x, y) {
  const height = y + view.scroll;
  const item = seen(places.items, height, height + 1)[0];
  if (!item) return null;
  const time = view.from + x / view.scale;
  const reach = 4 / view.scale;
  const part = item.lane && seen(item.parts, height, height + 1)[0];
  const found = { item, part, time };
  if (x < 0 || !part) return found;
  if (part.kind === "row") found.slice = sliceAt(trace, part.row, time, reach);
  if (part.kind === "instants") found.instant = closest(item.lane.instants, time, reach);
  return found;
}
