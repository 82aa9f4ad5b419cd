import { type PlantedJob, plantingOf, recordOf } from '@test/support/unit/console-jobs.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';

const ITEMS = 10;
const AT_ONCE = 64;
/** The job that the streams are about. */
export const WIDE = 'wide';
export const WIDE_ITEMS = 1_000;

export function nameOf(n: number): string {
  return `job-${String(n).padStart(5, '0')}`;
}

/** Plants so many jobs of 10 items, and one of 1,000. */
export async function plantAll(center: RegistryCenter, jobs: number): Promise<void> {
  for (let from = 0; from < jobs; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, jobs - from) }, (_, n) => from + n);
    await Promise.all(numbers.map((n) => center.transaction(plantingOf(nameOf(n), jobOf(n)))));
  }
  const config = ['cron: 0 0 2 * * ?'];
  await center.transaction(plantingOf(WIDE, { items: WIDE_ITEMS, config, records: recordsOf(WIDE_ITEMS) }));
}

/** Crons of 1,000 texts, a failure in every 50th job. */
function jobOf(n: number): PlantedJob {
  const [minute, hour] = [n % 60, n % 17];
  const config = [
    `cron: ${n % 7} ${minute} ${hour} * * ?`,
    'timeZone: Europe/Paris',
    `description: '[team-${n % 40}] settles the orders of market ${n}'`,
    "shardingItemParameters: '0=Beijing,1=Shanghai,2=Guangzhou,3=Shenzhen'",
  ];
  const records = n % 50 === 0 ? { ...recordsOf(ITEMS), 0: recordOf('failed', 0) } : recordsOf(ITEMS);
  return { items: ITEMS, config, records, servers: serversOf(n), running: n % 10 === 0 ? [0, 1] : [] };
}

function serversOf(n: number): Readonly<Record<string, 'ENABLED'>> {
  return { '10.0.0.7': 'ENABLED', [`10.0.${n % 20}.8`]: 'ENABLED' };
}

function recordsOf(items: number): Readonly<Record<number, string>> {
  return Object.fromEntries(Array.from({ length: items }, (_, item) => [item, recordOf('succeeded', Date.now())]));
}
