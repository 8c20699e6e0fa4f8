// The search: steps from hit to hit, of any kind, and the list of all of them.
import { element } from './dom.js';
import { longList } from './list.js';
import { clean, duration, grouped, moment } from './text.js';

const LISTED = 100; // hits of a page
const PAGES = 50; // that are kept
const GRAMMAR = 'A text, or a regular expression between slashes, and terms beside it: dur > 10 ms, cat:io, track:"GPU Process".';

/** @typedef {import('../engine.js').Hit} Hit */

export class Finder {
  text = '';
  isSearching = false;
  asking = 0; // searches that the engine has not taken over yet
  number = 0; // of the search, so that late answers of earlier ones are dropped
  /** @type {import('../engine.js').FoundCounts | { error: string } | undefined} */
  found = undefined;
  /** @type {Set<string>} */
  tracks = new Set(); // that were found
  /** @type {number | undefined} */
  hit = undefined; // the position of the hit that was gone to
  /** @type {number | undefined} */
  shownHit = undefined; // that of the hit that the list was scrolled to
  /** @type {import('../engine.js').FoundCounts | undefined} */
  counts = undefined; // if something is looked for
  listed = -1; // the number of the search whose hits are in the list
  /** @type {Map<number, Hit[]>} */
  pages = new Map(); // of the list; one that was asked for is empty until it comes
  list = element('div');
  head = element('p', { title: GRAMMAR });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  waiting = undefined;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    const { signal } = viewer.ends;
    const field = (this.field = viewer.$('#find'));
    field.value = '';
    field.addEventListener('input', () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.search(field.value), 150);
    }, { signal });
    field.addEventListener('keydown', (event) => this.key(event), { signal });
  }

  /** @param {KeyboardEvent} event */
  async key(event) {
    if (event.key === 'Enter') {
      clearTimeout(this.waiting);
      if (this.field.value.trim() !== this.text) await this.search(this.field.value);
      await this.next(event.shiftKey);
    } else if (event.key === 'Escape') {
      this.clear();
      this.viewer.canvas.focus();
    }
  }

  clear() {
    return this.search('');
  }

  /**
   * A text, or a regular expression between slashes. A `>` begins a command instead.
   * @param {string} text
   */
  async search(text) {
    if (text.startsWith('>')) {
      this.field.value = '';
      this.viewer.openPalette(text.slice(1).trim());
      return;
    }
    if (this.field.value !== text) this.field.value = text;
    const wanted = text.trim(), number = ++this.number;
    this.asking++;
    await this.viewer.act({ search: wanted }).finally(() => { this.asking--; });
    if (number === this.number) await this.look(wanted);
  }

  /**
   * Finds what is looked for in another place.
   * @param {string} text
   */
  follow(text) {
    this.field.value = text;
    return this.look(text);
  }

  /**
   * Finds what the place says is looked for.
   * @param {string} text
   */
  async look(text) {
    this.text = text;
    this.hit = undefined;
    const number = ++this.number;
    const progress = (/** @type {number} */ done) => { if (number === this.number) this.say(`${grouped(done)} looked at …`); };
    const found = await this.viewer.source.find(text || undefined, progress);
    if (number === this.number) this.show(found);
  }

  /** @param {string} text */
  say(text) {
    this.viewer.$('#hits').textContent = text;
  }

  /** @param {Finder['found']} found */
  show(found) {
    const { viewer } = this;
    const counts = this.keep(found);
    const text = found ? counts?.text ?? /** @type {{ error: string }} */ (found).error : '';
    this.say(text);
    viewer.say(text);
    viewer.overview.changed();
    viewer.ask();
    viewer.drawer.changed('hits');
  }

  /** @param {Finder['found']} found */
  keep(found) {
    this.found = found;
    this.counts = found && 'slices' in found ? found : undefined;
    this.isSearching = Boolean(this.counts);
    this.tracks = new Set(this.counts?.tracks.map(this.viewer.arranged.key));
    return this.counts;
  }

  /**
   * There are more hits in a trace that has grown.
   * @param {import('../engine.js').FoundCounts} found
   */
  grew(found) {
    if (!this.isSearching || found.text === this.counts?.text) return;
    this.keep(found);
    this.pages.clear();
    this.viewer.drawer.changed('hits');
    if (this.hit === undefined) this.say(found.text);
  }

  /** @param {import('../engine.js').Item} item */
  isFoundTrack(item) {
    return this.isSearching && this.tracks.has(this.viewer.arranged.key(item));
  }

  // Goes to the next hit or to the one before, of whatever kind.
  async next(backwards = false) {
    const { viewer, counts, number } = this;
    if (!counts) return;
    await viewer.run(backwards ? 'previousHit' : 'nextHit');
    const { hit } = viewer.arranged;
    if (!hit || number !== this.number) return;
    viewer.flash(hit.target);
    this.at(hit);
  }

  /**
   * A hit was gone to.
   * @param {Hit} hit
   */
  at({ rank, what, name }) {
    this.hit = rank;
    const text = `${grouped(rank + 1)} of ${grouped(this.counts?.total ?? 0)}`;
    this.say(text);
    this.viewer.say(`${what} ${clean(name)}, ${text}`);
    this.viewer.drawer.changed('hits');
  }

  /** @param {boolean} backwards */
  async sameName(backwards) {
    const { slice, source } = this.viewer;
    if (slice === undefined) return;
    if (this.text) await this.clear();
    const number = ++this.number, found = await source.findName(slice);
    if (number !== this.number) return;
    this.show(found);
    await this.next(backwards);
  }

  /**
   * The panel that lists hits.
   * @param {HTMLElement} panel
   */
  fill(panel) {
    const { counts } = this;
    if (!counts) {
      panel.replaceChildren(element('p', { className: 'dim', textContent: 'Find something first. ' + GRAMMAR }));
      return;
    }
    if (!this.list.isConnected || this.listed !== this.number) {
      this.pages.clear();
      this.listed = this.number;
      this.list = element('div', { onkeydown: (/** @type {KeyboardEvent} */ event) => { this.listKey(event); } });
      panel.replaceChildren(this.head, this.list);
      panel.scrollTop = 0;
      this.shownHit = undefined;
    }
    this.head.textContent = counts.text;
    const { reveal } = longList(panel, this.list, counts.total, (at) => this.row(at));
    const { hit } = this;
    if (hit === undefined || hit === this.shownHit) return;
    this.shownHit = hit;
    reveal(hit);
  }

  /** @param {number} at */
  row(at) {
    const { viewer, viewer: { about: { unit } } } = this;
    const hit = this.pages.get(Math.floor(at / LISTED))?.[at % LISTED];
    if (!hit) this.load(Math.floor(at / LISTED));
    const { what = '', name = '…', track = '', start, duration: takes, matched } = hit ?? {};
    const go = async () => {
      if (!hit) return;
      await viewer.visit(hit.target);
      this.at(hit);
    };
    const made = element('button', { type: 'button', className: 'hit', title: hit ? 'Go there' : '', onclick: go }, ...[
      grouped(at + 1), what, start === undefined ? '' : moment(start, unit), takes === undefined ? '' : duration(takes, unit),
      clean(matched ? `${name}  (${matched})` : name), clean(track),
    ].map((textContent) => element('span', { textContent })));
    made.classList.toggle('current', at === viewer.arranged.hit?.rank);
    made.dataset.key = String(at);
    return made;
  }

  /**
   * Asks for a part of the list.
   * @param {number} page
   */
  async load(page) {
    const { viewer, counts, pages } = this;
    if (pages.has(page)) return;
    if (pages.size >= PAGES) pages.clear();
    pages.set(page, []);
    const hits = await viewer.source.hits(page * LISTED, LISTED);
    if (counts !== this.counts || viewer.ends.signal.aborted) return;
    pages.set(page, hits);
    viewer.drawer.changed('hits');
  }

  /**
   * Arrows go from hit to hit.
   * @param {KeyboardEvent} event
   */
  async listKey(event) {
    if (!['ArrowDown', 'ArrowUp'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    await this.next(event.key === 'ArrowUp');
    /** @type {HTMLElement | null} */ (this.list.querySelector('.current'))?.focus({ preventScroll: true });
  }
}
