// Sums of the chosen range, or of everything: a table that can be sorted.
import { element, button, hasFingers } from './dom.js';
import { clean, counted, duration, grouped } from './text.js';

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
    const rows = await viewer.source.statistics(viewer.area, this.by, (done) => {
      text.textContent = `Adding up … ${grouped(done)} slices`;
      if (number === this.number && !text.isConnected) panel.prepend(text);
    });
    text.remove();
    if (!rows || number !== this.number || viewer.drawer.current !== 'statistics') return;
    this.rows = rows;
    this.show(panel);
    this.shown = this.by;
  }

  show(panel) {
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
    filter.oninput = () => { this.filter = filter.value; body(); };
    tools.append(filter);
    if (range) tools.append(button('Whole trace', 'Select nothing', () => viewer.setRange(undefined)));
    if (range && viewer.source.graph) tools.append(button('Flame graph', 'Of the selection', () => viewer.drawer.show('calls', 'flame')));
    const head = element('tr', {}, ...COLUMNS.map(([key, title]) => {
      const arrow = key === order ? (this.isAscending ? ' ▴' : ' ▾') : '';
      const sort = button(title + arrow, `Sort by ${title.toLowerCase()}`, () => {
        this.isAscending = key === order ? !this.isAscending : key === 'name';
        this.order = key;
        this.show(panel);
      });
      return element('th', { scope: 'col', ariaSort: key === order ? (this.isAscending ? 'ascending' : 'descending') : 'none' }, sort);
    }));
    const table = element('table', {}, element('thead', {}, head));
    const rows = element('tbody');
    table.append(rows);
    const rest = element('p', { className: 'dim' });
    const body = () => {
      const wanted = this.filter.toLowerCase();
      const sorted = this.rows.filter(({ name }) => name.toLowerCase().includes(wanted)).sort((a, b) => this.compare(a, b));
      rows.replaceChildren(...sorted.slice(0, SHOWN).map((row) => this.row(row)));
      rest.textContent = sorted.length > SHOWN ? `and ${grouped(sorted.length - SHOWN)} more` : '';
    };
    body();
    panel.replaceChildren(tools, table, rest);
  }

  compare(a, b) {
    const { order } = this;
    const sign = this.isAscending ? 1 : -1;
    const by = order === 'name' ? (a.name < b.name ? -1 : Number(a.name > b.name)) : a[order] - b[order];
    return sign * by || (a.name < b.name ? -1 : 1);
  }

  row(row) {
    const { unit } = this.viewer.about;
    const time = (ticks) => element('td', { textContent: ticks === undefined ? '' : duration(ticks, unit) });
    const name = button(clean(row.name) || '(no name)', 'Find', () => this.viewer.finder.search(this.by === 'name' ? `/^${escaped(row.name)}$/` : row.name.split(' ')[0]));
    return element('tr', {}, element('th', { scope: 'row' }, name), element('td', { textContent: grouped(row.count) }),
      time(row.total), time(row.own), time(row.mean), time(row.min), time(row.max));
  }
}

// The text as a regular expression that matches it alone.
function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
