// The page: opens files, and shows them with a source that asks the worker.
import { $, element, button } from './ui/dom.js';
import { MARKUP } from './ui/markup.js';
import { Viewer } from './ui/viewer.js';
import { grouped } from './ui/text.js';
import { open } from './wasm.js';

let viewer, opening;

// `file` is a File, or a Blob with a name.
async function show(file) {
  opening?.abort();
  viewer?.close();
  viewer = undefined;
  const current = (opening = new AbortController());
  const progress = element('progress', { max: file.size, value: 0 });
  const text = element('p', { textContent: 'Reading …' });
  welcome(element('p', {}, element('strong', { textContent: file.name })), progress, text, button('Cancel', 'Stop reading', () => { current.abort(); welcome(); }));
  try {
    const { source, about } = await open(file, (read, phase) => {
      progress.value = read;
      text.textContent = phase ?? `${grouped(read / 1e6, 1)} of ${grouped(file.size / 1e6, 1)} MB`;
    }, current.signal);
    markup();
    viewer = new Viewer(source, about, file.name);
    window.viewer = viewer; // for tests, and for people who look
    await viewer.open();
  } catch (error) {
    if (current.signal.aborted) return;
    const place = error.offset === undefined ? '' : ` The problem is at byte ${grouped(error.offset)}.`;
    welcome(element('p', { className: 'error', role: 'alert', textContent: `${file.name} cannot be read: ${error.message}.${place}` }));
  }
}

function opener() {
  const field = element('input', { type: 'file', hidden: true, id: 'file', ariaLabel: 'Open a trace' });
  field.onchange = () => field.files[0] && show(field.files[0]);
  return element('span', {}, field, button('Open', 'Open a trace', () => field.click()));
}

function markup() {
  document.body.innerHTML = MARKUP;
  $('#open-place').append(opener());
}

// What is there instead of a trace: how to open one, and what has become of the last one.
function welcome(...about) {
  const text = element('p', { className: 'dim', textContent: 'Open a trace, or drop it here: spall, Heph, apitrace, Trace Event JSON and CPU profiles of V8, compressed or not. It stays on this machine.' });
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
  const [file] = event.dataTransfer.files;
  if (file) show(file);
});

// `?trace=PATH` opens a file that lies beside the page.
const path = new URLSearchParams(location.search).get('trace');
welcome();
if (path) {
  const answer = await fetch(path);
  if (answer.ok) await show(new File([await answer.blob()], path.split('/').pop()));
  else welcome(element('p', { className: 'error', textContent: `${path}: ${answer.status} ${answer.statusText}` }));
}
