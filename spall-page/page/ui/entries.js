// Slices or instants as a table, which the engine gathers, filters and sorts. Only the rows in sight are asked for.
import { element, button, choice, focusedIn } from './dom.js';
import { longList } from './list.js';
import { Rows, copy, saveCsv, written } from './rows.js';
import { tracksField } from './statistics.js';
import { clean, counted, grouped } from './text.js';

/**
 * @typedef {import('./viewer.js').Viewer} Viewer
 * @typedef {import('../engine.js').ChosenList} ChosenList
 * @typedef {import('../engine.js').ListColumn} ListColumn
 * @typedef {import('../engine.js').Entry} Entry
 * @typedef {import('../engine.js').ListFormat} ListFormat
 */

const WIDEST = 48; // characters of a column
const AGAIN = 100_000; // entries up to which a list that grows is gathered by itself
const WAIT = 200; // milliseconds after the last key or movement

export class EntriesPanel {
  number = 0; // of the last filling
  /** @type {import('../engine.js').List | undefined} */
  list = undefined;
  /** @type {Rows<Entry> | undefined} */
  entries = undefined;
  /** @type {number[]} */
  widths = []; // of the columns, in characters
  /** @type {ReturnType<typeof longList> | undefined} */
  rows = undefined;
  /** @type {AbortController | undefined} */
  writing = undefined;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  waiting = undefined;
  listed = ''; // what was chosen of it
  /** @type {HTMLElement} */
  panel = element('div');
  root = element('div', { className: 'entries' });
  before = element('span');
  behind = element('span');
  said = element('span', { className: 'dim', role: 'status' });
  keys = element('details');
  table = element('div', { role: 'table' });
  filter = element('input', { type: 'search', placeholder: 'Filter' });

  /**
   * @param {Viewer} viewer
   * @param {import('../engine.js').ListKind} kind
   */
  constructor(viewer, kind) {
    this.viewer = viewer;
    this.kind = kind;
    this.filter.ariaLabel = `Filter ${kind}`;
    this.filter.title = 'A text or /regular expression/ in names, tracks, categories and arguments; of slices also dur > 10 ms';
    this.filter.oninput = () => this.soon(() => this.choose({ filter: this.filter.value.trim() }));
    this.table.ariaLabel = kind;
    this.root.append(element('p', {}, this.before, this.filter, this.behind, this.said), this.keys, this.table);
  }

  get what() {
    return this.kind === 'slices' ? 'slice' : 'instant';
  }

  // How the user wants the list.
  /** @returns {ChosenList} */
  get chosen() {
    return this.viewer.place[this.kind];
  }

  get isInView() {
    return this.chosen.inView ?? this.kind === 'instants';
  }

  get area() {
    const { viewer, viewer: { area, view } } = this;
    if (!this.isInView) return area;
    const { start, end } = view.range;
    return { ...area, start: Math.floor(start), end: Math.max(Math.ceil(end), Math.floor(start) + 1, viewer.about.start) };
  }

  /**
   * Lists it in another way. What is `undefined` is as if nobody had chosen it.
   * @param {{ [Part in keyof ChosenList]?: ChosenList[Part] | undefined }} part
   */
  choose(part) {
    const { viewer, kind } = this;
    const chosen = Object.fromEntries(Object.entries({ ...this.chosen, ...part }).filter(([, value]) => value !== undefined));
    return viewer.change({ [kind]: chosen });
  }

