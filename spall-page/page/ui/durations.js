// How long what was found takes: a histogram, of which a stretch can be chosen.
import { element, button, choice, facts, focusedIn } from './dom.js';
import { clean, counted, duration, exactly } from './text.js';

/**
 * @typedef {import('../engine.js').Durations} Durations
 */

const BINS = 120, HEIGHT = 130, MARKS = 16, ABOVE = 14; // CSS pixels

export class DurationsPanel {
  number = 0;
  /** @type {Durations | undefined} */
  shown = undefined;
  /** @type {import('./viewer.js').Viewer['area'] | undefined} */
  kept = undefined; // another range, to compare with
  /** @type {Durations | undefined} */
  other = undefined; // what is in it
  /** @type {[number, number] | undefined} */
  drag = undefined; // the bins that are being chosen
  canvas = element('canvas');
  tip = element('p', { className: 'graph-tip dim' });

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /** @param {HTMLElement} panel */
  async fill(panel) {
    const { viewer } = this, number = ++this.number;
    const ask = (/** @type {Viewer['area']} */ area, /** @type {Durations | undefined} */ like = undefined) => viewer.source.durations({ area, bins: BINS, ...(like && { axis: { start: like.edges[0], end: like.edges.at(-1) ?? 0 } }) }, (done) => {
      if (number === this.number) this.tip.textContent = `${counted(done, 'slice')} looked at …`;
    });
    const shown = await ask(viewer.area);
    const other = shown?.edges.length && this.kept ? await ask(this.kept, shown) : undefined;
    if (number !== this.number || viewer.drawer.current !== 'durations') return;
    Object.assign(this, { shown, other });
    if (!shown) {
      const statistics = button('Statistics', 'Sums of all functions', () => viewer.drawer.show('statistics'));
      panel.replaceChildren(element('p', { className: 'dim', textContent: 'Find something first, or choose the durations of a function in the statistics. ' }), statistics);
      return;
    }
    const key = focusedIn(panel)?.dataset.key;
    this.tip.textContent = '';
    panel.replaceChildren(this.tools(panel, shown), ...(shown.edges.length ? [this.picture(shown), this.sliders(shown), this.tip, facts(shown.facts)] : [element('p', { className: 'dim', textContent: 'Nothing of it is here.' })]));
    this.redraw();
    /** @type {HTMLElement | null} */ (key ? panel.querySelector(`[data-key="${key}"]`) : null)?.focus();
  }

  /**
   * @param {HTMLElement} panel
   * @param {Durations} shown
   */
  tools(panel, { pattern, chosen }) {
    const { viewer } = this;
    const axis = choice('Axis', /** @type {const} */ ([[false, 'logarithmic'], [true, 'linear']]), Boolean(viewer.place.linearDurations), (linearDurations) => viewer.change({ linearDurations }));
    axis.dataset.key = 'axis';
    const tools = element('p', {}, element('strong', { textContent: clean(pattern) || 'All slices' }), viewer.range ? ' in the chosen range ' : ' ', axis);
    if (chosen) tools.append(` ${chosen[2]} `, button('All durations', 'Find them whatever they take', () => this.choose(undefined)), button('Hits', 'List what is chosen', () => viewer.drawer.show('hits')));
    const compare = this.kept
      ? button(`Compared with ${duration(this.kept.end - this.kept.start, viewer.about.unit)} ×`, 'Compare no longer', () => { this.kept = undefined; this.fill(panel); })
      : button('Compare', 'Keep this range, to draw it over the next one', () => { this.kept = viewer.area; this.fill(panel); });
    compare.dataset.key = 'compare';
    tools.append(compare);
    return tools;
  }

  /**
   * Shows how long the slices of a name take.
   * @param {string} name
   */
  async of(name) {
    this.viewer.drawer.show('durations');
    await this.viewer.finder.search(exactly(name));
  }

  /** @param {[number, number] | undefined} durations */
  choose(durations) {
    return this.viewer.act({ durations });
  }

  /**
   * The bins from one to another.
   * @param {number} a
   * @param {number} b
   */
  chooseBins(a, b) {
    const { edges } = /** @type {Durations} */ (this.shown);
    return this.choose([edges[Math.min(a, b)], edges[Math.max(a, b) + 1]]);
  }

