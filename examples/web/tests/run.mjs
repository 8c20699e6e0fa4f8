// The viewer in a real browser: `node run.mjs [--pictures FOLDER] [--only TEXT] [FILE…]`.
//
// Loads files of every format and does what a user does. What the page says is compared with what the programs `dump`
// and `top` say about the same file. Needs `dist`, which `cargo web --build` makes.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { Browser } from './browser.mjs';
import { serve } from './server.mjs';
import { day } from './day.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const dist = join(root, 'examples/web/dist');
const recordings = join(root, 'testdata/recordings');
const FILES = ['threads-v0.spall', 'threads-v1.spall', 'threads-v3.spall', 'threads-v3.spall.gz', 'functions-auto.spall', 'workers.bin.log', 'game.trace', 'calls.json', 'motley.json', 'profile-chunks.json', 'profile.cpuprofile'];
const SIZES = [
  ['narrow', 320, 568, 2], ['phone', 390, 844, 3], ['desk', 1400, 900, 1], ['wall', 3840, 2160, 1],
  ['dark', 1400, 900, 1, { name: 'prefers-color-scheme', value: 'dark' }], ['forced', 1400, 900, 1, { name: 'forced-colors', value: 'active' }],
];
const NAMES = 220, TOP = 36 + 24; // sizes of the page in pixels: names, overview and ruler

const options = process.argv.slice(2);
const option = (name) => (options.includes(name) ? options.splice(options.indexOf(name), 2)[1] : undefined);
const pictures = option('--pictures'), only = option('--only') ?? '';
const files = options.length ? options.map((file) => resolve(file)) : FILES.map((file) => join(recordings, file));
let failures = 0;

function check(is, expected, what) {
  if (JSON.stringify(is) === JSON.stringify(expected)) return;
  failures++;
  console.log(`  FAILED ${what}: is ${JSON.stringify(is)}, should be ${JSON.stringify(expected)}`);
}

function ensure(holds, what) {
  check(Boolean(holds), true, what);
}

