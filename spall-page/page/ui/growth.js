// A trace that grows while it is shown: asks what has come, and shows it once more when it is finished. Elements of the finished
// trace have other numbers, so that is a viewer of its own.

const PERIOD = 100; // milliseconds from question to question

export class Growth {
  isRunning = false;
  isLost = false;
  /** @type {string | undefined} */
  fault = undefined; // why nothing comes any more, if something is wrong

  /**
   * @param {import('./viewer.js').Viewer} viewer
   * @param {boolean} hasEnded says of a finished trace that it was seen growing
   */
  constructor(viewer, hasEnded) {
    const { signal } = viewer.ends;
    this.viewer = viewer;
    this.hasEnded = hasEnded;
    this.sign();
    viewer.$('#growth').onclick = () => viewer.run('follow');
    document.addEventListener('visibilitychange', () => this.run(), { signal });
  }

  // How far the trace has grown; nothing if it is finished.
  get state() {
    return this.viewer.about.growth;
  }

  get isGrowing() {
    return this.state?.ended === false;
  }

  // Whether the view moves with the end. One that was moved since does not, though the engine has not heard of that yet.
  get follows() {
    const { place, view } = this.viewer;
    return this.isGrowing && place.follows && !view.isMoved;
  }

  // Says in the header whether the trace grows.
  sign() {
    const sign = this.viewer.$('#growth');
    const hasEnded = this.hasEnded || this.state?.ended === true;
    sign.hidden = !this.state && !hasEnded;
    if (sign.hidden) return;
    sign.textContent = hasEnded ? 'ended' : this.isLost ? 'lost' : this.follows ? '● following' : '● live';
    sign.title = hasEnded ? 'Nothing comes any more' : this.follows ? 'The end stays in view; E ends that' : 'Follow the end: E';
    sign.toggleAttribute('disabled', hasEnded || this.isLost);
    sign.ariaPressed = String(this.follows);
  }

  // Asks what has come, while the page is visible and until nothing comes any more.
  async run() {
    const { viewer } = this, { signal } = viewer.ends;
    if (this.isRunning || !this.isGrowing) return;
    this.isRunning = true;
    try {
      while (this.isGrowing && !document.hidden && !signal.aborted) {
        const asked = performance.now();
        await viewer.steps.inTurn(() => this.ask());
        await new Promise((resolve) => { setTimeout(resolve, PERIOD - (performance.now() - asked)); });
      }
      if (this.state?.ended && !signal.aborted) await this.finish();
    } catch (error) {
      if (signal.aborted) return;
      this.isLost = true;
      this.sign();
      viewer.hint(`Nothing comes any more: ${error.message}.`);
    } finally {
      this.isRunning = false;
    }
  }

  async ask() {
    const { viewer, state } = this;
    const news = state && (await viewer.source.news(state.state));
    if (news && !viewer.ends.signal.aborted) await this.take(news);
  }

  /**
   * Shows what has come.
   * @param {import('../engine.js').News} news
   */
  async take({ growth, start, end, durations, view, counts, found, fault, changed }) {
    const { viewer, viewer: { about } } = this;
    if (changed) Object.assign(about, await viewer.source.about());
    Object.assign(about, { growth, start, end, span: end - start, active: [start, end], counts, durations });
    this.fault = fault;
    viewer.view.reach(about);
    viewer.view.follow(view);
    if (changed) viewer.relist(changed);
    viewer.summarise();
    if (found) viewer.finder.grew(found);
    viewer.overview.changed();
    viewer.drawer.entries?.grew();
    viewer.ask();
  }

  // The engine shows the place that the user sees when it finishes the trace.
  async finish() {
    const { viewer, fault } = this;
    this.sign();
    viewer.say('The trace has ended');
    if (!viewer.source.finish) return;
    await viewer.change({});
    const finished = await viewer.source.finish();
    if (!viewer.ends.signal.aborted) await viewer.grown?.(finished, fault);
  }
}
