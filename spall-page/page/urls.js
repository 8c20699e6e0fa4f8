// Returns what makes an address of each of some modules, which are texts by their names. What they import from each other are
// such addresses, too. `make` makes an address of a text: that of a blob, or one that has the text in itself, which is what the
// worker of a page needs that was opened as a file.
const blob = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
const inside = (text) => `data:text/javascript,${encodeURIComponent(text).replaceAll("'", '%27')}`;
function urls(modules, make) {
  const made = {};
  const url = (name) => (made[name] ??= make(modules[name].replace(/\b(from|import) '(\.[^']+)'/g, (_, word, path) => `${word} '${url(new URL(path, `file:///${name}`).pathname.slice(1))}'`)));
  return url;
}
