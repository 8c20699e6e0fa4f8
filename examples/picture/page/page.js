// The view, and what keys and pointer do to it.
const trace = readTrace(new Reader(document.getElementById("data").textContent.trim()));
const $ = (selector) => document.querySelector(selector);
const main = $("main"), canvas = $("canvas"), tip = $("#tip"), details = $("#details"), find = $("#find");
const painter = new Painter(trace, canvas);
const state = { hover: -1, selected: -1, hits: null, isHit: null, hit: -1 };
const view = { from: 0, scale: 1, scroll: 0 };
let places = place(trace);
let pointer = null;

document.title = trace.title;
$("h1").textContent = trace.title;
$("#about").textContent = trace.about;
$("#notes").hidden = trace.notes.length === 0;
$("#notes summary").textContent = `Notes (${trace.notes.length})`;
$("#notes ul").replaceChildren(...trace.notes.map((note) => element("li", "", note)));

function element(tag, className, text) {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

// Drawing

let asked = false;
function redraw() {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    move();
    view.scroll = main.scrollTop;
    painter.draw(places, view, state);
    remember();
  });
}

function width() {
  return painter.width - NAMES;
}

// Shows the time from `from` on, `length` ticks of it, inside what is sensible.
function look(from, length) {
  const most = trace.span * 1.2, least = Math.min(trace.nsPerTick ? 10 / trace.nsPerTick : 5, most);
  length = Math.min(Math.max(length, least), most);
  view.from = Math.min(Math.max(from, -0.1 * trace.span), 1.1 * trace.span - length);
  view.scale = width() / length;
  redraw();
}

function lookAtAll() {
  look(0, trace.span);
}

function zoom(factor, x = width() / 2) {
  const length = width() / view.scale, at = view.from + x / view.scale;
  const shorter = length * factor;
  look(at - (x / width()) * shorter, shorter);
}

function resize() {
  const length = painter.width ? width() / view.scale : 0;
  painter.resize(main.clientWidth, main.clientHeight);
  $("#height").style.height = `${Math.max(places.height + RULER - painter.height, 0)}px`;
  if (length) look(view.from, length);
}

// Keys that are held move the view a little with every frame.
const held = new Set();
let moved = 0;
function move() {
  const now = performance.now();
  const seconds = Math.min(now - moved, 50) / 1000;
  moved = now;
  const has = (...keys) => keys.some((key) => held.has(key));
  const length = width() / view.scale;
  if (has("w")) zoom(0.15 ** seconds, pointer && pointer.x > 0 ? pointer.x : undefined);
  if (has("s")) zoom(0.15 ** -seconds, pointer && pointer.x > 0 ? pointer.x : undefined);
  if (has("a", "ArrowLeft")) look(view.from - length * seconds, length);
  if (has("d", "ArrowRight")) look(view.from + length * seconds, length);
  if (has("ArrowUp")) main.scrollTop -= 900 * seconds;
  if (has("ArrowDown")) main.scrollTop += 900 * seconds;
  if (held.size) redraw();
}

// The view is in the address, so that a reload or a link shows it again.

let remembering = 0;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const parts = { from: view.from, length: width() / view.scale, scroll: view.scroll };
    const hash = new URLSearchParams(Object.entries(parts).map(([key, value]) => [key, Math.round(value)]));
    if (state.selected >= 0) hash.set("slice", state.selected);
    if (find.value) hash.set("find", find.value);
    history.replaceState(null, "", `#${hash}`);
  }, 300);
}

function recall() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const number = (key, otherwise) => (Number.isFinite(parseFloat(hash.get(key))) ? parseFloat(hash.get(key)) : otherwise);
  look(number("from", 0), number("length", trace.span));
  find.value = hash.get("find") ?? "";
  search();
  const slice = number("slice", -1);
  if (slice >= 0 && slice < trace.length) select(slice);
  main.scrollTop = number("scroll", 0);
}

// Slices in words

function facts(slice, where) {
  const length = trace.end[slice] - trace.start[slice];
  const facts = [];
  if (trace.category[slice] !== undefined && trace.names[trace.category[slice]]) {
    facts.push(["category", trace.names[trace.category[slice]]]);
  }
  facts.push(["start", moment(trace, trace.start[slice])]);
  facts.push(["duration", duration(trace, length) + (trace.open[slice] ? ", not finished" : "")]);
  if (trace.count[slice] > 1) {
    facts.push(["stands for", counted(trace.count[slice], "slice")]);
    facts.push(["busy", duration(trace, trace.busy[slice + 1] - trace.busy[slice])]);
  } else {
    const share = length > 0 ? `, ${((trace.self[slice] / length) * 100).toFixed(1)} %` : "";
    facts.push(["self", duration(trace, trace.self[slice]) + share]);
  }
  if (where > 1) facts.push(["here", `${counted(where, "slice")} in this pixel`]);
  return facts;
}

