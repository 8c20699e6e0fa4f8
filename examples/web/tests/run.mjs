// The viewer in a real browser: `node run.mjs [--pictures FOLDER] [--only TEXT] [FILE…]`.
//
// Loads files of every format and does what a user does. What the page says is compared with what the programs `dump`
// and `top` say about the same file. Needs `dist`, which `cargo web --build` makes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser } from './browser.mjs';
import { serve } from './server.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const dist = join(root, 'examples/web/dist');
const recordings = join(root, 'testdata/recordings');
const FILES = ['threads-v0.spall', 'threads-v1.spall', 'threads-v3.spall', 'threads-v3.spall.gz', 'functions-auto.spall', 'workers.bin.log', 'game.trace', 'calls.json', 'motley.json', 'profile-chunks.json', 'profile.cpuprofile'];
const SIZES = [['phone', 390, 844, 3], ['desk', 1400, 900, 1], ['wall', 3840, 2160, 1]];
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

// What a program of the examples prints.
function program(name, ...args) {
  return execFileSync('cargo', ['run', '--quiet', '-p', 'spall-examples', '--example', name, '--', ...args], { cwd: root, maxBuffer: 1 << 30 }).toString();
}

// Waits until the page has drawn what it was asked for.
const settled = (page) => page.until('!viewer.isAsking && !viewer.isWanted && !viewer.isDrawing && !viewer.overview.isAsked');

