// Sums of the chosen range, or of everything: a table that can be sorted.
import { element, button, hasFingers } from './dom.js';
import { clean, counted, duration, exactly, grouped } from './text.js';

const COLUMNS = [
  ['name', 'Name'], ['count', 'Count'], ['total', 'Total'], ['own', 'Self'], ['mean', 'Average'], ['min', 'Min'], ['max', 'Max'],
];
const SHOWN = 500;

export class StatisticsPanel {
  constructor(viewer) {
    this.viewer = viewer;
    this.by = 'name';
    this.order = 'own';
    this.isAscending = false;
    this.filter = '';
    this.number = 0;
  }

  async fill(panel) {
    const { viewer } = this;
    const number = ++this.number;
    const text = element('p', { className: 'dim', textContent: 'Adding up …' });
    if (!panel.querySelector('table')) panel.replaceChildren(text);
    const { order, isAscending } = this;
    const ranking = { order, isAscending, filter: this.filter.toLowerCase(), most: SHOWN };
    const ranked = await viewer.source.statistics(viewer.area, this.by, ranking, (done) => {
      text.textContent = `Adding up … ${grouped(done)} slices`;
      if (number === this.number && !text.isConnected) panel.prepend(text);
    });
    text.remove();
    if (!ranked || number !== this.number || viewer.drawer.current !== 'statistics') return;
    this.show(panel, ranked);
    this.shown = this.by;
  }

  show(panel, { rows, count, own }) {
    const { viewer, order } = this;
    const { range, about } = viewer;
    const what = range
      ? `${duration(range.end - range.start, about.unit)} selected${range.items ? `, ${counted(range.items.length, 'track')}` : ''}`
      : `The whole trace. ${hasFingers() ? 'Hold a finger on' : 'Drag over'} the timeline to select a part.`;
    const tools = element('p', {}, `${what}  `);
    if (viewer.source.statistics.byFunction) {
      const choose = element('select', { ariaLabel: 'What is added up', onchange: () => { this.by = choose.value; this.fill(panel); } },
        element('option', { value: 'name', textContent: 'by name' }), element('option', { value: 'function', textContent: 'by function' }));
      choose.value = this.by;
      tools.append(choose);
    }
    const filter = element('input', { type: 'search', placeholder: 'Filter', value: this.filter, ariaLabel: 'Filter names' });
    filter.dataset.key = 'filter';
    filter.oninput = () => { this.filter = filter.value; this.fill(panel); };
    tools.append(filter);
    if (range) tools.append(button('Whole trace', 'Select nothing', () => viewer.setRange(undefined)));
    if (range && viewer.source.graph) tools.append(button('Flame graph', 'Of the selection', () => viewer.drawer.show('calls', 'flame')));
    const head = element('tr', {}, ...COLUMNS.map(([key, title]) => {
      const arrow = key === order ? (this.isAscending ? ' ▴' : ' ▾') : '';
      const sort = button(title + arrow, `Sort by ${title.toLowerCase()}`, () => {
        this.isAscending = key === order ? !this.isAscending : key === 'name';
        this.order = key;
        this.fill(panel);
      });
      sort.dataset.key = key;
      return element('th', { scope: 'col', ariaSort: key === order ? (this.isAscending ? 'ascending' : 'descending') : 'none' }, sort);
    }));
    const table = element('table', {}, element('thead', {}, head));
    table.append(element('tbody', {}, ...rows.map((row) => this.row(row, own))));
    const rest = element('p', { className: 'dim', textContent: count > rows.length ? `and ${grouped(count - rows.length)} more` : '' });
    // The field or the head of a column that was used keeps the focus, and the field its caret.
    const { dataset: { key } = {}, selectionStart } = panel.getRootNode().activeElement ?? {};
    panel.replaceChildren(tools, table, rest);
    const used = key && panel.querySelector(`[data-key="${key}"]`);
    used?.focus();
    if (used === filter) filter.setSelectionRange(selectionStart, selectionStart);
  }

  // A cell with a bar and a tip for its part of all.
  share(cell, part) {
    const percent = `${(100 * (part || 0)).toFixed(1)} %`;
    cell.style.backgroundSize = `${Math.min(100 * (part || 0), 100)}% 100%`;
    cell.className = 'share';
    cell.title = `${percent} of all self times`;
    return cell;
  }

  row(row, own) {
    const { unit } = this.viewer.about;
    const time = (ticks) => element('td', { textContent: ticks === undefined ? '' : duration(ticks, unit) });
    const name = button(clean(row.name) || '(no name)', 'Find', () => this.viewer.finder.search(this.by === 'name' ? exactly(row.name) : row.name.split(' ')[0]));
    return element('tr', {}, element('th', { scope: 'row' }, name), element('td', { textContent: grouped(row.count) }),
      time(row.total), this.share(time(row.own), row.own / own), time(row.mean), time(row.min), time(row.max));
  }
}

// The same sums as a library makes of all: those of a source that has them in JavaScript.
export function ranked(sums, { order, isAscending, filter, most }) {
  const sign = isAscending ? 1 : -1;
  const byName = (a, b) => (a.name < b.name ? -1 : Number(a.name > b.name));
  const compare = (a, b) => sign * (order === 'name' ? byName(a, b) : a[order] - b[order]) || byName(a, b);
  const found = sums.filter(({ name }) => name.toLowerCase().includes(filter)).sort(compare);
  return { rows: found.slice(0, most), count: found.length, own: sums.reduce((sum, { own }) => sum + own, 0) };
}
