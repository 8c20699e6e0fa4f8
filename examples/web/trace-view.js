// Defines the element `<trace-view>`, whose traces are read by a worker.
import { TraceView } from './ui/element.js';
import { open } from './wasm.js';

TraceView.load = open;
if (!customElements.get('trace-view')) customElements.define('trace-view', TraceView);

export { TraceView };
