// A call tree as a table, which the engine opens, sorts and filters. Only the rows in sight are asked for.
import { element, button, focusedIn } from './dom.js';
import { longList } from './list.js';
import { Rows, copy, saveCsv, written } from './rows.js';
import { clean, counted, grouped } from './text.js';

/**
 * @typedef {import('../engine.js').TreeRow} TreeRow
 * @typedef {import('../engine.js').TreeOrder} TreeOrder
 */

/** @type {[TreeOrder | undefined, string][]} */
const COLUMNS = [['name', 'Function'], ['total', 'Total'], [undefined, 'Part'], ['own', 'Self'], [undefined, 'Part'], ['count', 'Calls']];
const INDENT = 14, DEEPEST = 60; // CSS pixels, and the rows below one another that are indented
const WAIT = 200; // milliseconds after the last key

export class TreeTable {
  /** @type {import('../engine.js').WantedTreeRows} */
  wanted = { turned: [], isOpen: false, table: {} };
  number = 0; // of the last asking
  count = 0;
  /** @type {Rows<TreeRow> | undefined} */
  rows = undefined;
  /** @type {ReturnType<typeof longList> | undefined} */
  shown = undefined;
  /** @type {number | undefined} */
  chosen = undefined; // the node of a row that was clicked
  /** @type {AbortController | undefined} */
  writing = undefined;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  waiting = undefined;
  said = element('span', { className: 'dim', role: 'status' });
  path = element('span');
  table = element('div', { role: 'treegrid' });