  /** @param {Durations} shown */
  picture({ facts: said }) {
    const canvas = (this.canvas = element('canvas', { role: 'img', ariaLabel: `Histogram of durations: ${said.map(([what, text]) => `${what} ${text}`).join(', ')}` }));
    canvas.style.cssText = `width: 100%; height: ${HEIGHT}px; display: block; cursor: crosshair; touch-action: none`;
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      const bin = this.binAt(event.offsetX);
      this.drag = [bin, bin];
      this.redraw();
    };
    canvas.onpointermove = (event) => {
      const bin = this.binAt(event.offsetX);
      this.tip.textContent = this.say(bin, bin);
      if (!this.drag) return;
      this.drag[1] = bin;
      this.tip.textContent = this.say(...this.drag);
      this.redraw();
    };
    canvas.onpointerup = () => {
      const { drag } = this;
      this.drag = undefined;
      if (drag) this.chooseBins(...drag);
    };
    canvas.onpointercancel = () => { this.drag = undefined; this.redraw(); };
    return canvas;
  }

  // Two sliders choose the same without a pointer.
  /** @param {Durations} shown */
  sliders(shown) {
    const last = shown.counts.length - 1, [from, to] = this.bins() ?? [0, last];
    const slider = (/** @type {string} */ ariaLabel, /** @type {number} */ value, /** @type {(bin: number) => unknown} */ chosen) => {
      const made = element('input', { type: 'range', min: '0', max: String(last), value: String(value), ariaLabel });
      made.dataset.key = ariaLabel;
      const say = () => { made.ariaValueText = this.tip.textContent = this.say(made.valueAsNumber, made.valueAsNumber); };
      made.ariaValueText = this.say(value, value);
      made.oninput = say;
      made.onchange = () => chosen(made.valueAsNumber);
      return made;
    };
    return element('p', { className: 'ends' }, slider('Shortest durations that are chosen', from, (bin) => this.chooseBins(bin, Math.max(to, bin))), slider('Longest durations that are chosen', to, (bin) => this.chooseBins(Math.min(from, bin), bin)));
  }

  // The bins that are chosen.
  /** @returns {[number, number] | undefined} */
  bins() {
    const { shown, drag } = this;
    if (drag) return [Math.min(...drag), Math.max(...drag)];
    if (!shown?.chosen) return undefined;
    const [from, to] = shown.chosen, inside = shown.places.findIndex((place) => place >= from - 1e-6);
    const end = shown.places.findIndex((place) => place >= to - 1e-6);
    return [Math.max(inside, 0), Math.max((end < 0 ? shown.places.length : end) - 1, inside, 0)];
  }

  /**
   * @param {number} a
   * @param {number} b
   */
  say(a, b) {
    const { shown, viewer: { about: { unit } } } = this;
    if (!shown) return '';
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    const count = shown.counts.slice(from, to + 1).reduce((sum, one) => sum + one, 0);
    return `${duration(shown.edges[from], unit)} to ${duration(shown.edges[to + 1], unit)}: ${counted(count, 'slice')}`;
  }

  /** @param {number} x */
  binAt(x) {
    const { shown, canvas } = this, at = x / Math.max(canvas.clientWidth, 1);
    const places = shown?.places ?? new Float32Array();
    return Math.min(Math.max(places.findLastIndex((place) => place <= at), 0), Math.max(places.length - 2, 0));
  }

  redraw() {
    const { shown, other, canvas, viewer: { painter: { colour, palette } } } = this;
    const context = canvas.getContext('2d'), ratio = devicePixelRatio || 1;
    if (!shown?.edges.length || !context || !canvas.isConnected) return;
    const { clientWidth: width } = canvas;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(HEIGHT * ratio);
    context.scale(ratio, ratio);
    context.font = palette.font;
    context.textBaseline = 'middle';
    const bottom = HEIGHT - MARKS, high = bottom - ABOVE;
    const bins = this.bins();
    // Two ranges are drawn as parts of each, as they may have any numbers of slices.
    const all = (/** @type {Durations} */ { counts }) => (other ? Math.max(counts.reduce((sum, one) => sum + one, 0), 1) : 1);
    const [own, its] = [all(shown), other ? all(other) : 1];
    const most = Math.max(...Array.from(shown.counts, (count) => count / own), ...Array.from(other?.counts ?? [], (count) => count / its), 1e-9);
    const up = (/** @type {number} */ count) => (count ? Math.max((count / most) * high, 1) : 0);
    const x = (/** @type {number} */ place) => Math.round(place * width);
    shown.counts.forEach((count, bin) => {
      const left = x(shown.places[bin]), wide = Math.max(x(shown.places[bin + 1]) - left - 1, 1), height = up(count / own);
      context.fillStyle = !bins || (bin >= bins[0] && bin <= bins[1]) ? colour.accent : colour.dim;
      context.fillRect(left, bottom - height, wide, height);
    });
    if (other) {
      context.strokeStyle = colour.hit;
      context.lineWidth = 2;
      context.beginPath();
      other.counts.forEach((count, bin) => {
        for (const edge of [bin, bin + 1]) context.lineTo(x(other.places[edge]), bottom - up(count / its));
      });
      context.stroke();
    }
    context.fillStyle = colour.line;
    context.fillRect(0, bottom, width, 1);
    context.fillStyle = colour.dim;
    for (const [place, text] of shown.marks) {
      context.fillRect(x(place), bottom, 1, 4);
      if (x(place) + (text.length + 1) * 7 < width) context.fillText(text, x(place) + 3, HEIGHT - MARKS / 2 + 1);
    }
    let free = 0;
    context.fillStyle = colour.text;
    for (const [name, place] of shown.percentiles) {
      context.fillRect(x(place), ABOVE - 2, 1, bottom - ABOVE + 2);
      const wide = context.measureText(name).width, left = Math.min(Math.max(x(place) - wide / 2, free), width - wide);
      if (left < free) continue;
      context.fillText(name, left, ABOVE / 2);
      free = left + wide + 6;
    }
  }
}

/** @typedef {import('./viewer.js').Viewer} Viewer */
