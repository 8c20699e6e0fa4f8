// Questions in SQL, which a program with an engine for them answers. Rows with a time are shown in the timeline.
import { element, button, hasFingers } from './dom.js';
import { longList } from './list.js';
import { clean, counted } from './text.js';

/**
 * @typedef {import('../page.js').Answered} Answered
 * @typedef {NonNullable<import('../page.js').Source['query']>} Query
 */

const WIDEST = 48; // characters of a column
/** @type {[string, string][]} */
const EXAMPLES = [
  ['Tables', 'show tables'],
  ['Longest slices', 'select id, ts, dur, name from slice order by dur desc limit 100'],
  ['Functions', 'select * from top_functions limit 100'],
  ['Percentiles', 'select * from percentiles limit 100'],
  ['Gaps', 'select ts, dur, track from thread_gaps order by dur desc limit 100'],
];

export class QuestionsPanel {
  /** @type {AbortController | undefined} */
  asking = undefined;
  sql = element('textarea', { rows: 3, spellcheck: false, ariaLabel: 'Question in SQL', value: EXAMPLES[1]?.[1] ?? '' });
  said = element('span', { className: 'dim', role: 'status' });
  table = element('div', { role: 'table', ariaLabel: 'Answer' });
  root = element('div', { className: 'entries questions' });

  /**
   * @param {import('./viewer.js').Viewer} viewer
   * @param {Query} query
   */
  constructor(viewer, query) {
    this.viewer = viewer;
    this.query = query;
    this.sql.onkeydown = (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.ask();
      event.stopPropagation();
    };
    const examples = EXAMPLES.map(([title, sql]) => button(title, sql, () => {
      this.sql.value = sql;
      this.ask();
    }));
    this.root.append(this.sql, element('p', {}, button('Ask', 'Ask the trace (Ctrl+Enter). Times are in ticks, as in the tables', () => this.ask()), ' ', ...examples.flatMap((made) => [made, ' ']), this.said), this.table);
  }

  /** @param {HTMLElement} panel */
  fill(panel) {
    this.panel = panel;
    panel.replaceChildren(this.root);
    if (!hasFingers()) this.sql.focus();
  }

  leave() {
    this.asking?.abort();
  }

  async ask() {
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    this.said.replaceChildren('Asking … ', button('Cancel', 'Ask no more', () => this.asking?.abort()));
    try {
      const answer = await this.query(this.sql.value, signal);
      if (!signal.aborted) this.show(answer);
    } catch (error) {
      this.said.textContent = signal.aborted ? '' : clean(error.message);
    }
  }

  /** @param {Answered} answer */
  show({ columns, rows, hasMore }) {
    const name = Math.max(columns.indexOf('name'), 0);
    const timed = rows.flatMap(({ range, slice, cells }) => (range ? [{ start: range[0], end: range[1], name: cells[name] ?? '', slice }] : []));
    const asTrack = button('Show as a track', 'Show the rows above the timeline, at their times', () => this.viewer.act({ rows: { title: this.sql.value.trim().replace(/\s+/g, ' '), rows: timed, leftOut: 0 } }));
    this.said.replaceChildren(`${counted(rows.length, 'row')}${hasMore ? ', and there are more: ask for fewer' : ''} `, ...(timed.length ? [asTrack] : []));
    const widths = columns.map((title, at) => rows.slice(0, 1000).reduce((width, { cells }) => Math.max(width, cells[at]?.length ?? 4), title.length) + 1);
    this.table.style.setProperty('--columns', widths.map((width) => `${Math.min(width, WIDEST)}ch`).join(' '));
    this.table.ariaRowCount = String(rows.length + 1);
    const head = element('div', { role: 'row', className: 'row head-row' }, ...columns.map((title) => element('span', { role: 'columnheader', textContent: clean(title) })));
    const { list } = longList(/** @type {HTMLElement} */ (this.panel), this.table, rows.length, (at) => this.row(/** @type {Answered['rows'][number]} */ (rows[at]), at), head);
    list.role = 'rowgroup';
  }

  /**
   * @param {Answered['rows'][number]} row
   * @param {number} at
   */
  row(row, at) {
    const cells = row.cells.map((text, number) => {
      const cell = element('span', { role: 'cell', className: text === undefined ? 'dim' : '', title: text && text.length > WIDEST ? clean(text.slice(0, 2000)) : '' });
      if (number || (row.range === undefined && row.slice === undefined)) cell.textContent = clean(text ?? 'none');
      else {
        const go = button(text ?? 'none', 'Go there', () => this.go(row));
        go.dataset.key = `row ${at}`;
        cell.append(go);
      }
      return cell;
    });
    return element('div', { role: 'row', className: 'row', ariaRowIndex: String(at + 2) }, ...cells);
  }

  /** @param {Answered['rows'][number]} row */
  go({ range, slice }) {
    const { viewer } = this;
    if (slice !== undefined) return viewer.go(slice);
    if (!range) return undefined;
    const [start, end] = range, beside = Math.max((end - start) / 2, 1);
    return viewer.show(start - beside, end + beside);
  }
}
