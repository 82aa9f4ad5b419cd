import { beforeEach, expect, it } from 'vitest';
import type { JobTree } from '../../coordination/index.js';
import { ConfigurationError, resolveJobOptions } from '../../domain/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import type { JobSettings } from '../leases/job-settings.js';
import { MixedJob } from './mixed-job.js';

const JAVA = '10.0.0.9@-@4711';
const CONFIGURATION = resolveJobOptions(
  { name: 'import', cron: '0 * * * * ?', shardingTotalCount: 1 },
  { place: 'spec' },
);

let peers: string[];
let unshareable: string[];
let told: JobEvent[];
let mixed: MixedJob;
const tree: JobTree = Object.assign(Object.create(null), { jobName: 'import', peers: () => peers });
beforeEach(() => {
  [peers, unshareable, told] = [[], [], []];
  const settings: JobSettings = Object.assign(Object.create(null), { unshareable: () => unshareable });
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  const definition = { configuration: CONFIGURATION, className: 'import', place: 'Jobs.import', handler: () => {} };
  mixed = new MixedJob(definition, settings, events);
});

it('given settings that Java does not know, when the job starts beside it, then the error names them', () => {
  [peers, unshareable] = [[JAVA], ['misfirePolicy all']];
  expect(() => mixed.assertShareable(tree)).toThrow(ConfigurationError);
  expect(() => mixed.assertShareable(tree)).toThrow(
    /job "import" \(Jobs\.import\), shared with Java \(10\.0\.0\.9@-@4711\).*misfirePolicy all/s,
  );
  expect(mixed.problem(tree)).toBe(`begins nothing while shared with ${JAVA}: misfirePolicy all`);
});

it('given settings that Java shares, when the job starts beside it, then nothing is in the way', () => {
  peers = [JAVA];
  mixed.assertShareable(tree);
  expect(mixed.problem(tree)).toBeUndefined();
});

it('given peers that come, when they are the same as last told, then that is told once', () => {
  expect(mixed.tellPeers(tree)).toBe(false);
  peers = [JAVA];
  expect([mixed.tellPeers(tree), mixed.tellPeers(tree)]).toEqual([true, false]);
  expect(told).toEqual([{ kind: 'mixed', jobName: 'import', peers: [JAVA], unshareable: [] }]);
});

it('given peers, when settings cannot be shared any more, then that is told as well', () => {
  peers = [JAVA];
  mixed.tellPeers(tree);
  unshareable = ['misfirePolicy all'];
  expect(mixed.tellPeers(tree)).toBe(true);
  expect(told.slice(1)).toMatchObject([{ unshareable: ['misfirePolicy all'] }]);
});

it('given peers that have left, when the job looks, then it knows that, and no peers are told of', () => {
  peers = [JAVA];
  mixed.tellPeers(tree);
  peers = [];
  expect(mixed.tellPeers(tree)).toBe(true);
  expect(told).toHaveLength(1);
});
