// Plants the jobs, whose ephemeral nodes it holds, and changes records of the wide one each time it is told to.
import { recordOf } from '@test/support/unit/console-jobs.js';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { plantAll, WIDE, WIDE_ITEMS } from './planted.js';

const CHANGES_PER_SECOND = 100;

const [, , servers = '', namespace = '', jobs = ''] = process.argv;
const clock = new SystemClock();
const center = new ZooKeeperRegistryCenter({ servers, namespace }, clock);
await center.connect();
await plantAll(center, Number(jobs));
process.on('message', ({ change }: { readonly change: number }) => void changeRecords(change));
process.on('disconnect', () => process.exit());
process.send!('planted');

async function changeRecords(seconds: number): Promise<void> {
  const begun = clock.monotonicNow();
  for (let change = 0; change < CHANGES_PER_SECOND * seconds; change += 1) {
    void center.set(`/${WIDE}/sharding/${change % WIDE_ITEMS}/record`, recordOf('succeeded', change * 1_000));
    await clock.sleep(Math.max(0, begun + (change * 1_000) / CHANGES_PER_SECOND - clock.monotonicNow()));
  }
}
