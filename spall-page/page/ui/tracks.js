// The list of all tracks, and what is damaged or odd about the file.
import { element, button } from './dom.js';
import { longList } from './list.js';
import { clean, grouped, milliseconds, nanoseconds } from './text.js';

export class TracksPanel {
  filter = '';
  list = element('div');
  /** @type {HTMLElement} */
  panel = this.list;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /** @param {HTMLElement} panel */
  fill(panel) {
    const { viewer } = this;
    if (this.list.isConnected) return this.show();
    const all = button('Show all', 'Hide no track', () => viewer.change({ hidden: [] }));
    const filter = element('input', { type: 'search', placeholder: 'Filter', value: this.filter, ariaLabel: 'Filter tracks' });
    filter.oninput = () => {
      this.filter = filter.value;
      this.show();
    };
    const about = element('span', { className: 'dim', textContent: ' ● shown · ▾ open · ↑ pinned to the top · drag a name of the timeline, or press J or K, to move it' });
    const cpus = button('CPUs', 'Show what ran on each processor, or no longer', () => viewer.run('cpuTracks'));
    this.list = element('div');
    this.panel = panel;
    panel.replaceChildren(element('p', {}, filter, all, ...(viewer.about.hasCpus ? [cpus] : []), about), this.list);
    this.show();
  }

  // The rows whose names have the text of the filter, with the processes that they are of.
  rows() {
    const wanted = this.filter.toLowerCase();
    const is = (/** @type {{ label: string, detail: string }} */ { label, detail }) => `${label} ${detail}`.toLowerCase().includes(wanted);
    return this.viewer.arranged.groups.flatMap((group) => {
      const members = group.members.filter((member) => (!member.empty || this.viewer.place.showsEmpty) && (!wanted || is(group) || is(member)));
      return members.length ? [{ ...group, what: group.item ? 'process' : '', isHead: true }, ...members.map((member) => ({ ...member, isHead: false }))] : [];
    });
  }

  show() {
    const rows = this.rows();
    longList(this.panel, this.list, rows.length, (at) => this.row(rows[at]));
  }

  /** @param {ReturnType<TracksPanel['rows']>[number]} row */
  row({ item, label, detail, what, isHead }) {
    const { viewer, viewer: { arranged } } = this;
    const made = element('p', { className: isHead ? 'head' : '', title: `${clean(label)} ${clean(detail)}` });
    if (item) {
      /**
       * @param {'hidden' | 'folded' | 'pinned'} list
       * @param {[string, string]} signs
       * @param {[string, string]} titles
       * @param {import('../engine.js').Action} action
       */
      const toggle = (list, [off, on], [whenOff, whenOn], action) => {
        const isOn = arranged.isIn(list, item);
        const tool = button(isOn ? on : off, isOn ? whenOn : whenOff, () => viewer.act(action));
        tool.ariaPressed = String(isOn);
        tool.ariaLabel = `${isOn ? whenOn : whenOff} ${clean(label)}`;
        tool.dataset.key = `${list} ${arranged.key(item)}`;
        return tool;
      };
      made.append(toggle('hidden', ['●', '○'], ['Hide', 'Show'], { hide: item }), toggle('folded', ['▾', '▸'], ['Fold', 'Open'], { fold: item }));
      if (!isHead) made.append(toggle('pinned', ['↑', '↑'], ['Pin', 'Unpin'], { pin: item }));
      if (arranged.isIn('hidden', item)) made.classList.add('off');
    }
    const go = item && button(clean(label), 'Go there', () => viewer.visit(item));
    if (go) {
      go.className = 'go';
      go.dataset.key = `go ${arranged.key(item)}`;
    }
    made.append(' ', go ?? clean(label), ' ', element('span', { className: 'dim', textContent: `${clean(detail)} ${what}` }));
    return made;
  }
}

/**
 * @param {import('./viewer.js').Viewer} viewer
 * @param {HTMLElement} panel
 */
export function fillNotes(viewer, panel) {
  const note = (/** @type {import('../engine.js').Note} */ { text, count, byte }) => {
    const where = byte === undefined ? '' : `, first at byte ${grouped(byte)}`;
    const about = element('span', { className: 'dim', textContent: `  ${count === undefined ? '' : `${grouped(count)} ${count === 1 ? 'time' : 'times'}`}${where} ` });
    const [, , at] = viewer.damage?.find(([found, from]) => found === text && from === byte) ?? [];
    return element('li', {}, text, about, ...(at === undefined ? [] : [button('Go there', 'Show the time of the event at this byte', () => viewer.lookAt(at))]));
  };
  const { placed } = viewer.about;
  // The first file is the axis; the others can be moved along it.
  const shift = (/** @type {import('../engine.js').Placed} */ { name, offset }) => {
    const field = element('input', { inputMode: 'decimal', value: milliseconds(offset), ariaLabel: `Milliseconds added to ${name}` });
    field.onchange = () => {
      const typed = nanoseconds(field.value);
      field.ariaInvalid = String(typed === undefined);
      if (typed !== undefined) viewer.moveFile?.(name, typed);
    };
    return element('p', {}, element('label', {}, `${clean(name)} is shifted by `, field, ' ms'));
  };
  const fill = () => panel.replaceChildren(...placed.slice(1).map(shift), element('ul', {}, ...viewer.about.notes.map(note)));
  fill();
  if (viewer.damage) return;
  viewer.source.damage().then((found) => {
    viewer.damage = found;
    viewer.redraw();
    if (viewer.drawer.current === 'notes') fill();
  });
}
