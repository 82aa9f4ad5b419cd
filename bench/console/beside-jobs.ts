import type { Instance } from '../scale/instance.js';
import { Stage } from '../scale/stage.js';
import { median, percentile, withMissing } from '../scale/statistics.js';
import type { Finding } from './finding.js';
import { withPlanter } from './forked.js';

/** Row b of `bench:scale`. */
const DUE_JOBS = 1_000;
const WARM_UP_SECONDS = 10;
/** Less than a filling takes. Short windows share what others do on the machine. */
const SECONDS = 5;
/** By how much the lateness may grow. */
const MOST = 1.1;

/** Figures of a window, in milliseconds and in percent of a core. */
interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly core: number;
}

/**
 * Compares 1,000 jobs that are due each second while a console in their process fills its index, and without it. Both
 * windows of a pair follow each other in one process, each the first one in turn.
 */
export async function measureBesideJobs(jobs: number, pairs: number): Promise<readonly Finding[]> {
  const stage = await Stage.open(SECONDS);
  try {
    const { servers } = stage;
    const namespace = stage.newNamespace();
    return await withPlanter({ servers, namespace, jobs }, () =>
      stage.with(1, async ([instance]) => {
        const groups = [{ prefix: 'due', count: DUE_JOBS, items: 1, cron: '0/1 * * * * ?' }];
        await instance!.call('start', { servers, namespace, groups, untilPlanned: true });
        await windowOf(instance!, WARM_UP_SECONDS);
        return comparedIn(instance!, pairs);
      }),
    );
  } finally {
    await stage.close();
  }
}

async function comparedIn(instance: Instance, pairs: number): Promise<readonly Finding[]> {
  const ratios: Figures[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const isAloneFirst = pair % 2 === 0;
    const first = await (isAloneFirst ? aloneIn(instance) : besideIn(instance));
    const second = await (isAloneFirst ? besideIn(instance) : aloneIn(instance));
    const [alone, beside] = isAloneFirst ? [first, second] : [second, first];
    ratios.push({ p50: beside.p50 / alone.p50, p99: beside.p99 / alone.p99, core: beside.core - alone.core });
  }
  console.log(`The console takes ${median(ratios.map(({ core }) => core)).toFixed(1)} % of a core.`);
  return (['p50', 'p99'] as const).map((name) => {
    const value = median(ratios.map((ratio) => ratio[name]));
    return { what: `lateness beside a console that fills its index, ${name}`, value, most: MOST, unit: 'times' };
  });
}

async function aloneIn(instance: Instance): Promise<Figures> {
  await instance.call('memory');
  const figures = await windowOf(instance, SECONDS);
  console.log(`alone:  ${textOf(figures)}`);
  return figures;
}

async function besideIn(instance: Instance): Promise<Figures> {
  // Also collects the garbage, so that a window has none of the one before.
  await instance.call('memory');
  await instance.call('openConsole');
  const figures = await windowOf(instance, SECONDS);
  const indexed = await instance.call('closeConsole');
  console.log(`beside: ${textOf(figures)}, ${indexed} jobs are in the index`);
  return figures;
}

async function windowOf(instance: Instance, seconds: number): Promise<Figures> {
  const { cpuMs, lateness } = await instance.call('watch', { instants: seconds, everySeconds: 1, items: DUE_JOBS });
  const each = withMissing(lateness['due'] ?? [], seconds * DUE_JOBS);
  return { p50: percentile(each, 0.5), p99: percentile(each, 0.99), core: cpuMs / 10 / seconds };
}

function textOf({ core, p50, p99 }: Figures): string {
  return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${core.toFixed(1)} % of a core`;
}
