// The list of all tracks, and what is damaged or odd about the file.
import { element, button } from './dom.js';
import { clean, grouped } from './text.js';

export function fillTracks(viewer, panel) {
  const lists = viewer.groups.map((group) => {
    const items = group.members.map((member) => line(viewer, member));
    const head = group.item ? line(viewer, { ...group, what: 'process' }) : element('p', { textContent: group.label });
    head.classList.add('head');
    return element('section', {}, head, ...items);
  });
  const all = button('Show all', 'Hide no track', () => {
    viewer.arrangement.hidden.clear();
    viewer.arrange();
  });
  panel.replaceChildren(element('p', {}, all, element('span', { className: 'dim', textContent: ' ● shown · ▾ open · ↑ pinned to the top · drag a name of the timeline, or press J or K, to move it' })), ...lists);
}

function line(viewer, { item, label, detail, what }) {
  const toggle = (list, text, title, isOn) => {
    const made = button(text, title, () => viewer.toggle(list, item));
    made.ariaPressed = String(isOn);
    return made;
  };
  const isHidden = viewer.isIn('hidden', item), isFolded = viewer.isIn('folded', item), isPinned = viewer.isIn('pinned', item);
  const tools = [toggle('hidden', isHidden ? '○' : '●', isHidden ? 'Show' : 'Hide', isHidden), toggle('folded', isFolded ? '▸' : '▾', isFolded ? 'Open' : 'Fold', isFolded)];
  if (item.kind !== 'process') tools.push(toggle('pinned', '↑', isPinned ? 'Unpin' : 'Pin', isPinned));
  return element('p', { className: isHidden ? 'off' : '' }, ...tools, ` ${clean(label)} `, element('span', { className: 'dim', textContent: `${clean(detail)} ${what}` }));
}

export function fillNotes(viewer, panel) {
  const note = ({ text, count, byte }) => {
    const where = byte === undefined || byte === null ? '' : `, first at byte ${grouped(byte)}`;
    return element('li', {}, text, element('span', { className: 'dim', textContent: `  ${count === undefined ? '' : `${grouped(count)} ${count === 1 ? 'time' : 'times'}`}${where}` }));
  };
  panel.replaceChildren(element('ul', {}, ...viewer.about.notes.map(note)));
}