// Of the whole workspace, so that the programs are those that `cargo test --workspace` has built.
const built = execFileSync('cargo', ['build', '--workspace', '--example', 'dump', '--example', 'top', '--bin', 'spall', '--message-format', 'json'], { cwd: root, maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
const programs = Object.fromEntries(built.toString().trim().split('\n').map(JSON.parse).filter(({ executable }) => executable).map(({ target, executable }) => [target.name, executable]));

// What a program prints: one of the examples, or a subcommand of `spall`.
function program(name, ...args) {
  const command = programs[name] ? [] : [name];
  return execFileSync(programs[name] ?? programs.spall, [...command, ...args], { cwd: root, maxBuffer: 1 << 30 }).toString();
}

// Waits until the page has drawn what it was asked for.
const settled = (page) => page.until('!viewer.steps.acting && !viewer.pictures.isAsking && !viewer.pictures.isWanted && !viewer.isDrawing && !viewer.overview.isAsked');

async function load(page, ...files) {
  const [file] = files;
  await page.value('window.before = viewer, 0');
  await page.choose('#file', ...files);
  await page.until('(viewer !== before && viewer?.frame) || root.querySelector(".error")', 120);
  check(await page.value('root.querySelector(".error")?.textContent ?? ""'), '', `${basename(file)} is read`);
  await settled(page);
}

// The boxes of the picture, with their places on the page.
const boxes = (page) => page.value(`(() => {
  const { frame, painter, view, main } = viewer;
  const place = painter.place(frame, view, 0), box = viewer.canvas.getBoundingClientRect();
  return Array.from({ length: frame.main.numbers.length / 6 }, (_, at) => {
    const [top, height, id, name, count, style] = frame.main.numbers.slice(at * 6, at * 6 + 6);
    const [left, right] = [0, 1].map((edge) => (frame.main.edges[at * 2 + edge] * place.scale + place.shift) / painter.ratio);
    const y = box.top + top - main.scrollTop + viewer.mainTop + height / 2;
    return { x: box.left + (Math.max(left, painter.names) + Math.min(right, painter.width / painter.ratio)) / 2, y, width: right - left, id, count, name: viewer.names.get(name), isState: Boolean(style & 512), kind: style & 512 ? ['state', 'object', 'derived'][style >>> 12] : 'slice' };
  }).filter(({ y }) => y > box.top + viewer.mainTop && y < box.bottom);
})()`);

const view = (page) => page.value('({ start: viewer.view.start, duration: viewer.view.duration, top: viewer.main.scrollTop })');
const said = (page) => page.value('Object.fromEntries([...root.querySelectorAll("#panel dl")].flatMap((list) => [...list.querySelectorAll("dt")].map((key) => [key.textContent, key.nextSibling.textContent])))');

// The number of slices, and the sums of functions, are those of the programs.
async function compare(page, file) {
  const dump = program('dump', file).trim().split('\n').map((line) => JSON.parse(line));
  const [trace] = dump;
  const about = await page.value('root.querySelector("#about").textContent');
  const isSampled = /sample/.test(about);
  if (!isSampled) check(await page.value('viewer.about.counts.find(([what]) => what === "slice")?.[1] ?? 0'), trace.slices, 'slices');
  if (!(await page.value('viewer.about.counts.some(([what]) => what === "slice")'))) return dump;
  // `top` adds up threads.
  await page.value(`viewer.setRange({ start: viewer.about.start, end: viewer.about.end + 1, items: viewer.about.groups.flatMap(({ members }) => members).filter(({ what }) => what !== 'async').map(({ item }) => item) })`);
  await page.key('t', 'KeyT');
  await page.until('root.querySelector("#panel tbody")');
  await page.value(`(() => { const choose = root.querySelector('#panel select'); choose.value = 'function'; choose.onchange(); })()`);
  await page.until('viewer.drawer.statistics.shown === "function"');
  const shown = await page.value('[...root.querySelectorAll("#panel table:not(.facts) tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent))');
  const lines = program('top', file, '1000').split('\n');
  const expected = lines.slice(1, lines.indexOf('')).map((line) => line.match(/^ *(\S+ \S+) +(\S+ \S+) +(\d+) +(\d+)  ?(.*)$/)?.slice(1)).filter(Boolean);
  const plain = (text) => text.replace(/[\s\u202f]+/g, ' ').trim();
  const rows = new Map(shown.map(([name, count, total, own]) => [plain(name), [own, total, count].map(plain)]));
  let compared = 0;
  for (const [own, total, calls, , name] of expected.slice(0, 50)) {
    const row = rows.get(plain(name)) ?? rows.get(`${plain(name)}`.trim());
    if (!row) continue;
    compared++;
    check(row.slice(0, 2), [plain(own), plain(total)], `self and total of ${name}`);
    if (!isSampled) check(row[2].replace(/ /g, ''), calls, `calls of ${name}`);
  }
  ensure(compared >= Math.min(expected.length, 5) || isSampled, `functions of top are in the table (${compared} of ${expected.length})`);
  await page.value('viewer.setRange(undefined)');
  await page.key('q', 'KeyQ');
  await settled(page);
  return dump;
}

// Zoom, pan, hover, click, find, range, fold, pin, hide and call graphs.
async function use(page, file, dump) {
  const before = await view(page);
  const [width, height] = await page.value('[innerWidth, innerHeight]');
  const middle = [NAMES + (width - NAMES) / 2, height / 2];
  await page.wheel(...middle, 0, -240, 2);
  await settled(page);
  const zoomed = await view(page);
  ensure(zoomed.duration < before.duration * 0.8, 'Ctrl and the wheel zoom in');
  await page.wheel(...middle, 200, 0);
  await settled(page);
  const panned = await view(page);
  ensure(panned.start > zoomed.start && Math.abs(panned.duration - zoomed.duration) < 1, 'a wheel that turns sideways moves in time');
  await page.key('0', 'Digit0');
  await settled(page);

  // The widest box that stands for one slice.
  const all = (await boxes(page)).filter(({ count, isState }) => count === 1 && !isState).sort((a, b) => b.width - a.width);
  if (!all.length) return console.log('  no slices');
  const [box] = all;
  await page.move(box.x, box.y);
  await page.until(`viewer.hover?.id === ${box.id} && !root.querySelector("#tip").hidden`);
  const tip = await page.value('root.querySelector("#tip strong").textContent');
  check(tip, (await page.value(`viewer.source.details({ kind: 'slice', id: ${box.id} }, 0)`)).name || '(no name)', 'the name in the tip');
  if (box.name !== undefined) check(tip, box.name || '(no name)', 'the label of the box');
  await page.click(box.x, box.y);
  await page.until('viewer.selected && !root.querySelector("#drawer").hidden && root.querySelector("#panel h2")');
  const facts = await said(page);
  const name = await page.value('root.querySelector("#panel h2").textContent');
  const plain = (text) => text.replace(/\u202f/g, ' ');
  const slices = dump.filter((line) => line.k === 'slice');
  const unit = await page.value('JSON.stringify(viewer.about.unit)');
  if (!(await page.value('viewer.about.counts.some(([what]) => what === "sample")'))) {
    const place = await page.value('viewer.source.place(viewer.selected.id).then((place) => ({ ...place, first: viewer.about.start }))');
    const same = slices.filter((slice) => slice.name === name && slice.start - dump[0].start === place.start - place.first);
    ensure(same.some((slice) => Math.abs(slice.dur - (place.end - place.start)) <= 0 || slice.open), `dump has the slice ${name} at ${place.start}`);
    const text = await page.value(`import('./ui/text.js').then(({ duration }) => duration(${same[0]?.dur ?? 0}, ${unit}))`);
    check(plain(facts.duration ?? '').replace(', not finished', ''), plain(text), 'the duration in the details');
  }

  // The tip follows what is under the pointer while the view moves under it.
  await page.move(box.x, box.y);
  await page.wheel(box.x, box.y, 0, -240, 2);
  await page.wheel(box.x, box.y, 90, 0);
  await settled(page);
  const tipped = await page.value(`(async () => {
    const { hover } = viewer;
    await new Promise((done) => { setTimeout(done, 100); });
    return [root.querySelector('#tip').hidden ? null : root.querySelector('#tip strong').textContent,
      hover ? (await viewer.source.details(hover, 0)).name || '(no name)' : null];
  })()`);
  check(tipped[0], tipped[1], 'the tip after the view moved');
  await page.until('/start=.*span=/.test(location.hash)');

  // A tip about something else is gone while the details are on their way.
  check(await page.value(`(() => {
    const { hover, tip, source } = viewer, { details } = source;
    source.details = () => new Promise(() => {});
    viewer.hover = { ...hover, id: -1 };
    tip.update();
    tip.update();
    viewer.hover = hover;
    source.details = details;
    return root.querySelector('#tip').hidden;
  })()`), true, 'no tip before its details are there');

  // Walk, focus and go back.
  await page.key('ArrowDown');
  await settled(page);
  await page.key('f', 'KeyF');
  await page.until(`(async () => { const place = await viewer.source.place(viewer.selected.id); return viewer.view.start <= place.start && viewer.view.end >= place.end; })()`);
  await settled(page);
  await page.key('0', 'Digit0');
  await settled(page);

  // Find: as many hits as dump has slices of the name, steps in the order of time, marks in the overview.
  const wanted = name.split(' ')[0].toLowerCase();
  if (wanted && !(await page.value('viewer.about.counts.some(([what]) => what === "sample")'))) {
    await page.value('viewer.select(undefined)'); // else the hit behind it is the next one
    await page.key('/');
    await page.type(name);
    await page.key('Enter');
    await page.until('viewer.finder.hit !== undefined');
    const args = (slice) => JSON.stringify(slice.args ?? '').toLowerCase().includes(name.toLowerCase());
    const expected = slices.filter((slice) => (slice.name ?? '').toLowerCase().includes(name.toLowerCase()) || args(slice)).length;
    check(await page.value('viewer.finder.found.slices'), expected, `hits of ${name}`);
    ensure(/^1 of/.test(await page.value('root.querySelector("#hits").textContent')), 'the first hit is the first');
    await page.until('viewer.overview.hits?.some(Boolean)');
    await page.key('Escape');
    await page.until('!viewer.finder.isSearching');
    await page.key('0', 'Digit0');
    await settled(page);
  }

  // Flows lead to their other end, and their arrows are drawn.
  const flowing = await page.value(`(async () => {
    for (let id = 0; id < 300; id++) {
      const found = await viewer.source.details({ kind: 'slice', id }, 0);
      const flow = found?.flows.find(({ leaves }) => leaves);
      if (flow) return [id, flow.slice];
    }
    return null;
  })()`);
  if (flowing) {
    await page.value(`viewer.go(${flowing[0]})`);
    await page.key(']', 'BracketRight');
    await page.until(`viewer.selected.id === ${flowing[1]}`);
    await settled(page);
    ensure(await page.value('viewer.frame.arrows.some((number, at) => at % 6 === 5 && number === 1)'), 'the arrow of the flow is drawn');
    const back = await page.value(`viewer.source.details({ kind: 'slice', id: ${flowing[1]} }, 0).then(({ flows }) => flows.find(({ leaves }) => !leaves).slice)`);
    await page.key('[', 'BracketLeft');
    await page.until(`viewer.selected.id === ${back}`);
    await page.key('0', 'Digit0');
    await settled(page);
  }

  // A range in the ruler has statistics, and clicking there ends it.
  await page.drag([NAMES + 100, TOP + 20], [width - 100, TOP + 20]);
  await page.until('viewer.range && viewer.drawer.current === "statistics" && root.querySelector("#panel tbody")');
  const sums = await page.value('root.querySelectorAll("#panel tbody tr").length');
  ensure(sums > 0, 'the range has statistics');

  // Call graphs of the range: all that runs is in them.
  await page.value('viewer.slice ?? viewer.run("first")'); // a sandwich is that of a function
  for (const [key, code] of [['2', 'Digit2'], ['4', 'Digit4'], ['3', 'Digit3']]) {
    await page.key(key, code);
    await page.until('root.querySelectorAll(".graphs canvas").length > 0 && viewer.drawer.calls.graphs.every((graph) => graph.part)');
    ensure(await page.value('viewer.drawer.calls.graphs[0].part.numbers.length > 0'), `graph ${key} has boxes`);
  }
  // A box of the flame graph leads to the timeline.
  await page.key('2', 'Digit2');
  await page.until('viewer.drawer.calls.mode === "flame" && viewer.drawer.calls.graphs[0]?.part');
  const widest = await page.value(`(() => {
    const { part, drawn, canvas } = viewer.drawer.calls.graphs[0], place = canvas.getBoundingClientRect();
    const wide = Array.from(part.numbers.filter((_, at) => at % 6 === 2), (_, at) => [part.edges[at * 2 + 1] - part.edges[at * 2], at]).sort(([a], [b]) => b - a)[0][1];
    return [place.left + (part.edges[wide * 2] + part.edges[wide * 2 + 1]) / 2 / drawn.ratio, place.top + part.numbers[wide * 6] + 9];
  })()`);
  await page.click(...widest);
  await page.until('root.querySelector(".graph-tip button")');
  await page.value('window.named = viewer.drawer.calls.chosen.plain, root.querySelector(".graph-tip button").click()');
  // The search that was made before has a hit as well. A function without a name is found like an argument without a text.
  await page.until('viewer.selected && viewer.source.details(viewer.selected, 0).then(({ name }) => named === "" ? viewer.finder.text === "/^$/" : name === named)');
  await page.value('viewer.finder.clear()');
  // Compared with itself, nothing changes.
  await page.value('viewer.setRange(undefined)');
  await page.key('5', 'Digit5');
  await page.until('root.querySelector("#panel input[type=file]")');
  await page.choose('#panel input[type=file]', file);
  await page.until('viewer.compared && viewer.drawer.calls.graphs[0]?.part?.numbers.length');
  ensure(await page.value('viewer.drawer.calls.graphs[0].part.numbers.every((style, at) => at % 6 !== 5 || (style & 1024 && style >>> 12 === 32))'), 'a file does not differ from itself');
  await page.key('Escape');
  await page.key('Escape');
  await page.key('1', 'Digit1');
  await settled(page);

  // Fold by clicking on a name, pin and hide with keys.
  const header = await page.value('(() => { const header = viewer.lines.main.headers.find(({ item, bottom, top, height }) => item.kind !== "process" && bottom - top > height); if (!header) return null; viewer.main.scrollTop = 0; const box = viewer.canvas.getBoundingClientRect(); return { item: header.item, y: box.top + viewer.mainTop + header.top + 12, lines: viewer.lines.main.height }; })()');
  if (header && header.y < height - 10) {
    await settled(page);
    await page.click(60, header.y);
    await page.until(`viewer.lines.main.height < ${header.lines}`);
    await settled(page);
    ensure(await page.value('viewer.frame.main.numbers.every((top, at) => at % 6 || top < viewer.lines.main.height)'), 'the picture is of the lines that are left');
    await page.click(60, header.y);
    await page.until(`viewer.lines.main.height === ${header.lines}`);
    await page.value('viewer.select(undefined)');
    await page.move(60, header.y);
    await page.key('p', 'KeyP');
    await page.until('viewer.lines.pinned.height > 0');
    await settled(page);
    await page.value(`viewer.act({ pin: ${JSON.stringify(header.item)} })`);
    await page.until('viewer.lines.pinned.height === 0');
    await page.move(60, header.y);
    await page.key('h', 'KeyH');
    await page.until(`viewer.lines.main.height < ${header.lines}`);
    await page.key('H', 'KeyH', 8);
    await page.until(`viewer.lines.main.height === ${header.lines}`);
  }

  // The list of keys has all commands.
  await page.key('?', 'Slash', 8);
  await page.until('root.querySelector("#palette").open');
  ensure((await page.value('root.querySelectorAll("#palette .commands button").length')) > 40, 'keys are listed');
  await page.key('Escape');
  await page.value('root.querySelector("#palette").close()');
  await settled(page);
}

// A file that cannot be read says why and where.
async function refuse(page) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  writeFileSync(join(folder, 'short.spall'), readFileSync(join(recordings, 'threads-v3.spall')).subarray(0, 20));
  writeFileSync(join(folder, 'notes.txt'), 'this is no trace');
  for (const [file, text] of [['notes.txt', 'not a trace'], ['short.spall', 'at byte 20']]) {
    await page.choose('#file', join(folder, file));
    await page.until('root.querySelector(".error")');
    const error = await page.value('root.querySelector(".error").textContent');
    ensure(error.includes(text), `${file} is refused with its reason: ${error}`);
  }
  rmSync(folder, { recursive: true });
}

// Two files are one trace, whose notes say where their times were put.
async function several(page) {
  const paths = ['threads-v3.spall', 'calls.json'].map((name) => join(recordings, name));
  const slices = paths.map((path) => JSON.parse(program('dump', path).split('\n')[0]).slices);
  await load(page, ...paths);
  check(await page.value('viewer.about.counts.find(([what]) => what === "slice")[1]'), slices[0] + slices[1], 'slices of two files');
  await page.value('viewer.drawer.show("notes")');
  const notes = await page.value('root.querySelector("#panel").innerText');
  ensure(/threads-v3.spall is the first trace.*\n(.*\n)*.*calls.json (is placed|begins with)/.test(notes), `notes say where the files are: ${notes}`);
  ensure(/calls.json.*threads-v3|threads-v3.*calls.json/.test(await page.value('document.title')), 'the title has both names');
}

// Files whose clocks are unrelated are seen together, and one that cannot be read is a note.
async function strangers(page) {
  const [folder, write, end] = folderOf();
  const slice = (ts) => JSON.stringify([{ ph: 'X', name: 'f', pid: 1, tid: 1, ts, dur: 10 }, { ph: 'X', name: 'g', pid: 1, tid: 1, ts: ts + 50, dur: 10 }]);
  await load(page, write('early.json', slice(0)), write('late.json', slice(5e15)), write('notes.txt', 'this is no trace'));
  check(await page.value('[viewer.about.span, viewer.about.counts.find(([what]) => what === "slice")[1]].join()'), '60000,4', `both files in 60 µs in ${folder}`);
  const notes = await page.value('viewer.about.notes.map(({ text }) => text).join()');
  ensure(/late.json begins with the first trace, because nothing tells/.test(notes), `a note says so: ${notes}`);
  ensure(/notes.txt: .*not a trace/.test(notes), `and that a file cannot be read: ${notes}`);
  // A file can be moved by hand, and the address says where to.
  await page.value('window.before = viewer, viewer.drawer.show("notes"), 0');
  // It is exact, although it is more than a number of JavaScript can hold.
  const field = 'root.querySelector("#panel input[aria-label^=Milliseconds]")';
  check(await page.value(`${field}.value`), '-5000000000000', 'the offset of the file, which begins with the first one');
  await page.value(`(() => { ${field}.value = '-4999999999999,979999'; ${field}.onchange(); })()`);
  await page.until('viewer !== before && viewer?.frame');
  check(await page.value('viewer.about.span'), 80001, 'the span after a file was moved by 20 µs and 1 ns');
  await page.until('/file=-4999999999999979999\\+late.json/.test(location.hash)', 10);
  await page.reload();
  await load(page, join(folder, 'early.json'), join(folder, 'late.json'));
  check(await page.value('viewer.about.span'), 80001, 'the span after a reload');
  end();
}

// A folder for the files of a test: its path, what writes a file and returns its path, and what removes all.
function folderOf() {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  const write = (name, text) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  return [folder, write, () => rmSync(folder, { recursive: true })];
}

// What is open stays if another file or a comparison cannot be read, or is given up.
async function stays(page) {
  const [, write, end] = folderOf();
  const file = join(recordings, 'threads-v3.spall'), bad = write('notes.txt', 'this is no trace');
  await load(page, file);
  await page.value('window.before = viewer, 0');
  await page.choose('#file', bad);
  await page.until('/notes.txt cannot be read.*not a trace/.test(root.querySelector("#notice [role=alert]")?.textContent)');
  await page.value('root.querySelector("#notice button").click()');
  await page.value('window.opened = document.querySelector("trace-view").open([new File([new Uint8Array(1 << 26)], "zeros")]), [...root.querySelectorAll("#notice button")].find(({ textContent }) => textContent === "Cancel").click()');
  check(await page.value('opened'), false, 'a file that is given up is not open');
  check(await page.value('document.querySelector("trace-view").open(["nowhere.json"])'), false, 'an address where nothing is');
  ensure(/nowhere.json cannot be read: 404/.test(await page.value('root.querySelector("#notice").textContent')), 'says so');
  page.errors = page.errors.filter((error) => !error.includes('nowhere.json'));
  await page.key('5', 'Digit5');
  await page.until('root.querySelector("#panel input[type=file]")');
  await page.choose('#panel input[type=file]', bad);
  await page.until('/not a trace/.test(root.querySelector("#panel").textContent)');
  check(await page.value('viewer === before && !viewer.ends.signal.aborted && viewer.source.place(0).then(Boolean)'), true, 'the trace is as it was');
  end();
}

// Back takes back a step, a pasted address is shown, and leaving a file asks.
async function goesBack(page) {
  await load(page, join(recordings, 'threads-v3.spall'));
  await page.until('/start=/.test(location.hash)');
  for (const id of [0, 3]) {
    await page.value(`viewer.go(${id})`);
    await page.until(`/slice=${id}/.test(location.hash)`);
  }
  await page.value('history.back()');
  await page.until('viewer.selected?.id === 0', 10);
  await page.value('history.forward()');
  await page.until('viewer.selected?.id === 3', 10);
  // Backspace takes back any step: here what was hidden, then the selection.
  await page.until('!viewer.steps.acting');
  await page.key('h', 'KeyH');
  await page.until('viewer.place.hidden.length === 1', 10);
  await page.key('Backspace');
  await page.until('!viewer.place.hidden.length && viewer.selected?.id === 3', 10);
  await page.key('Backspace');
  await page.until('viewer.selected?.id === 0', 10);
  await page.value('location.hash = "#start=5&span=100&range=10-20&find=a"');
  await page.until('viewer.view.start === 5 && viewer.view.duration === 100 && viewer.range?.start === 10 && viewer.finder.isSearching && !viewer.selected', 10);
  await page.click(700, 300);
  page.asked.length = 0;
  await page.reload();
  check(page.asked, ['beforeunload'], 'a page with a file is left');
}

// Times are exact wherever they are, and a few far away change nothing.
async function exact(page) {
  const [, write, end] = folderOf();
  const slice = (ts, name) => `{"ph":"X","name":"${name}","pid":1,"tid":1,"ts":${ts},"dur":0.001}`;
  const near = Array.from({ length: 100 }, (_, at) => slice(`1700000000000000.${String(100 + at * 2).padStart(3, '0')}`, `f${at}`));
  for (const [what, far] of [['a stray event at 0', [slice('0', 'far')]], ['a span near 2^64', [slice('-9200000000000000', 'far'), slice('9200000000000000', 'far')]], ['nothing else', []]]) {
    await load(page, write('far.json', `[${[...far, ...near]}]`));
    const places = [];
    for (const at of [0, 1, 99]) places.push(await page.value(`viewer.source.find('/^f${at}$/').then(() => viewer.source.hits(0, 1)).then(([hit]) => viewer.source.place(hit.target.id)).then(({ start, end }) => [start, end])`));
    check(places, [[0, 1], [2, 3], [198, 199]], `times with ${what}`);
    await page.value('viewer.source.find(undefined), viewer.view.look(90, 20), viewer.moved()');
    await settled(page);
    const shown = (await boxes(page)).filter(({ width }) => width > 20).map(({ name }) => name);
    check(shown.slice(0, 3), ['f45', 'f46', 'f47'], `boxes of a nanosecond with ${what}`);
    const ruler = await page.value('viewer.frame.ruler.map(([, text]) => text)');
    ensure(ruler.length > 3 && ruler.every((text) => text.length < 10), `the ruler is short with ${what}: ${ruler}`);
  }
  end();
}

// The page of the guide: two elements of one page, which do not disturb each other.
async function embedded(page, url) {
  const guide = readFileSync(join(root, 'examples/web/EMBED.md'), 'utf8');
  const code = guide.match(/```html\n([^]*?)```/)[1];
  ensure(code.trim().split('\n').length <= 20, 'the page has at most twenty lines');
  const written = join(dist, 'embed-test.html');
  writeFileSync(written, code.replace('<title>', '<link rel="icon" href="data:,"><title>'));
  await page.open(`${url}/embed-test.html`);
  await page.until('viewer?.frame && [...document.querySelectorAll("trace-view")].every((view) => view.viewer?.frame)');
  await settled(page);
  check(await page.value('location.hash'), '', 'an element leaves the address alone');
  check(await page.value('document.title'), 'Two runs', 'and the title');
  const both = (what) => page.value(`[...document.querySelectorAll('trace-view')].map(({ viewer }) => ${what})`);
  ensure(await page.value('document.documentElement.scrollWidth <= innerWidth'), 'nothing sticks out');
  check(await both('viewer.range?.end - viewer.range?.start || null'), [null, 400000], 'a range as an attribute');
  await page.until('/loaded/.test(document.querySelector("#said").textContent)');
  // What is done with one element is not done with the other.
  const [box] = (await boxes(page)).filter(({ count, isState }) => count === 1 && !isState).sort((a, b) => b.width - a.width);
  await page.click(box.x, box.y);
  await page.until('viewer.selected');
  check(await both('viewer.selected?.id ?? null'), [box.id, null], 'the selection');
  ensure(/selection/.test(await page.value('document.querySelector("#said").textContent')), 'the page is told');
  const before = await both('viewer.view.duration');
  await page.key('w', 'KeyW');
  const after = await both('viewer.view.duration');
  ensure(after[0] < before[0] && after[1] === before[1], 'keys go to the element that has the focus');
  const called = await page.value(`(async () => {
    const [view, other] = document.querySelectorAll('trace-view');
    const found = await view.find('/./');
    view.zoomTo(100, 300);
    view.theme = 'dark';
    view.range = { start: 5, end: 25 };
    const picture = await view.picture();
    view.selection = 0;
    let said;
    view.addEventListener('error', ({ detail }) => { said = detail.message; });
    const isOpen = await view.addFile(new File(['nothing'], 'notes.txt')).then(() => view.viewer.about.notes.some(({ text }) => /notes.txt/.test(text)));
    await other.open([new File(['nothing'], 'notes.txt')]);
    other.remove();
    await new Promise((done) => { setTimeout(done); });
    const closed = await other.find('a').catch(({ name }) => name);
    return [found.slices > 0, picture.type, isOpen, getComputedStyle(view.shadowRoot.querySelector('#pane')).colorScheme, other.viewer === undefined, closed];
  })()`);
  check(called, [true, 'image/png', true, 'dark', true, 'InvalidStateError'], 'methods and properties');
  const set = await page.value(`(async () => {
    const [view] = document.querySelectorAll('trace-view');
    const [path] = view.viewer.arranged.itemsByPath.keys();
    view.place = { marks: [{ at: 7, text: 'here' }], hidden: [path], colorBy: 'category' };
    view.settings = { arrows: 'all', text: 14 };
    await view.viewer.steps.turn;
    await new Promise((done) => { setTimeout(done, 100); });
    const { marks, hidden, colorBy, arrows } = view.place, { text } = view.settings;
    view.settings = { text: 11, arrows: 'selected' };
    view.readOnly = true;
    const openers = [...view.shadowRoot.querySelectorAll('.opener')].map(({ hidden }) => hidden);
    view.readOnly = false;
    const phases = [], tell = ({ detail: { read } }) => phases.push(read);
    view.addEventListener('progress', tell);
    await view.open(['record.spall']);
    const saved = await view.save().then(({ size }) => size > 1000, ({ name }) => name);
    return [marks, hidden[0] === path, colorBy, arrows, text, openers.every(Boolean), phases.length > 0, saved];
  })()`);
  check(set, [[{ at: 7, text: 'here' }], true, 'category', 'all', 14, true, true, true], 'the place, settings, saving and what a reader may do');
  rmSync(written);
}

// The package that `npm pack` makes, built by Vite into another folder: its element opens a trace.
async function bundled(page) {
  const [folder, write, end] = folderOf();
  const npm = (...args) => execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
  try {
    const packed = npm('pack', dist).split('\n').at(-1);
    write('package.json', '{ "type": "module" }');
    npm('install', '--no-audit', '--no-fund', `./${packed}`, 'vite');
  } catch (error) {
    console.log(`  not here: npm with the package vite (${error.message.split('\n')[0]})`);
    return end();
  }
  write('main.js', "import { TraceView } from 'spall-trace-view';\ndocument.body.append(Object.assign(new TraceView(), { src: 'trace.json' }));");
  write('index.html', '<!doctype html><title>Bundled</title><link rel="icon" href="data:,"><body><script type="module" src="./main.js"></script>');
  write('vite.config.js', "export default { worker: { format: 'es' } };");
  npm('exec', '--', 'vite', 'build');
  writeFileSync(join(folder, 'dist/trace.json'), readFileSync(join(recordings, 'calls.json')));
  const server = await serve(join(folder, 'dist'));
  await page.open(`http://127.0.0.1:${server.address().port}/`);
  await page.until('viewer?.frame');
  ensure(await page.value('viewer.frame.main.numbers.length > 0'), 'the element of the bundle shows the trace');
  server.close();
  end();
}

// An instant is as high as what it is about: a thread, all of a process, or the whole trace.
async function instants(page) {
  const [, write, end] = folderOf();
  const slice = (pid, tid) => ({ ph: 'X', name: 'f', pid, tid, ts: 0, dur: 1000 });
  const instant = (ts, s, pid) => ({ ph: 'i', name: `scope ${s}`, s, pid, tid: 1, ts });
  await load(page, write('instants.json', JSON.stringify([slice(1, 1), slice(1, 2), slice(2, 1), instant(200, 't', 1), instant(500, 'p', 1), instant(800, 'g', 1)])));
  const wide = await page.value('viewer.frame.main.wide.map(({ top, bottom }) => [top, bottom])');
  const [process, height] = await page.value('[viewer.lines.main.headers.filter(({ item }) => item.kind === "process")[1].top, viewer.lines.main.height]');
  check(wide.map(([, bottom]) => bottom), [height, process], 'how far down the instants of the trace and of a process go');
  // A slice looks the same where such a line crosses it. [layout 9.2]
  const colours = (part) => page.value(`(() => {
    const { painter, view, canvas, mainTop, frame } = viewer, [row] = frame.main.numbers.filter((_, at) => at % 6 === 0).slice(-1);
    const x = Math.round(painter.x(${part} * 1e6, view)), y = Math.round((mainTop + row + 4) * painter.ratio);
    return [...canvas.getContext('2d').getImageData(x - 3, y, 7, 1).data].join();
  })()`);
  check(await colours(0.8), await colours(0.7), 'the slice behind which the line of an instant is drawn');
  // On the last row of each process, between slices, a line is found by its name.
  const box = await page.value('viewer.canvas.getBoundingClientRect().toJSON()');
  const hover = async (part, bottom) => {
    const x = await page.value(`viewer.painter.x(${part} * 1e6, viewer.view) / viewer.painter.ratio`);
    const y = await page.value(`viewer.mainTop + ${bottom} - 2`);
    await page.move(box.x + x, box.y + y);
    await settled(page);
    return page.value('viewer.hover?.kind === "instant" ? viewer.source.details(viewer.hover, 0).then(({ name }) => name) : null');
  };
  const gap = await page.value('viewer.lines.main.headers.filter(({ item }) => item.kind === "track").map(({ top }) => top + 4).at(-1)');
  check(await hover(0.8, gap), 'scope g', 'the line of an instant of the whole trace in the last process');
  check(await hover(0.5, gap), null, 'no line of an instant of another process');
  end();
}

// Categories and names are hidden in place: pictures, self times, statistics, hits and the address follow.
async function hides(page) {
  const [, write, end] = folderOf();
  const slice = (name, cat, ts, dur) => ({ ph: 'X', name, cat, pid: 1, tid: 1, ts, dur });
  const events = [slice('frame', 'app', 0, 100), slice('lock', 'sync', 10, 60), slice('draw', 'app,gpu', 20, 40), slice('swap', 'gpu', 80, 10)];
  const instants = [['a', 'app'], ['g', 'gpu'], ['none', undefined]].map(([name, cat], at) => ({ ph: 'i', s: 't', name, cat, pid: 1, tid: 1, ts: at * 9 }));
  const only = { ph: 'X', name: 'other', cat: 'gpu', pid: 2, tid: 2, ts: 0, dur: 5 };
  const file = write('categories.json', JSON.stringify([...events, ...instants, only]));
  await load(page, file);
  await page.key('g', 'KeyG');
  await page.until('root.querySelector("#panel .long p")');
  const listed = () => page.value('[...root.querySelectorAll("#panel .long p")].map((row) => row.textContent.replace(/\\s+/g, " ").trim())');
  check(await listed(), ['● gpu 4 Only', '● app 3 Only', '● (none) 1 Only', '● sync 1 Only'], 'categories and their counts');
  const click = async (label) => {
    await page.value('window.asked = viewer.frame, 0');
    await page.value(`[...root.querySelectorAll('#panel button')].find(({ ariaLabel, title, textContent }) => [ariaLabel, title, textContent].includes('${label}')).click()`);
    await page.until('viewer.frame !== asked');
    await settled(page);
  };
  const shown = async () => (await boxes(page)).map(({ name }) => name).sort().join();
  const own = () => page.value('viewer.source.details({ kind: "slice", id: 0 }, 0).then(({ facts }) => facts.find(([key]) => key === "self")[1].split(",")[0])');
  const sums = () => page.value('viewer.source.statistics({ start: viewer.about.start, end: viewer.about.end + 1 }, "name", { table: {}, most: 9 }).then(({ rows }) => rows.map(({ name, own }) => `${name} ${own}`).join())');
  check([await shown(), await own(), await sums()], ['draw,frame,lock,other,swap', '30 µs', 'draw 40000,frame 30000,lock 20000,swap 10000,other 5000'], 'everything');
  await click('Hide sync');
  check([await shown(), await own(), await sums()], ['draw,frame,other,swap', '50 µs', 'frame 50000,draw 40000,swap 10000,other 5000'], 'without sync, which was around another slice');
  await click('Hide gpu');
  check([await shown(), await own(), await sums()], ['draw,frame', '60 µs', 'frame 60000,draw 40000'], 'without gpu, but what is also of another category');
  check(await page.value('viewer.frame.main.marks.map(({ numbers }) => numbers.length / 4).join()'), '2', 'instants that are shown');
  check(await page.value('viewer.lines.main.headers.filter(({ item }) => item.kind === "process").length'), 1, 'a process of which nothing is shown is gone');
  await page.value('viewer.finder.search("a")');
  await page.until('viewer.finder.isSearching');
  check(await page.value('[viewer.finder.found.slices, viewer.finder.found.instants].join()'), '2,1', 'hits among what is shown');
  await page.value('viewer.finder.clear(), viewer.drawer.show("calls", "flame")');
  await page.until('viewer.drawer.calls.graphs[0]?.part?.numbers.length');
  check(await page.value('viewer.drawer.calls.graphs[0].part.numbers.length / 6'), 2, 'the flame graph of what is shown');
  await page.until('/nocat=sync&nocat=gpu/.test(location.hash)', 10);
  await page.reload();
  await load(page, file);
  check(await shown(), 'draw,frame', 'what is shown after a reload');
  // A name, by its details.
  await page.value('viewer.go(0).then(() => viewer.drawer.show("details"))');
  await page.until('root.querySelector("#panel h2")');
  await click('Hide name');
  check(await shown(), 'draw', 'without a name');
  await page.key('g', 'KeyG');
  await page.until('root.querySelector("#panel .long p")');
  check((await listed())[0], '○ frame name', 'the name is listed');
  await click('Show all');
  check(await shown(), 'draw,frame,lock,other,swap', 'everything again');
  await click('Hide all but app');
  check(await shown(), 'draw,frame', 'one category alone');
  await click('Show all');
  end();
}

// Sums have the durations of their slices, lead to the longest, and are compared with those of another range.
async function compares(page) {
  const [, write, end] = folderOf();
  const slice = (name, ts, dur) => ({ ph: 'X', name, pid: 1, tid: 1, ts, dur });
  await load(page, write('ranges.json', JSON.stringify([slice('f', 0, 1), slice('f', 10, 8), slice('f', 20, 1), slice('gone', 30, 5), slice('f', 100, 2), slice('new', 110, 7)])));
  const range = (start, end) => page.value(`viewer.setRange({ start: ${start}e3, end: ${end}e3 })`);
  const rows = () => page.value('[...root.querySelectorAll("#panel tbody tr")].map((row) => [...row.children].map(({ textContent }) => textContent.replace(/\\s/g, " ")))');
  await range(0, 50);
  await page.until('root.querySelectorAll("#panel tbody tr").length === 2');
  const [f] = await rows();
  check([f[0], f[1], f[6], f.at(-1)], ['f', '3', '8 µs', '█  ▅'.replace(/\s/g, ' ')], 'count, longest and durations');
  check(await page.value('root.querySelector("#panel td.bars button").title'), 'from 512 ns: 2\nfrom 4.096 µs: 1', 'durations in words');
  await page.value(`root.querySelector('#panel tbody [title="Go to the longest"]').click()`);
  await page.until('viewer.selected?.id === 1', 10);
  await page.value('viewer.drawer.show("statistics")');
  await page.until('root.querySelectorAll("#panel tbody tr").length === 2');
  await page.value('[...root.querySelectorAll("#panel button")].find(({ textContent }) => textContent === "Compare").click()');
  await page.until('root.querySelector("#panel [data-key=change]")');
  await range(90, 130);
  await page.until('root.querySelector("#panel tbody tr")?.textContent.startsWith("new")');
  await page.value('root.querySelector("#panel [data-key=change]").click()');
  await page.until('root.querySelectorAll("#panel tbody tr").length === 3');
  check((await rows()).map((row) => [row[0], row[7]]), [['f', '-8 µs'], ['new', '+7 µs'], ['gone', '-5 µs']], 'changes of self times, the largest first');
  end();
}

// Counters: their values in a range beside instants and states, a legend, rates, and one scale for several.
async function counters(page) {
  const [, write, end] = folderOf();
  const value = (name, ts, args) => ({ ph: 'C', name, pid: 1, ts, args });
  const state = (name, tid, ts, dur) => ({ ph: 'T', name, pid: 1, tid, ts, dur });
  const waves = Array.from({ length: 200 }, (_, at) => value('heap', at * 2e4, { used: 40 + Math.round(30 * Math.sin(at / 9)), cached: 20 + (at % 7), free: 30 }));
  await load(page, write('counters.json', JSON.stringify([
    ...waves, value('bytes', 0, { value: 0 }), value('bytes', 2e6, { value: 5000 }), value('bytes', 4e6, { value: 6000 }),
    { ph: 'X', name: 'work', pid: 1, tid: 1, ts: 0, dur: 4e6 },
    { ph: 'i', name: 'tick', pid: 1, tid: 1, ts: 5e5, s: 't' }, { ph: 'i', name: 'tick', pid: 1, tid: 1, ts: 15e5, s: 't' },
    state('Running', 1, 0, 15e5), state('Sleeping', 1, 15e5, 25e5),
  ])));
  // A range over a counter alone has no table of slices, but one of its values.
  const header = await page.value(`(() => {
    const track = viewer.frame.main.charts.find(({ apart }) => !apart), box = viewer.canvas.getBoundingClientRect();
    return { id: track.track, y: box.top + viewer.mainTop + track.top };
  })()`);
  const [width] = await page.value('[innerWidth]');
  await page.drag([NAMES + 20, header.y + 8], [width - 30, header.y + 30]);
  await page.until('viewer.range?.items && root.querySelector("#panel .facts")');
  check(await page.value('[...root.querySelectorAll("#panel caption")].map(({ textContent }) => textContent)'), ['Counters'], 'the table of a range over a counter');
  check(await page.value('root.querySelectorAll("#panel table").length'), 1, 'no table of nothing');
  await page.value('viewer.setRange({ start: 0, end: 4e9 })');
  await page.until('root.querySelectorAll("#panel caption").length === 3');
  const rows = await page.value('[...root.querySelectorAll("#panel .facts tbody tr")].map((row) => [...row.children].map(({ textContent }) => textContent.replace(/\\s/g, " ")).join("|"))');
  check([rows[0], ...rows.slice(4)], ['bytes value|0|2 500|5 000|0|5 000|5 000|1 250', 'tick|2', 'Sleeping|1|2.5 s|62.5 %|2.5 s', 'Running|1|1.5 s|37.5 %|1.5 s'], 'values, instants and states');
  const swatches = await page.value('[...root.querySelectorAll("#panel .swatch")].map((swatch) => getComputedStyle(swatch).backgroundColor)');
  check([swatches.length, new Set(swatches).size], [3, 3], 'each series has a colour of its own');
  await settled(page);
  // The legend beside the chart and the chart itself have these colours, also in the dark.
  const seen = () => page.value(`(() => {
    const { canvas, painter: { context, ratio, names } } = viewer, chart = viewer.frame.main.charts.find(({ apart }) => apart);
    const y = Math.round((viewer.mainTop + chart.top - viewer.main.scrollTop) * ratio), high = Math.round(chart.height * ratio);
    const colours = (x, width) => {
      const { data } = context.getImageData(x, y, width, high), found = new Set();
      for (let at = 0; at < data.length; at += 4) found.add(\`rgb(\${data[at]}, \${data[at + 1]}, \${data[at + 2]})\`);
      return found;
    };
    return [colours(0, Math.round(names * ratio)), colours(Math.round(names * ratio) + 200, canvas.width - Math.round(names * ratio) - 400)].map((found) => [...found]);
  })()`);
  for (const theme of ['light', 'dark']) {
    await page.value(`viewer.setOption('theme', '${theme}')`);
    await settled(page);
    for (const [where, found] of Object.entries(await seen())) ensure(swatches.every((colour) => found.includes(colour)), `the colours of ${['the legend', 'the chart'][where]}, ${theme}`);
    if (pictures) await page.screenshot(join(pictures, `counters-${theme}.png`));
  }
  await page.value("viewer.setOption('theme', 'auto')");
  // A selected counter has buttons, and the place keeps what they say.
  await page.value(`viewer.select({ kind: 'counter', id: ${header.id}, at: 1e9 }).then(() => viewer.drawer.show('details'))`);
  const press = async (text) => {
    await page.value(`[...root.querySelectorAll('#panel button')].find(({ textContent }) => textContent === '${text}').click()`);
    await page.until(`[...root.querySelectorAll('#panel button')].find(({ textContent }) => textContent === '${text}').ariaPressed === 'true'`);
    await settled(page);
  };
  const chart = () => page.value(`(({ most, high, note }) => [most, high.replace(/\\s/g, ' '), note])(viewer.frame.main.charts.find(({ track }) => track === ${header.id}))`);
  await press('Per second');
  check(await chart(), [2500, '2 500/s', 'per second'], 'a rate');
  await page.until('/rate=/.test(location.hash)');
  await press('Shared scale');
  await page.until('/rate=.*scale=/.test(location.hash)');
  await page.value('history.back()');
  await page.until('!viewer.place.shared.length && !viewer.steps.acting');
  await page.key('D', 'KeyD', 8);
  await page.until('!viewer.place.rates.length');
  await settled(page);
  check(await chart(), [6000, '6 000', ''], 'values again');
  end();
}

// How long the calls of a function take: a stretch of the histogram is what is found, by pointer and by keys.
async function durations(page) {
  const [, write, end] = folderOf();
  let ts = 0;
  const calls = Array.from({ length: 1000 }, (_, n) => {
    const dur = 1 + Math.round(n % 10 ? 20 * Math.exp(((n * 37) % 100) / 40) : 900 + (n % 70));
    return { ph: 'X', name: 'draw', pid: 1, tid: 1, ts: (ts += dur + 5) - dur, dur };
  });
  await load(page, write('durations.json', JSON.stringify([...calls, { ph: 'X', name: 'frame', pid: 1, tid: 2, ts: 0, dur: ts }])));
  await page.value('viewer.drawer.show("durations")');
  await page.until('/Find something first/.test(root.querySelector("#panel").textContent)');
  await page.key('t', 'KeyT');
  await page.until('root.querySelector("#panel .bars button")');
  await page.value(`[...root.querySelectorAll('#panel .bars button')].find(({ ariaLabel }) => ariaLabel === 'Durations of draw').click()`);
  const drawn = '(root.querySelector("#panel canvas") && viewer.drawer.durations.shown?.edges.length && !viewer.steps.acting)';
  await page.until(`${drawn} && viewer.finder.counts?.slices === 1000`);
  check(await page.value('[viewer.place.search, viewer.drawer.durations.shown.counts.reduce((sum, count) => sum + count, 0)]'), ['/^draw$/', 1000], 'every call is in a bin');
  // What is dragged over is found, and counted as the histogram says.
  const box = await page.value('(({ left, top, width, height }) => ({ left, top, width, height }))(root.querySelector("#panel canvas").getBoundingClientRect())');
  const chosen = async (what) => {
    await page.until(`${drawn} && viewer.drawer.durations.shown.chosen && /dur >= /.test(viewer.finder.text) && viewer.finder.counts`);
    await settled(page);
    const [said, found, sum] = await page.value('[viewer.drawer.durations.shown.chosen[2], viewer.finder.counts.slices, viewer.drawer.durations.shown.counts.slice(viewer.drawer.durations.bins()[0], viewer.drawer.durations.bins()[1] + 1).reduce((sum, count) => sum + count, 0)]');
    check([parseInt(said.replace(/\s/g, ''), 10), sum], [found, found], what);
    ensure(found > 0 && found < 1000, `${what}: ${found} of all`);
    return found;
  };
  await page.drag([box.left + box.width * 0.8, box.top + 60], [box.left + box.width - 3, box.top + 60]);
  const slow = await chosen('the stretch that was dragged over');
  check(slow, calls.filter(({ dur }) => dur > 899).length, 'the slow calls');
  check(await page.value('viewer.frame.main.numbers.some((style, at) => at % 6 === 5 && style & 256)'), true, 'they are shown on the timeline');
  if (pictures) await page.screenshot(join(pictures, 'durations.png'));
  // On a linear axis, and with the keyboard alone.
  await page.value(`(() => { const axis = root.querySelector('#panel select'); axis.value = 'true'; axis.onchange(); })()`);
  await page.until('viewer.place.linearDurations && !viewer.steps.acting');
  await page.until('/axis=linear/.test(location.hash)');
  await page.value(`[...root.querySelectorAll('#panel button')].find(({ textContent }) => textContent === 'All durations').click()`);
  await page.until(`${drawn} && !viewer.drawer.durations.shown.chosen && viewer.finder.counts?.slices === 1000`);
  await page.value('root.querySelector("#panel input[type=range]:last-of-type").focus()');
  await page.key('PageDown');
  await chosen('all but the longest, by a key');
  check(await page.value('[root.activeElement.ariaLabel, /^\\d.* to \\d.*: /.test(root.activeElement.ariaValueText)]'), ['Longest durations that are chosen', true], 'the slider keeps the focus and says its bin');
  // Two ranges over each other.
  await page.value(`viewer.setRange({ start: 0, end: ${Math.round(ts * 500)} })`);
  await page.until(`/in the chosen range/.test(root.querySelector('#panel').textContent)`);
  await page.value(`[...root.querySelectorAll('#panel button')].find(({ textContent }) => textContent === 'Compare').click()`);
  await page.value(`viewer.setRange({ start: ${Math.round(ts * 500)}, end: ${ts * 1000} })`);
  await page.until(`/Compared with/.test(root.querySelector('#panel').textContent) && viewer.drawer.durations.other && !viewer.steps.acting`);
  const both = await page.value('[viewer.drawer.durations.shown, viewer.drawer.durations.other].map(({ counts }) => counts.reduce((sum, count) => sum + count, 0))');
  ensure(both[0] + both[1] >= 999 && both[0] + both[1] <= 1001, `each range has its calls: ${both}`);
  if (pictures) await page.screenshot(join(pictures, 'durations-compared.png'));
  await page.value('viewer.change({ linearDurations: false })');
  end();
}

// Slices and instants as tables: sorted, filtered, scrolled, gone to, and saved as a file.
async function entries(page) {
  const [folder, write, end] = folderOf();
  const count = 20000;
  const calls = Array.from({ length: count }, (_, n) => [
    { ph: 'X', cat: 'c', name: n % 2 ? 'draw' : 'load', pid: 1, tid: 1, ts: n * 10, dur: 1 + (n * 7919) % 8, args: { size: n, what: `w${n % 3}` } },
    ...(n % 100 ? [] : [{ ph: 'i', name: `tick ${n}`, pid: 1, tid: 1, ts: n * 10, s: 't' }]),
  ]).flat();
  const file = write('table.json', JSON.stringify(calls));
  await load(page, file);
  await page.key('7', 'Digit7');
  const panel = 'viewer.drawer.slices';
  const shows = (what) => page.until(`${panel}.list && !viewer.steps.acting && root.querySelector('#panel .long .row span') && /${what}/.test(root.querySelector('#panel [role=status]').textContent.replace(/\\s/g, ''))`);
  const rows = () => page.value(`[...root.querySelectorAll('#panel .long .row')].map((row) => [...row.children].map((cell) => cell.textContent.replace(/\\s/g, ' ')).join('|'))`);
  const press = (text) => page.value(`[...root.querySelectorAll('#panel button')].find(({ textContent }) => textContent.startsWith('${text}')).click()`);
  await shows('^20000slices$');
  check(await page.value(`[...root.querySelectorAll('#panel [role=columnheader]')].map(({ textContent }) => textContent)`), ['Time ▴', 'Duration', 'Self', 'Name', 'Track', 'Category', 'size', 'what'], 'columns');
  check((await rows())[0], '0 ns|1 µs|1 µs|load|Thread 1|c|0|w0', 'the first row');
  ensure((await rows()).length < 60, 'only rows in sight are elements');
  // The longest first; equal ones are in the order of time.
  await press('Duration');
  await page.until(`${panel}.chosen.order === 'duration' && /Duration ▾/.test(root.querySelector('#panel .head-row').textContent)`);
  const longest = calls.filter(({ dur }) => dur === 8);
  await page.until(`${panel}.entries.at(0)?.at === ${longest[0].ts * 1000}`);
  check((await rows())[1].split('|')[6], String(longest[1].args.size), 'the second of the longest');
  await page.until('/slices=order/.test(location.hash)');
  // The end of the list, by keys.
  await page.value(`root.querySelector('#panel [data-key="row 0"]').focus()`);
  await page.key('End');
  await page.until(`root.activeElement?.dataset.key === 'row ${count - 1}'`);
  check((await rows()).at(-1).split('|')[1], '1 µs', 'the shortest is last');
  await page.key('ArrowUp');
  await page.until(`root.activeElement?.dataset.key === 'row ${count - 2}'`);
  const at = await page.value(`${panel}.entries.at(${count - 2}).element.id`);
  await page.value('root.activeElement.click()');
  await page.until(`viewer.slice === ${at} && !viewer.steps.acting`);
  await settled(page);
  ensure(await page.value(`root.querySelector('#panel .current [data-key="row ${count - 2}"]') !== null`), 'the row is marked, and the list stays where it was');
  // A filter, and what was found.
  await page.value(`(() => { const { filter } = ${panel}; filter.focus(); filter.value = 'what=w1 dur >= 8us'; filter.oninput(); })()`);
  const matching = longest.filter(({ args }) => args.what === 'w1');
  await shows(`^${matching.length}of20000slices$`);
  check(await page.value(`root.activeElement === ${panel}.filter`), true, 'the field keeps the focus');
  // All rows of it as a file, which are not all in sight, and what `find` says of them.
  await page.value(`(URL.createObjectURL = ((before) => (blob) => { window.saved = blob.text(); return before.call(URL, blob); })(URL.createObjectURL), 0)`);
  await press('CSV');
  await page.until('window.saved');
  const csv = (await page.value('saved')).trim().split('\n');
  check([csv[0], csv.length], ['start,duration,self,name,track,category,size,what', matching.length + 1], 'the file');
  const found = program('find', file, 'what=w1 dur >= 8us', '--format', 'csv').trim().split('\n').slice(1);
  check(csv.slice(1).map((line) => line.split(',').slice(0, 2).join(',')).sort(), found.map((line) => line.split(',').slice(0, 2).join(',')).sort(), 'times as the command writes them');
  await page.value('delete URL.createObjectURL');
  // The slices of a name, from the statistics.
  await page.value(`viewer.change({ slices: {} }).then(() => viewer.drawer.show('statistics'))`);
  await page.until('root.querySelector("#panel tbody tr")');
  await page.value(`[...root.querySelectorAll('#panel tbody tr')].find((row) => /draw/.test(row.textContent)).querySelector('td button').click()`);
  await shows('^10000slices$');
  check(await page.value('[viewer.drawer.current, viewer.place.slices.of]'), ['slices', 'draw'], 'they are listed');
  await page.value(`viewer.change({ search: 'w2' }).then(() => viewer.change({ slices: { found: true } }))`);
  await shows(`^${calls.filter(({ args }) => args?.what === 'w2').length}slices$`);
  if (pictures) await page.screenshot(join(pictures, 'slices.png'));
  // Instants follow the view.
  await page.key('8', 'Digit8');
  await page.until(`viewer.drawer.instants.list?.count === ${count / 100} || viewer.drawer.instants.list?.count > 0`);
  await page.value('viewer.show(0, 55e5)');
  await page.until('viewer.drawer.instants.list?.count === 6');
  check((await rows()).map((row) => row.split('|')[1]), ['tick 0', 'tick 100', 'tick 200', 'tick 300', 'tick 400', 'tick 500'], 'the instants in view');
  await page.value(`root.querySelectorAll('#panel .long .row')[2].click()`);
  await page.until('viewer.selected?.kind === "instant" && root.querySelectorAll("#panel .long .row")[2].classList.contains("current")');
  if (pictures) await page.screenshot(join(pictures, 'instants.png'));
  end();
}

// A call tree as a table: opened by pointer and by keys, sorted, filtered, a part of it alone, and what calls a function.
async function callTable(page) {
  const [, write, end] = folderOf();
  const calls = Array.from({ length: 100 }, (_, n) => [['a', 0, 10], ['log', 1, 2], ['b', 12, 10], ['log', 24, 3]].map(([name, ts, dur]) => ({ ph: 'X', name, pid: 1, tid: 1, ts: n * 30 + ts, dur }))).flat();
  await load(page, write('tree.json', JSON.stringify([{ ph: 'X', name: 'main', pid: 1, tid: 1, ts: 0, dur: 3000 }, ...calls])));
  await page.key('9', 'Digit9');
  const rows = (...expected) => page.until(`JSON.stringify([...root.querySelectorAll('#panel .long .row')].map((row) => [row.ariaLevel, ...[...row.children].map((cell) => cell.textContent)].join(' ').replace(/\\s/g, ' '))) === ${JSON.stringify(JSON.stringify(expected))}`);
  const press = (text) => page.value(`[...root.querySelectorAll('#panel button')].find(({ textContent }) => textContent.startsWith('${text}')).click()`);
  await rows('1 ▸main 3 ms 100.0 % 700 µs 23.3 % 1');
  await page.value(`root.querySelector('#panel [data-at="0"]').focus()`);
  await page.key('ArrowRight');
  await rows('1 ▾main 3 ms 100.0 % 700 µs 23.3 % 1', '2 ▸a 1 ms 33.3 % 800 µs 26.7 % 100', '2 b 1 ms 33.3 % 1 ms 33.3 % 100', '2 log 300 µs 10.0 % 300 µs 10.0 % 100');
  await page.key('ArrowDown');
  await page.until(`root.activeElement?.dataset.at === '1'`);
  await page.key('ArrowRight');
  await page.until(`root.querySelectorAll('#panel .long .row').length === 5`);
  await press('Self');
  await page.until(`root.querySelectorAll('#panel .long .row')[1]?.textContent.startsWith('b')`);
  // A function of a row is left out, looked at alone, or found with its callers.
  await page.value(`root.querySelector('#panel [data-at="2"]').click()`);
  await page.until('/Only this/.test(root.querySelector("#panel .graph-tip").textContent)');
  await press('Only this');
  await rows('1 ▾a 1 ms 33.3 % 800 µs 26.7 % 100', '2 log 200 µs 6.7 % 200 µs 6.7 % 100');
  await press('All');
  await press('Open all');
  await page.value(`(() => { const filter = root.querySelector('#panel [aria-label="Filter functions"]'); filter.value = 'LOG'; filter.oninput(); })()`);
  await page.until(`[...root.querySelectorAll('#panel .long .row')].map((row) => row.children[0].textContent.slice(-3)).join() === 'ain,▾a,log,log'`);
  if (pictures) await page.screenshot(join(pictures, 'call-tree.png'));
  await page.value(`(URL.createObjectURL = ((before) => (blob) => { window.saved = blob.text(); return before.call(URL, blob); })(URL.createObjectURL), 0)`);
  await press('CSV');
  await page.until('window.saved');
  check((await page.value('saved')).split('\n').slice(0, 3), ['depth,function,total,self,count', '0,main,3000000,700000,1', '1,a,1000000,800000,100'], 'the file');
  await page.value('delete URL.createObjectURL');
  // How the rows are listed is a part of the place, and steps back as any other.
  await page.until('new URLSearchParams(location.hash.slice(1)).get("tree") === "own LOG"');
  await page.value('viewer.canvas.focus()');
  await page.key('Backspace');
  await page.until('!viewer.place.tree.filter && root.querySelectorAll("#panel .long .row").length > 4');
  check(await page.value('root.querySelector(\'#panel [aria-label="Filter functions"]\').value'), '', 'the field of the filter');
  await page.value('viewer.change({ tree: {} }).then(() => viewer.drawer.show("calls", "bottom-up-tree"))');
  await page.until(`[...root.querySelectorAll('#panel .long .row')].map((row) => row.children[0].textContent).join() === '▸b,▸a,main,▸log'`);
  // From the statistics, without a slice that is selected.
  await page.value('viewer.drawer.show("statistics")');
  await page.until('root.querySelector("#panel .calls-of")');
  await page.value(`(() => { const filter = root.querySelector('#panel [data-key="filter"]'); filter.value = 'A'; filter.oninput(); })()`);
  await page.until(`[...root.querySelectorAll('#panel tbody tr th')].map(({ textContent }) => textContent.trim()).join() === 'a,main' && new URLSearchParams(location.hash.slice(1)).get('sums') === ' A'`);
  await page.value('viewer.change({ sums: {} })');
  await page.until('root.querySelectorAll("#panel tbody tr").length === 4');
  await page.value(`[...root.querySelectorAll('#panel .calls-of')].find(({ ariaLabel }) => ariaLabel === 'What calls log, and what it calls').click()`);
  await page.until('root.querySelectorAll("#panel h3").length === 2');
  check(await page.value('[...root.querySelectorAll("#panel h3")].map(({ textContent }) => textContent)'), ['Callers of log', 'Callees of log'], 'a sandwich of a function');
  end();
}

// Notes on a slice, a range and a time: in a list, in the address, in a file and on the timeline.
async function notes(page) {
  const [folder, write, end] = folderOf();
  const file = write('notes-of.json', JSON.stringify([{ ph: 'X', name: 'frame', pid: 1, tid: 1, ts: 0, dur: 100 }, { ph: 'X', name: 'draw', pid: 1, tid: 1, ts: 10, dur: 20 }]));
  await load(page, file);
  const rows = () => page.value(`[...root.querySelectorAll('#panel tbody tr')].map((row) => [...row.children].slice(0, 5).map((cell) => cell.querySelector('input')?.value ?? cell.textContent).join('|'))`);
  const note = async (text) => {
    await page.key('b', 'KeyB');
    await page.until('root.activeElement?.matches("#panel input[aria-label^=Note]")');
    await page.type(text);
    await page.key('Enter');
    await page.until(`viewer.place.marks.some((mark) => mark.text === '${text}') && !viewer.steps.acting`);
  };
  // With the keyboard alone: on a slice, on a range.
  await page.value('viewer.go(1)');
  await note('slow');
  await page.value('viewer.select(undefined).then(() => viewer.setRange({ start: 2e3, end: 5e3 }))');
  await page.value('viewer.canvas.focus()');
  await note('before it');
  await page.value('viewer.setRange(undefined).then(() => viewer.drawer.show("marks"))');
  await page.until('root.querySelectorAll("#panel tbody tr").length === 2');
  check(await rows(), ['2 µs|3 µs||before it|', '10 µs|20 µs|draw|slow|8 µs'], 'the list of notes');
  await page.value(`root.querySelector('#panel [data-key="from 0"]').click()`);
  await page.until('root.querySelector("#panel").textContent.includes("After the chosen one")');
  check((await rows())[0].split('|').at(-1), '-8 µs', 'the distance from the chosen one');
  await settled(page);
  if (pictures) await page.screenshot(join(pictures, 'notes.png'));
  // A link has them, and so has a file.
  await page.until('/mark=.*slow/.test(location.hash)');
  const saved = await page.value(`(async () => {
    const { createObjectURL } = URL;
    let blob;
    URL.createObjectURL = (one) => { blob = one; return 'data:,'; };
    HTMLAnchorElement.prototype.click = () => {};
    viewer.drawer.marks.save();
    delete HTMLAnchorElement.prototype.click;
    URL.createObjectURL = createObjectURL;
    return blob.text();
  })()`);
  const before = await page.value('viewer.place.marks');
  await page.value('viewer.run("removeMarks")');
  await page.until('!viewer.place.marks.length && !root.querySelector("#panel tbody")');
  await page.choose('#panel input[type=file]', write('notes.json', saved));
  await page.until('viewer.place.marks.length === 2');
  check(await page.value('viewer.place.marks'), before, 'notes of a file');
  await page.choose('#panel input[type=file]', write('nonsense.json', '{}'));
  await page.until('/nonsense.json cannot be read: it has no marks/.test(root.querySelector("#hint").textContent)');
  // The list leads to what a note is about, and removes it.
  await page.value(`root.querySelector('#panel [data-key="go 0"]').click()`);
  await page.until('viewer.slice === 1');
  await page.value(`root.querySelector('#panel [data-key="remove 0"]').click()`);
  await page.until('viewer.place.marks.length === 1 && root.querySelectorAll("#panel tbody tr").length === 1');
  await page.key('Backspace');
  await page.until('viewer.place.marks.length === 2');
  // The command shows them with the trace.
  const [server, address] = await serving('--notes', join(folder, 'notes.json'), file);
  await page.open(address);
  await page.until('viewer?.frame');
  await settled(page);
  check(await page.value('viewer.place.marks'), before, 'spall open --notes');
  await leave(page, server);
  end();
}

// A search counts what `spall find` and the viewers of the terminal and the desktop count.
async function searched(page) {
  await page.value('viewer.finder.search("dRaw")');
  check(await page.value('root.querySelector("#hits").textContent'), '3 slices, 3 instants, 1 counter', 'what a search counts');
  ensure(await page.value('!viewer.lines.main.headers.some(({ item }) => viewer.arranged.labels.get(viewer.arranged.key(item)).label === "draws nothing")'), 'a thread without anything has no line');
}

// A search finds things of every kind, and keys, the list of hits and the list of tracks go to each of them.
async function goesAnywhere(page) {
  const [, write, end] = folderOf();
  const named = (kind, pid, tid, name) => ({ ph: 'M', name: `${kind}_name`, pid, tid, args: { name } });
  const others = Array.from({ length: 60 }, (_, tid) => ({ ph: 'X', name: 'f', pid: 1, tid: tid + 10, ts: 0, dur: 100 }));
  const events = [
    named('process', 1, 1, 'app'), named('process', 2, 2, 'painter'), named('thread', 2, 2, 'paint worker'), ...others,
    { ph: 'X', name: 'paint', cat: 'ui', pid: 1, tid: 1, ts: 40, dur: 20 }, { ph: 'X', name: 'blit', cat: 'gpu', pid: 2, tid: 2, ts: 50, dur: 5, args: { of: 'paint' } },
    { ph: 'i', name: 'repaint', s: 't', pid: 2, tid: 2, ts: 60 }, { ph: 'C', name: 'paint memory', pid: 1, ts: 5, args: { value: 3 } },
    { ph: 's', name: 'painted', id: 1, pid: 1, tid: 1, ts: 45 }, { ph: 'f', bp: 'e', name: 'painted', id: 1, pid: 2, tid: 2, ts: 52 },
  ];
  await load(page, write('anywhere.json', JSON.stringify(events)));
  const hits = () => page.value('root.querySelector("#hits").textContent');
  const isInView = (what) => page.value(`(() => { const { item } = ${what}, { main, mainTop, height } = viewer, line = viewer.lines.main.headers.find((header) => viewer.arranged.key(header.item) === viewer.arranged.key(item)); return Boolean(line) && line.top >= main.scrollTop && line.top + mainTop < main.scrollTop + height; })()`);
  const worker = '{ item: viewer.arranged.itemsByPath.get("painter/paint worker") }';
  // A track alone: its process is opened, and it comes into view and lights up.
  await page.value('viewer.act({ fold: viewer.arranged.itemsByPath.get("painter") })');
  check(await isInView(worker), false, 'a track that is folded away');
  await page.key('/');
  await page.type('worker');
  await page.key('Enter');
  await page.until('viewer.finder.hit === 0');
  check([await hits(), await isInView(worker), await page.value('viewer.flashed === viewer.arranged.key(viewer.arranged.itemsByPath.get("painter/paint worker"))')], ['1 of 1', true, true], 'a track that was gone to');
  // Everything, with a note.
  await page.value('viewer.change({ marks: [{ at: 70e3, text: "not painted" }] }).then(() => viewer.finder.search("paint"))');
  check(await hits(), '2 slices, 1 instant, 1 flow, 1 track, 1 counter, 1 process, 1 note', 'what is found');
  await page.value('viewer.canvas.focus()');
  const visited = [];
  for (let rank = 0; rank < 8; rank++) {
    await page.key('n', 'KeyN');
    await page.until(`viewer.finder.hit === ${rank} && !viewer.steps.acting`);
    visited.push(await page.value('viewer.arranged.hit.what'));
  }
  check([visited.join(' '), await hits()], ['counter process thread slice flow slice instant note', '8 of 8'], 'hits that the key goes to');
  await page.key('n', 'KeyN');
  await page.until('viewer.finder.hit === 0');
  // The list: rows, a click, and arrows.
  await page.key('F', 'KeyF', 8);
  const rows = () => page.value('[...root.querySelectorAll("#panel .hit")].map((row) => [...row.children].map(({ textContent }) => textContent.replace(/\\s+/g, " ")).join("|"))');
  await page.until('root.querySelectorAll("#panel .hit").length === 8 && !root.querySelector("#panel").textContent.includes("…")');
  check((await rows()).slice(2, 6), ['3|thread|||paint worker|painter/paint worker', '4|slice|40 µs|20 µs|paint|app/Thread 1', '5|flow|45 µs|7 µs|painted|app/Thread 1', '6|slice|50 µs|5 µs|blit (of: paint)|painter/paint worker'], 'the list of hits');
  await page.value('root.querySelector("#panel [data-key=\'6\']").click()');
  await page.until('viewer.selected?.kind === "instant" && viewer.finder.hit === 6');
  await page.value('root.querySelector("#panel [data-key=\'6\']").focus()');
  await page.key('ArrowUp');
  await page.until('viewer.finder.hit === 5 && root.activeElement?.dataset.key === "5"');
  check([await hits(), await page.value('viewer.source.details(viewer.selected, 0).then(({ name }) => name)')], ['6 of 8', 'blit'], 'an arrow in the list');
  for (const [text, expected] of [['paint cat:ui', '1 slice'], ['track:"painter/" blit', '1 slice'], ['paint track:app dur > 1 us', '1 slice']]) {
    await page.value(`viewer.finder.search(${JSON.stringify(text)})`);
    check(await hits(), expected, text);
  }
  // The list of tracks.
  await page.value('viewer.finder.clear().then(() => { viewer.main.scrollTop = 0; viewer.drawer.show("tracks"); })');
  await page.value('(() => { const filter = root.querySelector("#panel input"); filter.value = "paint w"; filter.oninput(); })()');
  check(await isInView(worker), false, 'a track below');
  await page.value('[...root.querySelectorAll("#panel .go")].find(({ textContent }) => textContent === "paint worker").click()');
  await page.until('viewer.flashed && !viewer.steps.acting', 10);
  check(await isInView(worker), true, 'a track that was clicked in the list');
  // Very many: only those in sight are elements, and the last one can be reached.
  const many = Array.from({ length: 400_000 }, (_, at) => `{"ph":"X","name":"f","pid":1,"tid":1,"ts":${at},"dur":1}`);
  await load(page, write('many-hits.json', `[${many}]`));
  await page.value('viewer.finder.search("f").then(() => viewer.drawer.show("hits"))');
  await page.until('root.querySelectorAll("#panel .hit").length > 3');
  await page.value('root.querySelector("#panel").scrollTop = 1e9');
  await page.until('/^400.000/.test(root.querySelector("#panel .long")?.lastChild.textContent) && /slice/.test(root.querySelector("#panel .long").lastChild.textContent)', 10);
  ensure((await page.value('root.querySelectorAll("#panel .hit").length')) < 100, 'only the hits in sight are elements');
  await page.value('root.querySelector("#panel .long").lastChild.click()');
  await page.until('viewer.finder.hit === 399999 && viewer.view.end > 399e6');
  end();
}

// Calls of apitrace have backtraces.
async function backtraces(page) {
  await load(page, join(root, 'testdata/apitrace/frames.trace'));
  await page.value('viewer.select({ kind: "slice", id: 12 })');
  check(await page.value('root.querySelector("#panel .lines")?.textContent'), 'fun f.c', 'the backtrace of a call');
  ensure(!('backtrace' in (await said(page))), 'a backtrace is no argument');
}

// The beginning of a large file is shown while the rest is read.
async function begins(page) {
  const total = await page.value(`(async () => {
    const view = document.querySelector('trace-view'), lines = [], n = 300000;
    for (let at = 0; at < n; at++) lines.push('{"ph":"X","name":"slice ' + (at % 100) + '","pid":1,"tid":1,"ts":' + at * 10 + ',"dur":9}');
    const file = new File(['[' + lines.join(',') + ']'], 'large.json');
    window.early = undefined;
    let beginning;
    Object.defineProperty(view, 'beginning', { get: () => beginning, set(viewer) { beginning = viewer; window.early ??= viewer; window.known ??= !view.viewer; } });
    // The whole file comes after the picture of its beginning, however fast it is read.
    const { load } = view.constructor;
    view.constructor.load = async ([one], ...more) => {
      const loaded = await load([one], ...more);
      for (let waits = 0; one === file && !window.early?.frame && waits < 500; waits++) await new Promise((done) => { setTimeout(done, 30); });
      return loaded;
    };
    await view.open([file]);
    return file.size;
  })()`);
  ensure(total > 16 << 20, 'the file is large');
  const [first, all] = await page.value('[early?.about, viewer.about].map((about) => about?.counts.find(([what]) => what === "slice")[1])');
  ensure(first > 10000 && first < all && (await page.value('Boolean(early.frame) && known')), `there was a picture of the beginning (${first} slices)`);
  check([all, await page.value('root.querySelectorAll("canvas").length')], [300000, 2], 'all slices, once');
}

// A picture that is opened by itself is as wide as the window, with all of its texts.
async function svg(page, url) {
  const name = 'render-test.svg';
  program('render', join(root, 'spall-page/page/record.spall'), join(dist, name));
  for (const width of [390, 1400, 3000]) {
    await page.resize(width, 900);
    await page.open(`${url}/${name}`);
    const [shown, tall, ratio] = await page.value('(() => { const { width, height } = document.documentElement.getBoundingClientRect(), view = document.documentElement.viewBox.baseVal; return [width, height, view.height / view.width]; })()');
    check([shown, Math.round(tall)], [Math.max(width, 900), Math.round(shown * ratio)], `the picture in a window of ${width} pixels`);
  }
  const cut = await page.value('[...document.querySelectorAll("text")].filter((text) => { const { x, width } = text.getBBox(); return x < 0 || x + width > document.documentElement.viewBox.baseVal.width; }).map(({ textContent }) => textContent)');
  check(cut, [], 'texts that are cut');
  rmSync(join(dist, name));
  await page.resize(1400, 900);
}

// Objects are on lines by type below their process, in pieces whose click shows the snapshot of that time. The stack of an
// event, and the argument that a search finds, are said.
async function facts(page) {
  const [, write, end] = folderOf();
  const object = (ph, ts, id, args) => ({ ph, ts, id, name: 'Layer', pid: 1, tid: 1, args });
  const events = [
    { ph: 'X', name: 'f', pid: 1, tid: 1, ts: 0, dur: 100, sf: 7, args: { path: 'a/b.txt' } }, { ph: 'i', name: 'i', s: 't', pid: 1, tid: 1, ts: 5, stack: ['main', 'step'] },
    object('N', 10, '0x1'), object('O', 20, '0x1', { snapshot: { tiles: 3 } }), object('O', 40, '0x1', { snapshot: { tiles: 4 } }), object('D', 80, '0x1'), object('N', 30, '0x2'), object('N', 85, '0x3'),
  ];
  const stackFrames = { 5: { name: 'main' }, 7: { name: 'draw', parent: '5' } };
  await load(page, write('objects.json', JSON.stringify({ traceEvents: events, stackFrames })));
  check(await page.value('viewer.frame.main.objects.map(({ label }) => label)'), ['Layer'], 'types of objects');
  const pieces = await page.value('Array.from({ length: viewer.frame.main.numbers.length / 6 }, (_, at) => [viewer.frame.main.numbers[at * 6], viewer.frame.main.numbers[at * 6 + 5] >>> 9, viewer.frame.main.numbers[at * 6 + 2]]).filter(([, flags]) => flags & 1 && flags >> 3).map(([top, , id]) => [top, id])');
  check([new Set(pieces.map(([top]) => top)).size, pieces.length], [2, 5], 'lines and pieces');
  const [x, y] = await page.value(`(() => { const box = viewer.canvas.getBoundingClientRect(); return [box.left + viewer.painter.x(60e3, viewer.view) / viewer.painter.ratio, box.top + viewer.mainTop + ${pieces[0][0]} + 7]; })()`);
  await page.click(x, y);
  await page.until('root.querySelector("#panel h2")?.textContent === "Layer"', 10);
  const details = await said(page);
  check([details.id, details.snapshots, details['snapshot at'], /tiles.*4/.test(details.snapshot)], ['0x1', '2', '40 µs', true], 'the object and its snapshot of that time');
  const stack = (kind) => page.value(`viewer.select({ kind: '${kind}', id: 0 }).then(() => root.querySelector('#panel .lines').textContent)`);
  check([await stack('slice'), await stack('instant')], ['draw\nmain', 'step\nmain'], 'stacks');
  await page.value('viewer.finder.search("b.txt").then(() => viewer.drawer.show("hits"))');
  await page.until('/\\(path: a.b.txt\\)/.test(root.querySelector("#panel .long")?.textContent)', 10);
  await load(page, join(root, 'testdata/small/search.json'));
  await searched(page);
  end();
}

// Settings are in a dialog, and the page draws with the colours that the system forces.
async function settings(page) {
  const [, write, end] = folderOf();
  const name = (tid) => ({ ph: 'M', name: 'thread_name', pid: 1, tid, args: { name: `thread ${tid}` } });
  await load(page, write('empty.json', JSON.stringify([name(1), name(2), { ph: 'X', name: 'f', pid: 1, tid: 1, ts: 0, dur: 9 }])));
  const tracks = () => page.value('viewer.lines.main.headers.filter(({ item }) => item.kind === "track").map(({ item }) => viewer.arranged.labels.get(viewer.arranged.key(item)).label).join()');
  check(await tracks(), 'thread 1', 'empty tracks are hidden');
  const choose = async (title, text) => {
    await page.value('[...root.querySelectorAll("#tools button")].find(({ title }) => title === "Settings").click()');
    await page.value(`(() => { const choose = [...root.querySelectorAll('#palette label')].find(({ textContent }) => textContent.startsWith('${title}')).querySelector('select'); choose.selectedIndex = [...choose.options].findIndex(({ text }) => text === '${text}'); choose.onchange(); })()`);
    await page.value('[...root.querySelectorAll("#palette button")].at(-1).click()');
    await settled(page);
  };
  await choose('Empty tracks', 'shown');
  await page.until('viewer.lines.main.headers.length === 3', 10);
  check(await tracks(), 'thread 1,thread 2', 'empty tracks are shown');
  await choose('Empty tracks', 'hidden');
  const colours = () => page.value('["page", "text", "accent"].map((key) => viewer.painter.colour[key]).join()');
  const before = await colours();
  await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
  await page.until('viewer.painter.colour.page === "Canvas"', 10);
  check(await colours(), 'Canvas,CanvasText,Highlight', 'forced colours on the canvas');
  await settled(page);
  const [box] = await boxes(page);
  check(await page.value(`[...viewer.canvas.getContext('2d').getImageData(4, ${Math.round(box.y)} - viewer.canvas.getBoundingClientRect().top, 1, 1).data].join()`), await page.value('(() => { const one = document.createElement("canvas").getContext("2d"); one.fillStyle = "Canvas"; one.fillRect(0, 0, 1, 1); return [...one.getImageData(0, 0, 1, 1).data].join(); })()'), 'the ground is the colour that the system has');
  await page.send('Emulation.setEmulatedMedia', { features: [] });
  await page.until(`["page", "text", "accent"].map((key) => viewer.painter.colour[key]).join() === '${before}'`, 10);
  const undone = "import('./ui/commands.js').then(async ({ DOES }) => { const undone = []; for (const { command } of viewer.about.commands) if (!DOES[command] && !(await viewer.run(command)).done) undone.push(command); return undone.join(); })";
  check(await page.value(undone), '', 'commands that neither the page nor the engine does');
  end();
}

// How long the browser takes to sort a million numbers: other times are compared with it, however busy the machine is.
const sorting = (page) => page.value(`(() => {
  const took = Array.from({ length: 3 }, () => {
    const numbers = Array.from({ length: 1_000_000 }, (_, at) => (at * 7919) % 1_000_003), began = performance.now();
    numbers.sort((a, b) => b - a);
    return performance.now() - began;
  });
  return Math.min(...took);
})()`);

// A million names are sorted and filtered while nobody waits.
async function manyNames(page) {
  const [, write, end] = folderOf();
  const events = Array.from({ length: 1_000_000 }, (_, at) => `{"ph":"X","name":"n${at}","pid":1,"tid":1,"ts":${at},"dur":${(at % 999) / 1000}}`);
  await load(page, write('names.json', `[${events}]`));
  await page.value('viewer.drawer.show("statistics")');
  await page.until('root.querySelectorAll("#panel tbody tr").length === 500');
  ensure(/999.500 more/.test(await page.value('root.querySelector("#panel").innerText.replace(/\\s/g, " ")')), 'the number of the others is said');
  const took = await page.value(`(async () => {
    const took = [];
    for (const order of ['max', 'count', 'total']) {
      const began = performance.now();
      await viewer.source.statistics(viewer.area, 'name', { table: { order }, most: 500 });
      took.push(performance.now() - began);
    }
    return Math.min(...took);
  })()`);
  const numbers = await sorting(page);
  ensure(took < 4 * numbers, `a million names are sorted in ${Math.round(took)} ms, and as many numbers in ${Math.round(numbers)} ms`);
  await page.value('(() => { const filter = root.querySelector("#panel input"); filter.focus(); filter.value = "N123456"; filter.oninput(); })()');
  await page.until('root.querySelectorAll("#panel tbody tr").length === 1');
  check(await page.value('root.querySelector("#panel tbody th").textContent + " " + (root.activeElement.dataset.key)'), 'n123456 filter', 'the one of the filter, which keeps the focus');
  end();
}

// Names of tracks are seen in full, tell apart tracks of the same name, and have a width that can be dragged. A range of
// some tracks shades the others, and a hundred thousand tracks are listed at once.
async function tracks(page) {
  const [, write, end] = folderOf();
  const thread = (tid, name) => [{ ph: 'M', name: 'thread_name', pid: 1, tid, args: { name } }, { ph: 'X', name: 'f', pid: 1, tid, ts: 0, dur: 10 }];
  const long = 'a thread with a name that is longer than there is room at the left of the timeline';
  await load(page, write('names.json', JSON.stringify([thread(1, long), thread(22, 'same'), thread(33, 'same'), thread(44, 'last')].flat())));
  const top = await page.value('viewer.canvas.getBoundingClientRect().top + viewer.mainTop');
  const headers = await page.value('viewer.lines.main.headers.map(({ item, top }) => [viewer.arranged.labels.get(viewer.arranged.key(item)).label, top])');
  const y = (label) => top + headers.find(([name]) => name === label)[1] + 8;
  await page.move(60, y(long));
  await page.until(`root.querySelector('#tip:not([hidden]) strong')?.textContent === ${JSON.stringify(long)}`, 10);
  const repeated = await page.value('[...viewer.arranged.labels.values()].filter(({ isRepeated }) => isRepeated).map(({ detail }) => detail).join()');
  check(repeated, '22,33', 'tracks whose names are no use without their ids');
  await page.drag([NAMES, y('last')], [400, y('last')]);
  check(await page.value('viewer.painter.names'), 400, 'the width of names');
  await page.reload();
  await load(page, join(recordings, 'threads-v3.spall'));
  check(await page.value('viewer.painter.names'), 400, 'the width of names after a reload');
  await page.drag([400, y('last')], [NAMES, y('last')]);
  // The colour in the range: on a track of it, on another one, and there without a range.
  await load(page, join(recordings, 'threads-v3.spall'));
  const first = await page.value('viewer.lines.main.headers.filter(({ item }) => item.kind === "track").slice(0, 2).map(({ item, bottom }) => [item, bottom])');
  const colours = () => page.value(`(() => { viewer.draw(); const { painter, canvas, mainTop } = viewer; return ${JSON.stringify(first.map(([, bottom]) => bottom))}.map((bottom) => [...canvas.getContext('2d').getImageData(canvas.width - 300, (mainTop + bottom - 3) * painter.ratio, 1, 1).data].join()); })()`);
  const before = await colours();
  await page.value(`viewer.setRange({ start: viewer.about.start, end: viewer.about.end, items: [${JSON.stringify(first[0][0])}] })`);
  await settled(page);
  const after = await colours();
  ensure(before[0] === after[0] && before[1] !== after[1], `the other tracks are shaded: ${before} ${after}`);
  await page.value('viewer.setRange(undefined), viewer.drawer.hide()');
  const many = Array.from({ length: 100_000 }, (_, tid) => `{"ph":"X","name":"f","pid":1,"tid":${tid},"ts":${tid},"dur":5}`);
  await load(page, write('many.json', `[${many}]`));
  const took = await page.value('(() => { const began = performance.now(); viewer.drawer.show("tracks"); root.querySelector("#panel").getBoundingClientRect(); return performance.now() - began; })()');
  const numbers = await sorting(page);
  ensure(took < 4 * numbers, `a hundred thousand tracks are listed in ${Math.round(took)} ms, and a million numbers sorted in ${Math.round(numbers)} ms`);
  ensure((await page.value('root.querySelectorAll("#panel .long > *").length')) < 100, 'only those in sight are elements');
  await page.value('root.querySelector("#panel").scrollTop = 1e9');
  await page.until('/99 ?999/.test(root.querySelector("#panel .long").lastChild.textContent)', 10);
  await page.value('(() => { const filter = root.querySelector("#panel input"); filter.value = "77777"; filter.oninput(); })()');
  check(await page.value('root.querySelectorAll("#panel .long > *").length'), 2, 'a filter leaves a track and its process');
  end();
}

// No rule of axe-core is broken, and the keyboard alone is enough.
async function accessible(page, url) {
  const [folder, , end] = folderOf();
  let axe;
  try {
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, 'axe-core'], { stdio: 'ignore' });
    axe = readFileSync(join(folder, 'node_modules/axe-core/axe.min.js'), 'utf8');
  } catch (error) {
    console.log(`  not here: npm with the package axe-core (${error.message.split('\n')[0]})`);
  }
  const broken = async (what) => {
    if (!axe) return;
    const found = await page.value('axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.flat().join(" ")} ${failureSummary}`).join("; ")}`))');
    check(found, [], `rules of axe-core that are broken by ${what}`);
  };
  for (const theme of ['light', 'dark']) {
    await page.open(`${url}/`);
    if (axe) await page.value(`${axe}; 0`);
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] });
    await broken(`the welcome page, ${theme}`);
    await load(page, join(recordings, 'motley.json'));
    for (const panel of await page.value('[...viewer.drawer.panels.keys()]')) {
      await page.value(`viewer.select({ kind: 'slice', id: 0 }).then(() => viewer.drawer.show('${panel}'))`);
      await settled(page);
      await broken(`${panel}, ${theme}`);
    }
    await page.value('viewer.finder.search("a").then(() => viewer.drawer.show("durations"))');
    await page.until('root.querySelector("#panel input[type=range]")');
    await broken(`the durations of hits, ${theme}`);
    for (const table of ['"slices"', '"calls", "tree"']) {
      await page.value(`viewer.drawer.show(${table})`);
      await page.until('root.querySelector("#panel .long .row > span")');
      await broken(`a table of ${table}, ${theme}`);
    }
    await page.value('viewer.run("note").then(() => viewer.drawer.show("marks"))');
    await page.until('root.querySelector("#panel tbody input")');
    await broken(`a note, ${theme}`);
    await page.value('viewer.run("removeMarks")');
    await page.value('viewer.finder.search("a"), viewer.drawer.show("hits")');
    await page.until('viewer.finder.isSearching');
    await broken(`hits, ${theme}`);
    await page.key('?', 'Slash', 8);
    await page.until('root.querySelector("#palette").open');
    await broken(`the palette, ${theme}`);
  }
  // From entry to entry of the palette, and from tab to tab.
  await page.key('ArrowDown');
  await page.key('ArrowDown');
  await page.key('ArrowUp');
  check(await page.value('root.activeElement === root.querySelector("#palette button")'), true, 'the first entry has the focus');
  await page.key('Escape');
  await page.until('!root.querySelector("#palette").open');
  await page.value('root.querySelector("#tabs [aria-selected=true]").focus()');
  const current = () => page.value('[viewer.drawer.current, root.activeElement.dataset.panel].join()');
  const names = await page.value('[...viewer.drawer.panels.keys()]');
  const next = names[(names.indexOf('hits') + 1) % names.length];
  await page.key('ArrowRight');
  check(await current(), `${next},${next}`, 'the next tab');
  await page.send('Emulation.setEmulatedMedia', { features: [] });
  end();
}

