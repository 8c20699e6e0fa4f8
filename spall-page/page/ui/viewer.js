// One trace on the page: its state, and what each part of the page does with it.
//
// A source answers what there is to know about a trace (`source.js`). One that cannot save a page, or load another trace to
// compare with, has no such function.
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
import { Growth } from './growth.js';
import { Tip } from './tip.js';
import { toAddress, fromAddress } from './address.js';
import { counted, clean, duration, grouped } from './text.js';

export class Viewer {
  // `pane` contains the elements of `markup.js`. `isPage` says that they are the whole page: its keys are the viewer's
  // wherever the focus is, and its address keeps the view. `tell` is called with what happens. `files` are the files of the
  // trace, with the nanoseconds that were added to their times by hand, and `moveFile` adds others. `showValue` opens the trace with another value of samples.
  // `grown` shows the finished trace of one that grew, and `hasGrown` says that this is one.
  constructor(pane, source, about, title, { isPage = false, tell = () => {}, files = [], moveFile, showValue, grown, hasGrown = false } = {}) {
    Object.assign(this, { pane, isPage, tell, files, moveFile, showValue, grown });
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
    this.arrangement = { hidden: [], pinned: [], categories: [], names: [], moves: [], byActivity: false }; // what of the place is about tracks
    this.filter = this.hiddenInPlace(); // what the source leaves out
    this.past = []; // the places that Backspace returns to, as addresses
    this.future = []; // and those that it came from
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
    this.growth = new Growth(this, hasGrown);
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
    this.leave();
    this.source.close?.();
  }

  // Leaves the page to another viewer of the same source.
  leave() {
    this.ends.abort();
    this.tip.hide();
  }

  async open() {
    this.theme();
    this.resize();
    await this.restore(this.isPage ? location.hash : '');
    this.growth.run();
    const [start, end] = this.about.active;
    if (end - start < this.about.span * 0.9) this.hint(`A few events lie far away from the rest, so this shows ${duration(end - start, this.about.unit)} of ${duration(this.about.span, this.about.unit)}.`, button('Show all', '0', () => this.fitAll()));
    if (!this.isPage) return;
    this.canvas.focus({ preventScroll: true });
    const { signal } = this.ends;
    // Back, Forward, and an address that was pasted over this one.
    addEventListener('hashchange', ({ oldURL }) => {
      this.past.push(new URL(oldURL).hash);
      this.restore(location.hash);
    }, { signal });
  }

  // Shows what an address says, one after the other.
  restore(hash) {
    this.restored = (this.restored ?? Promise.resolve()).then(() => this.showPlace(hash));
    return this.restored;
  }

  async showPlace(hash) {
    const place = fromAddress(hash);
    this.isRestoring = true; // none of the changes is a step of its own
    if (!place.view) place.files = []; // what is about tracks holds for any trace
    clearTimeout(this.remembering);
    const { folded, hidden, pinned, categories, names, moves, byActivity } = place;
    this.arrangement = { folded, hidden, pinned, categories, names, moves, byActivity };
    const { missing, place: known } = await this.arrange(place);
    if (missing.length) this.hint(missing.join(' '));
    if (place.view) this.view.look(place.view.start, place.view.end - place.view.start);
    else this.fitActive();
    this.growth.follow(place.follows && this.growth.isGrowing);
    const items = known.range?.items?.map((path) => this.itemsByPath.get(path));
    this.chooseRange(known.range && { start: known.range.start, end: known.range.end, ...(items && { items }) });
    this.marks = place.marks.map(({ at }) => at);
    this.measure = place.measure || undefined;
    this.tracks = place.tracks || undefined;
    if (place.search !== this.finder.text) this.finder.search(place.search);
    if (place.panel) this.drawer.show(...place.panel.split(' '));
    else this.drawer.hide();
    const { element, at } = known.selected ?? {};
    await this.select(element && { ...element, at: element.kind === 'counter' ? at : undefined }, false);
    this.fitHeight();
    this.main.scrollTop = place.top;
    this.moved();
    this.isRestoring = false;
  }