  /** @param {() => unknown} work */
  soon(work) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => { if (!this.viewer.ends.signal.aborted) work(); }, WAIT);
  }

  /** @param {HTMLElement} panel */
  async fill(panel) {
    const { viewer, kind } = this, number = ++this.number;
    clearTimeout(this.waiting);
    this.panel = panel;
    if (!this.root.isConnected) {
      panel.replaceChildren(this.root);
      panel.scrollTop = 0;
    }
    this.fillTools();
    const { chosen } = this;
    const progress = (/** @type {number} */ done) => { if (number === this.number) this.said.textContent = ` ${grouped(done)} looked at …`; };
    const list = await viewer.source.list({ kind, area: this.area, chosen }, progress);
    if (number !== this.number || viewer.drawer.current !== kind) return;
    if (!list) {
      this.list = undefined;
      this.said.textContent = chosen.found ? ' Find something first.' : '';
      this.table.replaceChildren();
      return;
    }
    const isOther = JSON.stringify(list.columns) !== JSON.stringify(this.list?.columns);
    if (this.listed !== JSON.stringify(chosen)) panel.scrollTop = 0;
    this.listed = JSON.stringify(chosen);
    this.list = list;
    this.entries = new Rows((from, most) => viewer.source.entries(list.number, from, most), (entries) => this.arrived(list, entries));
    if (isOther) this.widths = list.columns.map(({ title }) => title.length + 2);
    this.say();
    this.fillKeys();
    // The rows in sight are there before the old ones go.
    await this.entries.load(Math.min(Math.floor(panel.scrollTop / 24), Math.max(list.count - 1, 0)));
    if (number === this.number) this.show();
  }

  // Gives up what is being listed and written.
  leave() {
    this.number++;
    clearTimeout(this.waiting);
    this.writing?.abort();
    this.viewer.source.cancelList();
  }

  // The view has moved, or the trace has grown.
  moved() {
    if (this.isInView) this.soon(() => this.fill(this.panel));
  }

  grew() {
    if (!this.list) return;
    if (this.list.all <= AGAIN) this.soon(() => this.fill(this.panel));
    else this.said.replaceChildren(' The trace has grown. ', button('List again', 'Gather what has come', () => this.fill(this.panel)));
  }

  say() {
    const { list, what } = this;
    if (!list) return;
    const { count, all, fault } = list;
    this.said.textContent = fault ? ` The filter is no pattern: ${fault}` : ` ${count < all ? `${grouped(count)} of ` : ''}${counted(all, what)}`;
  }

  fillTools() {
    const { viewer, chosen, kind, filter } = this;
    const keyed = (/** @type {HTMLElement} */ made, /** @type {string} */ key) => {
      made.dataset.key = key;
      return made;
    };
    const times = /** @type {const} */ ([[false, viewer.range ? 'in the range' : 'in the whole trace'], [true, 'in view']]);
    const where = choice('Which time', times, this.isInView, (inView) => this.choose({ inView }));
    /** @type {[string, string][]} */
    const all = [['', 'All slices'], ['found', 'What was found']];
    if (chosen.of !== undefined) all.push(['of', `of ${clean(chosen.of) || '(no name)'}`]);
    const which = choice('Which slices', all, chosen.of !== undefined ? 'of' : chosen.found ? 'found' : '', (which) => this.choose({ of: undefined, by: undefined, found: which === 'found' }));
    const copy = button('Copy', 'Copy all rows, with tabs between the columns and times in nanoseconds', () => this.copy());
    const save = button('CSV', 'Save all rows as a file, with times in nanoseconds', () => this.save());
    const columns = button('Columns', 'Choose arguments as columns', () => { this.keys.open = !this.keys.open; });
    if (filter !== focusedIn(this.root)) filter.value = chosen.filter ?? '';
    this.keeping(() => {
      this.before.replaceChildren(...(kind === 'slices' ? [keyed(which, 'which')] : []), ' ', keyed(where, 'where'), ' ', kind === 'instants' || chosen.found ? '' : tracksField(viewer));
      this.behind.replaceChildren(columns, ' ', copy, ' ', save);
    });
  }

  /**
   * Does something, after which the element has the focus that has the key of what had it.
   * @param {() => void} work
   */
  keeping(work) {
    const focused = focusedIn(this.root), key = focused && this.root.contains(focused) ? focused.dataset.key : undefined;
    work();
    if (key) /** @type {HTMLElement | null} */ (this.root.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus({ preventScroll: true });
  }

  // The keys of arguments, each of which may have a column.
  fillKeys() {
    const { list, chosen } = this;
    if (!list) return;
    const shown = list.columns.flatMap(({ column }) => (typeof column === 'object' ? [column.arg] : []));
    const known = new Map(list.keys);
    for (const key of shown) if (!known.has(key)) known.set(key, 0);
    const boxes = [...known].map(([key, count]) => {
      const box = element('input', { type: 'checkbox', checked: shown.includes(key) });
      box.onchange = () => this.choose({ keys: box.checked ? [...shown, key] : shown.filter((other) => other !== key) });
      return element('label', {}, box, ` ${clean(key)} `, element('span', { className: 'dim', textContent: grouped(count) }));
    });
    const usual = chosen.keys ? [button('Those of most', 'Show the arguments that most have', () => this.choose({ keys: undefined }))] : [];
    this.keys.replaceChildren(element('summary', { textContent: `Arguments as columns: ${shown.length} of ${list.keys.length}` }), ...usual, ...(boxes.length ? boxes : [element('span', { className: 'dim', textContent: 'There are no arguments.' })]));
  }

  /** @param {ListColumn} column */
  isOrder(column) {
    return JSON.stringify(column) === JSON.stringify(this.chosen.order ?? 'start');
  }

  show() {
    const { list, chosen } = this;
    if (!list) return;
    const head = element('div', { role: 'row', className: 'row head-row' }, ...list.columns.map(({ column, title, isNumber }) => {
      const isOrder = this.isOrder(column), sign = isOrder ? (chosen.isDescending ? ' ▾' : ' ▴') : '';
      const sort = button(`${clean(title)}${sign}`, `Sort by ${clean(title)}`, () => this.choose({ order: column, isDescending: isOrder ? !chosen.isDescending : column === 'duration' || column === 'own' || column === 'cpu' }));
      sort.dataset.key = JSON.stringify(column);
      return element('span', { role: 'columnheader', className: isNumber ? 'number' : '', ariaSort: isOrder ? (chosen.isDescending ? 'descending' : 'ascending') : 'none' }, sort);
    }));
    this.table.ariaRowCount = String(list.count + 1);
    this.table.ariaColCount = String(list.columns.length);
    this.widen();
    this.keeping(() => {
      this.rows = longList(this.panel, this.table, list.count, (at) => this.row(at), head);
      this.rows.list.role = 'rowgroup';
      this.rows.list.onkeydown = (event) => this.key(event);
    });
  }

  // The rows anew, with what is selected.
  redraw() {
    if (this.root.isConnected) this.rows?.update();
  }

  // Gives the columns room for what they were seen to have.
  widen() {
    this.table.style.setProperty('--columns', this.widths.map((width) => `${Math.min(width, WIDEST)}ch`).join(' '));
  }

  /**
   * @param {import('../engine.js').List} list
   * @param {Entry[]} entries
   */
  arrived(list, entries) {
    if (list !== this.list) return;
    for (const { cells } of entries) cells.forEach((cell, at) => { this.widths[at] = Math.max(this.widths[at] ?? 0, cell.length + 1); });
    this.widen();
    this.redraw();
  }

  /** @param {number} at */
  row(at) {
    const { list, viewer } = this, entry = this.entries?.at(at);
    const made = element('div', { role: 'row', className: 'row', ariaRowIndex: String(at + 2) });
    if (!entry || !list) return made;
    const { selected } = viewer, { kind, id } = entry.element;
    if (selected?.kind === kind && selected.id === id) {
      made.classList.add('current');
      made.ariaSelected = 'true';
    }
    const cells = entry.cells.map((text, number) => {
      const cell = element('span', { role: 'cell', className: list.columns[number]?.isNumber ? 'number' : '' });
      if (number) Object.assign(cell, { textContent: clean(text), title: text.length > WIDEST ? clean(text.slice(0, 2000)) : '' });
      else {
        const go = button(text, 'Go there', () => this.go(entry));
        go.dataset.key = `row ${at}`;
        cell.append(go);
      }
      return cell;
    });
    made.append(...cells);
    made.onclick = (event) => {
      const isText = !/** @type {Document | undefined} */ (made.ownerDocument)?.getSelection()?.isCollapsed;
      if (!(/** @type {HTMLElement} */ (event.target)).closest('button') && !isText) this.go(entry);
    };
    return made;
  }

  /** @param {Entry} entry */
  go({ element: { kind, id }, at }) {
    const { viewer } = this;
    if (kind === 'slice') return viewer.go(id);
    const { start, end } = viewer.view;
    return viewer.select({ kind, id, at }, false).then(() => (at < start || at > end ? viewer.lookAt(at) : undefined));
  }

  /**
   * Arrows and pages go from row to row.
   * @param {KeyboardEvent} event
   */
  async key(event) {
    const { list, rows } = this, [, row] = /^row (\d+)$/.exec(/** @type {HTMLElement} */ (event.target).dataset.key ?? '') ?? [];
    if (row === undefined || !list || !rows) return;
    const page = Math.max(Math.floor(this.panel.clientHeight / 24) - 3, 1);
    const to = { ArrowDown: Number(row) + 1, ArrowUp: Number(row) - 1, PageDown: Number(row) + page, PageUp: Number(row) - page, Home: 0, End: list.count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const at = Math.min(Math.max(to, 0), list.count - 1);
    await this.entries?.load(at);
    const head = /** @type {HTMLElement | null} */ (this.table.querySelector('.head-row'));
    rows.reveal(at, head?.offsetHeight);
    /** @type {HTMLElement | null} */ (rows.list.querySelector(`[data-key="row ${at}"]`))?.focus({ preventScroll: true });
  }

  /**
   * All rows as text; nothing if another list has taken the place of this one.
   * @param {ListFormat} format
   */
  async text(format) {
    const { list, viewer: { source } } = this;
    if (!list) return undefined;
    this.writing?.abort();
    const { signal } = (this.writing = new AbortController());
    const cancel = button('Cancel', 'Write no more', () => this.writing?.abort());
    const parts = await written(list.count, (from, count) => source.listText(list.number, format, from, count), signal, (done) => {
      this.said.replaceChildren(` ${grouped(done)} of ${grouped(list.count)} written … `, cancel);
    });
    this.say();
    return parts;
  }

  async save() {
    const parts = await this.text('csv');
    if (parts) saveCsv(parts, `${this.kind}.csv`);
  }

  async copy() {
    try {
      await copy(this.text('tsv'));
      this.said.append(' – copied');
    } catch (error) {
      this.viewer.hint(`The rows cannot be copied: ${error.message}.`);
    }
  }
}
