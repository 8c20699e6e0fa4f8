// Elements of the page. Texts of a trace are only ever set as text.

// Makes an element with properties and children.
export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

export function button(text, title, onclick) {
  const made = element('button', { type: 'button', textContent: text, title, onclick });
  if (!/\p{L}/u.test(text)) made.ariaLabel = title; // a sign is no name
  return made;
}

// A field to choose one of some pairs of a value and its text. `chosen` is called with another value.
export function choice(label, pairs, value, chosen) {
  const field = element('select', { ariaLabel: label }, ...pairs.map(([value, textContent]) => element('option', { value, textContent })));
  field.selectedIndex = pairs.findIndex(([one]) => one === value);
  field.onchange = () => chosen(pairs[field.selectedIndex][0]);
  return field;
}

// Pairs of a key and a value, each value as wide as there is room.
export function facts(pairs) {
  const list = element('dl');
  for (const [key, value] of pairs) list.append(element('dt', { textContent: key }), element('dd', { textContent: value }));
  return list;
}

// Whether a finger points, to which keys and clicks say nothing.
export const hasFingers = () => matchMedia('(pointer: coarse)').matches;

// Something that the browser remembers, or not if it is not allowed to.
export const memory = {
  get(key) {
    try { return localStorage.getItem(`trace-viewer.${key}`); } catch { return null; }
  },
  set(key, value) {
    try { localStorage.setItem(`trace-viewer.${key}`, value); } catch { /* the page works without */ }
  },
};