// A trace of a million slices, as spall 1.
function million() {
  const name = 'abcdefgh', depth = 50, calls = 20_000;
  const begin = 1 + 1 + 4 + 4 + 8 + 2 + 1, end = 1 + 4 + 4 + 8;
  const data = Buffer.alloc(24 + calls * depth * (begin + end) + 100);
  let at = data.writeBigUInt64LE(0x0BADF00Dn, 0);
  at = data.writeBigUInt64LE(1n, at);
  at = data.writeDoubleLE(1, at);
  at = data.writeBigUInt64LE(0n, at) ;
  let now = 0;
  const event = (kind, name) => {
    at = data.writeUInt8(kind, at);
    if (name !== undefined) at = data.writeUInt8(0, at);
    at = data.writeUInt32LE(1, at);
    at = data.writeUInt32LE(1, at);
    at = data.writeDoubleLE(now++, at);
    if (name === undefined) return;
    at = data.writeUInt8(1, at);
    at = data.writeUInt8(0, at);
    at += data.write(name, at);
  };
  for (let call = 0; call < calls; call++) {
    for (let level = 0; level < depth; level++) event(3, name[(level * 7 + call) % name.length]);
    for (let level = 0; level < depth; level++) event(4);
  }
  return data.subarray(0, at);
}

