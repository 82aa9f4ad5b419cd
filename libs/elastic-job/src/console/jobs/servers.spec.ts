import { JAVA, OWN, plant, type PlantedJob, SERVER_IP } from '@test/support/unit/console-jobs.js';
import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { expect, it, onTestFinished } from 'vitest';
import type { ConsoleCaller } from '../contract/index.js';
import { JobIndex } from './job-index.js';

const VIEWER: ConsoleCaller = { name: 'ann', role: 'viewer', by: 'page' };
const OTHER = `${SERVER_IP}@-@2-b`;

it('a server tells releases and clocks of its instances, and which of them leave', async () => {
  const index = await indexOf({
    a: {
      instances: [OWN, OTHER],
      versions: { [OTHER]: '2.0.0' },
      sessions: { [OWN]: 'clock -250', [OTHER]: 'clock 40' },
    },
    b: {
      instances: [OWN, OTHER],
      versions: { [OTHER]: '2.0.0' },
      leader: OTHER,
      sessions: { [OWN]: 'DRAINING', [OTHER]: '' },
    },
  });

  const server = index.server(SERVER_IP, VIEWER);

  expect(server).toMatchObject({
    javaInstances: 0,
    versions: ['2.0.0'],
    drainingInstances: 1,
    clockOffsetMs: -250,
  });
  expect(server?.members).toEqual([
    { instance: OTHER, java: false, version: '2.0.0', jobs: 2, leads: 1, drainingJobs: 0, clockOffsetMs: 40 },
    { instance: OWN, java: false, version: null, jobs: 2, leads: 1, drainingJobs: 1, clockOffsetMs: -250 },
  ]);
});

it('a server that somebody looks at shows soon what a switch has done', async () => {
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`job-${n}`, { instances: [JAVA] }]));
  const { index, registry, stage } = await setUp({ ...many, own: {} });
  const disabledOn = () => index.server(SERVER_IP, VIEWER)?.disabledJobs;
  expect(disabledOn()).toBe(0);
  index.setScreen(VIEWER, index.server(SERVER_IP, VIEWER)!.jobNames);

  await registry.set(`/own/servers/${SERVER_IP}`, 'DISABLED');
  await stage.clock.advance(3_000);

  expect(disabledOn()).toBe(1);
});

it('a server of Java tells no clock', async () => {
  const index = await indexOf({ a: { instances: [JAVA] } });

  expect(index.servers({}, VIEWER).items).toMatchObject([
    { ip: '10.0.0.8', javaInstances: 1, versions: [], drainingInstances: 0, clockOffsetMs: null },
  ]);
});

it.each(['clock', 'clock 1e9', 'clock 99999999999999999', '{"clock":3}', 'draining'])(
  'what somebody has written into a session node is no clock and no drain: %s',
  async (text) => {
    const index = await indexOf({ a: { sessions: { [OWN]: text } } });

    expect(index.server(SERVER_IP, VIEWER)).toMatchObject({ drainingInstances: 0, clockOffsetMs: null });
  },
);

async function indexOf(jobs: Readonly<Record<string, PlantedJob>>): Promise<JobIndex> {
  return (await setUp(jobs)).index;
}

async function setUp(jobs: Readonly<Record<string, PlantedJob>>) {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  for (const [job, planted] of Object.entries(jobs)) await stage.during(() => plant(registry, job, planted));
  const parts = { registry, clock: stage.clock, redact: (text: string) => text, namespace: 'test', isShared: false };
  const index = new JobIndex(parts);
  index.start();
  await stage.clock.advance(1_000);
  onTestFinished(() => stage.during(() => index.stop()));
  return { index, registry, stage };
}
