// Sums of the chosen range, or of everything: a table that can be sorted.
import { element, button, choice, focusedIn, hasFingers } from './dom.js';
import { clean, counted, duration, exactly, grouped } from './text.js';

/**
 * @typedef {import('./viewer.js').Viewer} Viewer
 * @typedef {import('../engine.js').Order | 'change'} Order
 * @typedef {Partial<import('../engine.js').Sums> & { name: string, count: number, total: number, own: number, change?: number }} Row
 */

/** @type {[Order, string][]} */
const COLUMNS = [
  ['name', 'Name'], ['count', 'Count'], ['total', 'Total'], ['own', 'Self'], ['mean', 'Average'], ['min', 'Min'], ['max', 'Max'],
];
/** @type {[Order, string][]} */
const MEASURED = [...COLUMNS.slice(0, 2), ['unmeasured', 'Without'], ...COLUMNS.slice(2, 4)];
// What is added up, and what it counts if it is no time.
/** @type {Record<string, [string, string?]>} */
const MEASURES = {
  'wall-time': ['Time'], 'thread-time': ['CPU time'], instructions: ['Instructions', 'instructions'], count: ['Calls', 'calls'], samples: ['Samples', 'samples'],
};
const SHOWN = 500;
const WAIT = 200; // milliseconds after the last key
const COMPARED = 100_000; // names of another range that are kept
const BARS = '▁▂▃▄▅▆▇█';

export class StatisticsPanel {
  /** @type {import('../engine.js').By | undefined} */
  shown = undefined; // what the table is by
  byChange = false; // whether it is sorted by what differs from another range
  number = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  waiting = undefined;
  /** @type {string | undefined} */
  typed = undefined; // the filter that is not in the place yet
  /** @type {{ by: string, area: Viewer['area'], rows: Map<string, import('../engine.js').Sums> } | undefined} */
  other = undefined; // the sums of another range, to compare with

  /** @param {Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  // What the place says: by what the sums are, and how they are listed.
  get by() {
    return this.viewer.place.sumsBy;
  }

  get table() {
    const { order = 'own', isAscending = false, filter = '' } = this.viewer.place.sums;
    return { order, isAscending, filter };
  }

  /** @param {Partial<import('../engine.js').Place['sums']>} part */
  sort(part) {
    return this.viewer.change({ sums: { ...this.viewer.place.sums, ...part } });
  }

  /** @param {HTMLElement} panel */
  async fill(panel) {
    const { viewer, table } = this;
    const number = ++this.number;
    const text = element('p', { className: 'dim', textContent: 'Adding up …' });
    if (!panel.querySelector('table')) panel.replaceChildren(text);
    if (this.other && (this.other.by !== this.by || this.other.area.measure !== viewer.measure || this.other.area.tracks !== viewer.area.tracks)) this.other = undefined;
    const byChange = (this.byChange &&= Boolean(this.other));
    const ranking = { table: byChange ? { ...table, order: /** @type {const} */ ('own') } : table, most: byChange ? COMPARED : SHOWN };
    const ranked = await viewer.source.statistics(viewer.area, this.by, ranking, (done) => {
      text.textContent = `Adding up … ${grouped(done)} slices`;
      if (number === this.number && !text.isConnected) panel.prepend(text);
    });
    const tables = await viewer.source.beside(viewer.area);
    text.remove();
    if (!ranked || number !== this.number || viewer.drawer.current !== 'statistics') return;
    if (this.other) this.compare(ranked, this.other.rows, byChange);
    this.show(panel, ranked, tables);
    this.shown = this.by;
  }

  leave() {
    this.viewer.source.cancelStatistics();
  }

  // Keeps the sums of this range, to compare those of others with.
  /** @param {HTMLElement} panel */
  async keep(panel) {
    const { by, viewer } = this;
    const { area } = viewer, ranked = await viewer.source.statistics(area, by, { table: {}, most: COMPARED });
    if (!ranked) return;
    this.other = { by, area, rows: new Map(ranked.rows.map((row) => [row.name, row])) };
    this.fill(panel);
  }

