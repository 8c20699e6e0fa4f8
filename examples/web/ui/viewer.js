// One trace on the page: its state, and what each part of the page does with it.
//
// A source answers what there is to know about a trace; `wasm.js` and `embedded.js` have one each. All answers may be
// promises. A source without the function that a panel asks has no such panel.
import { element, button, memory } from './dom.js';
import { View } from './view.js';
import { kindOf } from './boxes.js';
import { Painter, RULER } from './paint.js';
import { Meter } from './meter.js';
import { Overview } from './overview.js';
import { attachPointer } from './pointer.js';
import { attachKeys, openPalette, openSettings } from './keys.js';
import { Drawer } from './drawer.js';
import { Finder } from './find.js';
import { Tip } from './tip.js';
import { toAddress, fromAddress } from './address.js';
import { byActivity, inOrder, siblings } from './order.js';
import { counted, clean, duration, grouped } from './text.js';

export class Viewer {
  // `pane` contains the elements of `markup.js`. `isPage` says that they are the whole page: its keys are the viewer's
  // wherever the focus is, and its address keeps the view. `tell` is called with what happens. `shifts` are the nanoseconds
  // that were added to files by hand, and `moveFile` adds others. `showValue` opens the trace with another value of samples.
  constructor(pane, source, about, title, { isPage = false, tell = () => {}, shifts = new Map(), moveFile, showValue } = {}) {
    Object.assign(this, { pane, isPage, tell, shifts, moveFile, showValue });
    this.keyboard = isPage ? window : pane;
    this.source = source;
    this.about = about;
    this.title = title;
    this.view = new View(about.start, about.end);
    this.top = 0;
    this.range = undefined; // a part of the time that the user chose, with `items` if only some tracks count
    this.rangeKeys = new Set(); // the keys of these items
    this.marks = [];
    this.selected = undefined; // { kind, id }
    this.hover = undefined;
    this.pointer = undefined; // in CSS pixels from the upper left corner of the canvas
    this.names = new Map();
    this.lines = { main: { headers: [], height: 0 }, pinned: { headers: [], height: 0 } };
    this.arrangement = { folded: new Set(), hidden: new Set(), pinned: new Set(), categories: new Set(), names: new Set(), moves: [], isByActivity: false };
    this.filter = this.hiddenInPlace(); // what the source leaves out
    this.groups = about.groups; // in the order in which they are shown
    this.options = { wheel: 'scroll', drag: 'select', colour: 'name', own: 'use', palette: 'calm', theme: 'auto', arrows: 'selected', text: 11, empty: 'hide', ...JSON.parse(memory.get('options') ?? '{}') };
    this.frame = undefined;
    this.isAsking = this.isWanted = this.isDrawing = false;
    this.listItems();
    this.canvas = this.$('#timeline');
    this.main = this.$('#main');
    this.painter = new Painter(this.canvas, about.colours);
    this.meter = new Meter(this);
    this.tip = new Tip(this);
    this.finder = new Finder(this);
    this.overview = new Overview(this);
    this.drawer = new Drawer(this);
    this.head();
    this.listen();
  }

  $(selector) {
    return this.pane.querySelector(selector);
  }

  // Aborts when another trace is opened, so that no listener outlives its trace.
  ends = new AbortController();

  close() {
    this.ends.abort();
    this.tip.hide();
    this.source.close?.();
  }

  async open() {
    this.theme();
    this.resize();
    await this.restore(this.isPage ? location.hash : '');
    const [start, end] = this.about.active;
    if (end - start < this.about.span * 0.9) this.hint(`A few events lie far away from the rest, so this shows ${duration(end - start, this.about.unit)} of ${duration(this.about.span, this.about.unit)}.`, button('Show all', '0', () => this.fitAll()));
    if (!this.isPage) return;
    this.canvas.focus({ preventScroll: true });
    const { signal } = this.ends;
    // Back, Forward, and an address that was pasted over this one.
    addEventListener('hashchange', () => this.restore(location.hash), { signal });
  }

