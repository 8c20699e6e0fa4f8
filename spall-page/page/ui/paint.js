// Draws a picture of the timeline: the ruler, the names of tracks, and what is on them.
import { Palette, drawBoxes, boxAt, cut, cutFront, kindOf, NUMBERS } from './boxes.js';
import { memory } from './dom.js';
import { clean, grouped, duration } from './text.js';

export const RULER = 24; // CSS pixels, as all sizes here
const PROCESS = 22, MARK = 4;

/**
 * @typedef {import('./boxes.js').Where} Where
 * @typedef {import('./pictures.js').Picture} Picture
 * @typedef {import('./view.js').View} View
 * @typedef {import('./viewer.js').Viewer} Viewer
 * @typedef {import('../engine.js').Header} Header
 * @typedef {import('../engine.js').Part} Part
 * @typedef {import('../engine.js').Marks} Marks
 */

const COLOURS = /** @type {const} */ (['page', 'names', 'head', 'line', 'text', 'dim', 'instant', 'accent', 'hit', 'range']);

export class Painter {
  names = 200; // the width of the names of tracks
  width = 0; // of the backing store, in pixels of the device
  height = 0;
  ratio = 1;
  /** @type {Record<typeof COLOURS[number], string>} */
  colour = { page: '', names: '', head: '', line: '', text: '', dim: '', instant: '', accent: '', hit: '', range: '' };
  palette = new Palette([], '', [], 11);

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import('../engine.js').Colours} colours
   */
  constructor(canvas, colours) {
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d', { alpha: false }));
    this.colours = colours;
    this.chosenNames = Number(memory.get('names')); // the width that the user has given it
  }

  /**
   * Takes the colours of the theme and the size of texts from the style sheet.
   * @param {boolean} isForAnyEyes
   * @param {number} size
   */
  theme(isForAnyEyes, size) {
    const style = getComputedStyle(this.canvas);
    for (const key of COLOURS) this.colour[key] = style.getPropertyValue(`--${key}`).trim();
    const theme = style.getPropertyValue('--theme').trim() === 'dark' ? 'dark' : 'light';
    const { shades, text } = this.colours[isForAnyEyes ? 'okabeIto' : theme];
    this.palette = new Palette(shades, text, this.colours.own, size);
    this.palette.hit = this.colour.hit;
    this.fonts();
  }

  fonts() {
    const { palette, ratio } = this;
    palette.deviceFont = palette.font.replace(/^\d+px/, `${palette.size * ratio}px`);
    this.context.font = palette.deviceFont;
    palette.letter = this.context.measureText('m').width;
  }

  /**
   * `width` and `height` are those of the backing store, in pixels of the device.
   * @param {number} width
   * @param {number} height
   * @param {number} ratio
   */
  resize(width, height, ratio) {
    this.ratio = ratio;
    this.width = width;
    this.height = height;
    const room = width / ratio;
    this.names = Math.min(this.chosenNames || (room < 600 ? 96 : room < 1100 ? 160 : 220), room / 2);
    this.canvas.width = width;
    this.canvas.height = height;
    this.fonts();
  }

  // The colours of the series of a counter with several.
  get apart() {
    return this.colours.okabeIto.shades;
  }

  // The width of the part that shows time, in pixels of the device.
  get chart() {
    return Math.max(this.width - Math.round(this.names * this.ratio), 1);
  }

  /**
   * Where the columns of a picture are under a view, and what is cut off.
   * @param {Picture} frame
   * @param {View} view
   * @param {number} top
   */
  place(frame, view, top) {
    const left = Math.round(this.names * this.ratio);
    const perTick = this.chart / view.duration;
    const scale = (frame.duration / frame.columns) * perTick;
    return { scale, shift: left + (frame.start - view.start) * perTick, left, right: this.width, ratio: this.ratio, top };
  }

  /**
   * @param {number} time
   * @param {View} view
   */
  x(time, view) {
    return Math.round(this.names * this.ratio + ((time - view.start) / view.duration) * this.chart);
  }

  /** @param {Viewer} viewer */
  draw(viewer) {
    const { width, height, colour, ratio } = this;
    const { frame, view, lines, pinnedHeight, mainTop, drop } = viewer;
    const counts = { boxes: 0, labels: 0 };
    const top = viewer.main.scrollTop - mainTop;
    this.fill(colour.page, 0, 0, width, height);
    if (frame) {
      this.clipped(0, mainTop * ratio, width, height, () => {
        this.grid(frame, view);
        this.part(frame, frame.main, viewer, top, mainTop, counts, lines.main);
        this.inChart(() => this.arrows(frame, view, top));
        if (viewer.place.colorBy === 'duration') this.durations(viewer.about.durationShades);
        else if (frame.arrowsLeftOut) this.corner(`${grouped(frame.arrowsLeftOut)} more flow arrows`);
      });
      if (pinnedHeight) {
        this.clipped(0, RULER * ratio, width, pinnedHeight * ratio, () => {
          this.fill(colour.page, 0, 0, width, mainTop * ratio);
          this.grid(frame, view);
          this.part(frame, frame.pinned, viewer, -RULER, RULER, counts, lines.pinned);
        });
        this.fill(colour.accent, 0, mainTop * ratio - 1, width, 1);
      }
      this.ruler(frame, view, viewer);
      for (const [, , at] of viewer.damage ?? []) if (at !== undefined) this.damage(this.x(at, view));
    }
    // The place where a track that is dragged would be.
    if (drop !== undefined) this.fill(colour.accent, 0, Math.round(drop * ratio) - ratio, width, 2 * ratio);
    this.inChart(() => this.over(viewer));
    return counts;
  }

  /**
   * Draws something inside of a rectangle, in pixels of the device.
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   * @param {() => void} draw
   */
  clipped(x, y, width, height, draw) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
  }

  /**
   * Draws something in the part that shows time.
   * @param {() => void} draw
   */
  inChart(draw) {
    this.clipped(Math.round(this.names * this.ratio), 0, this.chart, this.height, draw);
  }

  /**
   * @param {string} colour
   * @param {number} x
   * @param {number} y
   * @param {number} width
   * @param {number} height
   */
  fill(colour, x, y, width, height) {
    this.context.fillStyle = colour;
    this.context.fillRect(x, y, width, height);
  }

  /** @param {[number, number][]} corners */
  polygon(...corners) {
    this.context.beginPath();
    for (const [x, y] of corners) this.context.lineTo(x, y);
    this.context.fill();
  }

  /**
   * Writes a text whose middle is at a height, in pixels of the device.
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {string} colour
   */
  write(text, x, y, colour, font = this.palette.deviceFont) {
    Object.assign(this.context, { font, textBaseline: 'middle', fillStyle: colour });
    this.context.fillText(text, x, y);
  }

  /**
   * How many letters have room in a width, in CSS pixels.
   * @param {number} width
   */
  letters(width) {
    return Math.floor(width * (this.ratio / this.palette.letter));
  }

  /**
   * @param {Picture} frame
   * @param {View} view
   */
  grid(frame, view) {
    const { context, colour, height } = this;
    const place = this.place(frame, view, 0);
    context.fillStyle = colour.line;
    for (const [x] of frame.ruler) context.fillRect(Math.round(x * place.scale + place.shift), 0, 1, height);
  }

  /**
   * @param {Picture} frame
   * @param {Part} part
   * @param {Viewer} viewer
   * @param {number} top
   * @param {number} edge
   * @param {{ boxes: number, labels: number }} counts
   * @param {import('../engine.js').Lines} lines
   */
  part(frame, part, viewer, top, edge, counts, lines) {
    const place = this.place(frame, viewer.view, top);
    this.inChart(() => {
      for (const strip of part.strips) this.strip(strip, place);
      for (const chart of part.charts) this.chartOf(chart, place);
      // Behind the slices, so that they hide no name. [layout 9.2]
      for (const marks of part.wide) this.wide(marks, place);
      const drawn = drawBoxes(this.context, this.palette, part, place, viewer.names, viewer.finder.isSearching);
      counts.boxes += drawn.boxes;
      counts.labels += drawn.labels;
      for (const marks of part.marks) this.marks(marks, place, viewer);
      this.outline(part, place, viewer.hover, this.colour.dim);
      this.outline(part, place, viewer.selected, this.colour.accent);
    });
    this.headers(lines, top, edge, viewer, part.charts);
    for (const { top: at, height, label } of part.objects) this.object(label, Math.round((at - top) * this.ratio), height);
  }

  /**
   * @param {Part} part
   * @param {Where} place
   * @param {{ kind: string, id: number } | undefined} element
   * @param {string} style
   */
  outline(part, place, element, style) {
    if (!element) return;
    const { context, ratio } = this;
    const { numbers, edges } = part;
    context.strokeStyle = style;
    context.lineWidth = 2 * ratio;
    for (let at = 2, box = 0; at < numbers.length; at += NUMBERS, box += 2) {
      if (numbers[at] !== element.id || kindOf(numbers[at + 3]) !== element.kind) continue;
      const x = Math.max(Math.round(edges[box] * place.scale + place.shift), place.left - 4 * ratio);
      const end = Math.min(Math.round(edges[box + 1] * place.scale + place.shift), place.right + 4 * ratio);
      const y = Math.round((numbers[at - 2] - place.top) * ratio);
      context.strokeRect(x, y, Math.max(end - x, 2) - 1, numbers[at - 1] * ratio - 1);
    }
  }

  /**
   * How many of the rows that a header stands for are busy.
   * @param {import('../engine.js').Strip} strip
   * @param {Where} place
   */
  strip({ top, height, offset, busy }, place) {
    const { context, ratio } = this;
    const most = Math.max(1, busy.reduce((most, one) => Math.max(most, one), 0));
    const bottom = Math.round((top - place.top + height - 3) * ratio), high = (height - 6) * ratio;
    context.fillStyle = this.colour.instant;
    for (let column = 0; column < busy.length; column++) {
      if (busy[column] === 0) continue;
      const x = Math.round((column - offset) * place.scale + place.shift);
      const end = Math.round((column + 1 - offset) * place.scale + place.shift);
      const up = Math.max(Math.round((busy[column] / most) * high), 1);
      context.fillRect(x, bottom - up, Math.max(end - x, 1), up);
    }
  }

  /**
   * A counter: each layer from its least to its largest value, darker up to the least.
   * @param {import('../engine.js').ChartPart} chart
   * @param {Where} place
   */
  chartOf({ top, height, offset, least, most, layers, low, high: highest, note, apart }, place) {
    const { context, ratio, palette } = this;
    const high = (height - 6) * ratio, bottom = (top - place.top + height - 2) * ratio;
    const y = (/** @type {number} */ value) => bottom - ((Math.min(Math.max(value || 0, least), most) - least) / (most - least || 1)) * high;
    for (const { shade, runs } of layers) {
      context.fillStyle = apart ? this.apart[shade] : palette.fills[2][shade];
      context.beginPath();
      for (let at = 0; at < runs.length; at += 4) {
        const x = Math.round((runs[at] - offset) * place.scale + place.shift);
        const end = Math.round((runs[at + 1] - offset) * place.scale + place.shift);
        const up = y(runs[at + 3]), zero = y(0);
        context.rect(x, Math.min(up, zero), Math.max(end - x, 1), Math.max(Math.abs(zero - up), 1));
      }
      context.fill();
    }
    // The largest and the least value in view, if both have room.
    const line = (palette.size + 3) * ratio, above = (top - place.top + 2) * ratio;
    this.tag([highest, note].filter(Boolean).join(' · '), place.left, above, line);
    if (low !== highest && 2 * line <= height * ratio - 2) this.tag(low, place.left, bottom - line, line);
  }

  /**
   * A text on a ground of its own, so that no line goes through it.
   * @param {string} text
   * @param {number} x
   * @param {number} y
   * @param {number} high
   */
  tag(text, x, y, high) {
    if (!text) return;
    const { context, ratio, palette, colour } = this;
    context.globalAlpha = 0.85;
    this.fill(colour.page, x, y, text.length * palette.letter + 8 * ratio, high);
    context.globalAlpha = 1;
    this.write(text, x + 4 * ratio, y + high / 2, colour.text);
  }

  /**
   * Instants of a process or of the whole trace, through all of its rows.
   * @param {Marks} marks
   * @param {Where} place
   */
  wide({ top, bottom = top, offset, numbers }, place) {
    const { context, ratio, colour } = this;
    const y = (top - place.top + 2) * ratio;
    context.fillStyle = colour.instant;
    context.globalAlpha = 0.45;
    for (let at = 0; at < numbers.length; at += 4) {
      const x = Math.round((numbers[at] + 0.5 - offset) * place.scale + place.shift);
      context.fillRect(x, y, 1, (bottom - place.top) * ratio - y);
    }
    context.globalAlpha = 1;
  }

  /**
   * @param {Marks} marks
   * @param {Where} place
   * @param {Viewer} viewer
   */
  marks({ top, offset, numbers }, place, { finder: { isSearching } }) {
    const { context, ratio, colour } = this;
    const y = (top - place.top + 2) * ratio, size = MARK * ratio;
    for (let at = 0; at < numbers.length; at += 4) {
      const x = Math.round((numbers[at] + 0.5 - offset) * place.scale + place.shift);
      context.fillStyle = numbers[at + 3] ? colour.hit : colour.instant;
      context.globalAlpha = isSearching && !numbers[at + 3] ? 0.35 : 1;
      this.polygon([x, y], [x + size, y + size], [x, y + 2 * size], [x - size, y + size]);
    }
    context.globalAlpha = 1;
  }

  /**
   * @param {Picture} frame
   * @param {View} view
   * @param {number} top
   */
  arrows(frame, view, top) {
    const { context, colour, ratio } = this;
    const place = this.place(frame, view, top);
    const { arrows } = frame;
    for (let at = 0; at < arrows.length; at += 6) {
      const [x0, x1] = [arrows[at], arrows[at + 2]].map((x) => x * place.scale + place.shift);
      const [y0, y1] = [arrows[at + 1], arrows[at + 3]].map((y) => (y - top) * ratio);
      const isOwn = arrows[at + 5] === 1;
      const bend = Math.min(Math.max(Math.abs(x1 - x0) / 2, 16 * ratio), 160 * ratio) * (x1 < x0 ? -1 : 1);
      context.strokeStyle = context.fillStyle = isOwn ? colour.accent : colour.dim;
      context.globalAlpha = isOwn ? 1 : 0.55;
      context.lineWidth = (isOwn ? 2 : 1) * ratio;
      context.beginPath();
      context.moveTo(x0, y0);
      context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
      context.stroke();
      const back = (x1 < x0 ? 6 : -6) * ratio;
      this.polygon([x1, y1], [x1 + back, y1 - 3.5 * ratio], [x1 + back, y1 + 3.5 * ratio]);
    }
  }

  /**
   * A text in the lower right corner, about what is not drawn.
   * @param {string} text
   */
  corner(text) {
    const { colour, ratio, palette, width, height } = this;
    const wide = (text.length * palette.letter) + 12 * ratio, high = 18 * ratio;
    this.fill(colour.head, width - wide, height - high, wide, high);
    this.write(text, width - wide + 6 * ratio, height - high / 2, colour.text);
  }

  /**
   * The colours of durations in the lower right corner, each with the shortest one that has it, as far as they have room.
   * @param {import('../engine.js').About['durationShades']} shades
   */
  durations(shades) {
    const { colour, ratio, palette, height } = this;
    const widest = (7 + 2) * palette.letter + 14 * ratio, high = 18 * ratio;
    const shown = shades.slice(-Math.max(Math.floor(this.chart / widest), 1));
    let x = this.width - shown.length * widest;
    this.fill(colour.head, x - 6 * ratio, height - high, this.width - x + 6 * ratio, high);
    for (const [shade, text] of shown) {
      this.fill(palette.fills[3][shade], x, height - high + 4 * ratio, 10 * ratio, 10 * ratio);
      this.write(`≥ ${text.replace(/(\d)\.\d+/, '$1')}`, x + 13 * ratio, height - high / 2, colour.text);
      x += widest;
    }
  }

  // The names of tracks at the left. A name stays in sight as long as something of its track does, and so does the
  // process of what is at the upper edge.
  /**
   * @param {import('../engine.js').Lines} lines
   * @param {number} top
   * @param {number} edge
   * @param {Viewer} viewer
   * @param {import('../engine.js').ChartPart[]} charts
   */
  headers(lines, top, edge, viewer, charts) {
    const { colour, names, width, ratio } = this;
    const bottom = top + this.height / ratio;
    /** @type {Header | undefined} */
    let above;
    /** @type {Header | undefined} */
    let next;
    for (const header of lines.headers) {
      const isProcess = header.item.kind === 'process';
      if (isProcess && header.top - top < edge) above = header;
      else if (isProcess) next ??= header;
      if (header.top >= bottom) break;
      if (header.bottom - top <= edge) continue;
      const y = Math.round((header.top - top) * ratio), end = Math.round((header.bottom - top) * ratio);
      if (isProcess) {
        this.processHeader(header, y, viewer);
        continue;
      }
      this.fill(colour.names, 0, y, names * ratio, end - y);
      this.fill(colour.line, 0, end - 1, width, 1);
      const from = Math.min(Math.max(y, (edge + (above ? PROCESS : 0)) * ratio), end - 20 * ratio);
      this.label(header, 8, from + 12 * ratio, viewer);
      const chart = charts.find((one) => one.apart && one.top === header.top);
      if (chart) this.legend(chart, from + 27 * ratio);
    }
    if (above) this.processHeader(above, Math.round(Math.min(edge, (next?.top ?? Infinity) - top - PROCESS) * ratio), viewer);
    this.fill(colour.line, Math.round(names * ratio) - 1, 0, 1, this.height);
  }

  /**
   * @param {Header} header
   * @param {number} y
   * @param {Viewer} viewer
   */
  processHeader(header, y, viewer) {
    const { colour, ratio, width } = this;
    const isFolded = viewer.arranged.isIn('folded', header.item);
    // What a folded process stands for is drawn beside its name.
    this.fill(colour.head, 0, y, isFolded ? this.names * ratio : width, PROCESS * ratio);
    this.fill(colour.line, 0, y + PROCESS * ratio - 1, width, 1);
    this.label(header, 6, y + (PROCESS / 2) * ratio, viewer, !isFolded);
  }

  /**
   * @param {Header} header
   * @param {number} x
   * @param {number} y
   * @param {Viewer} viewer
   */
  label(header, x, y, viewer, isWide = false) {
    const { context, colour, ratio, palette } = this;
    const { label, detail, isRepeated } = viewer.arranged.labels.get(viewer.arranged.key(header.item)) ?? { label: '', detail: '', isRepeated: false };
    const isProcess = header.item.kind === 'process';
    const sign = viewer.arranged.isIn('folded', header.item) ? '▸ ' : isProcess ? '▾ ' : '';
    const mark = !isProcess && viewer.arranged.isIn('pinned', header.item) ? '↑ ' : '';
    const room = this.letters((isWide ? this.width / ratio : this.names) - x - 8);
    // Of tracks with the same name, what tells them apart has a place beside at most three fifths of the name.
    const all = `${sign}${mark}${label}`;
    const text = cut(all, isRepeated && detail ? Math.max(room - detail.length - 1, Math.floor(room * 0.6)) : room);
    if (viewer.flashed === viewer.arranged.key(header.item)) {
      context.globalAlpha = 0.3;
      this.fill(colour.hit, 0, y - 9 * ratio, (isWide ? this.width / ratio : this.names) * ratio, 18 * ratio);
      context.globalAlpha = 1;
    }
    this.write(text, x * ratio, y, viewer.finder.isFoundTrack(header.item) ? colour.hit : colour.text, isProcess ? `600 ${palette.deviceFont}` : undefined);
    const left = room - text.length - 1;
    if (detail && left >= Math.min(detail.length, 4)) this.write(isRepeated ? cutFront(detail, left) : cut(detail, left), x * ratio + (text.length + 1) * palette.letter, y, colour.dim);
  }

  /**
   * The colours and the names of the series of a counter below its name, the highest first, as far as they have room.
   * @param {import('../engine.js').ChartPart} chart
   * @param {number} y
   */
  legend({ layers }, y) {
    const { ratio, palette, colour, names } = this;
    const room = Math.max(Math.floor(this.letters(names - 16) / layers.length) - 3, 0);
    let x = 8 * ratio;
    for (const { shade, name } of layers) {
      const text = cut(clean(name) || '(no name)', room);
      if (x + (text.length + 2) * palette.letter > names * ratio) break;
      this.fill(this.apart[shade], x, y - 4 * ratio, 8 * ratio, 8 * ratio);
      this.write(text, x + 11 * ratio, y, colour.dim);
      x += 11 * ratio + (text.length + 1) * palette.letter;
    }
  }

  /**
   * The name of a type of objects, at the left of their lines.
   * @param {string} label
   * @param {number} y
   * @param {number} height
   */
  object(label, y, height) {
    const { colour, ratio, names } = this;
    this.fill(colour.names, 0, y, Math.round(names * ratio) - 1, height * ratio);
    this.write(cut(clean(label) || '(no name)', this.letters(names - 24)), 16 * ratio, y + Math.min(height / 2, 9) * ratio, colour.dim);
  }

  /**
   * A place where the file is damaged: a cross in the ruler, and a line through all tracks.
   * @param {number} x
   */
  damage(x) {
    const { context, colour, ratio, height, names } = this;
    if (x < names * ratio || x > this.width) return;
    context.save();
    context.strokeStyle = colour.hit;
    context.lineWidth = ratio;
    context.beginPath();
    for (const sign of [-1, 1]) {
      context.moveTo(x - 4 * ratio, (RULER - 6 - 4 * sign) * ratio);
      context.lineTo(x + 4 * ratio, (RULER - 6 + 4 * sign) * ratio);
    }
    context.setLineDash([]);
    context.stroke();
    context.setLineDash([2 * ratio, 4 * ratio]);
    context.beginPath();
    context.moveTo(x, RULER * ratio);
    context.lineTo(x, height);
    context.stroke();
    context.restore();
  }

  /**
   * The texts on the ruler about the chosen range and the marks, where they have room, with their edges.
   * @param {Viewer} viewer
   */
  tags({ view, range, about, place: { marks } }) {
    const { ratio, palette, width } = this, left = Math.round(this.names * ratio);
    /** @type {{ text: string, from: number, to: number }[]} */
    const tags = [];
    const add = (/** @type {string} */ text, /** @type {(width: number) => number} */ place) => {
      const wide = (text.length + 1) * palette.letter;
      const from = Math.max(Math.min(place(wide), width - wide), left), to = from + wide;
      if (text && !tags.some((other) => from < other.to && other.from < to)) tags.push({ text, from, to });
    };
    if (range) {
      const middle = (this.x(range.start, view) + this.x(range.end, view)) / 2;
      add(duration(range.end - range.start, about.unit), (wide) => middle - wide / 2);
    }
    for (const { at, end = at, text } of [...marks].sort((a, b) => a.at - b.at)) {
      const [x, until] = [this.x(at, view), this.x(end, view)];
      if (until >= left && x <= width) add(cut(clean(text ?? ''), 32), () => x + 3 * ratio);
    }
    return tags;
  }

  /**
   * @param {Picture} frame
   * @param {View} view
   * @param {Viewer} viewer
   */
  ruler(frame, view, viewer) {
    const { width, colour, ratio, palette } = this;
    const tags = this.tags(viewer);
    const high = RULER * ratio, place = this.place(frame, view, 0);
    this.fill(colour.names, 0, 0, width, high);
    this.fill(colour.line, 0, high - 1, width, 1);
    for (const [at, text] of frame.ruler) {
      const x = Math.round(at * place.scale + place.shift);
      if (x < place.left) continue;
      this.fill(colour.line, x, high - 8 * ratio, 1, 8 * ratio);
      const end = x + (text.length + 1) * palette.letter;
      const isFree = end < width && !tags.some((tag) => x < tag.to && tag.from < end);
      if (isFree) this.write(text, x + 4 * ratio, high / 2, colour.dim);
    }
    for (const { text, from } of tags) this.write(text, from + palette.letter / 2, high / 2, colour.accent);
    this.fill(colour.names, 0, 0, place.left - 1, high - 1);
    const room = this.letters(this.names - 16), shown = duration(view.duration, frame.unit);
    if (viewer.about.counts.length) this.write(cut(shown.length + 8 > room ? shown : `${shown} in view`, room), 8 * ratio, high / 2, colour.dim);
  }

  /**
   * What lies over all tracks: the chosen range, marks, and the box that is dragged.
   * @param {Viewer} viewer
   */
  over({ view, range, box, place: { marks }, arranged: { rangeKeys, key }, lines, mainTop, main }) {
    const { context, colour, ratio, height } = this;
    const left = Math.round(this.names * ratio);
    if (range) {
      const [from, to] = [this.x(range.start, view), this.x(range.end, view)];
      this.fill(colour.range, left, 0, from - left, height);
      context.fillRect(to, 0, this.width - to, height);
      // Tracks that are not of the range.
      for (const header of range.items ? lines.main.headers : []) {
        const above = Math.max(header.top - main.scrollTop, 0) + mainTop, below = header.bottom - main.scrollTop + mainTop;
        if (above * ratio >= height) break;
        if (below > mainTop && !rangeKeys.has(key(header.item))) context.fillRect(from, above * ratio, to - from, (below - above) * ratio);
      }
      context.fillStyle = colour.accent;
      for (const x of [from, to]) context.fillRect(x, 0, ratio, height);
    }
    context.fillStyle = colour.accent;
    for (const { at, end = at } of marks) {
      const [x, until] = [this.x(at, view), this.x(end, view)];
      for (const edge of new Set([x, until])) context.fillRect(edge, 0, ratio, height);
      context.fillRect(x, 0, Math.max(until - x, 7 * ratio), (end > at ? 3 : 5) * ratio);
    }
    if (box) {
      context.strokeStyle = colour.accent;
      context.lineWidth = ratio;
      context.strokeRect(box.x * ratio, box.y * ratio, box.width * ratio, box.height * ratio);
    }
  }

  /**
   * The box of a part under a place on the canvas, in CSS pixels.
   * @param {Picture} frame
   * @param {Part} part
   * @param {View} view
   * @param {number} top
   * @param {number} x
   * @param {number} y
   */
  boxAt(frame, part, view, top, x, y) {
    return boxAt(part, this.place(frame, view, top), x * this.ratio, y * this.ratio, 3 * this.ratio);
  }
}
