// Keys and commands, by the engine's table: the keyboard, the list of keys and the command palette work from it.
import { element, button, choice } from './dom.js';
import { NUMBERS, kindOf } from './boxes.js';

// Letters and digits are keys of the keyboard, whatever is printed on them; all else is a character.
const held = new Set();

const SPEED = 0.15; // what is left of the time in view after a second of zooming

// Each with its values.
const SETTINGS = [
  ['theme', 'Theme', [['auto', 'as the system'], ['light', 'light'], ['dark', 'dark']]],
  ['text', 'Texts', [[11, 'small'], [14, 'large']]],
  ['colour', 'Colours', [['name', 'by name'], ['category', 'by category'], ['duration', 'by duration'], ['track', 'by track']]],
  ['own', 'Colours that the file asks for', [['use', 'used'], ['ignore', 'ignored']]],
  ['palette', 'Palette', [['calm', 'calm'], ['okabeIto', 'for any eyes (Okabe and Ito)']]],
  ['arrows', 'Flow arrows', [['selected', 'of the selection'], ['all', 'all'], ['off', 'none']]],
  ['empty', 'Empty tracks', [['hide', 'hidden'], ['show', 'shown']]],
  ['wheel', 'Wheel', [['scroll', 'scrolls'], ['zoom', 'zooms']]],
  ['drag', 'Drag', [['select', 'selects'], ['pan', 'moves']]],
];