// The page is answered while call trees and statistics are added up, and the last question wins.
async function alive(page) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  const path = join(folder, 'million.spall');
  writeFileSync(path, million());
  await load(page, path);
  const race = (...asks) => page.value(`(async () => {
    const area = { start: viewer.about.start, end: viewer.about.end + 1 }, part = { start: 1, end: viewer.about.span }, order = [];
    const wanted = { graph: 'flame', without: '' }, ranking = { table: {}, most: 9 };
    const { source } = viewer;
    const asks = { overview: () => source.overview(0, 1e6, 100), all: () => source.graph(0, area, wanted), part: () => source.graph(0, part, wanted),
      cancel: () => source.cancelGraph(), functions: () => source.statistics(area, 'function', ranking), names: () => source.statistics(area, 'name', ranking),
      inverted: () => source.graph(0, area, { ...wanted, graph: 'bottom-up' }), find: () => source.find('a'), other: () => source.find('b'), nothing: () => source.find(undefined) };
    await Promise.all(${JSON.stringify(asks)}.map(async (name) => order.push(\`\${name} \${typeof (await asks[name]())}\`)));
    return order;
  })()`);
  // Where the machine is busy, the first question may be answered before the second one arrives.
  const last = async (asks, expected, what) => {
    let is;
    for (let tries = 0; tries < 5 && JSON.stringify(is) !== JSON.stringify(expected); tries++) is = (await race(...asks)).sort();
    check(is, expected, what);
  };
  check(await race('all', 'overview'), ['overview object', 'all object'], 'answers while a flame graph is made');
  check(await race('functions', 'overview'), ['overview object', 'functions object'], 'answers while functions are added up');
  await last(['part', 'all'], ['all object', 'part undefined'], 'another graph replaces the first one');
  await last(['part', 'cancel'], ['cancel undefined', 'part undefined'], 'a graph that is cancelled');
  await last(['names', 'functions'], ['functions object', 'names undefined'], 'other statistics replace the first ones');
  check(await race('inverted', 'overview'), ['overview object', 'inverted object'], 'answers while a bottom-up graph is made');
  const told = await page.value('(async () => { const told = []; await viewer.source.find("a", (done) => told.push(done)); return told; })()');
  ensure(told.every((done, at) => done > (told[at - 1] ?? 0) && done <= 1_000_000), `a search says how far it is: ${told}`);
  // On the page: the button cancels, and another begins again.
  await page.value('viewer.setRange({ start: 2, end: viewer.about.span }).then(() => { viewer.drawer.show("calls", "flame"); [...root.querySelectorAll("#panel button")].find(({ textContent }) => textContent === "Cancel").click(); })');
  check(await page.value('root.querySelectorAll("#panel canvas").length'), 0, 'graphs after it was cancelled');
  await page.value('[...root.querySelectorAll("#panel button")].find(({ textContent }) => textContent === "Add up").click()');
  await page.until('viewer.drawer.calls.graphs[0]?.part?.numbers.length');
  // A search takes long where there are many names: one of a million slices with eight names may end in its first step.
  const named = join(folder, 'names.json');
  writeFileSync(named, JSON.stringify(Array.from({ length: 400_000 }, (_, at) => ({ ph: 'X', name: `a function with the number ${at}`, pid: 1, tid: 1, ts: at, dur: 1 }))));
  await load(page, named);
  check(await race('find', 'overview'), ['overview object', 'find object'], 'answers while something is looked for');
  await drags(page);
  await last(['find', 'other'], ['find undefined', 'other object'], 'another search replaces the first one');
  await last(['find', 'nothing'], ['find undefined', 'nothing undefined'], 'a search that is given up');
  rmSync(folder, { recursive: true });
}

