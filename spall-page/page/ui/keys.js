// The keyboard, the list of keys and commands, and the dialog of settings.
import { element, button, choice, focusedIn } from './dom.js';
import { SETTINGS, commandsOf } from './commands.js';

/**
 * @typedef {import('./viewer.js').Viewer} Viewer
 * @typedef {import('./commands.js').Listed} Listed
 */

/** @type {Set<Listed>} */
const held = new Set();

// Gestures that no key does, for the list of keys.
const GESTURES = [
  ['wheel', 'scroll; with Ctrl, or a pinch: zoom; with Shift: move in time'],
  ['drag', 'select time and tracks; with Shift: move'],
  ['Space+drag, right drag, finger', 'move'],
  ['hold a finger, then drag', 'select time and tracks'],
  ['drag a name', 'move the track or process to another place'],
  ['drag in the ruler', 'select time; Alt: do not snap to slices'],
  ['drag an edge of the range', 'move the edge'],
  ['drag in the overview', 'show that time'],
  ['click', 'details; on a name: fold or open'],
  ['double or middle click', 'zoom to a slice'],
];

/**
 * What a key event is called in the table: letters and digits are places on the keyboard, all else is a character.
 * @param {Pick<KeyboardEvent, 'code' | 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>} event
 */
export function nameOf(event) {
  const letter = /^(?:Key|Digit)(\w)$/.exec(event.code)?.[1];
  const isSymbol = event.key.length === 1 && !/[\p{L}\p{N}\s]/u.test(event.key);
  const key = letter && !isSymbol ? letter : event.key;
  const shift = event.shiftKey && letter && !isSymbol ? 'Shift+' : '';
  return (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + shift + key;
}

/** @param {Viewer} viewer */
export function attachKeys(viewer) {
  const { signal } = viewer.ends;
  const commands = commandsOf(viewer);
  const find = (/** @type {KeyboardEvent} */ event) => commands.find(({ keys }) => keys.includes(nameOf(event)));
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    const [target] = /** @type {Element[]} */ (event.composedPath()); // also inside of a shadow root
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
    if (!command.hold) command.run?.(viewer);
    else if (!event.repeat) {
      if (!held.size) requestAnimationFrame((now) => tick(viewer, now, now));
      held.add(command);
      command.hold(viewer, 0.02);
    }
  };
  viewer.keyboard.addEventListener('keydown', (event) => pressed(/** @type {KeyboardEvent} */ (event)), { signal });
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

/**
 * Goes on with the keys that are down.
 * @param {Viewer} viewer
 * @param {number} now
 * @param {number} before
 */
function tick(viewer, now, before) {
  const seconds = Math.min(now - before, 50) / 1000;
  for (const command of held) command.hold?.(viewer, seconds);
  if (held.size) requestAnimationFrame((next) => tick(viewer, next, now));
}

/**
 * The list of keys and commands, and a field to find and run one.
 * @param {Viewer} viewer
 */
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
    const focused = focusedIn(palette);
    if (!by) return;
    event.preventDefault();
    const stops = [field, ...list.querySelectorAll('button')];
    stops[Math.min(Math.max(stops.findIndex((stop) => stop === focused) + by, 0), stops.length - 1)].focus();
  };
  fill();
  palette.replaceChildren(field, list);
  openDialog(palette);
  field.focus();
}

/** @param {Viewer} viewer */
export function openSettings(viewer) {
  const palette = viewer.$('#palette');
  const setting = (/** @type {typeof SETTINGS[number]} */ [key, title, choices]) => element('label', {}, `${title} `, choice(title, choices, viewer.settings[key], (value) => viewer.setOption(key, value)));
  const close = button('Close', 'Escape', () => palette.close());
  palette.onkeydown = null;
  palette.replaceChildren(element('h2', { textContent: 'Settings' }), element('div', { className: 'settings' }, ...SETTINGS.map(setting)), close);
  openDialog(palette);
}

/** @param {HTMLDialogElement} palette */
function openDialog(palette) {
  if (!palette.open) palette.showModal();
  palette.onclick = (event) => { if (event.target === palette) palette.close(); };
}

/**
 * @param {Viewer} viewer
 * @param {Listed} command
 */
function row(viewer, command) {
  const keys = command.keys.map((key) => element('kbd', { textContent: key }));
  const run = () => {
    viewer.$('#palette').close();
    if (command.hold) command.hold(viewer, 0.2);
    else command.run?.(viewer);
  };
  return element('button', { type: 'button', onclick: run }, element('span', { textContent: command.text }), ...keys);
}
