import { beforeEach, expect, it } from 'vitest';
import { contextOf } from '@test/support/unit/job-context.js';
import { type Member, Registry } from '@test/support/unit/member.js';
import type { CoordinationServices } from '../../coordination/index.js';
import { Servers } from '../../coordination/membership/index.js';
import { KeptNodes } from './kept-nodes.js';

let registry: Registry;
let member: Member;
let server: KeptNodes;
/** Path of the server's node, which was deleted. */
let path: string;
beforeEach(async () => {
  ({ registry, member } = await Registry.ofOne());
  const { tree } = member;
  const services: CoordinationServices = Object.assign(Object.create(null), { servers: new Servers(member.trees) });
  server = new KeptNodes(contextOf({ tree, services, clock: registry.clock, report: () => failed }));
  path = tree.paths.server(member.self.serverIp);
  await member.center.delete(path);
  await tree.sync();
});

it.each<[string, () => void, boolean]>([
  ['the session begins', () => server.start(), true],
  ['its own server has changed', () => hear(member.self.serverIp), true],
  ['another server has changed', () => hear('10.0.0.99'), false],
  ['the connection is back', () => server.TreeReset(), true],
])('creates its missing server node again once %s: $2', async (_, happen, isMade) => {
  happen();
  await registry.clock.advance(0);
  expect((await member.center.exists(path)) !== undefined).toBe(isMade);
});

it('does not create its server node again after the instance leaves', async () => {
  server.stop();
  hear(member.self.serverIp);
  await registry.clock.advance(0);
  expect(await member.center.exists(path)).toBeUndefined();
});

function hear(serverIp: string): void {
  server.ServerChanged({ kind: 'ServerChanged', serverIp });
}

function failed(error: unknown): never {
  throw error;
}
