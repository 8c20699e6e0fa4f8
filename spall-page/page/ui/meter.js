// How long the parts of a frame take, shown with a key.

const KEPT = 120;

export class Meter {
  last = 0;
  counts = { boxes: 0, labels: 0 };

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    /** @type {Record<'query' | 'answer' | 'draw' | 'frame', number[]>} */
    this.parts = { query: [], answer: [], draw: [], frame: [] };
  }

  /**
   * @param {keyof Meter['parts']} part
   * @param {number} ms
   */
  add(part, ms) {
    const list = this.parts[part];
    list.push(ms);
    if (list.length > KEPT) list.shift();
  }

  /**
   * A picture was drawn. Frames that do not follow one another say nothing.
   * @param {number} now
   * @param {{ boxes: number, labels: number }} counts
   */
  frame(now, counts) {
    if (this.last && now - this.last < 250) this.add('frame', now - this.last);
    this.last = now;
    this.counts = counts;
    if (!this.viewer.$('#meter').hidden) this.viewer.$('#meter').textContent = this.text();
  }

  // The median and the 95th percentile of each part in milliseconds.
  text() {
    const at = (/** @type {number[]} */ list, /** @type {number} */ part) => [...list].sort((a, b) => a - b)[Math.min(Math.floor(list.length * part), list.length - 1)] ?? 0;
    const line = (/** @type {[string, number[]]} */ [part, list]) => part.padEnd(7) + [0.5, 0.95].map((part) => at(list, part).toFixed(1).padStart(7)).join('');
    const { boxes, labels } = this.counts;
    return ['ms      median    95%', ...Object.entries(this.parts).map(line), `${boxes} boxes, ${labels} labels`].join('\n');
  }

  toggle() {
    this.viewer.$('#meter').hidden = !this.viewer.$('#meter').hidden;
    this.viewer.$('#meter').textContent = this.text();
  }
}