// What the page does for each command of the engine's table, which has their keys and texts. `hold` is called with every frame
// while the key is down, with the seconds since the last one. A command that is not here is none of this viewer.
const DOES = {
  zoomIn: { hold: (viewer, seconds) => zoom(viewer, SPEED ** seconds) },
  zoomOut: { hold: (viewer, seconds) => zoom(viewer, SPEED ** -seconds) },
  earlier: { hold: (viewer, seconds) => pan(viewer, -seconds) },
  later: { hold: (viewer, seconds) => pan(viewer, seconds) },
  fit: { run: (viewer) => viewer.focus() },
  fitAll: { run: (viewer) => viewer.fitAll() },
  follow: { run: (viewer) => viewer.growth.toggle() },
  back: { run: (viewer) => viewer.back() },
  forward: { run: (viewer) => viewer.forward() },
  pageUp: { run: (viewer) => viewer.main.scrollBy(0, -viewer.height * 0.8) },
  pageDown: { run: (viewer) => viewer.main.scrollBy(0, viewer.height * 0.8) },
  first: { run: first },
  left: { run: (viewer) => walk(viewer, 'previous', () => pan(viewer, -0.1)) },
  right: { run: (viewer) => walk(viewer, 'next', () => pan(viewer, 0.1)) },
  up: { run: (viewer) => walk(viewer, 'parent', () => viewer.main.scrollBy(0, -60)) },
  down: { run: (viewer) => walk(viewer, 'child', () => viewer.main.scrollBy(0, 60)) },
  next: { run: (viewer) => viewer.step('next') },
  previous: { run: (viewer) => viewer.step('previous') },
  nextOfName: { run: (viewer) => viewer.finder.sameName(false) },
  previousOfName: { run: (viewer) => viewer.finder.sameName(true) },
  flowOut: { run: (viewer) => viewer.drawer.details.follow(true) },
  flowIn: { run: (viewer) => viewer.drawer.details.follow(false) },
  otherFlowOut: { run: (viewer) => viewer.drawer.details.chooseFlow(true) },
  otherFlowIn: { run: (viewer) => viewer.drawer.details.chooseFlow(false) },
  rangeOfSelection: { run: selectionToRange },
  rangeOfTrack: { panel: 'statistics', run: (viewer) => withItem(viewer, (item) => viewer.setRange({ start: viewer.about.start, end: viewer.about.end + 1, items: [item] })) },
  mark: { run: mark },
  removeMarks: { run: (viewer) => { viewer.marks = []; viewer.redraw(); viewer.remember(); } },
  escape: { run: escape },
  find: { run: (viewer) => viewer.$('#find').select() },
  nextHit: { run: (viewer) => viewer.finder.next(false) },
  previousHit: { run: (viewer) => viewer.finder.next(true) },
  fold: { run: (viewer) => withItem(viewer, (item) => viewer.toggle('folded', item)) },
  foldAll: { run: (viewer) => viewer.toggleAll() },
  pin: { run: (viewer) => withItem(viewer, (item) => item.kind !== 'process' && viewer.toggle('pinned', item)) },
  moveUp: { run: (viewer) => withItem(viewer, (item) => viewer.shift(item, -1)) },
  moveDown: { run: (viewer) => withItem(viewer, (item) => viewer.shift(item, 1)) },
  orderOfFile: { run: (viewer) => { viewer.arrangement.moves = []; viewer.arrange(); } },
  hideTrack: { run: (viewer) => withItem(viewer, (item) => viewer.toggle('hidden', item)) },
  hideName: { run: (viewer) => hide(viewer, 'names', (details) => details.name) },
  hideCategory: { run: (viewer) => hide(viewer, 'categories', ({ facts }) => facts.find(([what]) => what === 'category')?.[1]) },
  showAll: { run: showAll },
  byActivity: { run: (viewer) => viewer.sortByActivity() },
  togglePanel: { run: (viewer) => viewer.drawer.toggle() },
  timeline: { run: (viewer) => { viewer.drawer.hide(); viewer.canvas.focus(); } },
  flame: { panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'flame') },
  sandwich: { panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'sandwich') },
  bottomUp: { panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'bottom-up') },
  comparison: { source: 'compare', run: (viewer) => viewer.drawer.show('calls', 'comparison') },
  statistics: { panel: 'statistics', run: (viewer) => viewer.drawer.show('statistics') },
  tracks: { panel: 'tracks', run: (viewer) => viewer.drawer.show('tracks') },
  categories: { panel: 'categories', run: (viewer) => viewer.drawer.show('categories') },
  nextMeasure: { run: (viewer) => another(viewer, 'measure', MEASURES) },
  nextTracks: { run: (viewer) => another(viewer, 'tracks', SETS) },
  nextValue: { run: nextValue },
  frameTimes: { run: (viewer) => viewer.meter.toggle() },
  help: { run: (viewer) => openPalette(viewer) },
  savePage: { source: 'save', run: (viewer) => viewer.save() },
  settings: { run: (viewer) => openSettings(viewer) },
};
const MEASURES = ['wall-time', 'thread-time', 'instructions', 'count', 'samples'], SETS = ['threads', 'async', 'all'];

// The commands of a viewer: those of the table that it does, and its settings.
export function commandsOf(viewer) {
  const known = viewer.about.commands.filter(({ command }) => isAvailable(viewer, DOES[command])).map((info) => ({ ...info, ...DOES[info.command] }));
  const settings = SETTINGS.flatMap(([key, title, choices]) => choices.map(([value, text]) => ({ group: 'Settings', keys: [], text: `${title}: ${text}`, run: () => viewer.setOption(key, value) })));
  return [...known, ...settings];
}

// Gestures that no key does, for the list of keys.
const GESTURES = [
  ['wheel', 'scroll; with Ctrl, or a pinch: zoom; with Shift: move in time'],
  ['drag', 'select time and tracks; with Shift: move'],
  ['Space+drag, right drag, finger', 'move'],
  ['hold a finger, then drag', 'select time and tracks'],
  ['drag a name', 'move the track or process to another place'],
  ['drag in the ruler', 'select time; Alt: do not snap to slices'],
  ['drag in the overview', 'show that time'],
  ['click', 'details; on a name: fold or open'],
  ['double or middle click', 'zoom to a slice'],
];

function anchor(viewer) {
  const { pointer, painter } = viewer;
  if (!pointer || pointer.x < painter.names) return 0.5;
  return (pointer.x - painter.names) / (painter.chart / painter.ratio);
}

