// One trace on the page: what each part of the page does with it.
import { element, button, memory } from './dom.js';
import { View } from './view.js';
import { Arranged } from './place.js';
import { Steps } from './steps.js';
import { Painter, RULER } from './paint.js';
import { Pictures } from './pictures.js';
import { Meter } from './meter.js';
import { Overview } from './overview.js';
import { Tip } from './tip.js';
import { elementAt, headerAt } from './under.js';
import { attachPointer } from './pointer.js';
import { attachKeys, openPalette, openSettings } from './keys.js';
import { Drawer } from './drawer.js';
import { Finder } from './find.js';
import { Growth } from './growth.js';
import { counted, duration } from './text.js';

/**
 * @typedef {import('./place.js').Range} Range
 * @typedef {import('../engine.js').Seen} Seen
 * @typedef {import('../engine.js').Changed} Changed
 *
 * @typedef {object} Surroundings
 * @property {boolean} [isPage] whether the viewer is the whole page: its keys are the viewer's wherever the focus is, and its
 *   address keeps the place
 * @property {(name: string, detail: unknown) => void} [tell] is called with what happens
 * @property {(name: string, nanoseconds: bigint) => unknown} [moveFile] adds to the times of a file instead of what was added before
 * @property {(value: string | undefined) => unknown} [showValue] opens the trace with another value of its samples
 * @property {(finished: import('../page.js').Finished, fault: string | undefined) => unknown} [grown] shows the finished trace of one that grew,
 *   and what is wrong
 * @property {boolean} [hasGrown] whether this is one
 */

/**
 * @typedef {{ '#timeline': HTMLCanvasElement, '#overview': HTMLCanvasElement, '#find': HTMLInputElement, '#palette': HTMLDialogElement }} Elements
 */

// What a user has set for all traces. The rest is a part of the place, and how a trace is shown for which no address says it.
const OWN = { wheel: 'scroll', drag: 'select', own: 'use', palette: 'calm', theme: 'auto', text: 11 };
const PLACED = {
  colorBy: /** @type {import('../engine.js').ColorBy} */ ('name'), arrows: /** @type {import('../engine.js').Arrows} */ ('selected'), showsEmpty: false,
};
const OPTIONS = { ...OWN, ...PLACED };
/** @typedef {typeof OPTIONS} Settings */

export class Viewer {
  // Aborts when another trace is opened, so that no listener outlives its trace.
  ends = new AbortController();
  /** @type {typeof OPTIONS} */
  options = { ...OPTIONS, ...JSON.parse(memory.get('options') ?? '{}') };
  /** @type {import('./under.js').Element | undefined} */
  selected = undefined;
  /** @type {import('./under.js').Found | undefined} */
  hover = undefined;
  /** @type {{ x: number, y: number } | undefined} */
  pointer = undefined; // in CSS pixels from the upper left corner of the canvas
  /** @type {{ x: number, y: number, width: number, height: number } | undefined} */
  box = undefined; // that is dragged over time and tracks
  /** @type {string | undefined} */
  flashed = undefined; // the header that was gone to just now
  /** @type {number | undefined} */
  drop = undefined; // the height at which a track that is dragged would be put
  isDragging = false;
  isSpaceHeld = false;
  isDrawing = false;
  drawnAt = 0;
  /** @type {import('../engine.js').Answers['damage'] | undefined} */
  damage = undefined;
  /** @type {string | undefined} */
  compared = undefined; // the name of the other trace

