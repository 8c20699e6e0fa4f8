// Elements of the page. Texts of a trace are only ever set as text.

/**
 * Makes an element with properties and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {(Node | string)[]} children
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

/**
 * @param {string} text
 * @param {string} title
 * @param {() => unknown} onclick
 */
export function button(text, title, onclick) {
  const made = element('button', { type: 'button', textContent: text, title, onclick });
  if (!/\p{L}/u.test(text)) made.ariaLabel = title; // a sign is no name
  return made;
}

/**
 * A field to choose one of some pairs of a value and its text. `chosen` is called with another value.
 * @template Value
 * @param {string} label
 * @param {readonly (readonly [Value, string])[]} pairs
 * @param {Value} value
 * @param {(value: Value) => unknown} chosen
 */
export function choice(label, pairs, value, chosen) {
  const field = element('select', { ariaLabel: label }, ...pairs.map(([value, textContent]) => element('option', { value: String(value ?? ''), textContent })));
  field.selectedIndex = pairs.findIndex(([one]) => one === value);
  field.onchange = () => chosen(pairs[field.selectedIndex][0]);
  return field;
}

/**
 * Pairs of a key and a value, each value as wide as there is room.
 * @param {readonly (readonly [string, string])[]} pairs
 */
export function facts(pairs) {
  const list = element('dl');
  for (const [key, value] of pairs) list.append(element('dt', { textContent: key }), element('dd', { textContent: value }));
  return list;
}

/**
 * What has the focus in the tree of an element, which may be a shadow root.
 * @param {Element} place
 */
export function focusedIn(place) {
  return /** @type {HTMLElement | null} */ (/** @type {Document | ShadowRoot} */ (place.getRootNode()).activeElement);
}

// Whether a finger points, to which keys and clicks say nothing.
export const hasFingers = () => matchMedia('(pointer: coarse)').matches;

// Something that the browser remembers, or not if it is not allowed to.
export const memory = {
  /** @param {string} key */
  get(key) {
    try { return localStorage.getItem(`trace-viewer.${key}`); } catch { return null; }
  },
  /**
   * @param {string} key
   * @param {unknown} value
   */
  set(key, value) {
    try { localStorage.setItem(`trace-viewer.${key}`, String(value)); } catch { /* the page works without */ }
  },
};
