import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { ExecutionLease } from '../../coordination/index.js';
import { formatStartLedger, NO_STARTS } from '../../domain/index.js';
import { type RegistryCenter, RegistryUnavailableError } from '../../registry/index.js';
import type { JobSettings } from '../settings/job-settings.js';
import { DependencyStarts } from './dependency-starts.js';
import { hearTree } from '@test/support/unit/job-news.js';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
let begun: number[];
let failures: unknown[];
/** Errors of the next begins; those without one succeed. */
let faults: (Error | undefined)[];
/** True if it hears the tree's events. */
let isHearing: boolean;
/** Jobs after which the job starts. */
let parents: string[];
/** Begins that succeeded. */
let started: unknown[];
/** Lease of a begin; undefined if nothing was free. */
let lease: ExecutionLease | undefined;
let starts: DependencyStarts;
beforeEach(async () => {
  ({ registry, member, operator } = await Registry.ofOne());
  begun = [];
  failures = [];
  faults = [];
  isHearing = true;
  parents = ['import'];
  started = [];
  lease = undefined;
  const settings: JobSettings = Object.assign(Object.create(null), { configuration: { after: parents } });
  const report = () => (error: unknown) => void failures.push(error);
  const begin = async (fireTime: number) => {
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
    begun.push(fireTime);
    return lease;
  };
  const leases = { start: (one: ExecutionLease) => void started.push(one) };
  starts = new DependencyStarts(member.tree, settings, { excluded: [] }, report, { begin }, leases);
  hearTree(member.tree, starts, () => isHearing);
});
afterEach(() => starts.stop());

it('begins what comes once it is open, one after the other, and each once', async () => {
  await write(10, 20);
  starts.open();
  await write(10, 20, 30);
  await write(10, 20, 30, 40, 50);

  expect(begun).toEqual([30, 40, 50]);
});

it('begins nothing before it is open, and the first start of all if there was none', async () => {
  starts.open();
  await write(10);
  expect(begun).toEqual([10]);
});

it('leaves what came before this session to those who look for what is owed', async () => {
  await write(10, 20, 30);
  expect(begun).toEqual([]);
  starts.open();
  starts.treeReset();
  await registry.clock.advance(0);
  expect(begun).toEqual([]);
});

it('runs what was begun, and nothing where no item was free', async () => {
  starts.open();
  await write(10);
  expect(started).toEqual([]);
  lease = Object.create(null);
  await write(10, 20);
  expect(started).toEqual([lease]);
});

it('begins nothing of a job that is no longer started after others', async () => {
  starts.open();
  parents.length = 0;
  await write(10);
  expect(begun).toEqual([]);
});

it('looks again after the tree was read anew', async () => {
  starts.open();
  isHearing = false;
  await write(10);
  expect(begun).toEqual([]);

  starts.treeReset();
  await registry.clock.advance(0);

  expect(begun).toEqual([10]);
});

it('begins again with a start that the registry did not answer, and none twice', async () => {
  starts.open();
  faults = [undefined, new RegistryUnavailableError('begin', 'not-applied', 'no answer within 5000 ms')];
  await write(10, 20, 30);

  expect([begun, failures]).toEqual([[10, 20, 30], []]);
});

it('reports a begin that has failed, and tries again with the next start', async () => {
  starts.open();
  const fault = new Error('broken');
  faults = [fault];
  await write(10);
  expect([begun, failures]).toEqual([[], [fault]]);

  await write(10, 20);

  expect(begun).toEqual([10, 20]);
});

it('begins nothing more once it is stopped', async () => {
  starts.open();
  starts.stop();
  await write(10);
  expect(begun).toEqual([]);
});

/** The parents have started this job for these fire times, the latest last. */
async function write(...fireTimes: readonly number[]): Promise<void> {
  const { after } = member.tree.paths;
  const data = formatStartLedger({ ...NO_STARTS, starts: fireTimes.map((fireTime) => ({ fireTime, at: 1 })) });
  await (member.tree.has(after) ? operator.set(after, data) : operator.create(after, data, 'PERSISTENT'));
  await registry.clock.advance(0);
}
