// Shows the trace of the page.
import { $ } from '../../web/ui/dom.js';
import { MARKUP } from '../../web/ui/markup.js';
import { Viewer } from '../../web/ui/viewer.js';
import { EmbeddedSource } from './embedded.js';

const data = $('#data').textContent.trim();
document.body.innerHTML = MARKUP;
const source = new EmbeddedSource(data);
const about = source.about(COLOURS); // which `html.rs` writes before the modules
window.viewer = new Viewer(source, about, about.title);
window.viewer.open();
