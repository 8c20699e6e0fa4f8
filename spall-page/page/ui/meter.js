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

  // The median and the 95th percentile of each part in milliseconds.
  text() {
    const at = (list, part) => [...list].sort((a, b) => a - b)[Math.min(Math.floor(list.length * part), list.length - 1)] ?? 0;
    const line = ([part, list]) => part.padEnd(7) + [0.5, 0.95].map((part) => at(list, part).toFixed(1).padStart(7)).join('');
    const { boxes, labels } = this.counts;
    return ['ms      median    95%', ...Object.entries(this.parts).map(line), `${boxes} boxes, ${labels} labels`].join('\n');
  }

  toggle() {
    this.viewer.$('#meter').hidden = !this.viewer.$('#meter').hidden;
    this.viewer.$('#meter').textContent = this.text();
  }
}
