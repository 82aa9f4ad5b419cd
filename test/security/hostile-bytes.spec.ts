import { ElasticJobError } from '@app/elastic-job';
import type { RegistryCenter } from '@app/elastic-job/registry';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dearTexts, randomOf, slowness } from '../property/node-texts/texts.js';
import { watchStalls } from '@test/support/stalls.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { until, Victim } from './support/attack.js';
import { HOSTILE_TEXTS } from './support/hostile-texts.js';
import { VICTIM_JOBS } from './support/victim-jobs.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

/** Longest time that a node may block the event loop, in milliseconds on an idle machine. */
let mostMs = 100;
beforeAll(() => {
  mostMs *= slowness();
});
/** Number of attempts, of which the best counts, because a busy machine may block the event loop as well. */
const ATTEMPTS = 5;

/** One node of each kind. `SELF`: the instance under attack. */
const NODES = [
  'settle',
  'settle/config',
  'settle/usable',
  'settle/instances/10.9.9.9@-@1',
  'settle/sessions/10.9.9.9@-@1',
  'settle/servers/10.9.9.9',
  'settle/departed/10.9.9.9',
  'settle/ended',
  'settle/leader/election/instance',
  'settle/leader/election/term',
  'settle/leader/sharding/necessary',
  'settle/leader/sharding/processing',
  'settle/leader/failover/items/0',
  'settle/sharding/0/instance',
  'settle/sharding/0/record',
  'settle/sharding/0/running',
  'settle/sharding/0/failover',
  'settle/sharding/0/failovering',
  'settle/sharding/0/misfire',
  'settle/sharding/0/checkpoint',
  'settle/sharding/0/disabled',
  'settle/trigger/SELF',
  'settle/cancel/0',
  'settle/guarantee',
  'settle/guarantee/started/0',
  'settle/dependents',
  'settle/counting',
  'settle/next-job-instance-ip',
  'settle/systemTime/current',
  'settle/unknown',
  'report/after',
  'report/config',
];

describe('a node that an attacker has filled', () => {
  it.each(NODES)('%s blocks no process for long, with any content', { timeout: 120_000 }, async (path) => {
    const { victim, reconnect } = await startVictim();
    const [own = ''] = await victim.attacker.children('/settle/instances');
    const texts = { ...HOSTILE_TEXTS, ...(/config$|usable$/.test(path) ? dearTexts(randomOf(1)) : {}) };

    const dear: string[] = [];
    for (const [name, text] of Object.entries(texts)) {
      const ms = await leastStall(async () => {
        await write(victim.attacker, `/${path.replace('SELF', own)}`, text);
        await (path.includes('config') || path.includes('instances') ? reconnect() : victim.synced());
      });
      if (ms >= mostMs) dear.push(`${name}: ${Math.round(ms)} ms`);
    }
    expect(dear).toEqual([]);
    expect(await leastStall(reconnect)).toBeLessThan(mostMs);
  });

  it('is reported once, by its name', async () => {
    const { victim, reconnect } = await startVictim();
    const path = '/settle/instances/10.9.9.9@-@1';
    await victim.attacker.create(path, HOSTILE_TEXTS['blanks before the end of a line']!, 'EPHEMERAL');
    await victim.attacker.set('/settle/config', HOSTILE_TEXTS['a long word']!);
    await until(() => errors(victim).length >= 3);
    await reconnect();

    expect(errors(victim)).toEqual([
      `OVERSIZED_NODE The registry's node ${path} has more than 16384 characters, and is not read further.`,
      "OVERSIZED_NODE The registry's node /settle/config has more than 262144 characters, and is not read further.",
      'CONFIGURATION_NODE The registry\'s config node of job "settle" cannot be used: it has more than 262144 bytes.',
    ]);
  });
});

describe('junk below a job', () => {
  it('blocks no process for long, and the job runs on', { timeout: 120_000 }, async () => {
    const { victim, reconnect } = await startVictim();
    const { attacker } = victim;
    const junk = (parent: string, nameOf: (i: number) => string) =>
      Array.from({ length: 3_000 }, (_, i) => `${parent}/${nameOf(i)}`);

    await createAll(attacker, [
      ...junk('/settle', (i) => `unknown-${i}`),
      ...junk('/settle/servers', (i) => `10.9.${i >> 8}.${i & 255}`),
      ...junk('/settle/instances', (i) => `no instance ${i}`),
      ...junk('/settle/sharding', (i) => `no item ${i}`),
      ...junk('/settle/sharding/0', (i) => `no mark ${i}`),
      ...junk('', (i) => `no job ${i}`),
      ...Array.from({ length: 100 }, (_, i) => `/settle/${'x'.repeat(10_000)}${i}`),
      ...Array.from({ length: 500 }, (_, i) => `/settle/unknown-0${'/deep'.repeat(i + 1)}`),
    ]);
    const ms = await leastStall(reconnect);
    await victim.trigger('settle');

    // Thousands of nodes, of kinds that a job has, are read again after a reconnect.
    expect(ms).toBeLessThan(3 * mostMs);
    expect(await victim.statistics.getJobsTotalCount()).toBe(2);
  });
});

async function startVictim() {
  const proxy = await startProxy(zooKeeper);
  onTestFinished(() => proxy.stop());
  const victim = await Victim.start(VICTIM_JOBS, { servers: proxy.connect });
  await victim.trigger('settle');
  const reconnects = () => victim.told('session').filter(({ state }) => state === 'RECONNECTED').length;
  /** Breaks the connection. Resolves when the whole tree has been read again. */
  const reconnect = async () => {
    const before = reconnects();
    proxy.cut();
    await until(() => reconnects() > before);
    await victim.synced();
  };
  return { victim, reconnect };
}

async function leastStall(attack: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least >= mostMs; attempt += 1) {
    const longest = watchStalls();
    await attack();
    least = Math.min(least, longest());
  }
  return least;
}

function errors(victim: Victim): readonly string[] {
  const told = victim.told('error').flatMap(({ error }) => (error instanceof ElasticJobError ? error : []));
  return told
    .filter(({ code }) => code !== 'GUARANTEE_TIMEOUT')
    .map(({ code, message }) => `${code} ${message.split('. ')[0]}.`);
}

/** Puts a text into an existing node, or creates one, unless it comes or goes meanwhile. */
async function write(attacker: RegistryCenter, path: string, text: string): Promise<void> {
  await attacker.ensurePath(path.slice(0, path.lastIndexOf('/')) || '/');
  const kind = (await attacker.exists(path)) === undefined ? 'create' : 'set';
  await attacker.transaction([{ kind, path, data: text, mode: 'PERSISTENT' }]);
}

async function createAll(attacker: RegistryCenter, paths: readonly string[]): Promise<void> {
  for (let from = 0; from < paths.length; from += 50) {
    const some = paths.slice(from, from + 50);
    const result = await attacker.transaction(
      some.map((path) => ({ kind: 'create', path, data: 'x', mode: 'PERSISTENT' })),
    );
    expect(result.kind).toBe('committed');
  }
}
