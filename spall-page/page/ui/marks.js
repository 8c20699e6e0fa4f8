// Marks and notes: a list of them with their times, how far they are apart, and what they say.
import { element, button, focusedIn } from './dom.js';
import { clean } from './text.js';

/** @typedef {import('../engine.js').MarkFacts} MarkFacts */

export class MarksPanel {
  /** @type {number | undefined} */
  from = undefined; // the time of the mark from which distances are measured
  number = 0;
  isWriting = false; // whether the last mark is about to be written on

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /** Opens the panel at the field of the last mark, which is a new one if `isNew`. */
  async write(isNew = true) {
    if (isNew) await this.viewer.run('note');
    this.isWriting = true;
    this.viewer.drawer.show('marks');
  }

  /** @param {HTMLElement} panel */
  async fill(panel) {
    const { viewer } = this, number = ++this.number;
    const { marks } = viewer.place, from = marks.findIndex(({ at }) => at === this.from);
    const all = await viewer.source.marks(from < 0 ? undefined : from);
    if (number !== this.number || viewer.drawer.current !== 'marks') return;
    const key = focusedIn(panel)?.dataset.key;
    const tools = element('p', {},
      button('Note', 'Write a note on the selection, the range or the pointer', () => this.write()),
      ...(all.length ? [button('Save', 'Save marks and notes as a file', () => this.save())] : []), this.opener(),
      element('span', { className: 'dim', textContent: all.length ? '' : ' M marks a time, and B writes a note on the selection, the range or the pointer.' }));
    panel.replaceChildren(tools, ...(all.length ? [this.table(all, from)] : []));
    const wanted = this.isWriting ? `text ${viewer.place.marks.length - 1}` : key;
    this.isWriting = false;
    /** @type {HTMLElement | null} */ (wanted ? panel.querySelector(`[data-key="${wanted}"]`) : null)?.focus();
  }

  /**
   * @param {MarkFacts[]} all
   * @param {number} from
   */
  table(all, from) {
    const columns = ['Time', 'Lasts', 'About', 'Note', from < 0 ? 'After the one before' : 'After the chosen one', ''];
    const head = element('tr', {}, ...columns.map((textContent) => (textContent ? element('th', { scope: 'col', textContent }) : element('td'))));
    return element('table', { className: 'facts' }, element('thead', {}, head), element('tbody', {}, ...all.map((mark) => this.row(mark, from))));
  }

  /**
   * @param {MarkFacts} mark
   * @param {number} from
   */
  row({ number, at, time, takes, about, text, distance }, from) {
    const { viewer } = this;
    const keyed = (/** @type {HTMLElement} */ made, /** @type {string} */ key) => {
      made.dataset.key = `${key} ${number}`;
      return made;
    };
    const go = button(time, 'Go there', () => viewer.visit({ kind: 'note', id: number }));
    const field = element('input', { value: text, ariaLabel: `Note at ${time}`, placeholder: 'Note' });
    field.onchange = () => viewer.act({ annotate: [number, field.value] });
    field.onkeydown = (event) => {
      if (!['Enter', 'Escape'].includes(event.key)) return;
      event.stopPropagation();
      if (event.key === 'Escape') field.value = text;
      viewer.canvas.focus(); // which is a change of what was typed
    };
    const measure = button('↦', `Measure from ${time}`, () => {
      this.from = number === from ? undefined : at;
      viewer.drawer.changed('marks');
    });
    measure.ariaPressed = String(number === from);
    const remove = button('×', `Remove the mark at ${time}`, () => viewer.act({ unmark: number }));
    const cell = (/** @type {(Node | string)[]} */ ...parts) => element('td', {}, ...parts);
    return element('tr', {}, element('th', { scope: 'row' }, keyed(go, 'go')), cell(takes), cell(clean(about)), cell(keyed(field, 'text')), cell(distance), cell(keyed(measure, 'from'), ' ', keyed(remove, 'remove')));
  }

  // The marks as a file, which says of which files they are.
  save() {
    const { files, marks } = this.viewer.place;
    const link = element('a', { href: URL.createObjectURL(new Blob([JSON.stringify({ files, marks }, null, 1)], { type: 'application/json' })), download: 'notes.json' });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }

  // Opens marks beside those that are there.
  opener() {
    const { viewer } = this;
    const field = element('input', { type: 'file', accept: '.json', hidden: true, ariaLabel: 'Open marks and notes' });
    field.onchange = async () => {
      const [file] = field.files ?? [];
      /** @type {import('../engine.js').Place} */
      let read;
      try {
        read = JSON.parse(await file.text());
        if (!Array.isArray(read.marks)) throw new Error('it has no marks');
      } catch (error) {
        return viewer.hint(`${file.name} cannot be read: ${error.message}.`);
      }
      const known = new Set(viewer.place.marks.map((mark) => JSON.stringify(mark)));
      const added = read.marks.filter((mark) => !known.has(JSON.stringify(mark)));
      const changed = await viewer.change({ files: read.files ?? [], marks: [...viewer.place.marks, ...added] });
      viewer.hint(changed?.missing.join(' ') ?? '');
    };
    return element('span', {}, button('Open', 'Open marks and notes of a file', () => field.click()), field);
  }
}