function zoom(viewer, factor) {
  viewer.view.zoom(factor, anchor(viewer));
  viewer.moved();
}

function pan(viewer, part) {
  viewer.view.pan(part);
  viewer.moved();
}

// Selects the first slice that is shown.
async function first(viewer) {
  const at = viewer.frame?.main.numbers.findIndex((style, at) => at % NUMBERS === NUMBERS - 1 && kindOf(style) === 'slice');
  if (at >= 0) await viewer.go(viewer.frame.main.numbers[at - 3]);
}

// Hides a text of the selected slice, or shows it again.
async function hide(viewer, list, textOf) {
  const text = viewer.selected?.kind === 'slice' && textOf(await viewer.source.details(viewer.selected));
  if (text) await viewer.flip(list, text);
}

function showAll(viewer) {
  Object.assign(viewer.arrangement, { hidden: [], categories: [], names: [] });
  viewer.arrange();
}

// Chooses the next of some values, and adds up again what is shown.
function another(viewer, key, values) {
  viewer[key] = values[(values.indexOf(viewer[key] ?? values[0]) + 1) % values.length];
  viewer.remember();
  viewer.drawer.ranged();
}

function nextValue(viewer) {
  const { value, values = [] } = viewer.about;
  const all = [undefined, ...values];
  if (values.length > 1) viewer.showValue?.(all[(all.indexOf(value ?? undefined) + 1) % all.length]);
}

async function walk(viewer, step, otherwise) {
  if (!(await viewer.step(step))) otherwise();
}

async function selectionToRange(viewer) {
  const place = viewer.selected?.kind === 'slice' && (await viewer.source.place(viewer.selected.id));
  viewer.setRange(place ? { start: place.start, end: place.end } : undefined);
}

async function mark(viewer) {
  const place = viewer.selected?.kind === 'slice' && (await viewer.source.place(viewer.selected.id));
  const at = place ? place.start : viewer.pointer ? viewer.timeAt(viewer.pointer.x) : undefined;
  if (at === undefined) return;
  viewer.marks = viewer.marks.includes(at) ? viewer.marks.filter((one) => one !== at) : [...viewer.marks, at];
  viewer.redraw();
  viewer.remember();
}

// The track of the selection, or else what is under the pointer.
async function currentItem(viewer) {
  const under = viewer.pointer && viewer.headerAt(viewer.pointer.y)?.item;
  const place = viewer.selected?.kind === 'slice' && (await viewer.source.place(viewer.selected.id));
  return (place && place.item) || under;
}

// Does something to that item.
async function withItem(viewer, act) {
  const item = await currentItem(viewer);
  if (item) await act(item);
}

function escape(viewer) {
  if (viewer.finder.isSearching) viewer.finder.clear();
  else if (viewer.selected) viewer.select(undefined);
  else if (viewer.range) viewer.setRange(undefined);
  else viewer.drawer.hide();
}

