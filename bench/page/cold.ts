import { EventEmitter, once } from 'node:events';
import type { Finding } from '../console/finding.js';
import { type Bench, type Tab, withTab } from '../page-support.js';
import { median } from '../scale/statistics.js';

/** How many times slower the processor is for the page, as Chromium's tools do it. The server is not slowed. */
const SLOWED = 4;
const MOST_MS = 1_000;
const LIMIT_MS = 60_000;
/** Only the job with this letter is left by it. */
const KEY = 'w';
const FOUND = 'wide';

/** Conditions by the names of what is there once they hold. */
const MARKS = {
  causes: `document.querySelector('.causes a.job') !== null`,
  rows: `document.querySelector('.jobs-grid [data-index] a') !== null`,
  key: `document.querySelector('.search')?.value === '${KEY}'`,
  filtered: `document.querySelector('.jobs-grid [data-index="0"] a')?.textContent === '${FOUND}'`,
};
type Mark = keyof typeof MARKS;

/**
 * Looks at each frame what is there, and tells it once that frame is painted, with the time since the navigation. The
 * search gets the focus as soon as there are rows.
 */
const WATCH = `(() => {
  const marks = { ${Object.entries(MARKS)
    .map(([name, is]) => `${name}: () => ${is}`)
    .join(', ')} };
  const look = () => {
    for (const [name, is] of Object.entries(marks)) {
      if (!is()) continue;
      delete marks[name];
      if (name === 'rows') document.querySelector('.search').focus();
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => tellMark(JSON.stringify({ name, at: performance.now() }));
      port2.postMessage('');
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();`;

/**
 * Opens the list of jobs and the overview in a browser that has nothing of the page yet. The list is usable once its
 * first rows are painted, a key is typed into its search, and what that leaves of the list is painted. The overview is
 * usable once it shows what needs attention.
 */
export async function measureCold(bench: Bench): Promise<readonly Finding[]> {
  const opened: { readonly jobs: Times; readonly overview: Times }[] = [];
  for (let round = 0; round < bench.rounds; round += 1) {
    await bench.machine.look();
    const [jobs, overview] = [await openJobs(bench), await openOverview(bench)];
    console.log(`cold, slowed ${SLOWED} times: jobs ${textOf(jobs)}; overview ${textOf(overview)}`);
    opened.push({ jobs, overview });
  }
  const middle = (times: readonly (number | undefined)[]) => median(times.map((ms) => ms ?? Infinity));
  const find = (what: string, value: number): Finding => ({ what, value, most: MOST_MS, unit: 'ms' });
  return [
    find('list of jobs, cold: rows are painted', middle(opened.map(({ jobs }) => jobs.rows))),
    find('... and a search that was typed then is painted', middle(opened.map(({ jobs }) => jobs.filtered))),
    find('overview, cold: what needs attention is painted', middle(opened.map(({ overview }) => overview.causes))),
  ];
}

/** Milliseconds since the navigation, and the processor time that the page has had by then, slowed as it is. */
type Times = Partial<Readonly<Record<Mark | `own-${Mark}`, number>>>;

function openJobs(bench: Bench): Promise<Times> {
  return withTab(bench, WATCH, async (tab) => {
    const marks = await openSlowed(tab, `${bench.served.url}jobs`);
    await marks.of('rows');
    await tab.page.keyboard.press(KEY);
    await marks.of('filtered');
    return marks.times;
  });
}

function openOverview(bench: Bench): Promise<Times> {
  return withTab(bench, WATCH, async (tab) => {
    const marks = await openSlowed(tab, bench.served.url);
    await marks.of('causes');
    return marks.times;
  });
}

async function openSlowed({ page, tools }: Tab, url: string) {
  const news = new EventEmitter();
  const times: { [mark in Mark | `own-${Mark}`]?: number } = {};
  tools.on('Runtime.bindingCalled', ({ payload }) => {
    const { at, name }: { at: number; name: Mark } = JSON.parse(payload);
    times[name] = at;
    news.emit(name);
  });
  await tools.send('Runtime.enable');
  await tools.send('Runtime.addBinding', { name: 'tellMark' });
  await tools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  // Of the main thread, whatever else the machine does.
  await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url, { waitUntil: 'commit' });
  return {
    times,
    of: async (name: Mark) => {
      if (times[name] === undefined) await once(news, name, { signal: AbortSignal.timeout(LIMIT_MS) });
      const { metrics } = await tools.send('Performance.getMetrics');
      times[`own-${name}`] = metrics.find((metric) => metric.name === 'TaskDuration')!.value * 1_000;
    },
  };
}

function textOf(times: Times): string {
  return Object.entries(times)
    .map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`)
    .join(', ');
}