  /**
   * @param {HTMLElement} pane contains the elements of `markup.js`
   * @param {import('../page.js').Source} source
   * @param {import('../engine.js').About} about
   * @param {string} title
   * @param {Surroundings} [surroundings]
   */
  constructor(pane, source, about, title, { isPage = false, tell = () => {}, moveFile, showValue, grown, hasGrown = false } = {}) {
    this.pane = pane;
    this.source = source;
    this.about = about;
    this.title = title;
    this.tell = tell;
    this.isPage = isPage;
    this.moveFile = moveFile;
    this.showValue = showValue;
    this.grown = grown;
    /** @type {EventTarget} */
    this.keyboard = isPage ? window : pane;
    this.view = new View(about);
    this.arranged = new Arranged(about);
    this.steps = new Steps(this);
    this.pictures = new Pictures(this);
    this.canvas = this.$('#timeline');
    this.main = this.$('#main');
    this.painter = new Painter(this.canvas, about.colours);
    this.meter = new Meter(this);
    this.tip = new Tip(this);
    this.overview = new Overview(this);
    this.finder = new Finder(this);
    this.growth = new Growth(this, hasGrown);
    this.drawer = new Drawer(this);
    this.head();
    this.watch();
    const { signal } = this.ends;
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => this.theme(), { signal });
    }
    attachPointer(this);
    attachKeys(this);
  }

  /**
   * @template {string} Selector
   * @param {Selector} selector
   * @returns {Selector extends keyof Elements ? Elements[Selector] : HTMLElement}
   */
  $(selector) {
    const found = this.pane.querySelector(selector);
    if (!found) throw new Error(`there is no ${selector}`);
    return /** @type {Selector extends keyof Elements ? Elements[Selector] : HTMLElement} */ (found);
  }

  close() {
    this.leave();
    this.source.close?.();
  }

  // Leaves the page to another viewer of the same source.
  leave() {
    this.ends.abort();
    this.tip.hide();
  }

  /**
   * Goes on without waiting for an answer, which a viewer that is closed by then does not get.
   * @param {Promise<unknown>} asked
   */
  begin(asked) {
    asked.catch((error) => { if (!this.ends.signal.aborted) throw error; });
  }

  async open() {
    this.theme();
    this.resize();
    await this.steps.restore(this.isPage ? location.hash : '');
    this.growth.run();
    const [start, end] = this.about.active;
    if (end - start < this.about.span * 0.9) this.hint(`A few events lie far away from the rest, so this shows ${duration(end - start, this.about.unit)} of ${duration(this.about.span, this.about.unit)}.`, button('Show all', '0', () => this.run('fitAll')));
    const urgent = this.about.notes.find(({ isUrgent }) => isUrgent);
    if (urgent) this.hint(urgent.text, button('Notes', 'What there is to say about the files', () => this.drawer.show('notes')));
    if (!this.isPage) return;
    this.canvas.focus({ preventScroll: true });
    // Back, Forward, and an address that was pasted over this one.
    addEventListener('hashchange', () => this.steps.restore(location.hash), { signal: this.ends.signal });
  }

  // What the user has set, as the engine has answered last.
  get place() {
    return this.arranged.place;
  }

  get lines() {
    return this.arranged.lines;
  }

  get range() {
    return this.arranged.range;
  }

  // The slice that is selected.
  get slice() {
    return this.selected?.kind === 'slice' ? this.selected.id : undefined;
  }

  // The last picture, and the names that are in any.
  get frame() {
    return this.pictures.last;
  }

  get names() {
    return this.pictures.names;
  }

  get measure() {
    return this.place.measure || undefined;
  }

  // The range that statistics and call trees are about.
  get area() {
    return { ...(this.range ?? { start: this.about.start, end: this.about.end + 1 }), measure: this.measure, tracks: this.place.tracks || undefined };
  }

  // What is shown of the timeline, which moves by itself between questions.
  /** @returns {Seen} */
  get seen() {
    const { view, main, painter, pointer, drawer } = this;
    const columns = Math.min(Math.max(Math.round(painter.chart / painter.ratio), 1), 65535);
    return {
      view: view.isMoved ? view.range : undefined, top: main.scrollTop, columns, height: this.room,
      pointer: pointer && pointer.x >= painter.names ? Math.round(this.timeAt(pointer.x)) : undefined,
      item: pointer && headerAt(this, pointer.y)?.item,
      panel: drawer.name,
    };
  }

  // What the user has set and what is shown of it now, for an address or a page. All of a trace that grows stays in view.
  /** @returns {import('./place.js').Place} */
  get current() {
    const { place, view, main, drawer, growth } = this;
    const showsAll = growth.state && !place.view && !view.isMoved;
    return { ...place, ...(!showsAll && { view: view.range }), follows: growth.follows, top: main.scrollTop, panel: drawer.name };
  }

  // The commands come in through here, because no two modules of a saved page can import each other.
  openPalette(text = '') {
    openPalette(this, text);
  }

  openSettings() {
    openSettings(this);
  }

  /**
   * Does what the user wants. `opens` is whether a panel is opened about what is selected by it.
   * @param {import('../engine.js').Action} action
   */
  act(action, opens = true) {
    return this.steps.ask((seen) => this.source.act(action, seen), opens);
  }

  /** @param {import('../engine.js').Command} command */
  run(command) {
    return this.act({ command });
  }

  /**
   * Changes a part of what the user has set.
   * @param {Partial<import('./place.js').Place>} part
   */
  change(part) {
    return this.steps.ask((seen) => this.source.apply({ ...this.current, ...part }, seen));
  }

  /**
   * Selects an element, and opens a panel about it if none is open. A span of a derived track leads to what it stands for.
   * @param {import('./under.js').Element | undefined} found
   */
  select(found, opens = true) {
    if (found?.kind === 'derived' && opens && !this.drawer.current) this.drawer.show('details'); // which leaves less room
    return this.act({ select: [found && { kind: found.kind, id: found.id }, found?.at ?? 0] }, opens);
  }

  /**
   * Selects a slice and brings it into view, if need be by opening what it is folded into.
   * @param {number} slice
   */
  go(slice) {
    if (!this.drawer.current) this.drawer.show('details'); // which leaves less room
    return this.act({ go: slice });
  }

  /**
   * Goes to something that may have been found.
   * @param {import('../engine.js').Target} target
   */
  async visit(target) {
    if (target.kind === 'slice' && !this.drawer.current) this.drawer.show('details'); // which leaves less room
    await this.act({ visit: target }, false);
    this.flash(target);
  }

  /**
   * Lights up the header that was gone to for a moment.
   * @param {import('../engine.js').Target} target
   */
  flash({ kind, id }) {
    if (!['process', 'track', 'pack', 'derived'].includes(kind)) return;
    const key = (this.flashed = `${kind}:${id}`);
    this.redraw();
    setTimeout(() => {
      if (this.flashed === key) this.flashed = undefined;
      this.redraw();
    }, 1000);
  }

  /**
   * Shows a range of time.
   * @param {number} start
   * @param {number} end
   */
  show(start, end) {
    return this.act({ show: [Math.round(start), Math.max(Math.round(end), Math.round(start) + 1)] });
  }

  /**
   * Brings a time into the middle of the view.
   * @param {number} time
   */
  lookAt(time) {
    const { duration } = this.view;
    return this.show(time - duration / 2, time + duration / 2);
  }

  /**
   * Chooses a range of time, of some tracks or all, whose statistics and call trees are shown.
   * @param {Range | undefined} range
   */
  setRange(range) {
    return this.act({ choose: this.arranged.chosen(range) });
  }

  /**
   * Hides a text, or shows it again.
   * @param {'categories' | 'names'} list
   * @param {string} text
   */
  flip(list, text) {
    const { categories, names } = this.place;
    const lists = { categories, names }, texts = lists[list];
    lists[list] = texts.includes(text) ? texts.filter((other) => other !== text) : [...texts, text];
    return this.act({ filter: [lists.categories, lists.names] });
  }

  head() {
    const { title } = this;
    if (this.isPage) document.title = `${title} – trace`;
    this.$('h1').textContent = title;
    this.summarise();
    this.$('#tools').replaceChildren(
      ...this.drawer.buttons(),
      button('◐', 'Light or dark', () => this.setOption('theme', { auto: 'dark', dark: 'light' }[this.options.theme] ?? 'auto')),
      ...(this.source.save ? [button('⤓', 'Save as a page', () => this.save())] : []),
      button('⚙', 'Settings', () => this.openSettings()),
      button('?', 'Keys and commands', () => this.openPalette()),
    );
  }

  // Says what there is.
  summarise() {
    const { about } = this;
    const counts = about.counts.map(([what, count]) => counted(count, what));
    const summary = [about.format, ...counts, duration(about.span, about.unit)].join(' · ');
    this.$('#about').textContent = summary;
    this.$('#about').title = summary;
  }

  /**
   * A trace that grows has other lines or names.
   * @param {Changed} changed
   */
  relist(changed) {
    this.arranged.list(this.about);
    this.arranged.take(changed);
    this.fitHeight();
    this.drawer.changed('tracks');
  }

  /**
   * @param {string} text
   * @param {HTMLElement[]} tools
   */
  hint(text, ...tools) {
    const hint = this.$('#hint');
    hint.replaceChildren(element('span', { textContent: text }), ...tools, button('×', 'Close', () => { hint.hidden = true; }));
    hint.hidden = !text;
  }

  // Saves a page that has the trace and this viewer in one file.
  async save() {
    this.hint('Packing the files …');
    let page;
    try {
      page = await this.source.save?.(this.current);
    } catch (error) {
      return this.hint(`The page cannot be saved: ${error.message}.`);
    }
    this.hint('');
    if (!page) return;
    const link = element('a', { href: URL.createObjectURL(page), download: `${this.title}.html` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  /**
   * Says something to those who do not see the canvas.
   * @param {string} text
   */
  say(text) {
    this.$('#live').textContent = text;
  }

  // What the user has set, as far as it is no range, mark or track.
  /** @returns {Settings} */
  get settings() {
    const { colorBy, arrows, showsEmpty } = this.place;
    return { ...this.options, colorBy, arrows, showsEmpty };
  }

  /**
   * @param {keyof typeof OPTIONS} key
   * @param {string | number | boolean} value
   */
  async setOption(key, value) {
    Object.assign(this.options, { [key]: value });
    memory.set('options', JSON.stringify(this.options));
    if (key in PLACED) return this.change({ [key]: value });
    this.theme();
    this.ask();
  }

  // Follows the sizes of the pane and of its pixels.
  watch() {
    const { signal } = this.ends;
    const observer = new ResizeObserver(([entry]) => this.resize(entry));
    // Not every browser tells pixels of the device, and those refuse to be asked.
    const isExact = 'devicePixelContentBoxSize' in ResizeObserverEntry.prototype;
    observer.observe(this.main, { box: isExact ? 'device-pixel-content-box' : 'content-box' });
    signal.addEventListener('abort', () => observer.disconnect());
    this.main.addEventListener('scroll', () => this.ask(), { signal });
    this.watchRatio();
  }

  // The size of a pixel changes with the zoom of the page and the screen that the window is on.
  watchRatio() {
    const { signal } = this.ends;
    const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    query.addEventListener('change', () => {
      this.resize();
      this.watchRatio();
    }, { once: true, signal });
  }

  /** @param {ResizeObserverEntry} [entry] */
  resize(entry) {
    const ratio = devicePixelRatio || 1;
    const exact = entry?.devicePixelContentBoxSize?.[0];
    // What was measured before the size of a pixel changed is of no use.
    const nearest = (/** @type {number | undefined} */ measured, /** @type {number} */ css) => (measured !== undefined && Math.abs(measured - css * ratio) < 2 ? measured : Math.round(css * ratio));
    const width = nearest(exact?.inlineSize, this.main.clientWidth);
    const height = nearest(exact?.blockSize, this.main.clientHeight);
    this.canvas.style.width = `${width / ratio}px`;
    this.canvas.style.height = `${height / ratio}px`;
    this.painter.resize(Math.max(width, 1), Math.max(height, 1), ratio);
    this.overview.align(this.painter.names);
    this.fitHeight();
    this.overview.changed();
    this.ask();
    this.draw();
  }

  /**
   * Gives the names of tracks another width.
   * @param {number} width
   */
  widenNames(width) {
    this.painter.chosenNames = Math.round(Math.max(width, 40));
    memory.set('names', this.painter.chosenNames);
    this.resize();
  }

  // Makes the page as high as all lines together, so that it scrolls.
  fitHeight() {
    const all = RULER + this.pinnedHeight + this.lines.main.height;
    this.$('#height').style.height = `${Math.max(all - this.painter.height / this.painter.ratio, 0)}px`;
  }

  get height() {
    return this.main.clientHeight;
  }

  // How high it is without the ruler.
  get room() {
    return Math.max(this.height - RULER, 0);
  }

  // Pinned tracks take at most two fifths of that.
  get pinnedHeight() {
    return Math.min(this.lines.pinned.height, Math.floor(this.room * 0.4));
  }

  // Where the lines begin that scroll.
  get mainTop() {
    return RULER + this.pinnedHeight;
  }

  theme() {
    this.pane.dataset.theme = this.options.theme;
    this.painter.theme(this.options.palette === 'okabeIto', this.options.text);
    this.pane.style.fontSize = this.options.text > 11 ? '15px' : '';
    this.overview.changed();
    this.drawer.resized();
    this.redraw();
  }

  // Asks for a picture of what is in view.
  ask() {
    this.pictures.ask();
  }

  /**
   * The time at a place on the canvas.
   * @param {number} x
   */
  timeAt(x) {
    return this.view.start + ((x - this.painter.names) / (this.painter.chart / this.painter.ratio)) * this.view.duration;
  }

  /**
   * Where a time is on the canvas.
   * @param {number} time
   */
  xOf(time) {
    return this.painter.x(time, this.view) / this.painter.ratio;
  }

  // Draws in the next frame of the screen, however often it is called.
  redraw() {
    this.overview.redraw();
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      if (!this.ends.signal.aborted) this.draw();
    });
  }

  // The view changed: asks for its picture, and meanwhile shows the last one moved and scaled.
  moved() {
    this.pictures.adapt();
    if (this.growth.isGrowing) this.growth.sign();
    this.ask();
    if (performance.now() - this.drawnAt > 30) this.redraw();
    this.overview.redraw();
    this.drawer.entries?.moved();
    this.steps.remember();
  }

  draw() {
    if (!this.painter.palette || !this.painter.width) return;
    const began = performance.now();
    this.findHover();
    const counts = this.painter.draw(this);
    const ended = performance.now();
    this.drawnAt = ended;
    this.pictures.took.draw = ended - began;
    this.meter.add('draw', ended - began);
    this.meter.frame(ended, counts);
    this.tip.update();
  }

  // What is under the pointer changes also when the view moves below it.
  findHover() {
    const { kind, id } = this.hover ?? {};
    this.hover = this.pointer && !this.isDragging ? elementAt(this, this.pointer.x, this.pointer.y) : undefined;
    if (this.hover?.kind !== kind || this.hover?.id !== id) this.tell('hover', this.hover && { kind: this.hover.kind, id: this.hover.id });
  }
}
