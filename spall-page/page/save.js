// A page of its own: the viewer, the files of a trace as they are, and a place, in one file that needs nothing else. It is a
// page without files, `saved.html`, with elements behind it for the place and the files.

const PIECE = 24 << 20; // bytes of a file that one element has; browsers refuse texts that are very long
const MOST = 500e6; // bytes of all files as they are saved, with which browsers still open the page

// Where the page without files is, if not beside this module. A saved page is made of itself.
/** @type {{ text: string | undefined }} */
export const template = { text: undefined };

/**
 * Returns the page as a blob.
 * @param {File[]} files
 * @param {import('./engine.js').Place} place
 */
export async function save(files, place) {
  const empty = template.text ?? (await (await fetched(new URL('./saved.html', import.meta.url))).text());
  /** @type {string[]} */
  const parts = [empty, `<script id="place" type="application/json">${JSON.stringify(place).replaceAll('<', '\\u003c')}</script>\n`];
  let size = 0;
  for (const [at, file] of files.entries()) {
    const isPacked = /^(1f8b|28b52ffd)/.test([...new Uint8Array(await file.slice(0, 4).arrayBuffer())].map((byte) => byte.toString(16).padStart(2, '0')).join(''));
    const content = isPacked ? file : await new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();
    size += content.size;
    if (size > MOST) throw new Error('the page would have more than 500 MB, which browsers do not open; `spall open FILE` shows files of any size');
    for (let from = 0; from < Math.max(content.size, 1); from += PIECE) {
      const name = element('data-name', file.name), packed = isPacked ? '' : ' data-gzip';
      parts.push(`<script type="application/octet-stream" data-file="${at}"${name}${packed}>${await base64(content.slice(from, from + PIECE))}</script>\n`);
    }
  }
  return new Blob(parts, { type: 'text/html' });
}

/** @param {URL} url */
async function fetched(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error('this viewer was built without what a saved page needs');
  return answer;
}

/**
 * @param {string} name
 * @param {string} value
 */
function element(name, value) {
  return ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
}

/** @param {Blob} blob */
async function base64(blob) {
  const url = await /** @type {Promise<string>} */ (new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(/** @type {string} */ (reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  }));
  return url.slice(url.indexOf(',') + 1);
}
