// What was waited for: the critical path of the selected slice, and the longest gaps of what is chosen.
import { element, button } from './dom.js';
import { clean, grouped } from './text.js';

/** @typedef {import('../engine.js').Stretches} Stretches */

export class WaitsPanel {
  number = 0;
  path = element('div');
  gaps = element('div');

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /** @param {HTMLElement} panel */
  async fill(panel) {
    panel.replaceChildren(this.path, this.gaps);
    this.selected();
    const { viewer } = this, number = ++this.number;
    const say = (/** @type {string} */ text) => this.gaps.replaceChildren(element('p', { className: 'dim', textContent: text }));
    if (!this.gaps.childElementCount) say('Finding gaps …');
    const found = await viewer.source.gaps(viewer.area, (done, what) => { if (number === this.number) say(`${grouped(done)} ${what} looked at …`); });
    if (number !== this.number || !found) return;
    if (!found.rows.length) return say('No gaps: there is no time between two slices of one of these tracks.');
    const title = viewer.range ? 'The longest gaps of the range' : 'The longest gaps';
    this.gaps.replaceChildren(this.table(title, found, 0, ({ start, end }) => viewer.show(start - (end - start) / 2, end + (end - start) / 2)));
  }

  // Another slice is selected.
  async selected() {
    const { viewer } = this, { slice } = viewer;
    const found = slice === undefined ? undefined : await viewer.source.path(slice);
    if (slice !== viewer.slice) return;
    if (!found?.rows.length) {
      this.path.replaceChildren(element('p', { className: 'dim', textContent: 'The critical path of a slice that is selected is shown here: what its end came from, by flows and by threads that woke others.' }));
      return;
    }
    const isDrawn = viewer.place.arrows === 'path';
    const draw = button('Draw it', 'Show the flows of the critical path as arrows, and no others', async () => {
      await viewer.setOption('arrows', isDrawn ? 'selected' : 'path');
      this.selected();
    });
    draw.ariaPressed = String(isDrawn);
    const asTrack = button('As a track', 'Show the critical path as a track above all others, or no longer', async () => {
      await viewer.run('pathTrack');
      this.selected();
    });
    asTrack.ariaPressed = String(viewer.place.derived.some((track) => typeof track === 'object' && 'path' in track && track.path.element.id === slice));
    const go = (/** @type {Stretches['rows'][number]} */ { slice, start }) => (slice === undefined ? viewer.lookAt(start) : viewer.go(slice));
    this.path.replaceChildren(this.table('The critical path of the selection', found, 2, go), element('p', {}, draw, ' ', asTrack));
  }

  /**
   * @param {string} title
   * @param {Stretches} found
   * @param {number} at the column that goes to the row's time
   * @param {(row: Stretches['rows'][number]) => unknown} go
   */
  table(title, { columns, rows }, at, go) {
    const cell = (/** @type {Stretches['rows'][number]} */ row, /** @type {string} */ text, /** @type {number} */ column) => (
      element(column ? 'td' : 'th', {}, column === at ? button(clean(text) || '(no name)', 'Go there', () => go(row)) : clean(text))
    );
    const body = rows.map((row) => element('tr', {}, ...row.cells.map((text, column) => cell(row, text, column))));
    const head = element('tr', {}, ...columns.map((textContent) => element('th', { scope: 'col', textContent })));
    return element('table', { className: 'facts' }, element('caption', { textContent: title }), element('thead', {}, head), element('tbody', {}, ...body));
  }
}
