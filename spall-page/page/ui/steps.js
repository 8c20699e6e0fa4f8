// Asks the engine for changes of what the user has set, one after the other, and shows what it answers. The address keeps that.
import { toAddress, fromAddress } from './address.js';

/**
 * @typedef {import('../engine.js').Seen} Seen
 * @typedef {import('../engine.js').Changed} Changed
 */

export class Steps {
  count = 0; // of the steps so far
  isNew = false; // whether there was a step that the address does not have
  acting = 0; // questions that are not answered yet, each of which may change the place
  /** @type {Promise<unknown>} */
  turn = Promise.resolve();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  remembering = undefined;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /**
   * Asks for a change, after all that was asked for before it. `opens` is whether a panel is opened about what is selected by it.
   * @param {(seen: Seen) => Promise<Changed>} ask
   * @returns {Promise<Changed | undefined>}
   */
  ask(ask, opens = false, isStep = true) {
    const { viewer } = this, { signal } = viewer.ends;
    this.acting++;
    return this.inTurn(async () => {
      const { seen } = viewer, changed = await ask(seen);
      if (!signal.aborted) await this.show(changed, seen, opens, isStep);
      return changed;
    }).catch((error) => {
      if (!signal.aborted) throw error;
      return undefined;
    }).finally(() => { this.acting--; });
  }

  /**
   * Does something when all is done that was begun before it.
   * @template T
   * @param {() => Promise<T>} work
   */
  inTurn(work) {
    const done = this.turn.then(work);
    this.turn = done.catch(() => {});
    return done;
  }

  /**
   * Shows what the engine says.
   * @param {Changed} changed
   * @param {Seen} seen what was shown when it was asked
   * @param {boolean} opens
   * @param {boolean} isStep
   */
  async show(changed, seen, opens, isStep) {
    const { viewer } = this, { arranged, view, drawer, finder } = viewer;
    const { place: before, flow } = arranged;
    arranged.take(changed);
    const { place } = arranged;
    const differs = (/** @type {(keyof typeof place)[]} */ ...parts) => parts.some((part) => JSON.stringify(before[part]) !== JSON.stringify(place[part]));
    view.take(changed.view, seen.view ?? view.known);
    viewer.fitHeight();
    if (Math.abs(changed.top - seen.top) >= 1) viewer.main.scrollTop = changed.top;
    const isSelected = differs('selected'), { element, at } = place.selected ?? {};
    if (isSelected) viewer.selected = element && { ...element, ...(element.kind === 'counter' && { at }) };
    if (differs('hidden', 'categories', 'names')) viewer.overview.changed();
    viewer.moved();
    this.remember(isStep && changed.nSteps !== this.count);
    this.count = changed.nSteps;
    drawer.changed('tracks');
    if (differs('categories', 'names')) drawer.filtered();
    if (!finder.asking && (place.search !== finder.text || (finder.isSearching && differs('categories', 'names', 'marks')))) viewer.begin(finder.follow(place.search));
    if (differs('range')) viewer.tell('range', viewer.range);
    if (differs('range', 'measure', 'tracks')) drawer.ranged();
    if (differs('marks')) drawer.changed('marks');
    if (differs('search', 'linearDurations', 'categories', 'names')) drawer.changed('durations');
    if (differs('sumsBy', 'sums')) drawer.changed('statistics');
    if (differs('without')) drawer.changed('calls');
    else if (differs('tree')) drawer.calls.sorted();
    for (const list of /** @type {const} */ (['slices', 'instants'])) if (differs(list)) drawer.changed(list);
    if (isSelected) {
      viewer.tell('selection', viewer.selected);
      await drawer.selected(viewer.selected, opens);
    } else if (flow !== changed.flow || differs('rates', 'shared')) drawer.changed('details');
  }

  /**
   * Shows what an address says.
   * @param {string} hash
   */
  async restore(hash) {
    const { viewer } = this, place = fromAddress(hash), { colorBy, arrows, showsEmpty } = viewer.options;
    if (!place.view) place.files = []; // what is about tracks holds for any trace
    clearTimeout(this.remembering);
    const [panel, mode] = (place.panel ?? '').split(' ');
    if (panel) viewer.drawer.show(panel, mode);
    else viewer.drawer.hide();
    // An address that shows nothing yet is shown as the user likes it.
    const own = place.view ? {} : { colorBy, arrows, showsEmpty };
    const changed = await this.ask((seen) => viewer.source.apply({ ...own, ...place }, seen), false, false);
    if (changed?.missing.length) viewer.hint(changed.missing.join(' '));
  }

  // Keeps the place in the address. Every step is a place that the buttons of the browser go back to.
  remember(isStep = false) {
    const { viewer } = this;
    if (!viewer.isPage) return;
    this.isNew ||= isStep;
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      if (viewer.ends.signal.aborted) return;
      const address = toAddress(viewer.current);
      if (address !== location.hash) history[this.isNew ? 'pushState' : 'replaceState'](null, '', location.pathname + location.search + address);
      this.isNew = false;
    }, 300);
  }
}
