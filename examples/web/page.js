// The page: opens files, and shows them with a source that asks the worker.
import { $, element, button } from './ui/dom.js';
import { MARKUP } from './ui/markup.js';
import { Viewer } from './ui/viewer.js';
import { withoutPlace } from './ui/address.js';
import { grouped } from './ui/text.js';
import { open } from './wasm.js';

let viewer, opening;

// Shows files, several on one axis of time.
async function show(files) {
  opening?.abort();
  // The place in the address is that of the last trace.
  if (viewer) history.replaceState(null, '', location.pathname + location.search + withoutPlace(location.hash));
  viewer?.close();
  viewer = undefined;
  const current = (opening = new AbortController());
  const title = files.map(({ name }) => name).join(', ');
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const progress = element('progress', { max: size, value: 0 });
  const text = element('p', { textContent: 'Reading …' });
  welcome(element('p', {}, element('strong', { textContent: title })), progress, text, button('Cancel', 'Stop reading', () => { current.abort(); welcome(); }));
  try {
    const { source, about } = await open(files, (read, phase) => {
      progress.value = read;
      text.textContent = phase ?? `${grouped(read / 1e6, 1)} of ${grouped(size / 1e6, 1)} MB`;
    }, current.signal);
    markup();
    viewer = new Viewer(source, about, title);
    window.viewer = viewer; // for tests, and for people who look
    await viewer.open();
  } catch (error) {
    if (current.signal.aborted) return;
    const place = error.offset === undefined ? '' : ` The problem is at byte ${grouped(error.offset)}.`;
    welcome(element('p', { className: 'error', role: 'alert', textContent: `${title} cannot be read: ${error.message}.${place}` }));
  }
}

function opener() {
  const field = element('input', { type: 'file', multiple: true, hidden: true, id: 'file', ariaLabel: 'Open traces' });
  field.onchange = () => field.files.length && show([...field.files]);
  return element('span', {}, field, button('Open', 'Open a trace, or several on one axis of time', () => field.click()));
}

function markup() {
  document.body.innerHTML = MARKUP;
  $('#open-place').append(opener());
}

// What is there instead of a trace: how to open one, and what has become of the last one.
function welcome(...about) {
  const text = element('p', { className: 'dim', textContent: 'Open a trace, or drop it here: spall, Heph, apitrace, Trace Event JSON and CPU profiles of V8, compressed or not. Several are shown on one axis of time. They stay on this machine.' });
  document.body.replaceChildren(element('div', { id: 'welcome' }, ...about, opener(), text));
}

addEventListener('dragover', (event) => {
  event.preventDefault();
  document.body.classList.add('dropping');
});
addEventListener('dragleave', () => document.body.classList.remove('dropping'));
addEventListener('drop', (event) => {
  event.preventDefault();
  document.body.classList.remove('dropping');
  const files = [...event.dataTransfer.files];
  if (files.length) show(files);
});

// `?trace=PATH` opens a file that lies beside the page; several are `?trace=PATH&trace=PATH`.
async function fetched(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  return new File([await answer.blob()], path.split('/').pop());
}

const paths = new URLSearchParams(location.search).getAll('trace');
welcome();
try {
  if (paths.length) await show(await Promise.all(paths.map(fetched)));
} catch (error) {
  welcome(element('p', { className: 'error', textContent: error.message }));
}
