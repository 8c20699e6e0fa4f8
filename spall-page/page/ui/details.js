// What there is to say about the selected element, and the flows that lead to and from it.
import { element, button, facts, hasFingers } from './dom.js';
import { clean, duration } from './text.js';

const SHOWN_FLOWS = 100;

export class DetailsPanel {
  /** @type {import('../engine.js').Details | undefined} */
  details = undefined;

  /** @param {import('./viewer.js').Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
  }

  /** @param {import('./under.js').Element | undefined} selected */
  async load(selected) {
    this.details = selected && (await this.viewer.source.details(selected, selected.at ?? 0));
    if (this.details) {
      const said = Object.fromEntries(this.details.facts);
      this.viewer.say([clean(this.details.name), said.duration ?? said.time, said.depth && `depth ${said.depth}`, clean(said.track ?? '')].filter(Boolean).join(', '));
    }
  }

  /** @param {HTMLElement} panel */
  fill(panel) {
    const { details, viewer } = this;
    if (!details) {
      panel.replaceChildren(element('p', { className: 'dim', textContent: `${hasFingers() ? 'Tap' : 'Click on'} something to see what it is.` }));
      return;
    }
    /** @param {[string, string][]} pairs @returns {[string, string][]} */
    const cleaned = (pairs) => pairs.map(([key, value]) => [clean(key), clean(value)]);
    const columns = [element('div', {}, element('h2', { textContent: clean(details.name) || '(no name)' }), this.actions(), facts(cleaned(details.facts)))];
    if (details.args.length) columns.push(element('div', {}, element('h3', { textContent: 'Arguments' }), facts(cleaned(details.args))));
    if (details.stack.length) columns.push(element('div', {}, element('h3', { textContent: 'Stack' }), element('p', { className: 'lines', textContent: details.stack.map(clean).join('\n') })));
    for (const leaves of [false, true]) {
      const flows = this.flows(leaves);
      if (!flows.length) continue;
      const links = flows.slice(0, SHOWN_FLOWS).map(({ name, takes, slice }) =>
        button(`${leaves ? '→' : '←'} ${clean(name)}  ${duration(takes, viewer.about.unit)}`, 'Go there', () => viewer.go(slice)));
      if (links.length > 1) links[viewer.arranged.flow % flows.length]?.classList.add('current');
      const title = leaves ? `Flows that leave (${flows.length})` : `Flows that arrive (${flows.length})`;
      columns.push(element('div', {}, element('h3', { textContent: title }), element('div', { className: 'list' }, ...links)));
    }
    panel.replaceChildren(...columns);
  }

  actions() {
    const { viewer } = this;
    if (viewer.selected?.kind === 'counter') return this.choices({ kind: 'track', id: viewer.selected.id });
    if (viewer.slice === undefined) return '';
    const made = [button('Zoom', 'F', () => viewer.run('fit'))];
    made.push(button('Same name', '*', () => viewer.finder.sameName(false)));
    made.push(button('Durations', 'How long all of this name take', () => viewer.drawer.durations.of(this.details?.name ?? '')));
    made.push(button('Note', 'Write a note on it', () => viewer.run('note').then(() => viewer.drawer.marks.write(false))));
    made.push(button('Hide name', 'Hide all of this name; the panel of categories shows them again', () => viewer.run('hideName')));
    made.push(button('Callers and callees', '3', () => viewer.drawer.show('calls', 'sandwich')));
    return element('p', {}, ...made);
  }

  // How a counter is shown.
  /** @param {import('../engine.js').Item} item */
  choices(item) {
    const { viewer } = this;
    /**
     * @param {'rates' | 'shared'} list
     * @param {string} text
     * @param {string} title
     * @param {import('../engine.js').Action} action
     */
    const toggle = (list, text, title, action) => {
      const made = button(text, title, () => viewer.act(action));
      made.ariaPressed = String(viewer.arranged.isIn(list, item));
      return made;
    };
    return element('p', {}, toggle('rates', 'Per second', 'Show the change per second instead of the values', { rate: item }),
      toggle('shared', 'Shared scale', 'One scale with all other counters of which this is chosen', { share: item }));
  }

  /** @param {boolean} leaves */
  flows(leaves) {
    return (this.details?.flows ?? []).filter((flow) => flow.leaves === leaves);
  }
}