// A drag moves the view though the engine has not answered yet, and its answer to what was asked before leaves it there.
async function drags(page) {
  await page.value('viewer.view.zoom(0.1), viewer.moved()');
  await settled(page);
  await page.value('(() => { const { act } = viewer.source; window.held = new Promise((goOn) => { window.goOn = goOn; }); viewer.source.act = (...all) => held.then(() => act(...all)); viewer.run("mark"); })()');
  const { start, duration } = await view(page);
  await page.drag([900, 400], [700, 400], { button: 'right', buttons: 2 });
  const moved = await view(page);
  ensure(moved.start > start && moved.duration === duration, 'the view moves while the engine is busy');
  ensure(await page.value('viewer.steps.acting === 1 && !viewer.place.marks.length'), 'the engine has not answered');
  await page.value('goOn()');
  await settled(page);
  ensure(await page.value('viewer.place.marks.length === 1'), 'the engine has answered');
  check(await view(page), moved, 'the view after the answer');
}

// Names are dragged and keys pressed to move tracks; the address remembers it.
async function moves(page) {
  await load(page, join(recordings, 'threads-v3.spall'));
  const order = () => page.value('viewer.lines.main.headers.filter(({ item }) => item.kind === "track").map(({ item }) => viewer.arranged.labels.get(viewer.arranged.key(item)).label)');
  const before = await order();
  const places = await page.value('(() => { const box = viewer.canvas.getBoundingClientRect(); return viewer.lines.main.headers.filter(({ item }) => item.kind === "track").map(({ top, bottom }) => [box.top + viewer.mainTop + top, box.top + viewer.mainTop + bottom]); })()');
  await page.drag([60, places[1][0] + 8], [60, places[0][0] + 2]);
  const moved = [before[1], before[0], ...before.slice(2)];
  await page.until(`JSON.stringify(viewer.lines.main.headers.filter(({ item }) => item.kind === "track").map(({ item }) => viewer.arranged.labels.get(viewer.arranged.key(item)).label)) === ${JSON.stringify(JSON.stringify(moved))}`, 10);
  await page.until('/move=/.test(location.hash)');
  await page.reload();
  await load(page, join(recordings, 'threads-v3.spall'));
  check(await order(), moved, 'the order of tracks after a reload');
  await page.move(60, (await page.value('viewer.canvas.getBoundingClientRect().top + viewer.mainTop + viewer.lines.main.headers.find(({ item }) => item.kind === "track").top')) + 8);
  await page.key('j', 'KeyJ');
  await page.until(`viewer.lines.main.headers.find(({ item }) => item.kind === "track") && viewer.arranged.labels.get(viewer.arranged.key(viewer.lines.main.headers.find(({ item }) => item.kind === "track").item)).label === ${JSON.stringify(before[0])}`, 10);
  check(await order(), before, 'the order after a step down');
  await page.key('p', 'KeyP');
  await page.until('viewer.lines.pinned.height > 0');
}

