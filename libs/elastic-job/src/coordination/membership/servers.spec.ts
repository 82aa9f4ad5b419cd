import { beforeEach, describe, expect, it } from 'vitest';
import { JOB, type Member, Registry } from '@test/support/unit/member.js';
import { Servers } from './servers.js';

let member: Member;
let servers: Servers;
let path: string;
beforeEach(async () => {
  member = await new Registry().joined();
  servers = new Servers(member.trees);
  path = member.tree.paths.server(member.self.serverIp);
});

describe('the own server node', () => {
  it('costs no request if nobody has touched it', async () => {
    const before = member.center.traffic.foreground;

    await servers.keep(member.tree);

    expect(member.center.traffic.foreground).toBe(before);
  });

  it('does not come back after the instance has left', async () => {
    await member.instances.leave(member.tree);
    await member.center.delete(path);

    await servers.keep(member.tree);

    expect(await servers.servers(JOB)).toEqual([]);
  });

  it('does not come back if the instance is shut down while it is created', async () => {
    await member.center.delete(path);
    const transaction = member.center.transaction.bind(member.center);
    member.center.transaction = async (...request) => {
      member.center.transaction = transaction;
      await member.center.delete(member.tree.paths.instance(member.id));
      return transaction(...request);
    };

    await servers.keep(member.tree);

    expect(await servers.servers(JOB)).toEqual([]);
  });
});