  /**
   * @param {import('./calls.js').CallsPanel} panel
   * @param {HTMLElement} scroller
   * @param {number} place
   * @param {import('../engine.js').Shape} shape
   */
  constructor(panel, scroller, place, shape) {
    this.panel = panel;
    this.scroller = scroller;
    this.place = place;
    this.shape = shape;
    this.table.ariaLabel = 'Call tree';
    const filter = element('input', { type: 'search', placeholder: 'Filter', ariaLabel: 'Filter functions', title: 'Only functions with this in their name or source, and what they are below', value: panel.viewer.place.tree.filter ?? '' });
    this.filter = filter;
    filter.oninput = () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.sort({ filter: filter.value.trim() }), WAIT);
    };
    const tools = element('p', {}, this.path, filter, ' ', button('Open all', 'Open all rows', () => this.load({ isOpen: true, turned: [] })), ' ', button('Close all', 'Close all rows', () => this.load({ isOpen: false, turned: [] })), ' ',
      button('Copy', 'Copy all rows that are open, with tabs between the columns', () => this.copy()), ' ', button('CSV', 'Save all rows that are open as a file', () => this.save()), ' ', this.said);
    this.made = element('div', { className: 'entries tree' }, tools, this.table);
  }

  /** @param {Partial<import('../engine.js').Place['tree']>} part */
  sort(part) {
    return this.panel.viewer.change({ tree: { ...this.panel.viewer.place.tree, ...part } });
  }

  /** @param {Partial<typeof this.wanted>} part */
  async load(part = {}) {
    const { panel: { viewer }, place } = this, number = ++this.number;
    const table = viewer.place.tree, { order: by = 'total', isAscending = false } = table;
    const wanted = (this.wanted = { ...this.wanted, ...part, table });
    if (this.filter !== focusedIn(this.made)) this.filter.value = table.filter ?? '';
    const { count } = await viewer.source.treeRows(place, wanted, 0, 0);
    const rows = new Rows((from, most) => viewer.source.treeRows(place, wanted, from, most).then(({ rows }) => rows), () => this.draw());
    await rows.load(Math.min(Math.floor(this.scroller.scrollTop / 24), Math.max(count - 1, 0)));
    if (number !== this.number || !this.made.isConnected) return;
    Object.assign(this, { count, rows });
    this.say();
    const head = element('div', { role: 'row', className: 'row head-row' }, ...COLUMNS.map(([order, title]) => {
      const isOrder = order !== undefined && order === by;
      const made = element('span', { role: 'columnheader', className: order === 'name' ? '' : 'number', ariaSort: isOrder ? (isAscending ? 'ascending' : 'descending') : 'none' });
      if (!order) made.textContent = title;
      if (!order) return made;
      const sort = button(title + (isOrder ? (isAscending ? ' ▴' : ' ▾') : ''), `Sort by ${title.toLowerCase()}`, () => this.sort({ order, isAscending: isOrder ? !isAscending : order === 'name' }));
      sort.dataset.key = `head ${order}`;
      made.append(sort);
      return made;
    }));
    const all = button('All', 'Show the whole tree', () => { this.focus(undefined); });
    this.path.replaceChildren(...(wanted.root === undefined ? [] : ['A part of the tree ', all, ' ']));
    this.shown = longList(this.scroller, this.table, count, (at) => this.row(at), head);
    this.shown.list.role = 'rowgroup';
    this.shown.list.onkeydown = (event) => this.key(event);
    this.table.ariaRowCount = String(count + 1);
  }

  say() {
    this.said.textContent = ` ${counted(this.count, 'row')}`;
  }

  // The rows anew.
  draw() {
    if (this.made.isConnected) this.shown?.update();
  }

  // A table shows all that is open.
  look() {
    this.focus(undefined);
  }

  /**
   * Shows a part of the tree, or all of it.
   * @param {number | undefined} root
   */
  focus(root) {
    const { root: _, ...wanted } = this.wanted;
    this.wanted = wanted;
    this.scroller.scrollTop = 0;
    if (root === undefined) return this.load();
    const { turned, isOpen } = wanted;
    // What is looked at alone is open.
    return this.load({ root, turned: turned.includes(root) !== isOpen ? turned : isOpen ? turned.filter((node) => node !== root) : [...turned, root] });
  }

  /**
   * Opens a row, or closes it.
   * @param {number} node
   */
  turn(node) {
    const { turned } = this.wanted;
    return this.load({ turned: turned.includes(node) ? turned.filter((other) => other !== node) : [...turned, node] });
  }

  /** @param {TreeRow} row */
  choose(row) {
    this.chosen = row.node;
    this.panel.describeRow(row, () => this.focus(row.node));
    this.draw();
  }

  /** @param {number} at */
  row(at) {
    const row = this.rows?.at(at), made = element('div', { role: 'row', className: 'row', ariaRowIndex: String(at + 2) });
    if (!row) return made;
    const { node, depth, name, isOpen, share, cells } = row;
    made.ariaLevel = String(depth + 1);
    made.classList.toggle('current', node === this.chosen);
    const turn = isOpen === undefined ? element('span', { className: 'turn' }) : button(isOpen ? '▾' : '▸', isOpen ? 'Close' : 'Open', () => this.turn(node));
    turn.classList.add('turn');
    turn.tabIndex = -1;
    if (isOpen !== undefined) made.ariaExpanded = String(isOpen);
    const label = button(clean(name) || '(no name)', clean(name), () => this.choose(row));
    label.dataset.key = `node ${node}`;
    label.dataset.at = String(at);
    const first = element('span', { role: 'rowheader', className: 'share' }, turn, label);
    first.style.paddingLeft = `${Math.min(depth, DEEPEST) * INDENT}px`;
    first.style.backgroundSize = `${Math.min(100 * share, 100)}% 100%`;
    made.append(first, ...cells.map((textContent) => element('span', { role: 'gridcell', className: 'number', textContent })));
    return made;
  }

  /**
   * Arrows go from row to row, and open and close them.
   * @param {KeyboardEvent} event
   */
  async key(event) {
    const { at: place } = /** @type {HTMLElement} */ (event.target).dataset;
    const row = place === undefined ? undefined : this.rows?.at(Number(place));
    if (!row || !['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft'].includes(event.key)) return;
    event.preventDefault();
    const at = Number(place);
    if (event.key === 'ArrowRight' && row.isOpen === false || event.key === 'ArrowLeft' && row.isOpen) return this.turn(row.node);
    let to = event.key === 'ArrowDown' || event.key === 'ArrowRight' ? at + 1 : at - 1;
    if (event.key === 'ArrowLeft') while (to > 0 && (this.rows?.at(to)?.depth ?? 0) >= row.depth) to--;
    if (to < 0 || to >= this.count) return;
    await this.rows?.load(to);
    this.shown?.reveal(to, 24);
    /** @type {HTMLElement | null} */ (this.table.querySelector(`[data-at="${to}"]`))?.focus({ preventScroll: true });
  }

  /** @param {import('../engine.js').ListFormat} format */
  async text(format) {
    const { place, wanted, count, panel: { viewer: { source } } } = this;
    this.writing?.abort();
    const { signal } = (this.writing = new AbortController());
    const parts = await written(count, (from, most) => source.treeText(place, wanted, format, from, most), signal, (done) => { this.said.textContent = ` ${grouped(done)} of ${grouped(count)} written …`; });
    this.say();
    return parts;
  }

  async save() {
    const parts = await this.text('csv');
    if (parts) saveCsv(parts, 'calls.csv');
  }

  async copy() {
    try {
      await copy(this.text('tsv'));
      this.said.append(' – copied');
    } catch (error) {
      this.panel.viewer.hint(`The rows cannot be copied: ${error.message}.`);
    }
  }
}