// A reload selects again, and opens the panel that was open, or none. A step after a search was given up goes nowhere.
async function reloads(page) {
  const file = join(recordings, 'threads-v3.spall');
  await load(page, file);
  for (const panel of ['', 'details', 'statistics']) {
    await page.value('viewer.select({ kind: "slice", id: 0 })');
    await page.value(`viewer.drawer.hide(), ${panel ? `viewer.drawer.show('${panel}')` : 0}`);
    await page.until(`/slice=0/.test(location.hash) && (new URLSearchParams(location.hash.slice(1)).get('panel') ?? '') === '${panel}'`, 10);
    await page.reload();
    await load(page, file);
    await page.until('viewer.drawer.details.details?.name', 10);
    check(await page.value('[viewer.selected?.id, viewer.drawer.current || ""].join()'), `0,${panel}`, 'the panel after a reload');
  }
  await page.value('viewer.finder.search("a").then(() => Promise.all([viewer.finder.clear(), viewer.finder.next()]))');
  check(await page.value('viewer.finder.hit === undefined'), true, 'a step without a search');
}

// The busiest tracks are first if the user wants it, also after a reload.
async function activity(page) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  const path = join(folder, 'busy.json');
  const slice = (tid, dur) => ({ ph: 'X', name: 'f', pid: 1, tid, ts: 0, dur });
  writeFileSync(path, JSON.stringify([slice(1, 10), slice(2, 100), slice(3, 50)]));
  await load(page, path);
  const order = () => page.value('viewer.lines.main.headers.filter(({ item }) => item.kind === "track").map(({ item }) => viewer.arranged.labels.get(viewer.arranged.key(item)).label.split(" ")[1]).join()');
  check(await order(), '1,2,3', 'the order of the trace');
  await page.key('o', 'KeyO');
  await page.until('/order=activity/.test(location.hash)');
  check(await order(), '2,3,1', 'the order by activity');
  await page.reload();
  await load(page, path);
  check(await order(), '2,3,1', 'the order by activity after a reload');
  await page.key('o', 'KeyO');
  await page.until('!/order=/.test(location.hash)');
  check(await order(), '1,2,3', 'the order of the trace again');
  rmSync(folder, { recursive: true });
}

// The arrows of the selected slice can be told from others, also where they share their ends.
async function arrows(page) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  const path = join(folder, 'arrows.json');
  const events = [{ ph: 'X', name: 'last', pid: 1, tid: 2, ts: 9e6, dur: 1e6 }];
  for (let call = 0; call < 50; call++) {
    const at = { pid: 1, tid: 1, ts: call };
    events.push({ ph: 'X', name: `call ${call}`, dur: 1, ...at }, { ph: 's', id: call, name: 'flow', ...at }, { ph: 'f', bp: 'e', id: call, name: 'flow', pid: 1, tid: 2, ts: 9.5e6 });
  }
  writeFileSync(path, JSON.stringify(events));
  await load(page, path);
  await page.key('0', 'Digit0'); // the first view leaves out what is far away
  await settled(page);
  const own = () => page.value('viewer.frame.arrows.filter((_, at) => at % 6 === 5).join()');
  check(await own(), '', 'at first, only arrows of the selection are drawn');
  await page.value('viewer.setOption("arrows", "all")');
  await settled(page);
  check(await own(), '0', 'fifty flows are one arrow');
  const hit = await page.value('viewer.source.find("call 30").then(() => viewer.source.hits(0, 1)).then(([hit]) => hit.target.id)');
  await page.value(`viewer.select({ kind: 'slice', id: ${hit} })`);
  await settled(page);
  check(await own(), '0,1', 'the arrow of the selected slice lies over it');
  await page.value('viewer.setOption("arrows", "selected")');
  await settled(page);
  check(await own(), '1', 'the arrow of the selected slice alone');
  await page.value('viewer.setOption("arrows", "off")');
  await settled(page);
  check(await own(), '', 'no arrows');
  // Of many, some are drawn, and the number of the others is said.
  const many = Array.from({ length: 1000 }, (_, call) => {
    const at = { pid: 1, tid: call % 97, ts: call * 10 }, to = { pid: 1, tid: (call + 13) % 97, ts: call * 10 + 100 };
    return [{ ph: 'X', name: 'f', dur: 5, ...at }, { ph: 's', id: call, name: 'flow', ...at }, { ph: 'X', name: 'g', dur: 5, ...to }, { ph: 'f', bp: 'e', id: call, name: 'flow', ...to }];
  });
  writeFileSync(path, JSON.stringify(many.flat()));
  await page.value('viewer.setOption("arrows", "all")');
  await load(page, path);
  const [drawn, others] = await page.value('[viewer.frame.arrows.length / 6, viewer.frame.arrowsLeftOut]');
  ensure(drawn === 400 && others > 50 && others <= 600, `400 arrows are drawn, and ${others} more are said`);
  await page.value('viewer.setOption("arrows", "selected")');
  rmSync(folder, { recursive: true });
}

// A finger that rests selects; one that does not moves the view, and a tap selects.
async function touches(page) {
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await load(page, join(recordings, 'threads-v3.spall'));
  const [width, height] = await page.value('[innerWidth, innerHeight]');
  const from = [width * 0.5, height * 0.4], to = [width * 0.7, height * 0.6];
  await page.value('viewer.drawer.show("tracks")');
  const small = await page.value('[...root.querySelectorAll("button, input, select")].map((one) => [one, one.getBoundingClientRect()]).filter(([, { width, height }]) => width && (width < 44 || height < 44)).map(([one, { width, height }]) => `${one.textContent || one.id} ${width} x ${height}`)');
  check(small, [], 'targets that are smaller than a finger');
  await page.value('viewer.drawer.hide()');
  await settled(page);
  await page.touch(from, 700, [width * 0.6, height * 0.5], to);
  await page.until('viewer.range?.items?.length && viewer.drawer.current === "statistics"', 10);
  await page.value('viewer.setRange(undefined), viewer.drawer.hide(), viewer.view.zoom(0.5), viewer.moved()');
  await settled(page);
  const before = await view(page);
  await page.touch(from, 0, [width * 0.55, height * 0.45], to);
  const after = await view(page);
  ensure(after.start < before.start && !(await page.value('viewer.range')), 'a finger that moves at once moves the view');
  await settled(page);
  const [box] = (await boxes(page)).filter(({ isState }) => !isState).sort((a, b) => b.width - a.width);
  await page.touch([box.x, box.y], 0);
  await page.until(`viewer.selected?.id === ${box.id}`, 10);
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: false });
}

