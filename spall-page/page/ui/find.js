// Search for slices, tracks and arguments. Steps begin from what is in view.
import { element, button } from './dom.js';
import { openPalette } from './keys.js';
import { clean, counted, grouped, moment } from './text.js';

const LISTED = 100;

export class Finder {
  constructor(viewer) {
    this.viewer = viewer;
    this.text = '';
    this.isSearching = false;
    this.number = 0; // of the search, so that late answers of earlier ones are dropped
    this.found = undefined;
    const { signal } = viewer.ends;
    const field = this.viewer.$('#find');
    field.value = '';
    field.addEventListener('input', () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.search(field.value), 150);
    }, { signal });
    field.addEventListener('keydown', (event) => this.key(event), { signal });
  }

  async key(event) {
    const field = this.viewer.$('#find');
    if (event.key === 'Enter') {
      clearTimeout(this.waiting);
      if (field.value !== this.text) await this.search(field.value);
      await this.next(event.shiftKey);
    } else if (event.key === 'Escape') {
      this.clear();
      this.viewer.canvas.focus();
    }
  }

  clear() {
    this.viewer.$('#find').value = '';
    return this.search('');
  }

  // A text, or a regular expression between slashes. A `>` begins a command instead.
  async search(text) {
    if (text.startsWith('>')) {
      this.viewer.$('#find').value = '';
      openPalette(this.viewer, text.slice(1).trim());
      return;
    }
    this.viewer.$('#find').value = this.text = text;
    const number = ++this.number;
    this.hit = undefined;
    const progress = (done) => { if (number === this.number) this.viewer.$('#hits').textContent = `${grouped(done)} looked at …`; };
    const found = await this.viewer.source.find(text.trim() || undefined, progress);
    if (number === this.number) this.show(found);
  }

  show(found) {
    this.found = found;
    this.isSearching = Boolean(found) && !found.error;
    this.tracks = new Set((found?.tracks ?? []).map((item) => this.viewer.key(item)));
    this.viewer.$('#hits').textContent = found?.error ?? (found ? this.summary() : '');
    this.viewer.say(this.viewer.$('#hits').textContent);
    this.viewer.overview.changed();
    this.viewer.ask();
    this.viewer.remember();
    this.viewer.drawer.changed('hits');
  }

  // There are more hits in a trace that has grown.
  grew(found) {
    if (!this.isSearching || (found.slices === this.found?.slices && found.instants === this.found.instants)) return;
    this.found = found;
    this.tracks = new Set(found.tracks.map((item) => this.viewer.key(item)));
    if (this.hit === undefined) this.viewer.$('#hits').textContent = this.summary();
  }

  summary() {
    const { slices, instants, nTracks = this.tracks.size } = this.found;
    const others = [[instants, 'instant'], [nTracks, 'track']].filter(([count]) => count);
    return [[slices, 'slice'], ...others].map((pair) => counted(...pair)).join(', ');
  }

  isFoundTrack(item) {
    return this.isSearching && this.tracks.has(this.viewer.key(item));
  }

  // Goes to the hit after the selected one, or to the first one in view.
  async next(backwards = false) {
    if (!this.isSearching) return;
    const { viewer } = this;
    const { selected, view, source } = viewer;
    // A hit that has been scrolled out of view is no place to go on from.
    const place = this.hit !== undefined && selected?.id === this.hit ? await source.place(this.hit) : undefined;
    const isInView = place && place.start < view.end && place.end > view.start;
    let [hit] = await source.hits(isInView ? this.hit : undefined, backwards ? view.end : view.start, backwards, 1);
    if (!hit) [hit] = await source.hits(undefined, backwards ? viewer.about.end + 2 : viewer.about.start, backwards, 1);
    if (!hit) return;
    this.hit = hit.slice;
    this.viewer.$('#hits').textContent = `${grouped(hit.rank + 1)} of ${grouped(this.found.slices)}`;
    await viewer.go(hit.slice);
    viewer.say(`${clean(hit.name)}, ${this.viewer.$('#hits').textContent}`);
  }

  async sameName(backwards) {
    const { selected, source } = this.viewer;
    if (selected?.kind !== 'slice' ) return;
    const found = await source.findName(selected.id);
    this.text = '';
    this.show(found);
    this.hit = selected.id;
    await this.next(backwards);
  }

  // The panel that lists hits, from what is in view on.
  async fill(panel) {
    if (!this.isSearching) {
      panel.replaceChildren(element('p', { className: 'dim', textContent: 'Find something first. Between slashes it is a regular expression.' }));
      return;
    }
    const { viewer } = this;
    const hits = await viewer.source.hits(undefined, viewer.view.start, false, LISTED);
    const rows = hits.map(({ slice, rank, name, start, matched }) => {
      const why = matched ? `  (${clean(matched)})` : '';
      const line = button(`${grouped(rank + 1)}  ${moment(start, viewer.about.unit)}  ${clean(name)}${why}`, 'Go there', () => {
        this.hit = slice;
        viewer.go(slice);
      });
      line.classList.toggle('current', viewer.selected?.id === slice);
      return line;
    });
    const tracks = [...this.tracks].map((key) => viewer.labels.get(key)?.path).filter(Boolean);
    const list = element('div', { className: 'list' }, ...rows);
    const about = [element('p', { textContent: `${this.summary()}; listed from what is in view on` })];
    if (tracks.length) about.push(element('p', { className: 'dim', textContent: `Tracks: ${tracks.slice(0, 20).join(' · ')}` }));
    panel.replaceChildren(...about, list);
  }
}
