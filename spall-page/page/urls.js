// Returns what makes an address of each of some modules, which are texts by their names. What they import from each other are
// such addresses, too. `make` makes an address of a text: that of a blob, or one that has the text in itself, which is what the
// worker of a page needs that was opened as a file.
/** @param {string} text */
const blob = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
/** @param {string} text */
const inside = (text) => `data:text/javascript,${encodeURIComponent(text).replaceAll("'", '%27')}`;
/**
 * @param {Record<string, string>} modules
 * @param {(text: string) => string} make
 * @returns {(name: string) => string}
 */
function urls(modules, make) {
  /** @type {Record<string, string>} */
  const made = {};
  /** @param {string} name @returns {string} */
  const url = (name) => (made[name] ??= make(modules[name].replace(/\b(from|import) '(\.[^']+)'/g, (_, word, path) => `${word} '${url(new URL(path, `file:///${name}`).pathname.slice(1))}'`)));
  return url;
}