function grid(facts) {
  const grid = element("div", "facts", "");
  for (const [key, value] of facts) grid.append(element("span", "", key), element("span", "", value));
  return grid;
}

// Arguments are lines of `key: value`.
function argumentsOf(text) {
  return text ? text.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]) : [];
}

function showTip(event) {
  const found = pointer && hit(trace, places, view, pointer.x, pointer.y);
  const slice = found?.slice ?? -1;
  if (slice !== state.hover) {
    state.hover = slice;
    redraw();
  }
  const content = found ? tipOf(found, slice) : [];
  tip.hidden = content.length === 0;
  if (tip.hidden) return;
  tip.replaceChildren(...content);
  const { offsetWidth, offsetHeight } = tip;
  tip.style.left = `${Math.max(Math.min(event.clientX + 14, innerWidth - offsetWidth - 8), 4)}px`;
  const below = event.clientY + 18 + offsetHeight < innerHeight;
  tip.style.top = `${below ? event.clientY + 18 : Math.max(event.clientY - offsetHeight - 10, 4)}px`;
}

function tipOf({ item, part, time, instant }, slice) {
  if (slice >= 0) {
    const edge = time + 1 / view.scale, row = rowOf(trace, slice);
    const here = trace.end[slice] - trace.start[slice] < 1 / view.scale
      ? partition(slice, row.last, (at) => trace.start[at] > edge) - slice : 1;
    const args = argumentsOf(trace.texts[trace.args[slice]]).slice(0, 8);
    return [element("div", "name", trace.names[trace.name[slice]]), grid([...facts(slice, here), ...args])];
  }
  if (instant) {
    const args = argumentsOf(trace.texts[instant.args]).slice(0, 8);
    return [element("div", "name", trace.names[instant.name]), grid([["at", moment(trace, instant.at)], ...args])];
  }
  if (part?.kind === "chart" && pointer.x >= 0) {
    const values = item.lane.series.map(({ name, points }) => {
      const last = points[partition(0, points.length, (at) => points[at].at > time) - 1];
      return [trace.names[name], last ? String(last.value) : "no value yet"];
    });
    return [element("div", "name", item.lane.name), grid(values)];
  }
  if (item.lane && pointer.x < 0) {
    return [element("div", "name", item.lane.name), element("div", "", item.lane.detail)];
  }
  return [];
}

function select(slice) {
  state.selected = slice;
  details.hidden = slice < 0;
  if (slice >= 0) {
    const name = trace.name[slice];
    let count = 0, total = 0, self = 0;
    for (let other = 0; other < trace.length; other++) {
      if (trace.name[other] !== name) continue;
      count += trace.count[other];
      total += trace.busy[other + 1] - trace.busy[other];
      self += trace.self[other];
    }
    const all = [["all of this name", grouped(count, 0)], ["together", duration(trace, total)]];
    if (trace.nsPerTick) all.push(["on average", duration(trace, total / count)]);
    if (trace.isWhole) all.push(["their self", duration(trace, self)]);
    const title = element("div", "name", trace.names[name]);
    title.style.gridColumn = "1 / -1";
    const args = argumentsOf(trace.texts[trace.args[slice]]);
    details.replaceChildren(title, grid(facts(slice, 1)), grid(all), grid(args));
  }
  resize();
  redraw();
}

// Moves the view so that a slice is in it.
function reveal(slice) {
  const row = rowOf(trace, slice);
  const process = trace.processes.find(({ lanes }) =>
    lanes.some((lane) => lane.rows.includes(row) || lane.states.includes(row)));
  if (process?.folded) fold(process);
  const part = places.items.flatMap((item) => item.parts ?? []).find((part) => part.row === row);
  if (part && (part.y < main.scrollTop + PROCESS || part.y > main.scrollTop + painter.height - RULER - 2 * ROW)) {
    main.scrollTop = part.y - painter.height / 3;
  }
  const length = width() / view.scale, middle = (trace.start[slice] + trace.end[slice]) / 2;
  const isSeen = trace.end[slice] > view.from && trace.start[slice] < view.from + length;
  const wanted = Math.max(trace.end[slice] - trace.start[slice], 1) * 20;
  if (!isSeen || wanted < length / 10) look(middle - Math.min(length, wanted) / 2, Math.min(length, wanted));
}