async function load(page, file) {
  await page.value('window.viewer = undefined');
  await page.choose('#file', file);
  await page.until('window.viewer?.frame || document.querySelector(".error")', 120);
  ensure(!(await page.value('document.querySelector(".error")?.textContent')), `${basename(file)} is read`);
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
    return { x: box.left + (Math.max(left, painter.names) + Math.min(right, painter.width / painter.ratio)) / 2, y, width: right - left, id, count, name: viewer.names.get(name), isState: Boolean(style & 512) };
  }).filter(({ y }) => y > box.top + viewer.mainTop && y < box.bottom);
})()`);

const view = (page) => page.value('({ start: viewer.view.start, duration: viewer.view.duration, top: viewer.main.scrollTop })');
const said = (page) => page.value('Object.fromEntries([...document.querySelectorAll("#panel dl")].flatMap((list) => [...list.querySelectorAll("dt")].map((key) => [key.textContent, key.nextSibling.textContent])))');

// The number of slices, and the sums of functions, are those of the programs.
async function compare(page, file) {
  const dump = program('dump', file).trim().split('\n').map((line) => JSON.parse(line));
  const [trace] = dump;
  const about = await page.value('document.querySelector("#about").textContent');
  const isSampled = /sample/.test(about);
  if (!isSampled) check(await page.value('viewer.about.counts.find(([what]) => what === "slice")?.[1] ?? 0'), trace.slices, 'slices');
  if (!(await page.value('viewer.about.counts.some(([what]) => what === "slice")'))) return dump;
  // `top` adds up threads.
  await page.value(`viewer.setRange({ start: 0, end: viewer.about.span + 1, items: viewer.about.groups.flatMap(({ members }) => members).filter(({ what }) => what !== 'async').map(({ item }) => item) })`);
  await page.key('t', 'KeyT');
  await page.until('document.querySelector("#panel tbody")');
  await page.value(`(() => { const choose = document.querySelector('#panel select'); choose.value = 'function'; choose.onchange(); })()`);
  await page.until('viewer.drawer.statistics.shown === "function"');
  const shown = await page.value('[...document.querySelectorAll("#panel tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent))');
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
  await page.key('Backspace');
  await page.key('0', 'Digit0');
  await settled(page);

  // The widest box that stands for one slice.
  const all = (await boxes(page)).filter(({ count, isState }) => count === 1 && !isState).sort((a, b) => b.width - a.width);
  if (!all.length) return console.log('  no slices');
  const [box] = all;
  await page.move(box.x, box.y);
  await page.until('!document.querySelector("#tip").hidden');
  const tip = await page.value('document.querySelector("#tip strong").textContent');
  check(tip, (await page.value(`viewer.source.details({ kind: 'slice', id: ${box.id} })`)).name || '(no name)', 'the name in the tip');
  if (box.name !== undefined) check(tip, box.name || '(no name)', 'the label of the box');
  await page.click(box.x, box.y);
  await page.until('viewer.selected && !document.querySelector("#drawer").hidden && document.querySelector("#panel h2")');
  const facts = await said(page);
  const name = await page.value('document.querySelector("#panel h2").textContent');
  const plain = (text) => text.replace(/\u202f/g, ' ');
  const slices = dump.filter((line) => line.k === 'slice');
  const unit = await page.value('viewer.about.nsPerTick');
  if (!(await page.value('viewer.about.counts.some(([what]) => what === "sample")'))) {
    const place = await page.value('viewer.source.place(viewer.selected.id)');
    const same = slices.filter((slice) => slice.name === name && slice.start - dump[0].start === place.start);
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
    return [document.querySelector('#tip').hidden ? null : document.querySelector('#tip strong').textContent,
      hover ? (await viewer.source.details(hover)).name || '(no name)' : null];
  })()`);
  check(tipped[0], tipped[1], 'the tip after the view moved');
  await page.until('/start=.*span=/.test(location.hash)');

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
    await page.key('/');
    await page.type(name);
    await page.key('Enter');
    await page.until('viewer.finder.hit !== undefined');
    const args = (slice) => JSON.stringify(slice.args ?? '').toLowerCase().includes(name.toLowerCase());
    const expected = slices.filter((slice) => slice.name.toLowerCase().includes(name.toLowerCase()) || args(slice)).length;
    check(await page.value('viewer.finder.found.slices'), expected, `hits of ${name}`);
    ensure(/^1 of/.test(await page.value('document.querySelector("#hits").textContent')), 'the first hit is the first');
    await page.until('viewer.overview.hits?.some(Boolean)');
    await page.key('Escape');
    await page.until('!viewer.finder.isSearching');
    await page.key('0', 'Digit0');
    await settled(page);
  }

  // Flows lead to their other end, and their arrows are drawn.
  const flowing = await page.value(`(async () => {
    for (let id = 0; id < 300; id++) {
      const found = await viewer.source.details({ kind: 'slice', id });
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
    const back = await page.value(`viewer.source.details({ kind: 'slice', id: ${flowing[1]} }).then(({ flows }) => flows.find(({ leaves }) => !leaves).slice)`);
    await page.key('[', 'BracketLeft');
    await page.until(`viewer.selected.id === ${back}`);
    await page.key('0', 'Digit0');
    await settled(page);
  }

  // A range in the ruler has statistics, and clicking there ends it.
  await page.drag([NAMES + 100, TOP + 20], [width - 100, TOP + 20]);
  await page.until('viewer.range && viewer.drawer.current === "statistics" && document.querySelector("#panel tbody")');
  const sums = await page.value('document.querySelectorAll("#panel tbody tr").length');
  ensure(sums > 0, 'the range has statistics');

  // Call graphs of the range: all that runs is in them.
  for (const [key, code] of [['2', 'Digit2'], ['4', 'Digit4'], ['3', 'Digit3']]) {
    await page.key(key, code);
    await page.until('document.querySelectorAll(".graphs canvas").length > 0 && viewer.drawer.calls.graphs.every((graph) => graph.part)');
    ensure(await page.value('viewer.drawer.calls.graphs[0].part.numbers.length > 0'), `graph ${key} has boxes`);
  }
  // Compared with itself, nothing changes.
  await page.value('viewer.setRange(undefined)');
  await page.key('5', 'Digit5');
  await page.until('document.querySelector("#panel input[type=file]")');
  await page.choose('#panel input[type=file]', file);
  await page.until('viewer.compared && viewer.drawer.calls.graphs[0]?.part?.numbers.length');
  ensure(await page.value('viewer.drawer.calls.graphs[0].part.numbers.every((style, at) => at % 6 !== 5 || (style & 1024 && style >>> 11 === 32))'), 'a file does not differ from itself');
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
    await page.click(60, header.y);
    await page.until(`viewer.lines.main.height === ${header.lines}`);
    await page.value('viewer.select(undefined)');
    await page.move(60, header.y);
    await page.key('p', 'KeyP');
    await page.until('viewer.lines.pinned.height > 0');
    await settled(page);
    await page.value('viewer.toggle("pinned", ' + JSON.stringify(header.item) + ')');
    await page.until('viewer.lines.pinned.height === 0');
    await page.move(60, header.y);
    await page.key('h', 'KeyH');
    await page.until(`viewer.lines.main.height < ${header.lines}`);
    await page.key('H', 'KeyH', 8);
    await page.until(`viewer.lines.main.height === ${header.lines}`);
  }

  // The list of keys has all commands.
  await page.key('?', 'Slash', 8);
  await page.until('document.querySelector("#palette").open');
  ensure((await page.value('document.querySelectorAll("#palette .commands button").length')) > 40, 'keys are listed');
  await page.key('Escape');
  await page.value('document.querySelector("#palette").close()');
  await settled(page);
}

// A file that cannot be read says why and where.
async function refuse(page) {
  const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
  writeFileSync(join(folder, 'short.spall'), readFileSync(join(recordings, 'threads-v3.spall')).subarray(0, 20));
  writeFileSync(join(folder, 'notes.txt'), 'this is no trace');
  for (const [file, text] of [['notes.txt', 'not a trace'], ['short.spall', 'at byte 20']]) {
    await page.choose('#file', join(folder, file));
    await page.until('document.querySelector(".error")');
    const error = await page.value('document.querySelector(".error").textContent');
    ensure(error.includes(text), `${file} is refused with its reason: ${error}`);
  }
  rmSync(folder, { recursive: true });
}

// The page that `render` writes has the same parts, and no panel that it cannot fill.
async function rendered(page, url, folder) {
  program('render', join(recordings, 'calls.json'), join(folder, 'render-test.html'));
  await page.open(`${url}/render-test.html`);
  await page.until('window.viewer?.frame');
  check(await page.value('[...document.querySelectorAll("#tools [data-panel]")].map((made) => made.dataset.panel).includes("calls")'), false, 'the page of render has no call graphs');
  await page.key('t', 'KeyT');
  await page.until('document.querySelector("#panel tbody tr")');
  const lines = program('top', join(recordings, 'calls.json'), '5').split('\n').slice(1, 4);
  const shown = await page.value('document.querySelector("#panel").innerText');
  const plain = (text) => text.replace(/[\s\u202f]+/g, ' ');
  for (const line of lines) ensure(plain(shown).includes(plain(line).trim().split(' ').slice(0, 2).join(' ')), `the table has ${line.trim()}`);
  rmSync(join(folder, 'render-test.html'));
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
  if (!only) {
    console.log('files that cannot be read');
    await page.open(`${url}/`);
    await refuse(page);
    console.log('the page of render');
    await rendered(page, url, dist);
    console.log('sizes');
    for (const [name, width, height, ratio] of SIZES) {
      await page.resize(width, height, ratio, name === 'phone');
      await page.open(`${url}/`);
      await load(page, join(recordings, 'motley.json'));
      check(await page.value('document.documentElement.scrollWidth <= innerWidth'), true, `nothing sticks out of a ${name}`);
      if (pictures) {
        mkdirSync(pictures, { recursive: true });
        await page.screenshot(join(pictures, `${name}.png`));
      }
    }
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
