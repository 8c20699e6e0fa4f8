// Shows a trace in a cell of a notebook, in which anywidget calls `render`. The wire is the channel of the widget: the engine
// is in the process of the notebook.
import { TraceView } from './ui/element.js';
import { sourceOf } from './source.js';

export async function render({ model, el }) {
  if (!customElements.get('trace-view')) customElements.define('trace-view', TraceView);
  const waiting = new Map(), page = crypto.randomUUID();
  let last = 0;
  const receive = ({ page: to, id }, [bytes]) => {
    if (to === page) waiting.get(id)?.(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  };
  model.on('msg:custom', receive);
  const ask = async (question, take) => {
    const id = ++last;
    waiting.set(id, (message) => take(message));
    model.send({ page, id }, undefined, [question.buffer]);
  };
  const source = sourceOf({ ask });
  const view = document.createElement('trace-view');
  view.style.height = `${model.get('height')}px`;
  // A notebook that was only opened has a process without the trace, or none. It shows what the last one has drawn.
  const picture = document.createElement('img');
  if (model.get('picture')) el.append(Object.assign(picture, { alt: model.get('title'), src: model.get('picture') }));
  const about = await source.about();
  picture.remove();
  el.append(view);
  await view.show(source, about, model.get('title'));
  const keep = setInterval(async () => {
    const picture = view.viewer?.isAsking ? undefined : await view.picture();
    if (!picture) return;
    const reader = new FileReader();
    reader.onload = () => {
      if (reader.result === model.get('picture')) return;
      model.set('picture', reader.result);
      model.save_changes();
    };
    reader.readAsDataURL(picture);
  }, 2000);
  return () => {
    clearInterval(keep);
    model.off('msg:custom', receive);
    model.send({ page });
    view.remove();
  };
}
