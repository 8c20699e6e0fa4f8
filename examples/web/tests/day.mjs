// What people do with traces in a day, each in at most five steps: a key, a text that is typed, a click, a drag or a file.

const MOST = 5;

// A program with frames on a thread, one of which waits for a worker, counters, categories and arguments.
function program() {
  const slice = (tid, name, cat, ts, dur, args) => ({ ph: 'X', name, cat, pid: 1, tid, ts: ts * 1000, dur: dur * 1000, args });
  const flow = (ph, tid, ts) => ({ ph, ...(ph === 'f' && { bp: 'e' }), name: 'done', cat: 'io', id: 1, pid: 1, tid, ts: ts * 1000 });
  const events = [[1, 'main'], [2, 'worker']].map(([tid, name]) => ({ ph: 'M', name: 'thread_name', pid: 1, tid, args: { name } }));
  for (let at = 0; at < 8; at++) {
    const [start, late] = [at * 20 + (at > 4 ? 80 : 0), at === 4 ? 70 : 0];
    events.push(slice(1, 'frame', 'render', start, 10 + late), slice(1, 'update', 'render', start + 1, 3));
    events.push(late ? slice(1, 'wait', 'io', start + 5, 72) : slice(1, 'draw', 'render', start + 5, 4));
    events.push({ ph: 'C', name: 'heap', pid: 1, ts: start * 1000, args: { used: 100 + at * 10 } });
  }
  events.push(slice(2, 'load', 'io', 90, 60, { url: 'castle.png' }), flow('s', 2, 149), flow('f', 1, 155));
  return JSON.stringify(events);
}

export async function day(page, { load, settled, check, ensure, write, boxes }) {
  const file = write('day.json', program()), before = write('before.json', program().replaceAll('"wait"', '"idle"'));
  const selected = () => page.value('viewer.selected && viewer.source.details(viewer.selected, 0).then(({ name }) => name)');
  const rows = () => page.value('[...root.querySelectorAll("#panel tbody tr")].map((row) => [...row.children].map(({ textContent }) => textContent.replace(/\\s/g, " ")))');
  const headerOf = (name) => page.value(`(() => {
    const { lines, arranged, mainTop, main, canvas } = viewer;
    const { top, bottom } = lines.main.headers.find(({ item }) => arranged.labels.get(arranged.key(item)).label === ${JSON.stringify(name)});
    return canvas.getBoundingClientRect().top + mainTop - main.scrollTop + (top + bottom) / 2;
  })()`);
  const x = (ms) => page.value(`viewer.canvas.getBoundingClientRect().left + viewer.xOf(${ms * 1e6})`);

  // Does one task from a fresh view, and counts its steps.
  const task = async (what, work) => {
    await page.value('viewer.source.apply({}).then(() => viewer.run("escape"))');
    await load(page, file);
    let count = 0;
    const step = async (does, ...args) => {
      count++;
      await page[does](...args);
      await settled(page);
    };
    await work(step);
    ensure(count <= MOST, `${what}: ${count} steps`);
  };
  const find = async (step, text) => {
    await step('key', '/', 'Slash');
    await step('type', text);
    await page.until('viewer.finder.counts && !viewer.finder.asking');
    await step('key', 'Enter');
  };

  await task('why a frame took 80 ms', async (step) => {
    await find(step, 'frame dur > 50 ms');
    await page.value('viewer.canvas.focus()');
    await step('key', 'ArrowDown');
    check(await selected(), 'wait', 'what the long frame did');
    await step('key', '[', 'BracketLeft');
    check(await selected(), 'load', 'what it waited for');
  });
  await task('a thread between two times', async (step) => {
    const y = await headerOf('main');
    await step('drag', [await x(59), y], [await x(79), y]);
    await page.until('root.querySelector("#panel tbody tr")');
    check((await rows()).map(([name, count]) => [name, count]), [['draw', '1'], ['frame', '1'], ['update', '1']].sort(), 'what it ran');
  });
  await task('the hottest functions under a parent', async (step) => {
    await find(step, '/^frame$/');
    await page.value('viewer.canvas.focus()');
    await step('key', '3', 'Digit3');
    await page.until('viewer.drawer.name === "calls sandwich" && root.querySelector("#panel canvas")');
  });
  await task('a flow', async (step) => {
    await find(step, 'load');
    await page.value('viewer.canvas.focus()');
    await step('key', ']', 'BracketRight');
    check(await selected(), 'wait', 'where it arrives');
  });
  await task('two runs', async (step) => {
    await step('key', '5', 'Digit5');
    await step('choose', '#panel input[type=file]', before);
    await page.until('root.querySelector("#panel canvas") && /before.json/.test(root.querySelector("#panel").textContent)');
  });
  await task('the longest gap', async (step) => {
    await step('key', 'G', 'KeyG', 8);
    await page.until('root.querySelector("#panel tbody button")');
    const [[duration, track]] = await rows();
    check([duration, track], ['20 ms', 'main'], 'the gap after the long frame');
  });
  await task('a counter over a time', async (step) => {
    const y = await headerOf('heap');
    await step('drag', [await x(5), y], [await x(45), y]);
    await page.until('[...root.querySelectorAll("#panel caption")].some(({ textContent }) => textContent === "Counters")');
    const [row] = await page.value('[...[...root.querySelectorAll("#panel table")].find((table) => table.caption?.textContent === "Counters").tBodies[0].rows].map(({ cells }) => [...cells].map(({ textContent }) => textContent))');
    ensure(row[0].includes('heap') && row.includes('100') && row.includes('120'), `the least and the largest value: ${row}`);
  });
  await task('a distance', async (step) => {
    const y = 12 + await page.value('viewer.canvas.getBoundingClientRect().top');
    await step('drag', [await x(20), y], [await x(40), y]);
    check(await page.value('viewer.range.end - viewer.range.start'), 20e6, 'from frame to frame');
  });
  await task('a note that is shared', async (step) => {
    const wait = (await boxes(page)).find(({ name }) => name === 'wait');
    await step('click', wait.x, wait.y);
    await step('key', 'b', 'KeyB');
    await page.until('root.activeElement?.matches("#panel input[aria-label^=Note]")');
    await step('type', 'waits for the castle');
    await step('key', 'Enter');
    await page.until('/castle/.test(decodeURIComponent(location.hash))', 10);
  });
  await task('one category', async (step) => {
    await step('key', 'g', 'KeyG');
    await page.until('root.querySelector("#panel button")');
    const [at, y] = await page.value(`(() => {
      const row = [...root.querySelectorAll('#panel .long > *')].find(({ textContent }) => textContent.includes('io'));
      const { left, top, width, height } = [...row.querySelectorAll('button')].find(({ textContent }) => textContent === 'Only').getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    })()`);
    await step('click', at, y);
    await page.until('viewer.place.categories.includes("render")');
    check([...new Set((await boxes(page)).map(({ name }) => name))].sort(), ['load', 'wait'], 'what is left');
  });
  await task('an argument', async (step) => {
    await find(step, 'castle');
    check(await selected(), 'load', 'the slice with the argument');
  });
}
