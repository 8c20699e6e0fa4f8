// Shows a trace in a cell of a notebook, in which anywidget calls `render`. The wire is the channel of the widget: the engine
// is in the process of the notebook.
import { TraceView } from './ui/element.js';
import { sourceOf } from './source.js';

/**
 * @typedef {{ page: string, id: number }} Header
 * @typedef {{ get(name: string): any, set(name: string, value: unknown): void, save_changes(): void,
 *   on(name: string, take: Function): void, off(name: string, take: Function): void,
 *   send(content: Partial<Header>, callbacks?: undefined, buffers?: ArrayBuffer[]): void }} Model what anywidget hands to the page
 */

/** @param {{ model: Model, el: HTMLElement }} _ */
export async function render({ model, el }) {
  if (!customElements.get('trace-view')) customElements.define('trace-view', TraceView);
  /** @type {Map<number, import('./source.js').Take>} */
  const waiting = new Map();
  const page = crypto.randomUUID();
  let last = 0;
  const receive = (/** @type {Header} */ { page: to, id }, /** @type {DataView[]} */ [bytes]) => {
    if (to === page) waiting.get(id)?.(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  };
  model.on('msg:custom', receive);
  /** @type {import('./source.js').Ask} */
  const ask = async (question, take) => {
    const id = ++last;
    waiting.set(id, take);
    model.send({ page, id }, undefined, [question.buffer]);
  };
  const source = sourceOf({ ask });
  const view = new TraceView();
  view.style.height = `${model.get('height')}px`;
  // A notebook that was only opened has a process without the trace, or none. It shows what the last one has drawn.
  const picture = document.createElement('img');
  if (model.get('picture')) el.append(Object.assign(picture, { alt: model.get('title'), src: model.get('picture') }));
  const about = await source.about();
  picture.remove();
  el.append(view);
  await view.show(source, about, model.get('title'));
  const keep = setInterval(async () => {
    const picture = view.viewer?.pictures.isAsking ? undefined : await view.picture();
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
