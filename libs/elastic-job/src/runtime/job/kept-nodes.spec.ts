import { beforeEach, describe, expect, it } from 'vitest';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { CoordinationServices } from '../../coordination/index.js';
import { Servers } from '../../coordination/membership/index.js';
import type { ScheduleClock } from '../time/schedule-clock.js';
import { KeptNodes } from './kept-nodes.js';

let registry: Registry;
let member: Member;
let nodes: KeptNodes;
let laid: string[];
/** Path of the server's node, which was deleted. */
let path: string;
beforeEach(async () => {
  ({ registry, member } = await Registry.ofOne());
  const { tree } = member;
  const services: CoordinationServices = Object.assign(Object.create(null), {
    servers: new Servers(member.trees),
    configurations: { layAgain: async () => void laid.push('nodes') },
    instances: { keepSession: async (_: unknown, offsetMs: number) => void laid.push(`session, clock ${offsetMs}`) },
  });
  const scheduleClock: ScheduleClock = Object.assign(Object.create(null), { offsetMs: 5 });
  laid = [];
  nodes = new KeptNodes(tree, services, scheduleClock, () => failed);
  path = tree.paths.server(member.self.serverIp);
  await member.center.delete(path);
  await tree.sync();
});

it.each<[string, () => void, boolean]>([
  ['the session begins', () => nodes.start(), true],
  ['its own server has changed', () => hear(member.self.serverIp), true],
  ['another server has changed', () => hear('10.0.0.99'), false],
  ['the connection is back', () => nodes.treeReset(), true],
])('creates its missing server node again once %s: $2', async (_, happen, isMade) => {
  happen();
  await registry.clock.advance(0);
  expect((await member.center.exists(path)) !== undefined).toBe(isMade);
});

it('does not create its server node again after the instance leaves', async () => {
  nodes.stop();
  hear(member.self.serverIp);
  await registry.clock.advance(0);
  expect(await member.center.exists(path)).toBeUndefined();
});

describe('a node that the job has', () => {
  it.each<[string, () => void]>([
    ['a node of the job is gone', () => nodes.nodeLost()],
    ['its own session node is gone', () => nodes.sessionEnded({ kind: 'SessionEnded', instanceId: member.id })],
    ['the connection is back', () => nodes.treeReset()],
  ])('is laid again a second after %s', async (_, happen) => {
    happen();
    await registry.clock.advance(999);
    expect(laid).toEqual([]);

    await registry.clock.advance(1);
    expect(laid).toEqual(['nodes', 'session, clock 5']);
  });

  it('is laid once for many that are gone in a row', async () => {
    for (let lost = 0; lost < 100; lost++) nodes.nodeLost();
    await registry.clock.advance(5_000);
    expect(laid).toEqual(['nodes', 'session, clock 5']);
  });

  it.each<[string, () => void]>([
    ['the session of another instance ends', () => nodes.sessionEnded({ kind: 'SessionEnded', instanceId: 'other' })],
    ['config changes and is there', () => nodes.configurationChanged()],
    ['it is gone before the instance leaves', () => (nodes.nodeLost(), nodes.stop())],
    ['it is gone while the instance leaves', () => (nodes.stop(), nodes.nodeLost())],
  ])('is not laid if %s', async (_, happen) => {
    await member.center.create(member.tree.paths.config, '', 'PERSISTENT').catch(() => {});
    await member.tree.sync();
    happen();
    expect(registry.clock.pendingTimers).toBe(0);
    await registry.clock.advance(5_000);
    expect(laid).toEqual([]);
  });
});

function hear(serverIp: string): void {
  nodes.serverChanged({ kind: 'ServerChanged', serverIp });
}

function failed(error: unknown): never {
  throw error;
}