  // Everything that the user has set.
  get place() {
    const { view, main, range, marks, finder, drawer, about, files, growth } = this;
    return {
      ...this.arrangement,
      files, value: about.value ?? undefined,
      view: growth.showsAll ? undefined : { start: Math.round(view.start), end: Math.round(view.start + view.duration) },
      follows: growth.follows,
      top: main.scrollTop,
      selected: this.selected && this.chosen,
      range: range && { start: Math.round(range.start), end: Math.round(range.end), ...(range.items && { items: range.items.map(this.pathOf).filter(Boolean) }) },
      marks: marks.map((at) => ({ at: Math.round(at), text: '' })),
      search: finder.text ?? '',
      panel: [drawer.current, drawer.panels.get(drawer.current)?.panel.mode].filter(Boolean).join(' '),
      measure: this.measure ?? '',
      tracks: this.tracks ?? '',
    };
  }

  // Tracks and processes by kind and number, and by the path that a place has for them.
  listItems() {
    this.labels = new Map();
    this.itemsByPath = new Map();
    const counts = new Map();
    const plain = (path) => path.replace(/#\d+$/, '');
    for (const { members, ...group } of this.about.groups) {
      if (group.item) this.register(group);
      for (const member of members) this.register(member, group.item);
    }
    for (const path of this.itemsByPath.keys()) counts.set(plain(path), (counts.get(plain(path)) ?? 0) + 1);
    for (const [path, item] of this.itemsByPath) this.labels.get(this.key(item)).isRepeated = counts.get(plain(path)) > 1;
  }

  register({ item, label, detail, path }, process) {
    this.labels.set(this.key(item), { label: clean(label), detail: clean(detail), path, process });
    this.itemsByPath.set(path, item);
  }

  // What a place calls an item.
  pathOf = (item) => this.labels.get(this.key(item))?.path;

  key(item) {
    return `${item.kind}:${item.id}`;
  }

  // Whether an item is in one of the lists of the arrangement.
  isIn(list, item) {
    return this.listed(list).includes(this.pathOf(item));
  }

  toggle(list, item) {
    return this.flip(list, this.pathOf(item));
  }

  // Adds a text to a list of the arrangement, or removes it from there.
  async flip(list, text) {
    const texts = this.listed(list);
    this.arrangement[list] = texts.includes(text) ? texts.filter((other) => other !== text) : [...texts, text];
    await this.arrange();
  }

  // A list of the arrangement. What is very high is folded at first.
  listed(list) {
    return this.arrangement[list] ?? (this.about.folded ?? []).map(this.pathOf);
  }

  // Hides these categories, and no others and no names.
  async hideOnly(categories = []) {
    Object.assign(this.arrangement, { categories, names: [] });
    await this.arrange();
  }

  hiddenInPlace() {
    const { categories, names } = this.arrangement;
    return JSON.stringify([categories, names]);
  }

  // Folds all processes, or opens everything if one is folded.
  async toggleAll() {
    const paths = this.about.groups.filter((group) => group.item).map((group) => this.pathOf(group.item));
    const folded = this.listed('folded');
    this.arrangement.folded = paths.some((path) => folded.includes(path)) ? [] : [...folded, ...paths];
    await this.arrange();
  }

  // Puts the busiest processes and tracks first, or all in the order of the trace. Moves are forgotten.
  async sortByActivity() {
    Object.assign(this.arrangement, { byActivity: !this.arrangement.byActivity, moves: [] });
    await this.arrange();
    this.say(this.arrangement.byActivity ? 'The busiest tracks are first' : 'Tracks are in the order of the trace');
  }

  // Puts an item before another one of its list, or at the end.
  async move(item, before) {
    const moves = this.arrangement.moves.filter(([path], at, { length }) => at < length - 1 || path !== this.pathOf(item));
    this.arrangement.moves = [...moves, [this.pathOf(item), before && this.pathOf(before)]];
    await this.arrange();
  }

  // The processes, or the tracks of one, that an item stands among.
  siblings(item) {
    const lists = [this.groups, ...this.groups.map(({ members }) => members)].map((list) => list.map((one) => one.item).filter(Boolean));
    return lists.find((list) => list.some((other) => this.key(other) === this.key(item))) ?? [];
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

  // Shows what the arrangement says, and what else a place does. Returns what the source says to it.
  async arrange(place = this.place) {
    const hidden = this.hiddenInPlace(), isFiltered = this.filter !== hidden;
    this.filter = hidden;
    const changed = await this.source.apply({ ...place, showsEmpty: this.options.empty === 'show' });
    this.showLines(changed);
    this.overview.changed();
    this.ask();
    this.remember();
    if (isFiltered) {
      if (this.finder.isSearching) this.finder.search(this.finder.text);
      this.drawer.filtered();
    }
    return changed;
  }

  // There are other lines.
  showLines({ groups, main, pinned }) {
    this.groups = groups;
    this.lines = { main, pinned };
    this.fitHeight();
    this.drawer.changed('tracks');
  }

  // There are other tracks, or tracks of other names.
  relist(changed) {
    this.listItems();
    this.showLines(changed);
  }

  head() {
    const { title } = this;
    if (this.isPage) document.title = `${title} – trace`;
    this.$('h1').textContent = title;
    this.summarise();
    this.$('#tools').replaceChildren(
      ...this.drawer.buttons(),
      button('◐', 'Light or dark', () => this.setOption('theme', { auto: 'dark', dark: 'light', light: 'auto' }[this.options.theme])),
      ...(this.source.save ? [button('⤓', 'Save as a page', () => this.save())] : []),
      button('⚙', 'Settings', () => openSettings(this)),
      button('?', 'Keys and commands', () => openPalette(this)),
    );
  }

  // Says what there is.
  summarise() {
    const { about } = this;
    const counts = (about.counts ?? []).map(([what, count]) => counted(count, what));
    const summary = about.summary ?? [about.format, ...counts, duration(about.span, about.unit)].join(' · ');
    this.$('#about').textContent = summary;
    this.$('#about').title = summary;
  }

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
      page = await this.source.save(this.place);
    } catch (error) {
      return this.hint(`The page cannot be saved: ${error.message}.`);
    }
    this.hint('');
    const link = element('a', { href: URL.createObjectURL(page), download: `${this.title}.html` });
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
      this.meter.add('query', performance.now() - asked);
      this.meter.add('answer', performance.now() - asked);
      for (const [id, name] of frame.names) this.names.set(id, clean(name));
      this.frame = { ...frame, start, duration: ticks, columns, unit: this.about.unit };
      this.queryMs = performance.now() - asked;
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
    this.growth.moved();
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
    const selected = (this.selected = found && { kind: found.kind, id: found.id, at: found.at });
    this.ask();
    this.redraw();
    this.tell('selection', selected);
    const { kind, id, at = 0 } = selected ?? {};
    const changed = await this.source.act({ select: [selected && { kind, id }, at] });
    if (this.selected !== selected) return;
    this.chosen = changed.place.selected;
    await this.drawer.selected(selected, opens);
    this.remember();
  }

