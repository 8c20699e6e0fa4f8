// The panels below the timeline, of which one is open at a time.
import { element, button, focusedIn, memory } from './dom.js';
import { DetailsPanel } from './details.js';
import { StatisticsPanel } from './statistics.js';
import { CallsPanel } from './calls.js';
import { TracksPanel, fillNotes } from './tracks.js';
import { DurationsPanel } from './durations.js';
import { EntriesPanel } from './entries.js';
import { MarksPanel } from './marks.js';
import { QuestionsPanel } from './questions.js';
import { WaitsPanel } from './waits.js';
import { FilterPanel } from './filter.js';
import { counted } from './text.js';

/**
 * @typedef {object} Panel
 * @property {(panel: HTMLElement, mode?: string) => unknown} fill
 * @property {() => void} [leave] gives up what it has asked for
 * @property {string} [mode] which of its kinds it shows
 */

export class Drawer {
  /** @type {string | undefined} */
  last = undefined; // the one that was open before the panel was closed

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.current = '';
    const { about } = viewer;
    /** @type {[string, string, Panel][]} */
    const all = [
      ['details', 'Details', (this.details = new DetailsPanel(viewer))],
      ['statistics', 'Statistics', (this.statistics = new StatisticsPanel(viewer))],
      ['calls', 'Calls', (this.calls = new CallsPanel(viewer))],
      ['hits', 'Hits', viewer.finder],
      ['durations', 'Durations', (this.durations = new DurationsPanel(viewer))],
      ['waits', 'Waits', (this.waits = new WaitsPanel(viewer))],
      ['slices', 'Slices', (this.slices = new EntriesPanel(viewer, 'slices'))],
      ['instants', 'Instants', (this.instants = new EntriesPanel(viewer, 'instants'))],
      ['marks', 'Marks', (this.marks = new MarksPanel(viewer))],
      ['tracks', 'Tracks', new TracksPanel(viewer)],
      ['categories', 'Categories', new FilterPanel(viewer)],
    ];
    const { query } = viewer.source;
    if (query) all.push(['questions', 'Questions', new QuestionsPanel(viewer, query)]);
    if (about.notes.length) all.push(['notes', counted(about.notes.length, 'note'), { fill: (panel) => fillNotes(viewer, panel) }]);
    this.panels = new Map(all.map(([id, title, panel]) => [id, { title, panel }]));
    this.listen();
  }

  // The panel that is open, as a place has it, with the kind that it shows.
  get name() {
    return [this.current, this.panels.get(this.current)?.panel.mode].filter(Boolean).join(' ');
  }

  // The buttons at the top of the page.
  buttons() {
    return [...this.panels].filter(([id]) => id !== 'details' && id !== 'hits').map(([id, { title }]) => {
      const made = button(title, title, () => (this.current === id ? this.hide() : this.show(id)));
      made.dataset.panel = id;
      return made;
    });
  }

  /**
   * @param {string} id
   * @param {string} [mode]
   */
  show(id, mode) {
    const shown = this.panels.get(id);
    if (!shown) return;
    if (this.current !== id) this.leave();
    this.current = this.last = id;
    this.viewer.$('#drawer').hidden = false;
    const tab = (/** @type {string} */ name, /** @type {string} */ title) => {
      const made = element('button', { type: 'button', role: 'tab', textContent: title, ariaSelected: String(name === id), tabIndex: name === id ? 0 : -1, onclick: () => this.show(name) });
      made.dataset.panel = name;
      return made;
    };
    const tabs = this.viewer.$('#tabs');
    const hasFocus = tabs.contains(focusedIn(tabs));
    tabs.replaceChildren(...[...this.panels].map(([name, { title }]) => tab(name, title)));
    if (hasFocus) /** @type {HTMLElement | null} */ (tabs.querySelector('[tabindex="0"]'))?.focus();
    this.viewer.$('#panel').className = id;
    shown.panel.fill(this.viewer.$('#panel'), mode);
    this.viewer.steps.remember();
  }

  // Gives up what a panel that is closed has asked for.
  leave() {
    this.panels.get(this.current)?.panel.leave?.();
  }

  hide() {
    this.leave();
    this.viewer.$('#drawer').hidden = true;
    this.current = '';
    this.viewer.steps.remember();
  }

  toggle() {
    if (this.current) this.hide();
    else this.show(this.last ?? 'details');
  }

  /**
   * Fills a panel again if it is the one that is open.
   * @param {string} id
   */
  changed(id) {
    if (this.current === id) this.show(id);
    // What was found may also be listed as a table.
    if (id === 'hits' && this.slices.chosen.found) this.changed('slices');
  }

  // The list of slices or instants that is open.
  get entries() {
    return [this.slices, this.instants].find(({ kind }) => kind === this.current);
  }

  /**
   * Lists the slices of a name or a function.
   * @param {string} of
   * @param {import('../engine.js').By} by
   */
  async listOf(of, by) {
    await this.viewer.change({ slices: { ...this.viewer.place.slices, of, by, found: false } });
    this.show('slices');
  }

  resized() {
    this.calls.redraw();
    this.durations.redraw();
    this.entries?.redraw();
  }

  /**
   * Another element is selected.
   * @param {import('./under.js').Element | undefined} element
   * @param {boolean} opens
   */
  async selected(element, opens) {
    await this.details.load(element);
    if (element && opens && !this.current) this.show('details');
    else this.changed('details');
    if (this.current === 'calls') this.calls.selected();
    if (this.current === 'hits') this.changed('hits');
    if (this.current === 'waits') this.waits.selected();
    this.entries?.redraw();
  }

  // Other slices are shown.
  filtered() {
    this.details.load(this.viewer.selected).then(() => this.changed('details'));
    for (const panel of ['statistics', 'calls', 'waits', 'categories', 'slices', 'instants']) this.changed(panel);
  }

  // Another range is chosen.
  ranged() {
    if (this.viewer.range && this.panels.has('statistics') && !['calls', 'durations', 'waits', 'slices', 'instants'].includes(this.current)) this.show('statistics');
    else if (['calls', 'durations', 'statistics', 'waits', 'slices', 'instants'].includes(this.current)) this.show(this.current);
  }

  // The upper edge can be dragged.
  listen() {
    const { signal } = this.viewer.ends;
    this.viewer.$('#drawer-head').append(button('×', 'Close the panel', () => this.hide()));
    // Arrows go from tab to tab.
    this.viewer.$('#tabs').addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
      if (!by) return;
      event.preventDefault();
      const names = [...this.panels.keys()];
      this.show(names[(names.indexOf(this.current) + by + names.length) % names.length]);
    }, { signal });
    const edge = this.viewer.$('#drawer-edge'), drawer = this.viewer.$('#drawer');
    const height = Number(memory.get('drawer'));
    if (height) drawer.style.height = `${height}px`;
    /** @type {{ y: number, height: number } | undefined} */
    let from;
    edge.addEventListener('pointerdown', (event) => {
      edge.setPointerCapture(event.pointerId);
      from = { y: event.clientY, height: drawer.offsetHeight };
    }, { signal });
    edge.addEventListener('pointermove', (event) => {
      if (!from) return;
      const height = Math.min(Math.max(from.height + from.y - event.clientY, 80), this.viewer.pane.clientHeight * 0.8);
      drawer.style.height = `${height}px`;
      memory.set('drawer', Math.round(height));
      this.resized();
    }, { signal });
    edge.addEventListener('pointerup', () => { from = undefined; }, { signal });
  }
}