  // Says how much more self time each name has than in the other range. Sorted by that, names that only the other range has
  // are among them.
  /**
   * @param {{ rows: Row[], count: number }} ranked
   * @param {Map<string, Row>} rows
   * @param {boolean} isOrder
   */
  compare(ranked, rows, isOrder) {
    for (const row of ranked.rows) row.change = row.own - (rows.get(row.name)?.own ?? 0);
    if (!isOrder) return;
    const here = new Set(ranked.rows.map(({ name }) => name)), { filter, isAscending } = this.table, wanted = filter.toLowerCase();
    const gone = [...rows.values()].filter(({ name }) => !here.has(name) && name.toLowerCase().includes(wanted));
    ranked.rows.push(...gone.map(({ name, own }) => ({ name, count: 0, total: 0, own: 0, change: -own })));
    ranked.rows.sort((a, b) => (Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0)) * (isAscending ? -1 : 1));
    ranked.count = ranked.rows.length;
    ranked.rows.length = Math.min(ranked.count, SHOWN);
  }

  /**
   * @param {HTMLElement} panel
   * @param {{ rows: Row[], count: number, own: number }} ranked
   * @param {import('../engine.js').Table[]} tables what there is besides
   */
  show(panel, { rows, count, own }, tables) {
    const { viewer, table: { isAscending, filter: wanted } } = this, order = this.byChange ? 'change' : this.table.order;
    const { range, about } = viewer;
    const what = range
      ? `${duration(range.end - range.start, about.unit)} selected${range.items ? `, ${counted(range.items.length, 'track')}` : ''}`
      : `The whole trace. ${hasFingers() ? 'Hold a finger on' : 'Drag over'} the timeline to select a part.`;
    /** @type {[import('../engine.js').By, string][]} */
    const ways = [['name', 'by name'], ['function', 'by function']];
    const choose = choice('What is added up', ways, this.by, (sumsBy) => viewer.change({ sumsBy }));
    const tools = element('p', {}, `${what}  `, tracksField(viewer), choose, measureField(viewer), valueField(viewer));
    const filter = element('input', { type: 'search', placeholder: 'Filter', value: this.typed ?? wanted, ariaLabel: 'Filter names' });
    filter.dataset.key = 'filter';
    filter.oninput = () => {
      this.typed = filter.value;
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => {
        const filter = this.typed ?? '';
        this.typed = undefined;
        this.sort({ filter });
      }, WAIT);
    };
    tools.append(filter);
    if (range) tools.append(button('Whole trace', 'Select nothing', () => viewer.setRange(undefined)));
    if (range) tools.append(button('Flame graph', 'Of the selection', () => viewer.drawer.show('calls', 'flame')));
    if (this.other) {
      const { start, end } = this.other.area;
      tools.append(button(`Compared with ${duration(end - start, about.unit)} ×`, 'Compare no longer', () => { this.other = undefined; this.fill(panel); }));
    } else tools.append(button('Compare', 'Keep these sums, to compare the next range with them', () => this.keep(panel)));
    const columns = [...(isTime(viewer) ? COLUMNS : MEASURED)];
    if (this.other) columns.push(['change', 'Self, change']);
    const head = element('tr', {}, ...columns.map(([key, title]) => {
      const arrow = key === order ? (isAscending ? ' ▴' : ' ▾') : '';
      const sort = button(title + arrow, `Sort by ${title.toLowerCase()}`, () => {
        const isTurned = key === order ? !isAscending : key === 'name';
        this.byChange = key === 'change';
        if (key !== 'change') this.sort({ order: key, isAscending: isTurned });
        else this.sort({ isAscending: isTurned }).then(() => this.fill(panel));
      });
      sort.dataset.key = key;
      return element('th', { scope: 'col', ariaSort: key === order ? (isAscending ? 'ascending' : 'descending') : 'none' }, sort);
    }));
    if (rows.some(({ counts }) => counts?.length)) head.append(element('th', { scope: 'col', textContent: 'Durations' }));
    const table = element('table', {}, element('thead', {}, head));
    table.append(element('tbody', {}, ...rows.map((row) => this.row(row, own))));
    const rest = element('p', { className: 'dim', textContent: count > rows.length ? `and ${grouped(count - rows.length)} more` : '' });
    // The field or the head of a column that was used keeps the focus, and the field its caret.
    const focused = focusedIn(panel), key = focused?.dataset.key;
    const caret = focused instanceof HTMLInputElement ? focused.selectionStart : null;
    // What has no slices shows what it has, and no empty table of them.
    const slices = rows.length || !tables.length || wanted ? [table, rest] : [];
    panel.replaceChildren(tools, ...slices, ...tables.map((one) => facts(viewer, one)));
    /** @type {HTMLElement | null} */
    const used = key ? panel.querySelector(`[data-key="${key}"]`) : null;
    used?.focus();
    if (used === filter) filter.setSelectionRange(caret, caret);
  }

  /**
   * A cell with a bar and a tip for its part of all.
   * @param {HTMLElement} cell
   * @param {number} part
   */
  share(cell, part) {
    const percent = `${(100 * (part || 0)).toFixed(1)} %`;
    cell.style.backgroundSize = `${Math.min(100 * (part || 0), 100)}% 100%`;
    cell.className = 'share';
    cell.title = `${percent} of all self times`;
    return cell;
  }

  /**
   * @param {Row} row
   * @param {number} own
   */
  row(row, own) {
    const unit = measuredUnit(this.viewer);
    const time = (/** @type {number | undefined} */ ticks) => element('td', { textContent: ticks === undefined ? '' : duration(ticks, unit) });
    const name = button(clean(row.name) || '(no name)', 'Find', () => this.viewer.finder.search(this.by === 'name' ? exactly(row.name) : row.name.split(' ')[0]));
    const max = time(row.max), { viewer } = this, { id } = row;
    if (id !== undefined) {
      max.replaceChildren(button(max.textContent ?? '', 'Go to the longest', async () => {
        const slice = await viewer.source.longest(id, viewer.area);
        if (slice !== undefined) viewer.go(slice);
      }));
    }
    const calls = button('', `What calls ${clean(row.name)}, and what it calls`, () => this.viewer.drawer.calls.sandwichOf(row.name));
    calls.className = 'calls-of';
    const list = button(grouped(row.count), 'List them', () => viewer.drawer.listOf(row.name, this.by));
    list.ariaLabel = `${list.textContent} of ${clean(row.name) || '(no name)'}: list them`;
    const number = (count = 0) => element('td', { textContent: grouped(count) });
    const made = element('tr', {}, element('th', { scope: 'row' }, name, calls), element('td', {}, row.count ? list : grouped(0)));
    if (!isTime(this.viewer)) made.append(number(row.unmeasured));
    made.append(time(row.total), this.share(time(row.own), row.own / own));
    if (isTime(this.viewer)) made.append(time(row.mean), time(row.min), max);
    const { change = 0, counts, first = 0 } = row;
    if (this.other) made.append(element('td', { textContent: `${change > 0 ? '+' : ''}${duration(change, unit)}` }));
    if (counts?.length) made.append(this.histogram(row.name, first, counts));
    return made;
  }

  /**
   * How many slices took how long: a bar for each power of two, which leads to all durations.
   * @param {string} name
   * @param {number} first
   * @param {number[]} counts
   */
  histogram(name, first, counts) {
    const { unit } = this.viewer.about, most = Math.max(...counts);
    const from = (/** @type {number} */ at) => duration(first + at ? 2 ** (first + at - 1) : 0, unit);
    const bars = counts.map((count) => (count ? BARS[Math.round((7 * count) / most)] : '\u2007')).join('');
    const title = counts.map((count, at) => count && `from ${from(at)}: ${grouped(count)}`).filter(Boolean).join('\n');
    const open = button(bars, title, () => this.viewer.drawer.durations.of(this.by === 'name' ? name : name.split(' ')[0]));
    open.ariaLabel = `Durations of ${clean(name) || '(no name)'}`;
    return element('td', { className: 'bars' }, open);
  }
}

