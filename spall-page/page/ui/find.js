// Search for slices, tracks and arguments. Steps begin from what is in view.
import { element, button } from './dom.js';
import { clean, grouped, moment } from './text.js';

const LISTED = 100;

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
  hit = undefined; // the slice that was gone to
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
    if (this.hit === undefined) this.say(found.text);
  }

  /** @param {import('../engine.js').Item} item */
  isFoundTrack(item) {
    return this.isSearching && this.tracks.has(this.viewer.arranged.key(item));
  }

  // Goes to the hit after the selected one, or to the first one in view.
  async next(backwards = false) {
    const { viewer, counts, number } = this;
    if (!counts) return;
    await viewer.run(backwards ? 'previousHit' : 'nextHit');
    const { hit } = viewer.arranged;
    if (!hit || number !== this.number) return;
    this.hit = hit.slice;
    const text = `${grouped(hit.rank + 1)} of ${grouped(counts.slices)}`;
    this.say(text);
    viewer.say(`${clean(hit.name)}, ${text}`);
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
   * The panel that lists hits, from what is in view on.
   * @param {HTMLElement} panel
   */
  async fill(panel) {
    const { viewer, counts } = this;
    if (!counts) {
      panel.replaceChildren(element('p', { className: 'dim', textContent: 'Find something first. Between slashes it is a regular expression.' }));
      return;
    }
    const hits = await viewer.source.hits(undefined, viewer.view.start, false, LISTED);
    if (viewer.drawer.current !== 'hits') return;
    const rows = hits.map(({ slice, rank, name, start, matched }) => {
      const why = matched ? `  (${clean(matched)})` : '';
      const line = button(`${grouped(rank + 1)}  ${moment(start, viewer.about.unit)}  ${clean(name)}${why}`, 'Go there', () => {
        this.hit = slice;
        viewer.go(slice);
      });
      line.classList.toggle('current', viewer.slice === slice);
      return line;
    });
    const tracks = [...this.tracks].flatMap((key) => viewer.arranged.labels.get(key)?.path ?? []);
    const list = element('div', { className: 'list' }, ...rows);
    const about = [element('p', { textContent: `${counts.text}; listed from what is in view on` })];
    if (tracks.length) about.push(element('p', { className: 'dim', textContent: `Tracks: ${tracks.slice(0, 20).join(' · ')}` }));
    panel.replaceChildren(...about, list);
  }
}
