import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { startFaultProxy } from '@test/support/faults/index.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { breakAtRandom, type Field } from './random-faults.js';
import { Seeded } from '@test/support/seeded.js';
import { type DiaryEntry, SessionDiary } from './session-diary.js';
import { FULL, SOON, useStage } from './stage.js';
import { untilUsable } from './usable.js';
import { type Fate, TREE, Workload, type Write } from './workload.js';

const SESSION_MS = 1_500;
const { clients: CLIENTS, faults: FAULTS } = FULL ? { clients: 24, faults: 1_000 } : { clients: 8, faults: 60 };
/** `CHAOS_SEED` repeats the same faults, though not at the same moments. */
const SEED = Number(process.env['CHAOS_SEED'] ?? 20_261_121);
const LIMITS = { timeout: FULL ? 900_000 : 120_000 };
const stage = useStage();

describe('random faults', LIMITS, () => {
  it(`keeps what it acknowledged to ${CLIENTS} writing clients through ${FAULTS} random faults`, async () => {
    const field = await startField();
    const witness = await stage().client({ servers: field.server.connect, sessionTimeoutMs: 30_000 });
    await plant(witness);
    const diaries = field.victims.map(({ client }) => new SessionDiary(client));
    const random = new Seeded(SEED);
    const workloads = field.victims.map(({ client }, n) => new Workload(`c${n}`, client, new Seeded(SEED + n + 1)));

    const broken = await breakAtRandom(field, FAULTS, random);
    await Promise.all(field.victims.map(({ link }) => link.heal()));
    await Promise.all(workloads.map((workload) => workload.stop()));
    await untilUsable([witness, ...field.victims.map(({ client }) => client)]);

    for (const { surprises } of workloads) expect(surprises).toEqual([]);
    for (const diary of diaries) expect(wrongStep(diary.entries)).toBeUndefined();
    await assertWrites(witness, workloads);
    await assertRegisters(witness, workloads);
    await assertCounter(witness, workloads);
    await assertEphemerals(witness, field, workloads);
    const told = fatesOf(workloads.flatMap(({ writes }) => Object.values(writes).flat()));
    console.info(`seed ${SEED}: ${JSON.stringify(broken)}; writes ${JSON.stringify(told)}`);
    expect(told.done).toBeGreaterThan(FAULTS);
    expect(told.unknown).toBeGreaterThan(0);
  });
});

async function startField(): Promise<Field> {
  const server = await stage().server();
  const front = await stage().add(startProxy(server.connect));
  const victims = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const link = await stage().add(startFaultProxy(Number(front.connect.split(':')[1])));
      return { link, client: await stage().client({ servers: link.connect, sessionTimeoutMs: SESSION_MS }) };
    }),
  );
  return { server, front, victims, sessionTimeoutMs: SESSION_MS };
}

async function plant(witness: RegistryCenter): Promise<void> {
  for (const path of [TREE.logs, TREE.pairs, TREE.alive, TREE.registers]) await witness.ensurePath(path);
  await witness.create(TREE.counter, '0', 'PERSISTENT');
  for (let n = 0; n < CLIENTS; n += 1) await witness.create(`${TREE.registers}/c${n}`, '0', 'PERSISTENT');
}

/** The first state that may not follow the state before it. */
function wrongStep(entries: readonly DiaryEntry[]): string | undefined {
  let [state, id]: readonly [string | undefined, string | undefined] = ['CONNECTED', undefined];
  for (const entry of entries) {
    const step = `${state} -> ${entry.state}`;
    const isRight =
      /^(CONNECTED|RECONNECTED) -> SUSPENDED$|^SUSPENDED -> (LOST|RECONNECTED)$/.test(step) ||
      (step === 'LOST -> RECONNECTED' && entry.id !== id);
    const keepsId = entry.state !== 'RECONNECTED' || state === 'LOST' || id === undefined || entry.id === id;
    if (!isRight || !keepsId) return `${step} (${id} -> ${entry.id})`;
    [state, id] = [entry.state, entry.id];
  }
  return undefined;
}

async function assertWrites(witness: RegistryCenter, workloads: readonly Workload[]): Promise<void> {
  const logs = new Set(await witness.children(TREE.logs));
  const pairs = new Set(await witness.children(TREE.pairs));
  for (const { writes } of workloads) {
    expect(lies(writes.log, (path) => logs.has(path))).toEqual([]);
    for (const half of ['a', 'b']) expect(lies(writes.pair, (path) => pairs.has(`${path}-${half}`))).toEqual([]);
    expect(writes.pair.filter(({ path }) => pairs.has(`${path}-a`) !== pairs.has(`${path}-b`))).toEqual([]);
  }
}

/** Writes whose caller was told something false. */
function lies(writes: readonly Write[], isThere: (path: string) => boolean): readonly Write[] {
  return writes.filter(({ path, fate }) => fate !== 'unknown' && isThere(path) !== (fate === 'done'));
}

async function assertRegisters(witness: RegistryCenter, workloads: readonly Workload[]): Promise<void> {
  for (const { register, writes } of workloads) {
    const { data, stat } = (await witness.read(register))!;
    const lastDone = writes.register.findLastIndex(({ fate }) => fate === 'done');
    const later = writes.register.slice(lastDone + 1).filter(({ fate }) => fate === 'unknown');
    expect([writes.register[lastDone]?.path ?? '0', ...later.map(({ path }) => path)]).toContain(data);
    const { done, unknown } = fatesOf(writes.register);
    expect(stat.version).toBeGreaterThanOrEqual(done);
    expect(stat.version).toBeLessThanOrEqual(done + unknown);
  }
}

/** Asserts that each increment was made once, or not at all. */
async function assertCounter(witness: RegistryCenter, workloads: readonly Workload[]): Promise<void> {
  const { data, stat } = (await witness.read(TREE.counter))!;
  const { done, unknown } = fatesOf(workloads.flatMap(({ writes }) => writes.count));
  expect(Number(data)).toBe(stat.version);
  expect(stat.version).toBeGreaterThanOrEqual(done);
  expect(stat.version).toBeLessThanOrEqual(done + unknown);
}

async function assertEphemerals(
  witness: RegistryCenter,
  { server }: Field,
  workloads: readonly Workload[],
): Promise<void> {
  // Sessions that clients have given up end on the server by their timeout, and those of a stalled machine come anew.
  const clients = [witness, ...workloads.map(({ client }) => client)];
  const compared = async () => {
    const known = new Set((await server.sessions()).keys());
    return { known, live: new Set(clients.map(({ session }) => session.id)) };
  };
  await expect.poll(compared, SOON).toSatisfy(({ known, live }) => isDeepStrictEqual(known, live));

  const names = await witness.children(TREE.alive);
  const nodes = await witness.readMany(names.map((name) => `${TREE.alive}/${name}`));
  const owners = new Map(names.map((name, n) => [name, nodes[n]?.stat.ephemeralOwner]));
  for (const { name, client, writes } of workloads) {
    const { id } = client.session;
    const own = [...owners].filter(([path]) => path.startsWith(`${name}-`));
    expect(own.filter(([, owner]) => owner !== id)).toEqual([]);
    const kept = writes.alive.filter(({ fate, sessionId }) => fate === 'done' && sessionId === id);
    expect(kept.filter(({ path }) => !owners.has(path))).toEqual([]);
  }
}

function fatesOf(writes: readonly Write[]): Readonly<Record<Fate, number>> {
  const count = { done: 0, unknown: 0, 'not-applied': 0 };
  for (const { fate } of writes) count[fate] += 1;
  return count;
}