// What a key event is called in the table.
function nameOf(event) {
  const letter = /^(?:Key|Digit)(\w)$/.exec(event.code)?.[1];
  const isSymbol = event.key.length === 1 && !/[\p{L}\p{N}\s]/u.test(event.key);
  const key = letter && !isSymbol ? letter : event.key;
  const shift = event.shiftKey && letter && !isSymbol ? 'Shift+' : '';
  return (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + shift + key;
}

function isAvailable(viewer, does) {
  return does && (!does.panel || viewer.drawer.panels.has(does.panel)) && (!does.source || viewer.source[does.source]);
}

export function attachKeys(viewer) {
  const { signal } = viewer.ends;
  const commands = commandsOf(viewer);
  const find = (event) => commands.find(({ keys }) => keys.includes(nameOf(event)));
  viewer.keyboard.addEventListener('keydown', (event) => {
    const [target] = event.composedPath(); // also inside of a shadow root
    const isText = target.matches?.('input, textarea, select, [contenteditable]') || viewer.$('#palette').open;
    if (event.altKey || (isText && !['F1'].includes(event.key))) return;
    if (target.matches?.('button, summary, [role=tab]') && ['Enter', ' '].includes(event.key)) return;
    if (event.key === ' ') {
      viewer.isSpaceHeld = true;
      if (target === viewer.canvas) event.preventDefault();
      return;
    }
    if (event.defaultPrevented) return;
    const command = find(event);
    if (!command) return;
    event.preventDefault();
    if (!command.hold) command.run(viewer);
    else if (!event.repeat) {
      if (!held.size) requestAnimationFrame((now) => tick(viewer, now, now));
      held.add(command);
      command.hold(viewer, 0.02);
    }
  }, { signal });
  addEventListener('keyup', (event) => {
    if (event.key === ' ') viewer.isSpaceHeld = false;
    // Shift may have been pressed or released since.
    const letter = /^(?:Key|Digit)(\w)$/.exec(event.code)?.[1] ?? event.key;
    for (const command of held) if (command.keys.includes(letter) || command.keys.includes(event.key)) held.delete(command);
  }, { signal });
  addEventListener('blur', () => {
    held.clear();
    viewer.isSpaceHeld = false;
  }, { signal });
}

// Goes on with the keys that are down.
function tick(viewer, now, before) {
  const seconds = Math.min(now - before, 50) / 1000;
  for (const command of held) command.hold(viewer, seconds);
  if (held.size) requestAnimationFrame((next) => tick(viewer, next, now));
}

// The list of keys and commands, and a field to find and run one.
export function openPalette(viewer, text = '') {
  const palette = viewer.$('#palette');
  const field = element('input', { type: 'search', placeholder: 'Command', value: text, ariaLabel: 'Command' });
  const list = element('div', { className: 'commands' });
  const fill = () => {
    const wanted = field.value.toLowerCase();
    const rows = commandsOf(viewer).filter((command) => `${command.group} ${command.text}`.toLowerCase().includes(wanted));
    list.replaceChildren(...rows.map((command) => row(viewer, command)));
    if (!wanted) list.append(...GESTURES.map(([keys, text]) => element('p', {}, element('kbd', { textContent: keys }), ` ${text}`)));
  };
  field.oninput = fill;
  field.onkeydown = (event) => {
    if (event.key === 'Enter') list.querySelector('button')?.click();
  };
  // Arrows go from entry to entry, and from the first one to the field.
  palette.onkeydown = (event) => {
    if (event.key === 'Escape') palette.close();
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const stops = [field, ...list.querySelectorAll('button')];
    stops[Math.min(Math.max(stops.indexOf(palette.getRootNode().activeElement) + by, 0), stops.length - 1)].focus();
  };
  fill();
  palette.replaceChildren(field, list);
  openDialog(palette);
  field.focus();
}

export function openSettings(viewer) {
  const palette = viewer.$('#palette');
  const setting = ([key, title, choices]) => element('label', {}, `${title} `, choice(title, choices, viewer.options[key], (value) => viewer.setOption(key, value)));
  const close = button('Close', 'Escape', () => palette.close());
  palette.onkeydown = null;
  palette.replaceChildren(element('h2', { textContent: 'Settings' }), element('div', { className: 'settings' }, ...SETTINGS.map(setting)), close);
  openDialog(palette);
}

function openDialog(palette) {
  if (!palette.open) palette.showModal();
  palette.onclick = (event) => { if (event.target === palette) palette.close(); };
}

function row(viewer, command) {
  const keys = command.keys.map((key) => element('kbd', { textContent: key }));
  const run = () => {
    viewer.$('#palette').close();
    if (command.hold) command.hold(viewer, 0.2);
    else command.run(viewer);
  };
  return element('button', { type: 'button', onclick: run }, element('span', { textContent: command.text }), ...keys);
}