// Boxes have the colours that the file asks for, or those that any eyes tell apart. So it is on the page of `render`.
async function colours(page, url) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  const path = join(folder, 'colours.json'), written = join(dist, 'colours-test.html');
  writeFileSync(path, '[{"ph":"X","name":"own","pid":1,"tid":1,"ts":0,"dur":100,"cname":"thread_state_running"},{"ph":"X","name":"other","pid":1,"tid":1,"ts":100,"dur":100}]');
  program('render', path, written);
  const shown = (name) => page.value(`(() => { const found = viewer.frame.main.numbers, at = found.findIndex((id, at) => at % 6 === 3 && viewer.names.get(id) === '${name}'); return viewer.painter.palette.fill(found[at + 2], 3); })()`);
  const openings = [() => load(page, path), () => page.open(`${url}/colours-test.html`).then(() => page.until('viewer?.frame'))];
  for (const open of openings) {
    await open();
    await settled(page);
    check(await shown('own'), '#7ec894ff', 'the colour that the file asks for');
    const calm = await shown('other');
    await page.value('viewer.setOption("palette", "okabeIto")');
    await settled(page);
    for (const name of ['own', 'other']) ensure(/^#(e69f00|56b4e9|009e73|f0e442|0a7bbf|d55e00|cc79a7|999999)ff$/.test(await shown(name)), `${name} has a colour of Okabe and Ito`);
    await page.value('viewer.setOption("palette", "calm")');
    await settled(page);
    check(await shown('other'), calm, 'the calm colour');
  }
  rmSync(written);
  rmSync(folder, { recursive: true });
}

// A file that is nothing else is tried as a brotli stream.
async function brotli(page) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  const plain = join(recordings, 'calls.json'), packed = join(folder, 'calls.json.br');
  writeFileSync(packed, brotliCompressSync(readFileSync(plain)));
  const counts = [];
  for (const file of [plain, packed]) {
    await load(page, file);
    counts.push(await page.value('viewer.about.counts'));
  }
  check(counts[1], counts[0], 'what is in a file that brotli compressed');
  rmSync(folder, { recursive: true });
}

// The place of a fault in the file leads to its time, where it is drawn.
async function damaged(page) {
  const [, write, end] = folderOf();
  const events = [{ ph: 'X', name: 'f', pid: 1, tid: 1, ts: 0, dur: 100 }, { ph: 'E', pid: 1, tid: 2, ts: 40 }, { ph: 'X', name: 'g', pid: 1, tid: 2, ts: 60, dur: 40 }, { ph: 'E', pid: 1, tid: 2, ts: 70, name: 'none' }];
  await load(page, write('damaged.json', JSON.stringify(events)));
  await page.value('viewer.view.look(0, 1000), viewer.moved(), viewer.drawer.show("notes")');
  await page.until('viewer.damage && [...root.querySelectorAll("#panel button")].some(({ textContent }) => textContent === "Go there")');
  check(await page.value('viewer.damage.map(([, , at]) => at)'), [40000, 70000], 'times of what is damaged');
  const red = () => page.value('(() => { viewer.draw(); const { painter, canvas, view } = viewer, x = painter.x(40000, view); return x > 0 && x < canvas.width && [...canvas.getContext("2d").getImageData(x - 1, 24 * painter.ratio, 3, 40).data].some((value, at, all) => at % 4 === 0 && value > all[at + 1] + 60); })()');
  check(await red(), false, 'what is damaged is out of view');
  await page.value('[...root.querySelectorAll("#panel button")].find(({ textContent }) => textContent === "Go there").click()');
  await settled(page);
  check(await red(), true, 'what is damaged is drawn at its time');
  end();
}

// What a viewer says and draws of its trace.
const answers = (page) => page.value(`(async () => {
  const { source, about } = viewer, found = [];
  const area = { start: about.start, end: about.end + 1 };
  for (const by of ['name', 'function']) found.push((await source.statistics(area, by, { table: {}, most: 1e6 })).rows);
  for (const text of ['a', '/^f/', 'nothing of this name']) found.push(text, await source.find(text), await source.hits(0, 1e4), [...await source.hitsOverview(about.start, about.end + 1, 100)]);
  const hit = (await source.find('e'), await source.hits(0, 1e4)).find(({ what }) => what === 'slice');
  for (const [graph, slice] of [['flame'], ['bottom-up'], ...(hit ? [['callers', hit.target.id], ['callees', hit.target.id]] : [])]) {
    const { total, rows } = await source.graph(0, area, { graph, slice, without: '' });
    const { part: { numbers } } = await source.graphFrame(0, 0, Math.max(total, 1), 65535, 1e6, 0);
    found.push([graph, total, rows]);
    for (let at = 2; at < numbers.length; at += 6) found.push(await source.graphBox(0, numbers[at]));
  }
  await source.find(undefined);
  return JSON.stringify(found);
})()`);

// The picture of the whole trace.
async function picture(page) {
  await page.value('viewer.run("fitAll")');
  await settled(page);
  await page.until('viewer.drawnAt < performance.now() - 300');
  return page.value('viewer.canvas.toDataURL()');
}

// Whichever way the page reaches its engine, it says and draws the same: a worker, the program that serves it, and a page of its
// own that this viewer, that program or the command has written. Such a page is opened as a file.
async function wires(page, url) {
  const [folder, , end] = folderOf();
  for (const [path, ...options] of [[join(recordings, 'calls.json')], [join(recordings, 'threads-v3.spall')], [join(recordings, 'motley.json')], [join(root, 'spall-page/page/record.spall')]]) {
    const name = basename(path);
    const save = async (file) => {
      await page.value('window.made = URL.createObjectURL, URL.createObjectURL = (blob) => { window.saved = blob.text(); return made.call(URL, blob); }, 0');
      await page.value('[...root.querySelectorAll("#tools button")].find(({ title }) => title === "Save as a page").click()');
      await page.until('window.saved');
      writeFileSync(file, await page.value('saved'));
    };
    const [written, served, rendered] = ['written', 'served', 'rendered'].map((what) => join(folder, `${what} & more.html`));
    await page.open(`${url}/`);
    await load(page, path);
    const expected = [await answers(page), await picture(page)];
    ensure(expected[0].length > 1000 && expected[1].length > 1000, 'there is something to compare');
    await save(written);
    program('render', path, ...options, rendered);
    const [server, address] = await serving(path, ...options);
    for (const [what, where] of [['served', address], ['written', `file://${written}`], ['rendered', `file://${rendered}`], ['saved by the server', `file://${served}`], ['saved by a saved page', `file://${written}`]]) {
      await page.open(where.replaceAll(' ', '%20'));
      await page.until('viewer?.frame');
      await settled(page);
      for (const [at, kind] of ['sums and hits', 'the picture'].entries()) ensure([answers, picture][at] && (await [answers, picture][at](page)) === expected[at], `${kind} of ${name}, ${what}`);
      if (what === 'served') await save(served);
      if (what === 'rendered') await save(written);
    }
    await leave(page, server);
  }
  end();
}

// The program that serves a trace, and the address of its page.
async function serving(...options) {
  const server = spawn(programs.spall, ['serve', ...options], { stdio: ['pipe', 'pipe', 'inherit'] });
  const address = await new Promise((done) => {
    let text = '';
    server.stdout.on('data', (data) => {
      text += data;
      const [, found] = text.match(/page: (\S+)/) ?? [];
      if (found) done(found);
    });
  });
  return [server, address];
}

// Ends a program that serves once the page asks it nothing any more.
async function leave(page, server) {
  await page.open('about:blank');
  server.kill('SIGINT');
}

// A program that answers SQL is asked by a panel, whose rows lead to the timeline.
async function questions(page) {
  const [, write, end] = folderOf();
  const slice = (name, ts, dur) => ({ ph: 'X', pid: 1, tid: 1, name, ts, dur });
  const [server, address] = await serving(write('questions.json', JSON.stringify([slice('first', 100, 10), slice('second', 200, 40), slice('third', 300, 20)])));
  await page.open(address);
  await page.until('viewer?.frame');
  await settled(page);
  const answersSql = await page.value('viewer.drawer.panels.has("questions")');
  if (answersSql) {
    await page.key('Q', 'KeyQ', 8);
    await page.until('viewer.drawer.current === "questions"');
    const ask = async (sql) => {
      await page.value(`(() => { const area = root.querySelector('#panel textarea'); area.value = ${JSON.stringify(sql)}; [...root.querySelectorAll('#panel button')].find(({ textContent }) => textContent === 'Ask').click(); })()`);
      await page.until('!/^Asking/.test(root.querySelector("#panel [role=status]").textContent)', 60);
      return page.value('[root.querySelector("#panel [role=status]").firstChild.textContent.trim(), [...root.querySelectorAll("#panel [role=row]")].map((row) => [...row.children].map(({ textContent }) => textContent).join(" "))]');
    };
    check(await ask('select id, ts, dur, name from slice order by dur desc limit 2'), ['2 rows', ['id ts dur name', '1 200000 40000 second', '2 300000 20000 third']], 'the answer');
    await page.value('root.querySelector("#panel [role=status] button").click()');
    await page.until('viewer.lines.main.headers[0].item.kind === "derived"');
    check(await page.value('viewer.place.derived[0].rows.rows.map(({ start, end, name, slice }) => [start, end, name, slice])'), [[100000, 140000, 'second', 1], [200000, 220000, 'third', 2]], 'the rows as a track');
    await page.value('root.querySelector("#panel .long button").click()');
    await page.until('viewer.slice === 1');
    await settled(page);
    check((await ask('select ts, dur from thread_gaps order by dur desc'))[1], ['ts dur', '110000 90000', '240000 60000'], 'gaps');
    await page.value('root.querySelector("#panel .long button").click()');
    await page.until('Math.abs(viewer.view.start - (10000 - 45000)) < 10 || viewer.view.start === viewer.about.start');
    ensure(/no field named nothing/i.test((await ask('select nothing from slice'))[0]), 'what is wrong with a question is said');
    ensure(/not supported|not allowed/i.test((await ask('create table mine as select 1'))[0]), 'a question makes no tables');
  } else console.log('  not here: a `spall` with the feature `sql`');
  await leave(page, server);
  end();
}

// The keys that all viewers press in tests of their own give the same place.
async function presses(page) {
  const { keys, place } = JSON.parse(readFileSync(join(root, 'testdata/small/keys.json')));
  await load(page, join(root, 'testdata/small/search.json'));
  await page.move(2, 2);
  for (const name of keys) {
    const key = name.replace('Shift+', ''), isLetter = /^[A-Z]$/.test(key);
    await page.key(isLetter && key === name ? key.toLowerCase() : key, isLetter ? `Key${key}` : { '.': 'Period' }[key] ?? key, key === name ? 0 : 8);
    await settled(page);
  }
  const is = await page.value('JSON.parse(JSON.stringify(viewer.current))');
  const inOrder = (value) => (value && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, inOrder(value[key])])) : Array.isArray(value) ? value.map(inOrder) : value);
  for (const key of Object.keys(place)) check(inOrder(is[key]), inOrder(place[key]), `${key} of the place`);
}

// Every kind of file opens in the page that the program serves, and says what `dump` and `top` say.
async function kinds(page) {
  const [folder, , end] = folderOf();
  const converted = ['perfetto', 'firefox', 'speedscope', 'pprof', 'folded'].map((format) => {
    const file = join(folder, format);
    program('convert', '--to', format, join(recordings, 'calls.json'), file);
    return file;
  });
  for (const file of [...FILES.map((file) => join(recordings, file)), join(root, 'testdata/native/sampled.perf.txt'), ...converted]) {
    const [server, address] = await serving(file);
    await page.open(address);
    await page.until('viewer?.frame || root.querySelector(".error")');
    check(await page.value('root.querySelector(".error")?.textContent ?? ""'), '', `${basename(file)} is read`);
    await settled(page);
    await compare(page, file);
    await leave(page, server);
  }
  end();
}

// A slice of a trace, of `name` at a number of microseconds.
const written = (name, ts, dur = 20_000) => `,${JSON.stringify({ ph: 'X', name, pid: 1, tid: 1, ts, dur })}\n`;
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });
const sign = (page) => page.value('root.querySelector("#growth").textContent');

// Writes a slice every 50 milliseconds while the page shows all of them. Returns how many milliseconds old each is when it is
// drawn, in order. The page and this program have one clock.
async function ages(page, write, first, count) {
  await page.value(`(() => {
    const draw = viewer.draw;
    window.drawn = [];
    viewer.draw = function () {
      draw.call(this);
      const newest = Math.max(...this.frame.main.numbers.filter((_, at) => at % 6 === 2));
      while (drawn.length <= newest) drawn.push(Date.now());
    };
    viewer.redraw();
  })()`);
  const times = [];
  for (let at = 0; at < count; at++) {
    times.push(Date.now());
    write(written(`slice ${first + at}`, (first + at) * 50_000));
    await sleep(50);
  }
  await page.until(`drawn.length >= ${first + count}`, 5);
  const drawn = await page.value('drawn');
  return times.map((time, at) => drawn[first + at] - time).sort((one, other) => one - other);
}

function checkAges(all, what) {
  const [median, oldest] = [all[all.length >> 1], all.at(-1)];
  console.log(`  ${what}: a slice is drawn ${median} ms after it was written, and at most ${oldest} ms`);
  ensure(oldest <= 300, `what comes from ${what} is shown within 300 ms`);
}

// A file is shown while a program writes it. The view and the selection stay, or the view follows the end. What was read stays
// when the file is cut.
async function grows(page) {
  const [folder, , end] = folderOf();
  const path = join(folder, 'run.json');
  const write = (text) => appendFileSync(path, text);
  writeFileSync(path, `[${written('slice 0', 0).slice(1)}`);
  const [server, address] = await serving('--follow', path);
  await page.open(address);
  await page.until('viewer?.frame');
  check(await sign(page), '● live', 'the page says that the trace grows');
  checkAges(await ages(page, write, 1, 60), 'a file');
  check(await page.value('root.querySelector("#about").textContent.includes("61 slices")'), true, 'the header counts');
  ensure(await page.value('viewer.view.start <= viewer.about.start && viewer.view.end >= viewer.about.end'), 'all stays in view');

  // Nothing comes, so nothing is asked for.
  await settled(page);
  await page.value('(() => { const { frame } = viewer.source; window.asked = 0; viewer.source.frame = (...all) => { asked++; return frame(...all); }; })()');
  await sleep(400);
  check(await page.value('asked'), 0, 'pictures that were asked for while nothing came');

  await page.value('viewer.finder.search("slice")');
  await page.until('root.querySelector("#hits").textContent === "61 slices"');
  await page.value('viewer.go(20)');
  await page.value('viewer.view.zoom(0.2, 0.3), viewer.moved()');
  await settled(page);
  const before = [await view(page), await page.value('viewer.selected')];
  write(written('another slice', 61 * 50_000) + `,${JSON.stringify({ ph: 'M', name: 'thread_name', pid: 1, tid: 2, args: { name: 'second' } })}${written('slice of another', 62 * 50_000).replace('"tid":1', '"tid":2')}`);
  await page.until('root.querySelector("#hits").textContent === "63 slices" && viewer.lines.main.headers.length > 1');
  await settled(page);
  check([await view(page), await page.value('viewer.selected')], before, 'the view and the selection');
  ensure(await page.value('[...viewer.arranged.labels.values()].some(({ label }) => label === "second")'), 'another track is listed');

  const says = (text) => page.until(`root.querySelector("#growth").textContent === ${JSON.stringify(text)}`);
  await page.key('e', 'KeyE');
  await says('● following');
  const { duration } = await view(page);
  write(written('slice 63', 63 * 50_000));
  await page.until('viewer.about.counts.find(([what]) => what === "slice")[1] === 64');
  ensure(await page.value(`Math.abs(viewer.view.end - viewer.about.end) < 1 && viewer.view.duration === ${duration}`), 'the view follows the end');
  ensure(await page.value('viewer.place.follows'), 'the place says so');
  await page.key('a', 'KeyA');
  check(await sign(page), '● live', 'moving away ends that');
  await page.value('root.querySelector("#growth").click()');
  await says('● following');
  await page.key('e', 'KeyE');
  await says('● live');

  // Async spans are known at the end.
  const spans = ['b', 'e'].map((ph, at) => `,${JSON.stringify({ ph, name: 'span', cat: 'c', id: 1, pid: 1, tid: 1, ts: at * 1e6 })}`).join('');
  write(`${spans},`);
  await sleep(200);
  const last = await view(page), { id } = await page.value('viewer.selected');
  await page.value('window.before = viewer, 0');
  writeFileSync(path, '[');
  await page.until('viewer !== before && viewer.frame && root.querySelector("#growth").textContent === "ended"');
  await settled(page);
  ensure(await page.value('root.querySelector("#hint").textContent.includes("was cut")'), 'a file that was cut is said');
  check(await page.value('viewer.about.counts.find(([what]) => what === "slice")[1]'), 65, 'slices of the finished trace');
  ensure(await page.value('viewer.lines.main.headers.length > 3 || viewer.groups.some(({ members }) => members.some(({ what }) => what === "async"))'), 'the span has come');
  check([(await view(page)).start, (await view(page)).duration], [last.start, last.duration].map(Math.round), 'the view of the finished trace');
  ensure(await page.value('viewer.selected?.kind === "slice" && viewer.place.selected.name === "slice 20"'), `the selection, which was ${id}, stays`);
  check(await page.value('viewer.finder.text'), 'slice', 'what is looked for');
  await leave(page, server);
  end();
}

// What comes through a pipe is shown, on several pages, and its end too.
async function pipes(page) {
  const [server, address] = await serving('--follow', '-');
  await page.open(address);
  await page.until('Boolean(viewer)');
  check(await sign(page), '● live', 'the page waits for the first bytes');
  server.stdin.write(`[${written('slice 0', 0).slice(1)}`);
  await page.until('viewer.frame?.main.numbers.length');
  checkAges(await ages(page, (text) => server.stdin.write(text), 1, 40), 'a pipe');
  await page.reload();
  await page.until('viewer?.frame?.main.numbers.length && viewer.about.counts.find(([what]) => what === "slice")[1] === 41');
  server.stdin.end(']');
  await page.until('root.querySelector("#growth").textContent === "ended" && !viewer.about.growth && viewer.frame');
  ensure(await page.value('root.querySelector("#hint").hidden'), 'an end is no fault');
  check(await page.value('viewer.about.counts.find(([what]) => what === "slice")[1]'), 41, 'slices of the finished trace');
  await page.reload();
  await page.until('viewer?.about.counts.find(([what]) => what === "slice")?.[1] === 41');
  await leave(page, server);
}

