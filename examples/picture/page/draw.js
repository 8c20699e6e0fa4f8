// Draws what is in view. Times become pixels as (time - view.from) * view.scale.
const FONT = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const NUMBERS = '11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const BOLD = `600 12px ${FONT.slice(5)}`;

class Painter {
  constructor(trace, canvas) {
    this.trace = trace;
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.widths = new Float32Array(trace.names.length).fill(-1); // of names, once they are known
    this.theme();
  }

  // Takes the colours from the style sheet.
  theme() {
    const style = getComputedStyle(document.documentElement);
    const names = ["page", "names", "head", "line", "text", "dim", "label", "instant", "accent", "hit"];
    this.colour = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)]));
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const strengths = ["b0", "c8", "e0", "ff", "30"]; // a quarter to fully busy; not what is looked for
    this.fills = strengths.map((alpha) => COLOURS[dark ? "dark" : "light"].map((colour) => colour + alpha));
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
  }

  draw(places, view, state) {
    const { context, width, height, colour } = this;
    this.view = view;
    this.state = state;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colour.page;
    context.fillRect(0, 0, width, height);
    const steps = this.steps();
    const items = seen(places.items, view.scroll, view.scroll + height - RULER);
    context.save();
    context.beginPath();
    context.rect(NAMES, RULER, width - NAMES, height - RULER);
    context.clip();
    context.fillStyle = colour.line;
    for (const step of steps) context.fillRect(Math.round(this.x(step.at)), RULER, 1, height);
    context.translate(0, RULER - view.scroll);
    for (const item of items) if (item.lane) this.lane(item);
    this.arrows(places);
    context.restore();
    if (places.items.length === 0) {
      context.font = BOLD;
      context.fillStyle = colour.dim;
      context.fillText("Nothing in this trace can be drawn.", NAMES + 40, 80);
    }
    this.names(items, places);
    this.ruler(steps);
  }

  x(time) {
    return NAMES + (time - this.view.from) * this.view.scale;
  }

  // Whether something else is looked for.
  isDim(name) {
    return this.state.hits && !this.state.isHit[name];
  }

  // The text, or its beginning and an ellipsis; "" if there is no room for anything.
  fit(text, room) {
    const { context } = this;
    if (text.length < 1000 && context.measureText(text).width <= room) return text;
    const fits = (length) => context.measureText(`${text.slice(0, length)}…`).width <= room;
    let length = partition(1, Math.min(text.length, 1000), (at) => !fits(at)) - 1;
    // Not between the halves of a character.
    if (/[\uD800-\uDBFF]/.test(text[length - 1] ?? "")) length--;
    return length > 0 ? `${text.slice(0, length)}…` : "";
  }

  lane({ lane, parts, y, height }) {
    const { context, colour, view, width } = this;
    context.fillStyle = colour.line;
    context.fillRect(NAMES, y + height - 1, width - NAMES, 1);
    for (const part of seen(parts, view.scroll, view.scroll + this.height - RULER)) {
      if (part.kind === "row") this.row(part);
      else if (part.kind === "instants") this.instants(part, lane);
      else this.chart(part, lane);
    }
  }

  // Boxes wider than two pixels one by one, the others pixel by pixel.
  row({ row, y, height }) {
    const { context, trace, view } = this;
    const pixel = 1 / this.ratio;
    const until = view.from + (this.width - NAMES) / view.scale;
    const labels = [];
    // Pixels of one colour that follow one another.
    let run = { x: 0, end: 0, style: "" };
    const flush = () => {
      context.fillStyle = run.style;
      if (run.end > run.x) context.fillRect(run.x, y, run.end - run.x, height - 1);
      run = { x: 0, end: 0, style: "" };
    };
    let at = partition(row.first, row.last, (at) => trace.end[at] >= view.from);
    while (at < row.last && trace.start[at] <= until) {
      const left = this.x(trace.start[at]), right = this.x(trace.end[at]);
      if (right - left >= 2 * pixel) {
        flush();
        this.box(at, left, right, y, height - 1);
        if (height === ROW && Math.min(right, this.width) - Math.max(left, NAMES) > 18) labels.push(at);
        at++;
        continue;
      }
      const x = Math.floor(left / pixel) * pixel;
      const edge = view.from + (x + pixel - NAMES) / view.scale;
      const next = Math.max(gallop(at, row.last, (at) => trace.end[at] > edge), at + 1);
      const style = this.pixelStyle(at, next, pixel / view.scale);
      if (run.style !== style || x > run.end + pixel / 2) {
        flush();
        run = { x, end: x, style };
      }
      run.end = x + pixel;
      at = next;
    }
    flush();
    this.labels(labels, y);
    this.outline(this.state.hover, row, y, this.colour.dim);
    this.outline(this.state.selected, row, y, this.colour.accent);
  }

  box(slice, left, right, y, height) {
    const { context, trace, fills } = this;
    const { busy, start, end, count, nameColours } = trace;
    const name = trace.name[slice];
    const from = Math.max(left, NAMES - 2), to = Math.min(right, this.width + 2);
    let strength = 3;
    if (count[slice] > 1) strength = busyness(busy[slice + 1] - busy[slice], end[slice] - start[slice]);
    context.fillStyle = fills[this.isDim(name) ? 4 : strength][nameColours[name]];
    if (trace.open[slice] && to === right && right - left > 8) torn(context, from, y, to, height);
    else context.fillRect(from, y, to - from - (right - left > 3 ? 0.5 : 0), height);
  }

  // How to draw a pixel of `all` ticks with the slices from `first` to `last`: in the colour of the longest of them, as
  // far as that is known without looking at all, and paler the more of it is idle. One that is looked for comes first.
  pixelStyle(first, last, all) {
    const { trace, state, fills } = this;
    let shown = first;
    let strength = 3;
    const hit = state.hits ? partition(0, state.hits.length, (hit) => state.hits[hit] >= first) : -1;
    if (state.hits?.[hit] < last) {
      shown = state.hits[hit];
    } else {
      const length = (slice) => trace.end[slice] - trace.start[slice];
      for (let slice = first + 1; slice < Math.min(last, first + 16); slice++) {
        if (length(slice) > length(shown)) shown = slice;
      }
      const isAlone = last === first + 1 && trace.count[first] === 1;
      if (!isAlone) strength = busyness(trace.busy[last] - trace.busy[first], all);
      if (state.hits) strength = 4;
    }
    return fills[strength][trace.nameColours[trace.name[shown]]];
  }

  outline(slice, row, y, style) {
    if (slice < row.first || slice >= row.last) return;
    const { context, trace } = this;
    const left = Math.max(this.x(trace.start[slice]), NAMES - 3);
    const right = Math.min(this.x(trace.end[slice]), this.width + 3);
    context.strokeStyle = style;
    context.lineWidth = 2;
    context.strokeRect(left - 1, y, Math.max(right - left, 1) + 1.5, ROW - 1);
  }

  labels(slices, y) {
    const { context, trace } = this;
    context.font = FONT;
    context.textBaseline = "middle";
    for (const slice of slices) {
      const left = Math.max(this.x(trace.start[slice]), NAMES);
      const room = Math.min(this.x(trace.end[slice]), this.width) - left - 8;
      const name = trace.name[slice];
      let text = trace.names[name];
      if (trace.count[slice] > 1) text += ` and ${grouped(trace.count[slice] - 1, 0)} more`;
      else if (this.widths[name] < 0) this.widths[name] = context.measureText(text).width;
      if (trace.count[slice] > 1 || this.widths[name] > room) text = this.fit(text, room);
      context.fillStyle = this.isDim(name) ? this.colour.dim : this.colour.label;
      if (text) context.fillText(text, left + 4, y + ROW / 2 - 0.5);
    }
  }

  instants({ y }, { instants }) {
    const { context, view, state, trace } = this;
    const until = view.from + (this.width - NAMES + 4) / view.scale;
    let at = partition(0, instants.length, (at) => instants[at].at >= view.from - 4 / view.scale);
    while (at < instants.length && instants[at].at <= until) {
      const { name } = instants[at];
      const x = Math.round(this.x(instants[at].at)) + 0.5;
      context.fillStyle = state.isHit?.[name] ? this.colour.hit : this.colour.instant;
      context.globalAlpha = this.isDim(name) ? 0.3 : 1;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x + 3.5, y + 4);
      context.lineTo(x, y + 8.5);
      context.lineTo(x - 3.5, y + 4);
      context.fill();
      const edge = instants[at].at + 1 / view.scale;
      at = gallop(at, instants.length, (at) => instants[at].at >= edge);
      if (instants[at]?.at < edge) at++;
    }
    context.globalAlpha = 1;
  }

  // Each series from zero, over each other, and how high the chart reaches; of the values in a pixel the largest.
  chart({ y, height }, { series, least, most }) {
    const { context, trace, view, fills } = this;
    const scale = (height - 4) / (most - least || 1);
    const heightOf = (value) => y + height - 2 - ((Number.isFinite(value) ? value : 0) - least) * scale;
    for (const { name, points } of series) {
      context.fillStyle = fills[2][trace.nameColours[name]];
      context.beginPath();
      let at = Math.max(partition(0, points.length, (at) => points[at].at > view.from) - 1, 0);
      let x = Math.max(this.x(points[at].at), NAMES - 1);
      context.moveTo(x, heightOf(0));
      while (at < points.length && x <= this.width) {
        let largest = points[at].value;
        let next = NAMES - 1;
        for (at++; at < points.length; at++) {
          next = Math.max(this.x(points[at].at), NAMES - 1);
          if (next >= x + 1) break;
          largest = Math.max(largest, points[at].value);
        }
        context.lineTo(x, heightOf(largest));
        x = at < points.length ? next : this.width + 1;
        context.lineTo(x, heightOf(points[at - 1].value));
      }
      context.lineTo(x, heightOf(0));
      context.fill();
    }
    context.font = NUMBERS;
    context.textBaseline = "top";
    context.lineWidth = 3;
    context.strokeStyle = this.colour.page;
    context.fillStyle = this.colour.text;
    for (const text of ["strokeText", "fillText"]) context[text](shortened(most, 3), NAMES + 4, y + 2);
  }

  // The flows of the selected slice, or all in view if they are few.
  arrows(places) {
    const { context, trace, state, view } = this;
    const until = view.from + (this.width - NAMES) / view.scale;
    const own = ({ from, to }) => from === state.selected || to === state.selected;
    let flows = trace.flows.filter(({ leaves, arrives }) => Math.min(leaves, arrives) <= until && Math.max(leaves, arrives) >= view.from);
    if (flows.length > 400) flows = flows.filter(own);
    if (flows.length === 0) return;
    const heights = new Map();
    for (const item of places.items) for (const part of item.parts ?? []) if (part.row) heights.set(part.row, part.y);
    for (const flow of flows) {
      const from = heights.get(rowOf(trace, flow.from)), to = heights.get(rowOf(trace, flow.to));
      if (from === undefined || to === undefined) continue;
      const x0 = this.x(Math.min(flow.leaves, trace.end[flow.from])), x1 = this.x(flow.arrives);
      const y0 = from + ROW / 2, y1 = to + ROW / 2;
      const bend = Math.max(Math.abs(x1 - x0) / 2, 16);
      context.strokeStyle = context.fillStyle = own(flow) ? this.colour.accent : this.colour.dim;
      context.globalAlpha = own(flow) ? 1 : 0.6;
      context.lineWidth = own(flow) ? 1.5 : 1;
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 3, y1);
      context.stroke();
      context.beginPath();
      context.moveTo(x1 + 1, y1);
      context.lineTo(x1 - 5, y1 - 3.5);
      context.lineTo(x1 - 5, y1 + 3.5);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  names(items, places) {
    const { context, width, height, colour, view } = this;
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height - RULER);
    context.clip();
    context.fillStyle = colour.names;
    context.fillRect(0, RULER, NAMES, height);
    context.fillStyle = colour.line;
    context.fillRect(NAMES - 1, RULER, 1, height);
    context.textBaseline = "middle";
    for (const { lane, process, y, height } of items) {
      const top = y - view.scroll + RULER;
      if (!lane) {
        this.heading(process, top);
        continue;
      }
      context.fillStyle = colour.line;
      context.fillRect(0, top + height - 1, NAMES, 1);
      // The name stays in sight as long as something of its lane does.
      const text = Math.min(Math.max(top, RULER + PROCESS) + 11, top + height - 10);
      context.font = FONT;
      context.fillStyle = colour.text;
      const name = this.fit(lane.name, NAMES - 20);
      context.fillText(name, 10, text);
      const used = context.measureText(name).width + 18;
      context.font = NUMBERS;
      context.fillStyle = colour.dim;
      const isBeside = context.measureText(lane.detail).width <= NAMES - used - 8;
      if (isBeside) context.fillText(lane.detail, used, text);
      else if (text + 22 < top + height) context.fillText(this.fit(lane.detail, NAMES - 20), 10, text + 15);
    }
    const above = partition(0, places.items.length, (at) => places.items[at].y > view.scroll) - 1;
    if (above >= 0) {
      const { process } = places.items[above];
      const next = places.items.find((item) => !item.lane && item.y > view.scroll);
      this.heading(process, RULER + Math.min(0, (next?.y ?? Infinity) - view.scroll - PROCESS));
    }
    context.restore();
  }

  heading(process, y) {
    const { context, width, colour } = this;
    context.fillStyle = colour.head;
    context.fillRect(0, y, width, PROCESS - 1);
    context.fillStyle = colour.line;
    context.fillRect(0, y + PROCESS - 1, width, 1);
    context.font = BOLD;
    context.fillStyle = colour.text;
    const name = this.fit(`${process.folded ? "▸" : "▾"}  ${process.name}`, width / 2);
    context.fillText(name, 10, y + PROCESS / 2);
    const used = context.measureText(name).width + 20;
    context.font = FONT;
    context.fillStyle = colour.dim;
    context.fillText(this.fit(process.detail, width / 2 - 30), used, y + PROCESS / 2);
  }

  // Round times in view: 1, 2 or 5 times a power of ten nanoseconds or events apart, at least 110 pixels.
  steps() {
    const { trace, view } = this;
    const ns = trace.nsPerTick || 1;
    const least = Math.max((110 / view.scale) * ns, trace.nsPerTick ? 0 : 1);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].find((times) => times * power >= least * 0.999) * power;
    const first = Math.ceil((view.from * ns) / step), last = ((view.from + this.width / view.scale) * ns) / step;
    const steps = [];
    for (let index = first; index <= last && steps.length < 100; index++) {
      steps.push({ at: (index * step) / ns, text: this.stepText(index * step, step, last * step) });
    }
    return steps;
  }

  // All in the unit of the largest, with the digits that tell them apart.
  stepText(ns, step, largest) {
    if (!this.trace.nsPerTick || ns === 0) return grouped(ns, 0);
    const [size, unit] = unitOf(Math.abs(largest));
    const decimals = Math.min(Math.max(0, -Math.floor(Math.log10((step / size) * 1.001))), 12);
    return `${grouped(ns / size, decimals)} ${unit}`;
  }

  ruler(steps) {
    const { context, width, colour } = this;
    context.fillStyle = colour.names;
    context.fillRect(0, 0, width, RULER);
    context.fillStyle = colour.line;
    context.fillRect(0, RULER - 1, width, 1);
    context.font = NUMBERS;
    context.textBaseline = "middle";
    for (const { at, text } of steps) {
      const x = Math.round(this.x(at));
      if (x < NAMES - 1) continue;
      context.fillStyle = colour.line;
      context.fillRect(x, RULER - 10, 1, 10);
      context.fillStyle = colour.dim;
      if (x + 4 + context.measureText(text).width <= width) context.fillText(text, x + 4, RULER / 2 - 1);
    }
    const shown = duration(this.trace, (width - NAMES) / this.view.scale);
    context.fillStyle = colour.names;
    context.fillRect(0, 0, NAMES - 1, RULER - 1);
    context.fillStyle = colour.dim;
    context.fillText(`${shown} in view`, 10, RULER / 2 - 1);
  }
}

// How strongly to draw what is `busy` out of `all`.
function busyness(busy, all) {
  return Math.min(Math.floor((busy / all) * 4), 3) || 0;
}

// A box whose right edge is torn off.
function torn(context, left, top, right, height) {
  const tooth = height / 4;
  context.beginPath();
  context.moveTo(left, top);
  for (const [index, x] of [-4, 0, -4, 0, -4].entries()) context.lineTo(right + x, top + index * tooth);
  context.lineTo(left, top + height);
  context.fill();
}