function fold(process) {
  process.folded = !process.folded;
  places = place(trace);
  resize();
  redraw();
}

// Search

function search() {
  const wanted = find.value.trim().toLowerCase();
  state.hit = -1;
  state.hits = state.isHit = null;
  $("#hits").textContent = "";
  if (wanted) {
    state.isHit = Uint8Array.from(trace.names, (name) => name.toLowerCase().includes(wanted));
    const hits = [];
    for (let slice = 0; slice < trace.length; slice++) if (state.isHit[trace.name[slice]]) hits.push(slice);
    state.hits = Uint32Array.from(hits);
    $("#hits").textContent = counted(hits.length, "hit");
  }
  redraw();
}

function nextHit(step) {
  const { hits } = state;
  if (!hits?.length) return;
  state.hit = (state.hit + step + hits.length + (state.hit < 0 && step < 0 ? 1 : 0)) % hits.length;
  $("#hits").textContent = `${grouped(state.hit + 1, 0)} of ${grouped(hits.length, 0)}`;
  select(hits[state.hit]);
  reveal(hits[state.hit]);
}

find.addEventListener("input", search);
find.addEventListener("keydown", (event) => {
  if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") {
    find.value = "";
    search();
    main.focus();
  }
  event.stopPropagation();
});

// Keys and pointer

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if ("wasd".includes(key) || key.startsWith("Arrow")) {
    if (!held.size) moved = performance.now();
    held.add(key);
    redraw();
  } else if (key === "/") {
    find.focus();
  } else if (key === "0") {
    lookAtAll();
  } else if (key === "f" && state.selected >= 0) {
    focusOn(state.selected);
  } else if (key === "Escape") {
    select(-1);
    find.value = "";
    search();
  } else {
    return;
  }
  event.preventDefault();
});
addEventListener("keyup", (event) => held.delete(event.key.length === 1 ? event.key.toLowerCase() : event.key));
addEventListener("blur", () => held.clear());

function focusOn(slice) {
  const length = trace.end[slice] - trace.start[slice];
  look(trace.start[slice] - 0.05 * length, 1.1 * length);
}

function locate(event) {
  const box = canvas.getBoundingClientRect();
  pointer = { x: event.clientX - box.left - NAMES, y: event.clientY - box.top - RULER };
}

canvas.addEventListener("wheel", (event) => {
  locate(event);
  const pixels = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 600 : 1;
  if (pointer.x < 0 && !event.ctrlKey) return; // the browser scrolls
  event.preventDefault();
  const along = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    look(view.from + (along * pixels) / view.scale, width() / view.scale);
  } else {
    zoom(1.0015 ** (event.deltaY * pixels * (event.ctrlKey ? 4 : 1)), pointer.x);
  }
}, { passive: false });

let drag = null;
canvas.addEventListener("pointerdown", (event) => {
  if (event.button !== 0) return;
  drag = { x: event.clientX, y: event.clientY, from: view.from, top: main.scrollTop, far: false };
  canvas.setPointerCapture(event.pointerId);
});
canvas.addEventListener("pointermove", (event) => {
  locate(event);
  if (drag) {
    const x = event.clientX - drag.x, y = event.clientY - drag.y;
    drag.far ||= Math.hypot(x, y) > 4;
    if (!drag.far) return;
    canvas.style.cursor = "grabbing";
    tip.hidden = true;
    main.scrollTop = drag.top - y;
    look(drag.from - x / view.scale, width() / view.scale);
    return;
  }
  showTip(event);
});
canvas.addEventListener("pointerup", (event) => {
  if (!drag) return;
  const { far } = drag;
  drag = null;
  canvas.style.cursor = "";
  if (far) return;
  main.focus({ preventScroll: true });
  locate(event);
  const found = hit(trace, places, view, pointer.x, pointer.y);
  if (found && !found.item.lane) fold(found.item.process);
  else select(found?.slice ?? -1);
});
canvas.addEventListener("pointercancel", () => (drag = null));
canvas.addEventListener("dblclick", () => state.selected >= 0 && focusOn(state.selected));
canvas.addEventListener("pointerleave", () => {
  pointer = null;
  tip.hidden = true;
  state.hover = -1;
  redraw();
});
main.addEventListener("scroll", redraw);
addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  painter.theme();
  redraw();
});

resize();
recall();
main.focus({ preventScroll: true });