  // Shows what an address says.
  async restore(hash) {
    const known = fromAddress(hash);
    clearTimeout(this.remembering);
    this.arrangement = known.arrangement;
    // What is very high is folded at first.
    if (known.start === undefined) for (const item of this.about.folded ?? []) this.arrangement.folded.add(this.pathOf(item));
    await this.arrange();
    if (known.start === undefined || !known.duration) this.fitActive();
    else this.view.look(known.start, known.duration);
    this.chooseRange(known.range);
    this.marks = known.marks;
    if (known.search !== this.finder.text) this.finder.search(known.search);
    if (known.panel) this.drawer.show(known.panel);
    else this.drawer.hide();
    await this.select(known.slice === undefined ? undefined : { kind: 'slice', id: known.slice }, false);
    this.fitHeight();
    this.main.scrollTop = known.top;
    this.moved();
    this.lastStep = undefined; // this is no step of its own
  }

  // Tracks and processes by kind and number, and by the label that the address has for them.
  listItems() {
    this.labels = new Map();
    this.itemsByLabel = new Map();
    const counts = new Map();
    const numbered = (path) => {
      counts.set(path, (counts.get(path) ?? 0) + 1);
      return counts.get(path) > 1 ? `${path}#${counts.get(path)}` : path;
    };
    for (const group of this.about.groups) {
      const process = numbered(group.label);
      if (group.item) this.register(group.item, group, process);
      for (const member of group.members) this.register(member.item, member, numbered(`${process}/${member.label}`), group.item);
    }
    for (const [path, item] of this.itemsByLabel) {
      this.labels.get(this.key(item)).isRepeated = counts.get(path.replace(/#\d+$/, '')) > 1;
    }
  }

  register(item, { label, detail }, path, process) {
    this.labels.set(this.key(item), { label: clean(label), detail: clean(detail), path, process });
    this.itemsByLabel.set(path, item);
  }

  // What the address calls an item.
  pathOf = (item) => this.labels.get(this.key(item))?.path;

  key(item) {
    return `${item.kind}:${item.id}`;
  }

  // Whether an item is in one of the lists of the arrangement.
  isIn(list, item) {
    return this.arrangement[list].has(this.pathOf(item));
  }

  toggle(list, item) {
    return this.flip(list, this.pathOf(item));
  }

  // Adds a text to a list of the arrangement, or removes it from there.
  async flip(list, text) {
    if (!this.arrangement[list].delete(text)) this.arrangement[list].add(text);
    await this.arrange();
  }

  // Hides these categories, and no others and no names.
  async hideOnly(categories = []) {
    Object.assign(this.arrangement, { categories: new Set(categories), names: new Set() });
    await this.arrange();
  }

  hiddenInPlace() {
    const { categories, names } = this.arrangement;
    return JSON.stringify({ categories: [...categories], names: [...names] });
  }

  // Folds all processes, or opens everything if one is folded.
  async toggleAll() {
    const paths = this.about.groups.filter((group) => group.item).map((group) => this.pathOf(group.item));
    const { folded } = this.arrangement;
    if (paths.some((path) => folded.has(path))) folded.clear();
    else for (const path of paths) folded.add(path);
    await this.arrange();
  }

  // Puts the busiest processes and tracks first, or all in the order of the trace. Moves are forgotten.
  async sortByActivity() {
    Object.assign(this.arrangement, { isByActivity: !this.arrangement.isByActivity, moves: [] });
    await this.arrange();
    this.say(this.arrangement.isByActivity ? 'The busiest tracks are first' : 'Tracks are in the order of the trace');
  }

  // Puts an item before another one of its list, or at the end.
  async move(item, before) {
    const { moves } = this.arrangement;
    if (moves.at(-1)?.[0] === this.pathOf(item)) moves.pop();
    moves.push([this.pathOf(item), before ? this.pathOf(before) : '']);
    await this.arrange();
  }

  // The processes, or the tracks of one, that an item stands among.
  siblings(item) {
    return siblings(this.groups, (other) => this.key(other) === this.key(item));
  }

  // Moves an item up or down by one that is shown.
  async shift(item, by) {
    const shown = new Set(this.lines.main.headers.map((header) => this.key(header.item)));
    const list = this.siblings(item).filter((other) => shown.has(this.key(other)));
    const at = list.findIndex((other) => this.key(other) === this.key(item));
    if (at < 0 || !list[at + by]) return;
    await this.move(item, list[by < 0 ? at - 1 : at + 2]);
  }

  // Where an item would be put that is dropped at a height of the canvas: before which other, and the edge between them.
  dropAt(item, y) {
    const height = y - this.mainTop + this.main.scrollTop;
    const keys = new Set(this.siblings(item).map((other) => this.key(other)));
    const headers = this.lines.main.headers.filter((header) => keys.has(this.key(header.item)));
    const all = this.lines.main.height;
    const end = (at) => (item.kind === 'process' ? (headers[at + 1]?.top ?? all) : headers[at].bottom);
    const at = headers.findIndex((header, at) => (header.top + end(at)) / 2 > height);
    const edge = at < 0 ? end(headers.length - 1) : headers[at].top;
    const next = headers[headers.findIndex((header) => this.key(header.item) === this.key(item)) + 1];
    const before = headers[at]?.item;
    const stays = before === next?.item || (before && this.key(before) === this.key(item));
    return { before, stays, y: edge + this.mainTop - this.main.scrollTop };
  }

  async arrange() {
    const { moves, isByActivity } = this.arrangement;
    const hidden = this.hiddenInPlace(), isFiltered = this.filter !== hidden && this.source.filter;
    if (isFiltered) {
      this.filter = hidden;
      await this.source.filter(JSON.parse(hidden));
    }
    const groups = isByActivity ? byActivity(this.about.groups) : this.about.groups;
    this.groups = inOrder(groups, moves, this.pathOf);
    const order = moves.length || isByActivity ? this.groups.flatMap(({ members }) => members.map(({ item }) => item)) : undefined;
    const items = (list) => [...this.arrangement[list]].map((path) => this.itemsByLabel.get(path)).filter(Boolean);
    const [main, pinned] = await this.source.arrange({ folded: items('folded'), hidden: items('hidden'), pinned: items('pinned'), empty: this.options.empty === 'show', order });
    this.lines = { main, pinned };
    this.fitHeight();
    this.overview.changed();
    this.drawer.changed('tracks');
    this.ask();
    this.remember();
    if (!isFiltered) return;
    if (this.finder.isSearching) this.finder.search(this.finder.text);
    this.drawer.filtered();
  }

  head() {
    const { about, title } = this;
    if (this.isPage) document.title = `${title} – trace`;
    this.$('h1').textContent = title;
    const counts = (about.counts ?? []).map(([what, count]) => counted(count, what));
    const summary = about.summary ?? [about.format, ...counts, duration(about.span, about.unit)].join(' · ');
    this.$('#about').textContent = summary;
    this.$('#about').title = summary;
    this.$('#tools').replaceChildren(
      ...this.drawer.buttons(),
      button('◐', 'Light or dark', () => this.setOption('theme', { auto: 'dark', dark: 'light', light: 'auto' }[this.options.theme])),
      ...(this.source.save ? [button('⤓', 'Save as a page', () => this.save())] : []),
      button('⚙', 'Settings', () => openSettings(this)),
      button('?', 'Keys and commands', () => openPalette(this)),
    );
  }

  hint(text, ...tools) {
    const hint = this.$('#hint');
    hint.replaceChildren(element('span', { textContent: text }), ...tools, button('×', 'Close', () => { hint.hidden = true; }));
    hint.hidden = !text;
  }

  // Saves a page that has the trace and this viewer in one file.
  async save() {
    const page = await this.source.save(this.title, (read, phase) => this.hint(phase ?? `Reading ${grouped(read / 1e6, 1)} MB …`));
    this.hint('');
    const link = element('a', { href: URL.createObjectURL(new Blob([page], { type: 'text/html' })), download: `${this.title}.html` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  // Says something to those who do not see the canvas.
  say(text) {
    this.$('#live').textContent = text;
  }

  setOption(key, value) {
    this.options[key] = value;
    memory.set('options', JSON.stringify(this.options));
    this.theme();
    if (key === 'empty') this.arrange();
    this.ask();
  }

  theme() {
    this.pane.dataset.theme = this.options.theme;
    this.painter.theme(this.options.palette === 'okabeIto', this.options.text);
    this.pane.style.fontSize = this.options.text > 11 ? '15px' : '';
    this.overview.changed();
    this.drawer.resized();
    this.redraw();
  }

  listen() {
    const { signal } = this.ends;
    const observer = new ResizeObserver(([entry]) => this.resize(entry));
    // Not every browser tells pixels of the device, and those refuse to be asked.
    const isExact = 'devicePixelContentBoxSize' in ResizeObserverEntry.prototype;
    observer.observe(this.main, { box: isExact ? 'device-pixel-content-box' : 'content-box' });
    signal.addEventListener('abort', () => observer.disconnect());
    this.main.addEventListener('scroll', () => this.ask(), { signal });
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => this.theme(), { signal });
    }
    this.watchRatio();
    attachPointer(this);
    attachKeys(this);
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

  resize(entry) {
    const ratio = devicePixelRatio || 1;
    const exact = entry?.devicePixelContentBoxSize?.[0];
    // What was measured before the size of a pixel changed is of no use.
    const nearest = (measured, css) => (Math.abs(measured - css * ratio) < 2 ? measured : Math.round(css * ratio));
    const width = nearest(exact?.inlineSize, this.main.clientWidth);
    const height = nearest(exact?.blockSize, this.main.clientHeight);
    this.canvas.style.width = `${width / ratio}px`;
    this.canvas.style.height = `${height / ratio}px`;
    this.painter.resize(Math.max(width, 1), Math.max(height, 1), ratio);
    this.fitHeight();
    this.overview.changed();
    this.ask();
    this.draw();
  }

  // Gives the names of tracks another width.
  widenNames(width) {
    this.painter.chosenNames = Math.round(Math.max(width, 40));
    memory.set('names', this.painter.chosenNames);
    this.resize();
  }

  // Makes the page as high as all lines together, so that it scrolls.
  fitHeight() {
    const all = RULER + this.pinnedHeight + this.lines.main.height + 40;
    this.$('#height').style.height = `${Math.max(all - (this.painter.height ?? 0) / (this.painter.ratio ?? 1), 0)}px`;
  }

  get height() {
    return this.main.clientHeight;
  }

  // Pinned tracks take at most two fifths of the window.
  get pinnedHeight() {
    return Math.min(this.lines.pinned.height, Math.floor(this.height * 0.4));
  }

  // Where the lines begin that scroll.
  get mainTop() {
    return RULER + this.pinnedHeight;
  }

  // Asks for a picture of what is in view. One question is open at a time, and the last one wins.
  ask() {
    this.isWanted = true;
    if (this.isAsking || !this.painter.width) return;
    this.isAsking = true;
    queueMicrotask(() => this.fetch());
  }

  async fetch() {
    while (this.isWanted) {
      this.isWanted = false;
      const { view, painter } = this;
      const top = this.main.scrollTop;
      const start = Math.floor(view.start), ticks = Math.ceil(view.duration) + 1;
      const columns = Math.max(Math.min(Math.round((painter.chart * ticks) / view.duration / this.coarseness), 65535), 1);
      const wanted = {
        start, duration: ticks, columns,
        boxWidth: Math.max(Math.round(Math.max(painter.ratio, 2) / this.coarseness), 1),
        main: { start: Math.floor(top), end: Math.ceil(top + this.height - this.mainTop) },
        pinned: { start: 0, end: this.pinnedHeight },
        selected: this.selected?.kind === 'slice' ? this.selected.id : undefined,
        betweenMarks: Math.round((110 * painter.ratio) / this.coarseness),
        labelWidth: Math.round((4 * (painter.palette?.letter ?? 7)) / this.coarseness),
        arrows: this.options.arrows,
        colorBy: this.options.colour,
        ownColors: this.options.own === 'use' && this.options.palette === 'calm' && this.options.colour === 'name',
      };
      const asked = performance.now();
      const frame = await this.source.frame(wanted);
      if (this.ends.signal.aborted) return;
      this.meter.add('query', frame.queryMs ?? performance.now() - asked);
      this.meter.add('answer', performance.now() - asked);
      for (const [id, name] of frame.names) this.names.set(id, clean(name));
      this.frame = { ...frame, start, duration: ticks, columns, unit: this.about.unit };
      this.queryMs = frame.queryMs ?? performance.now() - asked;
      this.redraw();
    }
    this.isAsking = false;
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

  // How many pixels of the device a column of the picture is wide. A picture that takes too long is made of wider
  // columns while the view moves, and of pixels again once it rests.
  coarseness = 1;
  moving = { coarseness: 1, isResting: true };

  // Chooses the width of columns by what the last picture took.
  adapt() {
    const { moving } = this;
    const took = Math.max(this.queryMs ?? 0, this.drawMs ?? 0);
    if (!moving.isResting && took > 10) moving.coarseness = Math.min(moving.coarseness * 2, 8);
    if (!moving.isResting && took < 3) moving.coarseness = Math.max(moving.coarseness / 2, 1);
    moving.isResting = false;
    this.coarseness = moving.coarseness;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      moving.isResting = true;
      if (this.coarseness === 1 || this.ends.signal.aborted) return;
      this.coarseness = 1;
      this.ask();
    }, 250);
  }

  // The view changed: asks for its picture, and meanwhile shows the last one moved and scaled.
  moved() {
    this.adapt();
    this.ask();
    if (performance.now() - (this.drawnAt ?? 0) > 30) this.redraw();
    this.overview.redraw();
    this.remember();
  }

  draw() {
    if (!this.painter.palette || !this.painter.width) return;
    const began = performance.now();
    this.findHover();
    const counts = this.painter.draw(this);
    const ended = performance.now();
    this.drawnAt = ended;
    this.drawMs = ended - began;
    this.meter.add('draw', ended - began);
    this.meter.frame(ended, counts);
    this.tip.update();
  }

  // The time at a place on the canvas.
  timeAt(x) {
    return this.view.start + ((x - this.painter.names) / (this.painter.chart / this.painter.ratio)) * this.view.duration;
  }

  // The header at a height of the canvas.
  headerAt(y) {
    if (y < RULER) return undefined;
    const isPinned = y < this.mainTop;
    const lines = isPinned ? this.lines.pinned : this.lines.main;
    const height = isPinned ? y - RULER : y - this.mainTop + this.main.scrollTop;
    return lines.headers.find((header) => header.top <= height && height < header.bottom && !(header.item.kind === 'process' && height >= header.top + header.height));
  }

  // The tracks and packs between two heights of the canvas.
  itemsBetween(from, to) {
    const [top, bottom] = [from, to].map((y) => y - this.mainTop + this.main.scrollTop);
    const isInside = (header) => header.top < bottom && header.bottom > top;
    const isOwn = ({ item }) => item.kind !== 'process' || this.isIn('folded', item);
    return this.lines.main.headers.filter((header) => isInside(header) && isOwn(header)).map(({ item }) => item);
  }

  // The element under a place on the canvas.
  elementAt(x, y) {
    const { frame, painter, view } = this;
    if (!frame || y < RULER || x < painter.names || y > this.height) return undefined;
    const isPinned = y < this.mainTop;
    const part = isPinned ? frame.pinned : frame.main;
    const top = isPinned ? -RULER : this.main.scrollTop - this.mainTop;
    const at = painter.boxAt(frame, part, view, top, x, y);
    if (at >= 0) {
      const kind = kindOf(part.numbers[at + 5]);
      return { kind, id: part.numbers[at + 2], name: part.numbers[at + 3], count: part.numbers[at + 4] };
    }
    const place = painter.place(frame, view, top);
    for (const { top: above, bottom = above + 14, offset, numbers } of [...part.marks, ...(part.wide ?? [])]) {
      if (y + top < above || y + top >= bottom) continue;
      for (let mark = 0; mark < numbers.length; mark += 4) {
        const middle = ((numbers[mark] + 0.5 - offset) * place.scale + place.shift) / painter.ratio;
        if (Math.abs(middle - x) < 5) return { kind: 'instant', id: numbers[mark + 1], count: numbers[mark + 2] };
      }
    }
    const header = this.headerAt(y);
    const isChart = header?.item.kind === 'track' && part.charts.some((chart) => chart.top === header.top);
    return isChart ? { kind: 'counter', id: header.item.id, at: Math.round(this.timeAt(x)) } : undefined;
  }

  // What is under the pointer changes also when the view moves below it.
  findHover() {
    const { kind, id } = this.hover ?? {};
    this.hover = this.pointer && !this.isDragging ? this.elementAt(this.pointer.x, this.pointer.y) : undefined;
    if (this.hover?.kind !== kind || this.hover?.id !== id) this.tell('hover', this.hover && { kind: this.hover.kind, id: this.hover.id });
  }

  // Selects an element, and opens a panel about it if none is open.
  async select(found, opens = true) {
    this.selected = found && { kind: found.kind, id: found.id, at: found.at };
    this.ask();
    this.redraw();
    this.remember();
    this.tell('selection', this.selected);
    await this.drawer.selected(this.selected, opens);
  }

  // Selects a slice and brings it into view, if need be by opening what it is folded into.
  async go(slice) {
    let place = await this.source.place(slice);
    if (!place) return;
    const items = [place.item, place.process].filter(Boolean);
    if (!place.shown) {
      for (const path of items.map(this.pathOf)) {
        this.arrangement.folded.delete(path);
        if (!place.line) this.arrangement.hidden.delete(path);
      }
      await this.arrange();
      place = await this.source.place(slice);
    }
    this.view.reveal(place.start, place.end);
    // The panel may open, which leaves less room.
    await this.select({ kind: 'slice', id: slice });
    this.fitHeight();
    if (place.line) {
      const [top, height] = place.line, room = this.height - this.mainTop;
      if (top < this.main.scrollTop + 22) this.main.scrollTop = top - Math.min(60, room / 3);
      if (top + height > this.main.scrollTop + room) this.main.scrollTop = top + height - room + Math.min(60, room / 3);
    }
    this.moved();
  }

  // Brings a time into the middle of the view.
  lookAt(time) {
    this.view.remember();
    this.view.look(time - this.view.duration / 2, this.view.duration);
    this.moved();
  }

  async step(how) {
    if (this.selected?.kind !== 'slice') return false;
    const next = await this.source.step(this.selected.id, how);
    if (next !== undefined && next !== null) await this.go(next);
    return true;
  }

  // Zooms to the selected slice, or else to the range; once more to everything.
  async focus() {
    const place = this.selected?.kind === 'slice' ? await this.source.place(this.selected.id) : this.range;
    if (!place) return this.fitAll();
    const isThere = Math.abs(this.view.duration - (place.end - place.start) * 1.1) < this.view.duration / 100;
    if (isThere && this.view.start <= place.start) return this.fitActive();
    this.view.fit(place.start, place.end);
    this.moved();
  }

  fitAll() {
    this.view.fit(this.about.start, this.about.end, 0.01);
    this.moved();
  }

  fitActive() {
    this.view.fit(...this.about.active, 0.01);
    this.moved();
  }

  // Chooses a range of time, of some tracks or all, whose statistics and call trees are shown.
  setRange(range) {
    this.chooseRange(range);
    this.remember();
    this.tell('range', range);
    this.drawer.ranged();
  }

  chooseRange(range) {
    this.range = range;
    this.rangeKeys = new Set(range?.items?.map((item) => this.key(item)));
    this.redraw();
  }

  // The range that statistics and call trees are about.
  get area() {
    return { ...(this.range ?? { start: this.about.start, end: this.about.end + 1 }), measure: this.measure };
  }

  // Keeps the state in the address. Another selection, range, search, panel or jump of the view is a step that Back takes
  // back.
  remember() {
    if (!this.isPage) return;
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      if (this.ends.signal.aborted) return;
      const { view, selected, range, finder, drawer } = this;
      const address = toAddress(this);
      const step = JSON.stringify([view.jumps, selected?.id, range, finder.text, drawer.current]);
      const keep = this.lastStep === undefined || this.lastStep === step ? 'replaceState' : 'pushState';
      this.lastStep = step;
      if (address !== location.hash) history[keep](null, '', location.pathname + location.search + address);
    }, 300);
  }
}
