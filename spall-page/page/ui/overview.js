// The strip at the top: how busy threads are over the whole trace, where the hits are, and what is in view.

export class Overview {
  /** @type {Float32Array | undefined} */
  busy = undefined;
  /** @type {Uint32Array | undefined} */
  hits = undefined;
  /** @type {string | undefined} */
  drawnFor = undefined;
  isAsked = false;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    this.canvas = viewer.$('#overview');
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    this.listen();
  }

  // The range that the strip shows: without the events that lie far away, unless they are in view.
  get bounds() {
    const { view, about } = this.viewer;
    const [start, end] = about.active;
    const isInside = view.start >= start - 0.2 * (end - start) && view.end <= end + 0.2 * (end - start);
    return isInside ? { start, end } : { start: about.start, end: about.end };
  }

  /**
   * Stands above what the timeline shows, so that both have the same edges.
   * @param {number} names the width of the names of tracks
   */
  align(names) {
    Object.assign(this.canvas.style, { marginLeft: `${names}px`, width: `calc(100% - ${names}px)` });
  }

  // The size, the tracks or the search changed.
  changed() {
    this.drawnFor = undefined;
    this.redraw();
  }

  redraw() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame(() => {
      this.isAsked = false;
      if (!this.viewer.ends.signal.aborted) this.draw();
    });
  }

  /** @param {number} width */
  async fetch(width) {
    const { source, finder } = this.viewer;
    const { start, end } = this.bounds;
    const drawnFor = `${width} ${start} ${end} ${finder.isSearching && finder.number}`;
    if (this.drawnFor === drawnFor) return;
    this.drawnFor = drawnFor;
    this.busy = await source.overview(start, Math.max(end, start + 1), width);
    this.hits = finder.isSearching ? await source.hitsOverview(start, Math.max(end, start + 1), width) : undefined;
    this.redraw();
  }

  draw() {
    const { canvas, context, viewer } = this;
    const ratio = devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    const { colour } = viewer.painter;
    if (!width || !colour.page) return;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    viewer.begin(this.fetch(width));
    context.fillStyle = colour.names;
    context.fillRect(0, 0, width, height);
    const { busy, hits } = this;
    if (busy) {
      const most = Math.max(1, busy.reduce((most, one) => Math.max(most, one), 0));
      context.fillStyle = colour.instant;
      for (let x = 0; x < busy.length; x++) {
        const up = busy[x] ? Math.max(Math.round((busy[x] / most) * (height - 4)), 1) : 0;
        if (up) context.fillRect(x, height - up, 1, up);
      }
    }
    if (hits) {
      context.fillStyle = colour.hit;
      for (let x = 0; x < hits.length; x++) if (hits[x]) context.fillRect(x - 1, 0, 3, 6 * ratio);
    }
    const { view, range } = viewer;
    if (range) {
      context.fillStyle = colour.accent;
      context.fillRect(this.x(range.start, width), height - 3 * ratio, Math.max(this.x(range.end, width) - this.x(range.start, width), 2), 3 * ratio);
    }
    const from = this.x(view.start, width), to = Math.max(this.x(view.end, width), from + 2);
    context.fillStyle = colour.range;
    context.fillRect(0, 0, from, height);
    context.fillRect(to, 0, width - to, height);
    context.fillStyle = colour.accent;
    context.fillRect(from - ratio, 0, ratio, height);
    context.fillRect(to, 0, ratio, height);
  }

  /**
   * @param {number} time
   * @param {number} width
   */
  x(time, width) {
    const { start, end } = this.bounds;
    return Math.round(((time - start) / Math.max(end - start, 1)) * width);
  }

  /** @param {MouseEvent} event */
  timeAt(event, { start, end } = this.bounds) {
    const box = this.canvas.getBoundingClientRect();
    return start + ((event.clientX - box.left) / box.width) * (end - start);
  }

  // A drag shows that range, a click moves there.
  listen() {
    const { canvas, viewer } = this;
    const { signal } = viewer.ends;
    /** @type {{ time: number, x: number, bounds: { start: number, end: number } } | undefined} */
    let from;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      from = { time: this.timeAt(event), x: event.clientX, bounds: this.bounds };
      viewer.show(viewer.view.start, viewer.view.end); // a step, to which one goes back
    }, { signal });
    canvas.addEventListener('pointermove', (event) => {
      if (!from || Math.abs(event.clientX - from.x) < 5) return;
      const to = this.timeAt(event, from.bounds);
      viewer.view.look(Math.min(from.time, to), Math.abs(to - from.time));
      viewer.moved();
    }, { signal });
    canvas.addEventListener('pointerup', (event) => {
      if (from && Math.abs(event.clientX - from.x) < 5) viewer.lookAt(from.time);
      from = undefined;
    }, { signal });
    canvas.addEventListener('pointercancel', () => { from = undefined; }, { signal });
  }
}
