// Asks for pictures of what is in view, and keeps the last one.
import { clean } from './text.js';

/** @typedef {import('../engine.js').Frame & { start: number, duration: number, columns: number, unit: import('../engine.js').TickUnit }} Picture */

export class Pictures {
  /** @type {Picture | undefined} */
  last = undefined;
  /** @type {Map<number, string>} */
  names = new Map();
  isAsking = false;
  isWanted = false;
  // How many pixels of the device a column of the picture is wide. A picture that takes too long is made of wider
  // columns while the view moves, and of pixels again once it rests.
  coarseness = 1;
  moving = { coarseness: 1, isResting: true };
  took = { query: 0, draw: 0 }; // milliseconds
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  resting = undefined;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  // Asks for a picture of what is in view. One question is open at a time, and the last one wins.
  ask() {
    this.isWanted = true;
    if (this.isAsking || !this.viewer.painter.width) return;
    this.isAsking = true;
    queueMicrotask(() => this.viewer.begin(this.fetch()));
  }

  async fetch() {
    while (this.isWanted) {
      this.isWanted = false;
      const { viewer } = this;
      const { view, painter, options, place: { arrows, colorBy } } = viewer;
      const top = viewer.main.scrollTop;
      const start = Math.floor(view.start), ticks = Math.ceil(view.duration) + 1;
      const columns = Math.max(Math.min(Math.round((painter.chart * ticks) / view.duration / this.coarseness), 65535), 1);
      const wanted = {
        start, duration: ticks, columns,
        boxWidth: Math.max(Math.round(Math.max(painter.ratio, 2) / this.coarseness), 1),
        main: { start: Math.floor(top), end: Math.ceil(top + viewer.height - viewer.mainTop) },
        pinned: { start: 0, end: viewer.pinnedHeight },
        selected: viewer.slice,
        betweenMarks: Math.round((110 * painter.ratio) / this.coarseness),
        labelWidth: Math.round((4 * (painter.palette?.letter || 7)) / this.coarseness),
        arrows,
        colorBy,
        ownColors: options.own === 'use' && options.palette === 'calm' && colorBy === 'name',
      };
      const asked = performance.now();
      const frame = await viewer.source.frame(wanted);
      if (viewer.ends.signal.aborted) return;
      viewer.meter.add('query', performance.now() - asked);
      viewer.meter.add('answer', performance.now() - asked);
      for (const [id, name] of frame.names) this.names.set(id, clean(name));
      this.last = { ...frame, start, duration: ticks, columns, unit: viewer.about.unit };
      this.took.query = performance.now() - asked;
      viewer.redraw();
    }
    this.isAsking = false;
  }

  // Chooses the width of columns by what the last picture took.
  adapt() {
    const { moving } = this;
    const took = Math.max(this.took.query, this.took.draw);
    if (!moving.isResting && took > 10) moving.coarseness = Math.min(moving.coarseness * 2, 8);
    if (!moving.isResting && took < 3) moving.coarseness = Math.max(moving.coarseness / 2, 1);
    moving.isResting = false;
    this.coarseness = moving.coarseness;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      moving.isResting = true;
      if (this.coarseness === 1 || this.viewer.ends.signal.aborted) return;
      this.coarseness = 1;
      this.ask();
    }, 250);
  }
}
