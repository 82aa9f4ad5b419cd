import { expect, it } from 'vitest';
import { inDescendingOrder } from '../../domain/index.js';
import type { RegisteredInstance } from './node-texts.js';
import { Members } from './company.js';

const IDS = ['10.0.0.1@-@1', '10.0.0.1@-@2', '10.0.0.10@-@1', '10.0.0.2@-@9-a', '10.0.0.9@-@worker-0'];

function instance(jobInstanceId: string, protocol?: number): RegisteredInstance {
  const serverIp = jobInstanceId.split('@')[0]!;
  return { jobInstanceId, serverIp, isOurs: protocol !== undefined, protocol, can: protocol === 1 ? ['reruns'] : [] };
}

it('are what they would be if all were read anew, after each that comes, changes or goes', () => {
  const members = new Members([]);
  const present = new Map<string, RegisteredInstance>();
  for (let step = 0; step < 200; step += 1) {
    const id = IDS[(step * 7 + (step >> 3)) % IDS.length]!;
    const noted = [undefined, instance(id), instance(id, 1)][(step * 5 + (step >> 2)) % 3];
    members.note(id, noted);
    present.delete(id);
    if (noted !== undefined) present.set(id, noted);

    const all = inDescendingOrder(present.keys()).map((one) => present.get(one)!);
    const java = all.filter(({ isOurs }) => !isOurs).map(({ jobInstanceId }) => jobInstanceId);
    expect([members.all, members.peers, members.hasJava]).toEqual([all, java, java.length > 0]);
    expect(members.without('reruns')).toEqual(java);
    expect(IDS.map((one) => members.of(one))).toEqual(IDS.map((one) => present.get(one)));
    const addresses = new Set(all.map(({ serverIp }) => serverIp));
    for (const serverIp of ['10.0.0.1', '10.0.0.10', '10.0.0.2', '10.0.0.9', '10.0.0'])
      expect(members.hasAt(serverIp)).toBe(addresses.has(serverIp));
  }
});

it('are all there from the beginning, in the order of Java, whatever the order was', () => {
  const members = new Members(IDS.map((id) => instance(id)));
  expect(members.all.map(({ jobInstanceId }) => jobInstanceId)).toEqual(inDescendingOrder(IDS));
  expect(members.peers).toEqual(inDescendingOrder(IDS));
});

it('leave a list as it is that they have given', () => {
  const members = new Members([instance(IDS[0]!, 1)]);
  const before = members.all;
  members.note(IDS[1]!, instance(IDS[1]!));
  members.note(IDS[2]!, undefined);
  expect([before.length, members.all.length]).toEqual([1, 2]);
});

it('know the protocol that all of them can read', () => {
  const members = new Members([instance(IDS[0]!, 1)]);
  expect(members.protocol).toBe(1);
  members.note(IDS[1]!, instance(IDS[1]!, 0));
  expect(members.protocol).toBe(0);
  members.note(IDS[1]!, undefined);
  expect(members.protocol).toBe(1);
});
