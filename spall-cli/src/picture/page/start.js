// Shows the trace of the page.
import { TraceView } from '../../web/ui/element.js';
import { EmbeddedSource } from './embedded.js';

const source = new EmbeddedSource(document.querySelector('#data').textContent.trim());
const about = source.about(COLOURS); // which `html.rs` writes before the modules
customElements.define('trace-view', TraceView);
document.querySelector('trace-view').show(source, about, about.title);
