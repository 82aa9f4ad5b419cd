import { beforeEach, expect, it } from 'vitest';
import type { JobTree } from '../../coordination/index.js';
import { ConfigurationError, resolveJobOptions } from '../../domain/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { type JobSettings, MixedJob } from './job-settings.js';

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

it('refuses settings that Java does not know beside a peer, and names them', () => {
  [peers, unshareable] = [[JAVA], ['misfirePolicy all']];
  expect(() => mixed.assertShareable(tree)).toThrow(ConfigurationError);
  expect(() => mixed.assertShareable(tree)).toThrow(
    /job "import" \(Jobs\.import\), shared with Java \(10\.0\.0\.9@-@4711\).*misfirePolicy all/s,
  );
  expect(mixed.problem(tree)).toBe(`begins nothing while shared with ${JAVA}: misfirePolicy all`);
});

it('names a few of thousands of peers in its texts', () => {
  peers = Array.from({ length: 3_000 }, (_, index) => `10.0.0.9@-@${index}`);
  unshareable = ['misfirePolicy all'];
  expect(mixed.problem(tree)).toMatch(/10\.0\.0\.9@-@19 and 2980 more: misfirePolicy all$/);
  expect(() => mixed.assertShareable(tree)).toThrow(/and 2980 more/);
});

it('accepts settings that Java shares', () => {
  peers = [JAVA];
  mixed.assertShareable(tree);
  expect(mixed.problem(tree)).toBeUndefined();
});

it('reports peers once while they are the same', () => {
  expect(mixed.reportPeers(tree)).toBe(false);
  peers = [JAVA];
  expect([mixed.reportPeers(tree), mixed.reportPeers(tree)]).toEqual([true, false]);
  expect(told).toEqual([{ kind: 'mixed', jobName: 'import', peers: [JAVA], unshareable: [] }]);
});

it('reports peers again if settings can no longer be shared', () => {
  peers = [JAVA];
  mixed.reportPeers(tree);
  unshareable = ['misfirePolicy all'];
  expect(mixed.reportPeers(tree)).toBe(true);
  expect(told.slice(1)).toMatchObject([{ unshareable: ['misfirePolicy all'] }]);
});

it('notices that all peers have left, without another event', () => {
  peers = [JAVA];
  mixed.reportPeers(tree);
  peers = [];
  expect(mixed.reportPeers(tree)).toBe(true);
  expect(told).toHaveLength(1);
});
