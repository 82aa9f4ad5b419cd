import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import { type Member, Registry } from '@test/support/unit/member.js';

const JAVA = '10.0.0.9@-@4711';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
let fireTime: number;
beforeEach(async () => {
  registry = new Registry();
  [member] = await registry.sharded(1);
  operator = await registry.operator();
  await operator.create(member.tree.paths.instance(JAVA), '', 'EPHEMERAL');
  await registry.clock.advance(10_000);
  fireTime = registry.clock.wallNow();
});

describe('an item that the leader has moved away from a Java peer', () => {
  it('is not begun again for the fire time that the peer has begun before the move', async () => {
    await runByJava();
    await move();
    expect((await member.begin([0], { fireTime })).refused).toEqual(new Map([[0, 'alreadyBegun']]));
  });

  it('is begun for a later fire time, and for what the peer knows nothing of', async () => {
    await runByJava();
    await move();
    expect((await member.begin([0], { fireTime: fireTime + 1 })).lease).toBeDefined();
  });

  it.each([
    ['an operator has asked for', { origin: 'manual:1' }],
    ['is caught up on', { source: 'MISFIRE' }],
  ] as const)('is begun for what %s', async (_, trigger) => {
    await runByJava();
    await move();
    expect((await member.begin([0], { fireTime, ...trigger })).lease).toBeDefined();
  });

  it('is begun if it has moved before its fire time, or if the peer has not begun it', async () => {
    await move();
    expect((await member.begin([0], { fireTime })).lease).toBeDefined();
    await move();
    await registry.clock.advance(1);
    await runByJava(1);
    expect((await member.begin([1], { fireTime: registry.clock.wallNow() })).lease).toBeDefined();
  });
});

async function runByJava(item = 0): Promise<void> {
  const running = member.tree.paths.mark(item, 'running');
  await operator.create(running, JAVA, 'EPHEMERAL');
  await member.tree.sync();
  await operator.delete(running);
  await member.tree.sync();
}

async function move(): Promise<void> {
  await operator.set(member.tree.paths.mark(0, 'instance'), member.id);
  await member.tree.sync();
}