/**
 * A table of texts.
 * @param {Viewer} viewer
 * @param {import('../engine.js').Table} table
 */
function facts({ painter }, { title, columns, rows, leftOut }) {
  const head = element('tr', {}, ...columns.map((textContent) => element('th', { scope: 'col', textContent })));
  const row = (/** @type {import('../engine.js').TableRow} */ { cells: [name, ...cells], shade }) => {
    const first = element('th', { scope: 'row', textContent: clean(name) || '(no name)' });
    if (shade !== undefined) {
      const swatch = element('span', { className: 'swatch' });
      swatch.style.background = painter.apart[shade];
      first.prepend(swatch);
    }
    return element('tr', {}, first, ...cells.map((textContent) => element('td', { textContent })));
  };
  const made = element('table', { className: 'facts' }, element('caption', { textContent: title }), element('thead', {}, head), element('tbody', {}, ...rows.map(row)));
  return element('div', {}, made, element('p', { className: 'dim', textContent: leftOut ? `and ${grouped(leftOut)} more` : '' }));
}

/** @param {Viewer} viewer */
function isTime({ measure }) {
  return !measure || measure === 'wall-time';
}

/**
 * What a tick of sums is.
 * @param {Viewer} viewer
 */
export function measuredUnit({ measure = '', about }) {
  return MEASURES[measure]?.[1] ?? about.unit;
}

/**
 * A field to choose what is added up.
 * @param {Viewer} viewer
 */
export function measureField(viewer) {
  const measures = Object.entries(MEASURES).map(([value, [text]]) => /** @type {const} */ ([value, text]));
  const field = choice('Measure', measures, viewer.measure ?? 'wall-time', (measure) => viewer.change({ measure }));
  field.title = 'A slice without it is counted, and adds nothing.';
  return field;
}

/**
 * A field to choose which tracks are added up, if they are of several kinds. It says what is left out if nobody chooses.
 * @param {Viewer} viewer
 */
export function tracksField(viewer) {
  const { about: { tracks, leftOut }, range } = viewer;
  if (!leftOut || range?.items) return '';
  const others = `${grouped(leftOut)} of other tracks left out`;
  /** @type {[string, string][]} */
  const sets = [['threads', `Threads (${others})`], ['async', 'Async spans and others'], ['all', 'All tracks']];
  return choice('Tracks', sets, viewer.place.tracks || tracks, (set) => viewer.change({ tracks: set }));
}

/**
 * A field to choose a value of the samples, if they have several.
 * @param {Viewer} viewer
 */
export function valueField({ about: { value, values }, showValue }) {
  if (values.length < 2 || !showValue) return '';
  /** @type {[string | undefined, string][]} */
  const names = values.map((name) => [name, clean(name) || '(no name)']);
  return choice('Value of samples', [[undefined, 'Value of the file'], ...names], value, showValue);
}