// Another value of the samples has its own timeline and sums, also after a reload, and that of
// the file comes back.
async function values(page) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-')), file = join(folder, 'values.folded');
  writeFileSync(file, 'main;f 30 5\nmain;g 2 1\n');
  const rows = '[...root.querySelectorAll("#panel tbody tr")].map((row) => [row.children[0].textContent, row.children[3].textContent.replace(/\\s/g, " ")].join())';
  const choose = (at) => page.value(`(() => { const field = root.querySelector('#panel select[aria-label="Value of samples"]'); field.selectedIndex = ${at}; field.onchange(); })()`);
  const shows = async (what, expected) => {
    await page.until('viewer?.frame && viewer.drawer.current === "statistics" && root.querySelector("#panel tbody tr")');
    await settled(page);
    check(await page.value(`[viewer.about.value ?? "", ...${rows}]`), [what, ...expected, 'main,0 samples'], `the value ${what || 'of the file'}`);
  };
  await load(page, file);
  await page.value('viewer.drawer.show("statistics")');
  await shows('', ['f,5 samples', 'g,1 sample']);
  await page.value('window.before = viewer, 0');
  await choose(2);
  await page.until('viewer !== before && viewer?.frame');
  await shows('before', ['f,30 samples', 'g,2 samples']);
  check(await page.value('viewer.about.span'), 32, 'the axis of the value');
  await page.until('/value=before/.test(location.hash)', 10);
  await page.reload();
  await load(page, file);
  await shows('before', ['f,30 samples', 'g,2 samples']);
  await page.value('window.before = viewer, 0');
  await choose(0);
  await page.until('viewer !== before && viewer?.frame');
  await shows('', ['f,5 samples', 'g,1 sample']);
  await page.until('!/value=/.test(location.hash)', 10);
  await load(page, join(recordings, 'calls.json'));
  await page.value('viewer.drawer.show("statistics")');
  await page.until('root.querySelector("#panel tbody tr")');
  ensure(!(await page.value(`root.querySelector('#panel select[aria-label="Value of samples"]')`)), 'no choice where there is one value');
  rmSync(folder, { recursive: true });
}

// An address is read with its progress, and given up.
async function addresses(page) {
  const folder = join(dist, 'slow-test.json');
  writeFileSync(folder, Buffer.concat([readFileSync(join(recordings, 'calls.json')), Buffer.alloc(4 << 20, ' ')]));
  await page.value('window.opened = document.querySelector("trace-view").open(["slow-test.json"]), 0');
  await page.until('/\\d of [\\d.]+ MB/.test(root.querySelector("#notice").textContent) && root.querySelector("#notice progress").value > 0', 20);
  await page.value('[...root.querySelectorAll("#notice button")].find(({ textContent }) => textContent === "Cancel").click()');
  check(await page.value('opened.then((isOpen) => [isOpen, root.querySelector("#notice").hidden, Boolean(viewer)])'), [false, true, false], 'what is given up is not open');
  check(await page.value('document.querySelector("trace-view").open(["slow-test.json"])'), true, 'the address is read again');
  rmSync(folder);
}

// Spans that overlap are folded where they are many, and threads are added up.
async function crowded(page) {
  const [, write, end] = folderOf();
  const span = (id) => [{ ph: 'b', ts: id }, { ph: 'e', ts: 1000 + id }].map((event) => ({ ...event, cat: 'net', name: 'request', id, pid: 1 }));
  await load(page, write('spans.json', JSON.stringify([...Array.from({ length: 100 }, (_, id) => span(id)).flat(), { ph: 'X', name: 'work', pid: 1, tid: 1, ts: 0, dur: 9 }])));
  const [high, left] = await page.value('[viewer.lines.main.height, viewer.about.leftOut]');
  ensure(high < 200, `the lines of 100 spans are folded: they are ${high} pixels high`);
  const { rows } = await page.value("viewer.source.statistics(viewer.area, 'name', { table: {}, most: 9 })");
  check([left, rows.map(({ name }) => name)], [100, ['work']], 'sums of threads alone');
  await page.key('t', 'KeyT');
  await page.until('root.querySelector("#panel tbody tr")');
  ensure(/100 of other tracks left out/.test(await page.value('root.querySelector("#panel").textContent')), 'the page says what is left out');
  end();
}

// Nothing sticks out of a window of any size.
async function sizes(page, url) {
  for (const [name, width, height, ratio, ...features] of SIZES) {
    await page.send('Emulation.setEmulatedMedia', { features });
    await page.send('Emulation.setTouchEmulationEnabled', { enabled: name === 'phone' });
    await page.resize(width, height, ratio, name === 'phone');
    await page.open(`${url}/`);
    await page.value('localStorage.clear()'); // what other tests have chosen, such as the width of names
    await load(page, join(recordings, 'motley.json'));
    const fits = () => page.value('document.documentElement.scrollWidth <= innerWidth && Math.abs(viewer.canvas.clientWidth - innerWidth) < 20');
    ensure(await fits(), `nothing sticks out of a ${name}, and the timeline is as wide`);
    // The window moves to a screen with smaller pixels, and gets another size with it.
    await page.resize(width - 10, height, ratio * 2, name === 'phone');
    await page.until(`viewer.painter.ratio === ${ratio * 2}`, 10);
    await settled(page);
    ensure(await fits(), `a ${name} with pixels half as large`);
    await page.resize(width, height, ratio, name === 'phone');
    await settled(page);
    await page.value('viewer.drawer.show("tracks")');
    ensure(await page.value('[...root.querySelectorAll("button")].every((button) => button.scrollWidth <= button.clientWidth)'), `every button of a ${name} has room for its text`);
    await page.value('viewer.drawer.hide()');
    if (pictures) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot(join(pictures, `${name}.png`));
      await load(page, join(root, 'spall-page/page/record.spall'));
      await page.value('viewer.drawer.show("statistics")');
      await settled(page);
      await page.until('root.querySelector("#panel tbody tr")');
      await page.screenshot(join(pictures, `${name}-statistics.png`));
    }
  }
  await page.send('Emulation.setEmulatedMedia', { features: [] });
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: false });
}

// What was waited for: the longest gaps of what is chosen, and the critical path of a slice, which can be drawn.
async function waits(page) {
  const [, write, end] = folderOf();
  const slice = (tid, name, ts, dur) => ({ ph: 'X', name, pid: 1, tid, ts, dur });
  const flow = (ph, tid, ts) => ({ ph, ...(ph === 'f' && { bp: 'e' }), name: 'mail', id: 1, pid: 1, tid, ts });
  await load(page, write('waits.json', JSON.stringify([slice(1, 'ask', 0, 10), slice(2, 'answer', 40, 20), slice(1, 'read', 90, 10), flow('s', 1, 8), flow('f', 2, 40)])));
  await page.key('G', 'KeyG', 8);
  const rows = (number) => page.value(`[...[...root.querySelectorAll('#panel table')].at(${number}).tBodies[0].rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent).join('|'))`);
  await page.until('root.querySelector("#panel table")');
  check(await rows(-1), ['80 µs|Thread 1|ask|read|Thread 2: answer (20 µs)'], 'the gap, and what ran meanwhile');
  const answer = await page.value('viewer.source.find("answer").then(() => viewer.source.hits(0, 1)).then(([hit]) => hit.target.id)');
  await page.value(`viewer.go(${answer})`);
  await page.until('root.querySelectorAll("#panel table").length === 2');
  check(await rows(0), ['0 ns|8 µs|ask|Thread 1|||', '40 µs|20 µs|answer|Thread 2|mail|32 µs|'], 'the path to the answer');
  await page.value('[...root.querySelectorAll("#panel button")].find(({ textContent }) => textContent === "Draw it").click()');
  await page.until('viewer.place.arrows === "path"');
  await settled(page);
  check(await page.value('viewer.frame.arrows.length'), 6, 'the one flow of the path');
  await page.until('/arrows=path/.test(location.hash)', 10);
  await page.value('viewer.setOption("arrows", "selected")');
  end();
}

// Tracks that are derived: what ran on processors, whose spans lead to their threads, a critical path, and rows.
async function derived(page) {
  const [, write, end] = folderOf();
  const slice = (pid, tid, name, ts, dur) => ({ ph: 'X', name, pid, tid, ts, dur });
  const state = (pid, tid, name, ts, dur, args) => ({ ph: 'T', name, pid, tid, ts, dur, args });
  // So many threads that the last one is out of sight.
  const others = Array.from({ length: 60 }, (_, at) => slice(1, 10 + at, 'other', 0, 1000));
  const states = [state(1, 1, 'Running', 0, 400, { cpu: 0 }), state(2, 99, 'Running', 400, 500, { cpu: 0 }), state(1, 2, 'Running', 0, 700, { cpu: 3 }), state(2, 99, 'R', 350, 50, { waker: 1 })];
  await load(page, write('processors.json', JSON.stringify([...others, slice(1, 1, 'ask', 0, 390), slice(2, 99, 'answer', 100, 800), ...states])));
  await page.key('U', 'KeyU', 8);
  await page.until('viewer.place.derived.length === 1');
  await settled(page);
  const names = () => page.value('[...root.querySelectorAll("#panel .go")].map(({ textContent }) => textContent)');
  const drawn = async () => (await boxes(page)).filter(({ kind }) => kind === 'derived');
  check((await drawn()).map(({ name }) => name), ['Thread 1', 'Thread 99', 'Thread 2'], 'a line for each processor');
  check(await page.value('viewer.frame.main.objects.map(({ label }) => label)'), ['CPU 0', 'CPU 3'], 'and its name');
  const [, span] = await drawn();
  await page.move(span.x, span.y);
  await page.until('!root.querySelector("#tip").hidden && /Thread 99/.test(root.querySelector("#tip").textContent)');
  check(await page.value('[...root.querySelectorAll("#tip dt")].map(({ textContent }) => textContent)'), ['track', 'process', 'start', 'duration', 'cpu'], 'what the tip says');
  await page.click(span.x, span.y, { clickCount: 2 });
  await page.until('viewer.selected?.kind === "state"');
  await settled(page);
  check((await said(page)).track, 'Thread 99', 'the click goes to the thread');
  ensure(await page.value('viewer.main.scrollTop > 200'), 'which has come into view');
  await page.key('l', 'KeyL');
  await page.until('root.querySelector("#panel .go")');
  check((await names())[0], 'CPUs', 'the list of tracks names them');

  // The critical path of the answer, which the asker woke.
  const answer = await page.value('viewer.source.find("answer").then(() => viewer.source.hits(0, 1)).then(([hit]) => hit.target.id)');
  await page.value(`viewer.go(${answer})`);
  await page.key('G', 'KeyG', 8);
  const button = '[...root.querySelectorAll("#panel button")].find(({ textContent }) => textContent === "As a track")';
  await page.until(button);
  await page.value(`${button}.click()`);
  await page.until('viewer.place.derived.length === 2');
  // What is new comes into view by itself, after which the top is scrolled to.
  await settled(page);
  await page.until('viewer.main.scrollTop = 0, viewer.frame.main.objects.some(({ label }) => label === "CPU 0")');
  await settled(page);
  check((await drawn()).map(({ name }) => name), ['Thread 1', 'Thread 99', 'Thread 2', 'ask', 'answer'], 'the path is a track');
  const ask = (await drawn())[3];
  await page.click(ask.x, ask.y);
  await page.until(`viewer.slice !== undefined && viewer.slice !== ${answer}`);
  check(await page.value('viewer.place.selected.name'), 'ask', 'a part leads to its slice');

  // Rows, and the same from the address.
  await page.value('viewer.act({ rows: { title: "Found", rows: [{ start: 0, end: 50000, name: "one" }, { start: 20000, end: 90000, name: "two" }] } })');
  await page.until('viewer.place.derived.length === 3');
  await page.until('/derived=rows/.test(location.hash)', 10);
  const before = await page.value('JSON.stringify([viewer.place.derived, viewer.lines.main])');
  await page.value('viewer.steps.restore(location.hash)');
  await settled(page);
  check(await page.value('JSON.stringify([viewer.place.derived, viewer.lines.main])'), before, 'the address says them');
  // A track is removed where others are hidden.
  await page.value('viewer.act({ hide: viewer.lines.main.headers[0].item })');
  await page.until('viewer.place.derived.length === 2 && typeof viewer.place.derived[0] === "object"');
  await page.value('viewer.run("back")');
  await page.until('viewer.place.derived.length === 3');
  end();
}

// Each edge of the range can be dragged, and the other one stays.
async function edges(page) {
  await load(page, join(recordings, 'calls.json'));
  const middle = await page.value('(viewer.about.start + viewer.about.end) / 2');
  await page.value(`viewer.setRange({ start: ${Math.round(middle)}, end: viewer.about.end })`);
  await page.until('viewer.range');
  await settled(page);
  const range = () => page.value('[viewer.range.start, viewer.range.end]');
  const [start, stop] = await range(), x = await page.value(`viewer.xOf(${start})`), y = TOP + 200;
  await page.drag([x, y], [x + 100, y]);
  await settled(page);
  const [moved, stays] = await range();
  ensure(moved > start && stays === stop, `the start is moved from ${start} to ${moved}, and the end is ${stays}`);
  // Over the other edge, it becomes the end.
  const at = await page.value(`viewer.xOf(${stop})`);
  await page.drag([at, y], [x - 100, y]);
  await settled(page);
  const [first, last] = await range();
  ensure(first < start && last === moved, `the end is moved before the start: ${first} to ${last}`);
  await page.value('viewer.setRange(undefined)');
}

// A file of which the browser has told where it is is opened again after a reload, at the same place.
async function again(page, url) {
  const write = `navigator.storage.getDirectory().then((folder) => folder.getFileHandle('again.json', { create: true })).then(async (file) => {
    const out = await file.createWritable();
    await out.write(${JSON.stringify(readFileSync(join(recordings, 'calls.json'), 'utf8'))});
    await out.close();
    return document.querySelector('trace-view').open([file]);
  })`;
  check(await page.value(write), true, 'a handle of a file is opened');
  await settled(page);
  await page.value('viewer.run("first")');
  await page.value('viewer.setOption("colorBy", "category")');
  await page.until('/slice=/.test(location.hash) && /colours=category/.test(location.hash)', 10);
  const selected = await page.value('viewer.selected.id');
  await page.reload();
  await page.until('viewer?.frame', 20);
  await settled(page);
  check(await page.value('[viewer.title, viewer.selected?.id, viewer.place.colorBy]'), ['again.json', selected, 'category'], 'after a reload');
  await page.value('viewer.setOption("colorBy", "name")');
  await page.open(`${url}/`);
  await page.until('root.querySelector("#welcome .opener")');
  ensure(await page.value('new Promise((done) => { setTimeout(done, 300); }).then(() => !viewer)'), 'an address that names no file opens none');
}

async function aDay(page) {
  const [, write, end] = folderOf();
  await load(page, write('empty.json', '[]'));
  await day(page, { load, settled, check, ensure, write, boxes });
  end();
}

const server = await serve(dist);
const url = `http://127.0.0.1:${server.address().port}`;
const browser = await Browser.start();
const page = await browser.page(1400, 900);
try {
  for (const file of files.filter((file) => file.includes(only))) {
    console.log(basename(file));
    await page.open(`${url}/`);
    await load(page, file);
    await use(page, file, await compare(page, file));
  }
  const others = { 'files that cannot be read': refuse, brotli, 'several files': several, 'unrelated files': strangers, 'what is open stays': stays, 'back and forward': goesBack, 'exact times': exact, 'an element of a page': embedded, 'a bundle': bundled, 'heights of instants': instants, 'what is hidden in place': hides, 'ranges that are compared': compares, counters, durations, 'slices as a table': entries, 'a call tree as a table': callTable, notes, 'objects, stacks and hits': facts, 'go anywhere': goesAnywhere, backtraces, 'the beginning of a large file': begins, 'a picture alone': svg, settings, 'a million names': manyNames, 'names and lists of tracks': tracks, 'by keyboard and ear': accessible, 'the page stays alive': alive, 'tracks that move': moves, reloads, 'busy tracks': activity, arrows, fingers: touches, colours, 'spans that overlap': crowded, 'what is damaged': damaged, 'every wire': wires, 'every kind of file': kinds, questions, 'keys of all viewers': presses, 'a trace that grows': grows, 'a pipe': pipes, 'values of samples': values, 'an address': addresses, waits, 'derived tracks': derived, 'edges of the range': edges, 'the same file again': again, 'a day': aDay, sizes };
  for (const [what, look] of Object.entries(others).filter(([what]) => what.includes(only))) {
    console.log(what);
    await page.open(`${url}/`);
    await look(page, url);
  }
} catch (error) {
  failures++;
  console.log(`  FAILED ${error.stack}`);
}
check(page.errors, [], 'complaints of the console');
await browser.close();
server.close();
console.log(failures ? `${failures} failures` : 'the browser agrees');
process.exit(failures ? 1 : 0);