  // Selects a slice and brings it into view, if need be by opening what it is folded into.
  async go(slice) {
    let place = await this.source.place(slice);
    if (!place) return;
    const items = [place.item, place.process].filter(Boolean);
    if (!place.shown) {
      for (const path of items.map(this.pathOf)) {
        this.arrangement.folded = this.listed('folded').filter((other) => other !== path);
        if (!place.line) this.arrangement.hidden = this.listed('hidden').filter((other) => other !== path);
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
    return { ...(this.range ?? { start: this.about.start, end: this.about.end + 1 }), measure: this.measure, tracks: this.tracks };
  }

  // Keeps the place. Every change of it but moves of the view is a step, to which Backspace goes back, and on a page of its own
  // so do the buttons of the browser.
  remember() {
    if (!this.drawer) return; // the viewer is not made yet
    const { view: _view, top: _top, follows: _follows, ...rest } = this.place;
    const step = JSON.stringify([this.view.jumps, rest]);
    const isStep = this.lastStep !== undefined && this.lastStep !== step && !this.isRestoring;
    if (isStep) {
      this.past = [...this.past.slice(-199), this.address];
      this.future = [];
    }
    this.isStep ||= isStep;
    this.lastStep = step;
    this.address = toAddress(this.place);
    if (!this.isPage) return;
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => {
      if (this.ends.signal.aborted) return;
      if (this.address !== location.hash) history[this.isStep ? 'pushState' : 'replaceState'](null, '', location.pathname + location.search + this.address);
      this.isStep = false;
    }, 300);
  }

  // Takes the last step back.
  back() {
    return this.take(this.past, this.future);
  }

  // Does it again.
  forward() {
    return this.take(this.future, this.past);
  }

  async take(from, to) {
    let address = from.pop();
    while (address === this.address) address = from.pop();
    if (address === undefined) return;
    to.push(this.address);
    await this.restore(address);
  }
}
