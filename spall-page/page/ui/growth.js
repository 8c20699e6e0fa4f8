// A trace that grows while it is shown: asks what has come, follows its end, and shows it once more when it is finished. Elements
// of the finished trace have other numbers, so that is a viewer of its own.

const PERIOD = 100; // milliseconds from question to question

export class Growth {
  // `hasEnded` says of a finished trace that it was seen growing.
  constructor(viewer, hasEnded) {
    const { signal } = viewer.ends;
    this.viewer = viewer;
    this.growth = viewer.about.growth; // none of a finished trace
    this.hasEnded = hasEnded;
    this.follows = false; // whether the end stays in view
    this.sign();
    viewer.$('#growth').onclick = () => this.toggle();
    document.addEventListener('visibilitychange', () => this.run(), { signal });
  }

  get isGrowing() {
    return Boolean(this.growth) && !this.growth.ended;
  }

  // Whether all of a trace that grows, or has just ended, is in view. So it stays, until the user looks elsewhere.
  get showsAll() {
    const { view, about } = this.viewer;
    return Boolean(this.growth) && !this.follows && view.start <= about.start && view.end >= about.end;
  }

  // Says in the header whether the trace grows.
  sign() {
    const sign = this.viewer.$('#growth');
    const hasEnded = this.hasEnded || this.growth?.ended;
    sign.hidden = !this.growth && !hasEnded;
    sign.textContent = hasEnded ? 'ended' : this.isLost ? 'lost' : this.follows ? '● following' : '● live';
    sign.title = hasEnded ? 'Nothing comes any more' : this.follows ? 'The end stays in view; E ends that' : 'Follow the end: E';
    sign.disabled = hasEnded || this.isLost;
    sign.ariaPressed = String(this.follows);
  }

  // Goes to the end, and follows it if the trace grows, or no longer.
  toggle() {
    const { viewer } = this;
    if (this.follows) return this.follow(false);
    viewer.view.remember();
    this.goToEnd();
    this.follow(this.isGrowing);
    viewer.moved();
  }

  follow(follows) {
    this.follows = follows;
    if (follows) this.goToEnd();
    this.sign();
  }

  goToEnd() {
    const { view, about } = this.viewer;
    view.look(about.end - view.duration, view.duration);
    this.at = [view.start, view.duration];
  }

  // The user may have moved away from the end.
  moved() {
    const { start, duration } = this.viewer.view;
    if (this.follows && (start !== this.at[0] || duration !== this.at[1])) this.follow(false);
  }

  // Asks what has come, while the page is visible and until nothing comes any more.
  async run() {
    const { viewer } = this, { signal } = viewer.ends;
    if (this.isRunning || !this.isGrowing) return;
    this.isRunning = true;
    try {
      while (this.isGrowing && !document.hidden && !signal.aborted) {
        const asked = performance.now();
        const news = await viewer.source.news(this.growth.state);
        if (signal.aborted) return;
        if (news) await this.take(news);
        await new Promise((resolve) => { setTimeout(resolve, PERIOD - (performance.now() - asked)); });
      }
      if (this.growth.ended && !signal.aborted) await this.finish();
    } catch (error) {
      if (signal.aborted) return;
      this.isLost = true;
      this.sign();
      viewer.hint(`Nothing comes any more: ${error.message}.`);
    } finally {
      this.isRunning = false;
    }
  }

  // Shows what has come. The view stays, unless it shows all, or follows the end.
  async take({ growth, start, end, slices, found, fault, changed }) {
    const { viewer, showsAll } = this;
    const { about, view } = viewer;
    if (changed) Object.assign(about, await viewer.source.about());
    Object.assign(about, { start, end, span: end - start, active: [start, end] });
    about.counts = withCount(about.counts, 'slice', slices);
    Object.assign(view, { first: start, span: Math.max(end - start, 1) });
    if (this.follows) this.goToEnd();
    else if (showsAll && (view.start > start || view.end < end)) view.look(start - 0.01 * view.span, 1.02 * view.span);
    this.growth = growth;
    this.fault = fault;
    if (changed) viewer.relist(changed);
    viewer.summarise();
    if (found) viewer.finder.grew(found);
    viewer.overview.changed();
    viewer.ask();
  }

  // The source shows the place that the user sees when it finishes the trace.
  async finish() {
    const { viewer, fault } = this;
    this.sign();
    viewer.say('The trace has ended');
    if (!viewer.source.finish) return;
    await viewer.arrange();
    const finished = await viewer.source.finish();
    if (!viewer.ends.signal.aborted) await viewer.grown(finished, fault);
  }
}

// Counts with another one of a kind.
function withCount(counts, what, count) {
  const at = counts.findIndex(([kind]) => kind === what);
  return at < 0 ? [...counts, [what, count]] : counts.map((one, other) => (other === at ? [what, count] : one));
}
