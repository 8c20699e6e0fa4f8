// How long the parts of a frame take, shown with a key.

const KEPT = 120;

export class Meter {
  constructor(viewer) {
    this.viewer = viewer;
    this.parts = { query: [], answer: [], draw: [], frame: [] };
    this.counts = { boxes: 0, labels: 0 };
  }

  add(part, ms) {
    const list = this.parts[part];
    list.push(ms);
    if (list.length > KEPT) list.shift();
  }

  // A picture was drawn. Frames that do not follow one another say nothing.
  frame(now, counts) {
    if (this.last && now - this.last < 250) this.add('frame', now - this.last);
    this.last = now;
    this.counts = counts;
    if (!this.viewer.$('#meter').hidden) this.viewer.$('#meter').textContent = this.text();
  }

  clear() {
    for (const list of Object.values(this.parts)) list.length = 0;
  }

  // The median and the 95th percentile of each part in milliseconds.
  report() {
    const at = (list, part) => [...list].sort((a, b) => a - b)[Math.min(Math.floor(list.length * part), list.length - 1)] ?? 0;
    return Object.fromEntries(Object.entries(this.parts).map(([part, list]) => [part, { median: at(list, 0.5), p95: at(list, 0.95) }]));
  }

  text() {
    const line = ([part, { median, p95 }]) => `${part.padEnd(7)}${median.toFixed(1).padStart(7)}${p95.toFixed(1).padStart(7)}`;
    const { boxes, labels } = this.counts;
    return ['ms      median    95%', ...Object.entries(this.report()).map(line), `${boxes} boxes, ${labels} labels`].join('\n');
  }

  toggle() {
    this.viewer.$('#meter').hidden = !this.viewer.$('#meter').hidden;
    this.viewer.$('#meter').textContent = this.text();
  }
}
