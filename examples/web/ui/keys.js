// Keys and commands: one table, from which the keyboard, the list of keys and the command palette work.
import { element, button, choice } from './dom.js';

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

// `hold` is called with every frame while the key is down, with the seconds since the last one.
const COMMANDS = [
  { group: 'Move', keys: ['W', '+', '='], text: 'Zoom in', hold: (viewer, seconds) => zoom(viewer, SPEED ** seconds) },
  { group: 'Move', keys: ['S', '-'], text: 'Zoom out', hold: (viewer, seconds) => zoom(viewer, SPEED ** -seconds) },
  { group: 'Move', keys: ['A'], text: 'To earlier times', hold: (viewer, seconds) => pan(viewer, -seconds) },
  { group: 'Move', keys: ['D'], text: 'To later times', hold: (viewer, seconds) => pan(viewer, seconds) },
  { group: 'Move', keys: ['F'], text: 'Zoom to the selection; again: to everything', run: (viewer) => viewer.focus() },
  { group: 'Move', keys: ['0', 'Home', 'Z'], text: 'Show the whole trace', run: (viewer) => viewer.fitAll() },
  { group: 'Move', keys: ['Backspace'], text: 'Take back the last step', run: (viewer) => viewer.back() },
  { group: 'Move', keys: ['PageUp'], text: 'Page up', run: (viewer) => viewer.main.scrollBy(0, -viewer.height * 0.8) },
  { group: 'Move', keys: ['PageDown'], text: 'Page down', run: (viewer) => viewer.main.scrollBy(0, viewer.height * 0.8) },
  { group: 'Select', keys: ['ArrowLeft'], text: 'Previous on the row; without a selection: earlier', run: (viewer) => walk(viewer, 'previous', () => pan(viewer, -0.1)) },
  { group: 'Select', keys: ['ArrowRight'], text: 'Next on the row; without a selection: later', run: (viewer) => walk(viewer, 'next', () => pan(viewer, 0.1)) },
  { group: 'Select', keys: ['ArrowUp'], text: 'Parent; without a selection: up', run: (viewer) => walk(viewer, 'parent', () => viewer.main.scrollBy(0, -60)) },
  { group: 'Select', keys: ['ArrowDown'], text: 'Longest child; without a selection: down', run: (viewer) => walk(viewer, 'child', () => viewer.main.scrollBy(0, 60)) },
  { group: 'Select', keys: ['.'], text: 'Next on the row', run: (viewer) => viewer.step('next') },
  { group: 'Select', keys: [','], text: 'Previous on the row', run: (viewer) => viewer.step('previous') },
  { group: 'Select', keys: ['*'], text: 'Next of the same name', run: (viewer) => viewer.finder.sameName(false) },
  { group: 'Select', keys: ['#'], text: 'Previous of the same name', run: (viewer) => viewer.finder.sameName(true) },
  { group: 'Select', keys: [']'], text: 'Follow the flow that leaves', run: (viewer) => viewer.drawer.details.follow(true) },
  { group: 'Select', keys: ['['], text: 'Follow the flow that arrives', run: (viewer) => viewer.drawer.details.follow(false) },
  { group: 'Select', keys: ['}'], text: 'Choose another flow that leaves', run: (viewer) => viewer.drawer.details.chooseFlow(true) },
  { group: 'Select', keys: ['{'], text: 'Choose another flow that arrives', run: (viewer) => viewer.drawer.details.chooseFlow(false) },
  { group: 'Select', keys: ['R'], text: 'Selection to range', run: selectionToRange },
  { group: 'Select', keys: ['Shift+R'], text: 'The whole track as range', panel: 'statistics', run: (viewer) => withItem(viewer, (item) => viewer.setRange({ start: viewer.about.start, end: viewer.about.end + 1, items: [item] })) },
  { group: 'Select', keys: ['M'], text: 'Mark the start of the selection or the pointer', run: mark },
  { group: 'Select', keys: ['Shift+M', 'Delete'], text: 'Remove all marks', run: (viewer) => { viewer.marks = []; viewer.redraw(); viewer.remember(); } },
  { group: 'Select', keys: ['Escape'], text: 'Close, then end the search, then select nothing', run: escape },
  { group: 'Find', keys: ['/', 'Ctrl+F'], text: 'Find', run: (viewer) => viewer.$('#find').select() },
  { group: 'Find', keys: ['N'], text: 'Next hit', run: (viewer) => viewer.finder.next(false) },
  { group: 'Find', keys: ['Shift+N'], text: 'Previous hit', run: (viewer) => viewer.finder.next(true) },
  { group: 'Tracks', keys: ['C'], text: 'Fold or open the track', run: (viewer) => withItem(viewer, (item) => viewer.toggle('folded', item)) },
  { group: 'Tracks', keys: ['Shift+C'], text: 'Fold or open all processes', run: (viewer) => viewer.toggleAll() },
  { group: 'Tracks', keys: ['P'], text: 'Pin the track', run: (viewer) => withItem(viewer, (item) => item.kind !== 'process' && viewer.toggle('pinned', item)) },
  { group: 'Tracks', keys: ['K'], text: 'Move the track up', run: (viewer) => withItem(viewer, (item) => viewer.shift(item, -1)) },
  { group: 'Tracks', keys: ['J'], text: 'Move the track down', run: (viewer) => withItem(viewer, (item) => viewer.shift(item, 1)) },
  { group: 'Tracks', keys: [], text: 'Tracks in the order of the file', run: (viewer) => { viewer.arrangement.moves = []; viewer.arrange(); } },
  { group: 'Tracks', keys: ['H'], text: 'Hide the track', run: (viewer) => withItem(viewer, (item) => viewer.toggle('hidden', item)) },
  { group: 'Tracks', keys: ['O'], text: 'Busiest tracks first, or the order of the trace', run: (viewer) => viewer.sortByActivity() },
  { group: 'Tracks', keys: ['Shift+H'], text: 'Show all tracks', run: (viewer) => { viewer.arrangement.hidden = []; viewer.arrange(); } },
  { group: 'Panels', keys: ['Q'], text: 'Close or open the panel', run: (viewer) => viewer.drawer.toggle() },
  { group: 'Panels', keys: ['1'], text: 'Timeline', run: (viewer) => { viewer.drawer.hide(); viewer.canvas.focus(); } },
  { group: 'Panels', keys: ['2'], text: 'Flame graph', panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'flame') },
  { group: 'Panels', keys: ['3'], text: 'Sandwich: callers and callees of the selection', panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'sandwich') },
  { group: 'Panels', keys: ['4'], text: 'Bottom-up', panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'bottom-up') },
  { group: 'Panels', keys: ['5'], text: 'Comparison with another trace', source: 'compare', run: (viewer) => viewer.drawer.show('calls', 'comparison') },
  { group: 'Panels', keys: ['T'], text: 'Statistics', panel: 'statistics', run: (viewer) => viewer.drawer.show('statistics') },
  { group: 'Panels', keys: ['L'], text: 'List of tracks', panel: 'tracks', run: (viewer) => viewer.drawer.show('tracks') },
  { group: 'Panels', keys: ['G'], text: 'Categories, which can be hidden', panel: 'categories', run: (viewer) => viewer.drawer.show('categories') },
  { group: 'Settings', keys: ['I'], text: 'Time of each part of a frame', run: (viewer) => viewer.meter.toggle() },
  { group: 'Settings', keys: ['?', 'F1', 'Ctrl+Shift+P'], text: 'Keys and commands', run: (viewer) => openPalette(viewer) },
  { group: 'Settings', keys: [], text: 'Save as a page', source: 'save', run: (viewer) => viewer.save() },
  { group: 'Settings', keys: [], text: 'Settings', run: (viewer) => openSettings(viewer) },
  ...SETTINGS.flatMap(([key, title, choices]) => choices.map(([value, text]) => ({ group: 'Settings', keys: [], text: `${title}: ${text}`, run: (viewer) => viewer.setOption(key, value) }))),
];

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

function isAvailable(viewer, { panel, source }) {
  return (!panel || viewer.drawer.panels.has(panel)) && (!source || viewer.source[source]);
}

export function attachKeys(viewer) {
  const { signal } = viewer.ends;
  const find = (event) => COMMANDS.find((command) => command.keys.includes(nameOf(event)) && isAvailable(viewer, command));
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
    const rows = COMMANDS.filter((command) => isAvailable(viewer, command) && `${command.group} ${command.text}`.toLowerCase().includes(wanted));
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
