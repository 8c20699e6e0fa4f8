// What the page does for the commands of the engine's table, which has their keys and texts. Whatever is not here the engine does.

/**
 * @typedef {import('./viewer.js').Viewer} Viewer
 * @typedef {import('../engine.js').Command} Command
 *
 * @typedef {object} Does
 * @property {(viewer: Viewer) => unknown} [run]
 * @property {(viewer: Viewer, seconds: number) => void} [hold] is called with every frame while the key is down, with the seconds
 *   since the last one
 * @property {string} [panel] the panel that it needs
 * @property {'save' | 'compareWith'} [source] what it needs of the source
 * @property {'hasCpus'} [about] what the trace needs to have
 *
 * @typedef {{ group: string, keys: string[], text: string, command?: Command } & Does} Listed
 */

const SPEED = 0.15; // what is left of the time in view after a second of zooming

// Each with its values.
/** @type {[keyof Viewer['options'], string, [string | number | boolean, string][]][]} */
export const SETTINGS = [
  ['theme', 'Theme', [['auto', 'as the system'], ['light', 'light'], ['dark', 'dark']]],
  ['text', 'Texts', [[11, 'small'], [14, 'large']]],
  ['colorBy', 'Colours', [['name', 'by name'], ['category', 'by category'], ['duration', 'by duration'], ['track', 'by track']]],
  ['own', 'Colours that the file asks for', [['use', 'used'], ['ignore', 'ignored']]],
  ['palette', 'Palette', [['calm', 'calm'], ['okabeIto', 'for any eyes (Okabe and Ito)']]],
  ['arrows', 'Flow arrows', [['selected', 'of the selection'], ['path', 'of its critical path'], ['all', 'all'], ['off', 'none']]],
  ['showsEmpty', 'Empty tracks', [[false, 'hidden'], [true, 'shown']]],
  ['wheel', 'Wheel', [['scroll', 'scrolls'], ['zoom', 'zooms']]],
  ['drag', 'Drag', [['select', 'selects'], ['pan', 'moves']]],
];

/** @type {Partial<Record<Command, Does>>} */
export const DOES = {
  zoomIn: { hold: (viewer, seconds) => zoom(viewer, SPEED ** seconds) },
  zoomOut: { hold: (viewer, seconds) => zoom(viewer, SPEED ** -seconds) },
  earlier: { hold: (viewer, seconds) => pan(viewer, -seconds) },
  later: { hold: (viewer, seconds) => pan(viewer, seconds) },
  nextOfName: { run: (viewer) => viewer.finder.sameName(false) },
  previousOfName: { run: (viewer) => viewer.finder.sameName(true) },
  escape: { run: escape },
  find: { run: (viewer) => viewer.$('#find').select() },
  nextHit: { run: (viewer) => viewer.finder.next(false) },
  previousHit: { run: (viewer) => viewer.finder.next(true) },
  togglePanel: { run: (viewer) => viewer.drawer.toggle() },
  timeline: { run: (viewer) => { viewer.drawer.hide(); viewer.canvas.focus(); } },
  flame: { panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'flame') },
  sandwich: { panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'sandwich') },
  bottomUp: { panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'bottom-up') },
  callTree: { panel: 'calls', run: (viewer) => viewer.drawer.show('calls', 'tree') },
  comparison: { source: 'compareWith', run: (viewer) => viewer.drawer.show('calls', 'comparison') },
  statistics: { panel: 'statistics', run: (viewer) => viewer.drawer.show('statistics') },
  tracks: { panel: 'tracks', run: (viewer) => viewer.drawer.show('tracks') },
  categories: { panel: 'categories', run: (viewer) => viewer.drawer.show('categories') },
  hits: { panel: 'hits', run: (viewer) => viewer.drawer.show('hits') },
  durations: { panel: 'durations', run: (viewer) => viewer.drawer.show('durations') },
  slices: { panel: 'slices', run: (viewer) => viewer.drawer.show('slices') },
  instants: { panel: 'instants', run: (viewer) => viewer.drawer.show('instants') },
  note: { panel: 'marks', run: (viewer) => viewer.drawer.marks.write() },
  marks: { panel: 'marks', run: (viewer) => viewer.drawer.show('marks') },
  waits: { panel: 'waits', run: (viewer) => viewer.drawer.show('waits') },
  questions: { panel: 'questions', run: (viewer) => viewer.drawer.show('questions') },
  nextValue: { run: nextValue },
  cpuTracks: { about: 'hasCpus', run: (viewer) => viewer.run('cpuTracks') },
  frameTimes: { run: (viewer) => viewer.meter.toggle() },
  help: { run: (viewer) => viewer.openPalette() },
  savePage: { source: 'save', run: (viewer) => viewer.save() },
  settings: { run: (viewer) => viewer.openSettings() },
};

/**
 * The commands that a viewer does, and its settings.
 * @param {Viewer} viewer
 * @returns {Listed[]}
 */
export function commandsOf(viewer) {
  const isAvailable = (/** @type {Does} */ { panel, source, about }) => (!panel || viewer.drawer.panels.has(panel)) && (!source || viewer.source[source]) && (!about || viewer.about[about]);
  const known = viewer.about.commands.map((info) => ({ ...info, ...(DOES[info.command] ?? { run: (/** @type {Viewer} */ viewer) => viewer.run(info.command) }) }));
  const settings = SETTINGS.flatMap(([key, title, choices]) => choices.map(([value, text]) => ({ group: 'Settings', keys: [], text: `${title}: ${text}`, run: () => viewer.setOption(key, value) })));
  return [...known.filter(isAvailable), ...settings];
}

/**
 * @param {Viewer} viewer
 * @param {number} factor
 */
function zoom(viewer, factor) {
  const { pointer, painter, view } = viewer;
  const isOver = pointer && pointer.x >= painter.names;
  view.zoom(factor, isOver ? (pointer.x - painter.names) / (painter.chart / painter.ratio) : 0.5);
  viewer.moved();
}

/**
 * @param {Viewer} viewer
 * @param {number} part
 */
function pan(viewer, part) {
  viewer.view.pan(part);
  viewer.moved();
}

/** @param {Viewer} viewer */
function nextValue(viewer) {
  const { value, values } = viewer.about;
  const all = [undefined, ...values];
  if (values.length > 1) viewer.showValue?.(all[(all.indexOf(value) + 1) % all.length]);
}

/** @param {Viewer} viewer */
async function escape(viewer) {
  const { finder } = viewer;
  const isNamed = finder.isSearching && !finder.text; // what was found by the name of a slice is no part of the place
  const changed = await viewer.run('escape');
  if (isNamed) finder.show(undefined);
  else if (changed && !changed.done) viewer.drawer.hide();
}
