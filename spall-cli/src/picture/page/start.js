// Shows the trace of the page.
import { TraceView } from '../../web/ui/element.js';
import { EmbeddedSource } from './embedded.js';

const base64 = document.querySelector('#data').textContent.trim();
const source = new EmbeddedSource(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
const about = source.about(COLOURS); // which `html.rs` writes before the modules
customElements.define('trace-view', TraceView);
document.querySelector('trace-view').show(source, about, about.title);
