// Shows a trace in a cell of a notebook, in which anywidget calls `render`. The trace arrives as bytes.
import { TraceView } from '../../web/ui/element.js';
import { EmbeddedSource } from './embedded.js';

export function render({ model, el }) {
  if (!customElements.get('trace-view')) customElements.define('trace-view', TraceView);
  const view = document.createElement('trace-view');
  view.style.height = `${model.get('height')}px`;
  el.append(view);
  const { buffer, byteOffset, byteLength } = model.get('data');
  const source = new EmbeddedSource(new Uint8Array(buffer, byteOffset, byteLength));
  const about = source.about(JSON.parse(model.get('colours')));
  view.show(source, about, about.title);
  return () => view.remove();
}
