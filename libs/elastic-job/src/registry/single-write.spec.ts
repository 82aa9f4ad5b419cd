import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import type { NodeStat, RegistryNode, RequestOptions } from './registry-center.js';
import { RegistryUnavailableError } from './registry.errors.js';
import { fateOf, sendWrite, type SingleWrite, type WritableEnsemble } from './single-write.js';

it('asks for the fate of a lost write only as long as the write itself might have taken', async () => {
  const clock = new VirtualClock();
  const lost = new RegistryUnavailableError('set /a', 'unknown', 'the connection broke');
  const limits: (number | undefined)[] = [];
  const answerIn = async (ms: number, options?: RequestOptions) => {
    limits.push(options?.timeoutMs);
    await clock.sleep(ms);
  };
  const ensemble: WritableEnsemble = {
    lastZxid: 7n,
    requestTimeoutMs: 10_000,
    session: { id: '1', state: 'CONNECTED', timeoutMs: 30_000 },
    transaction: () => answerIn(1_000).then(() => Promise.reject(lost)),
    sync: (options) => answerIn(5_000, options),
    readMany: (_, options) => answerIn(1_000, options).then(() => Promise.reject(lost)),
  };

  const done = sendWrite(ensemble, clock, { kind: 'set', path: '/a', data: '' });

  await expect(clock.advanceUntil(done)).rejects.toThrow(lost);
  expect(limits).toEqual([undefined, 9_000, 4_000]);
});

const context = { sessionId: 'abc', lastZxid: 100n };
const before = { czxid: 90n, mzxid: 95n };
const setSince = { czxid: 90n, mzxid: 101n, version: 4 };
const newSince = { czxid: 101n, mzxid: 101n };
const ephemeral: SingleWrite = { kind: 'create', path: '/a', data: 'me', mode: 'EPHEMERAL' };
const persistent: SingleWrite = { kind: 'create', path: '/a', data: 'me', mode: 'PERSISTENT' };
const sequential: SingleWrite = { kind: 'create', path: '/a', data: 'me', mode: 'EPHEMERAL_SEQUENTIAL' };
const set = (version?: number): SingleWrite => ({ kind: 'set', path: '/a', data: 'me', version });
const remove: SingleWrite = { kind: 'delete', path: '/a' };

describe('the fate of a write whose reply was lost', () => {
  it.each<[string, SingleWrite, RegistryNode | undefined, string]>([
    ['an ephemeral node of ours', ephemeral, node('me', { ...newSince, ephemeralOwner: 'abc' }), 'applied'],
    ['the same text of another session', ephemeral, node('me', { ...newSince, ephemeralOwner: 'def' }), 'unknown'],
    ['another text of ours', ephemeral, node('you', { ...newSince, ephemeralOwner: 'abc' }), 'unknown'],
    ['a node that was there before', ephemeral, node('me', { ...before, ephemeralOwner: 'abc' }), 'not-applied'],
    ['no node', ephemeral, undefined, 'unknown'],
    ['a persistent node that anybody may have made', persistent, node('me', newSince), 'unknown'],
    ['a persistent node that was there before', persistent, node('me', before), 'not-applied'],
    ['a sequential creation', sequential, undefined, 'unknown'],
    ['a node that nobody has set since', set(), node('old', before), 'not-applied'],
    ['a node that somebody has set since', set(), node('me', setSince), 'unknown'],
    ['the next version with another text', set(3), node('you', setSince), 'not-applied'],
    ['the next version with the same text', set(3), node('me', setSince), 'unknown'],
    ['a later version', set(2), node('you', setSince), 'unknown'],
    ['a node that was made anew', set(3), node('you', { ...newSince, version: 4 }), 'unknown'],
    ['no node to set', set(), undefined, 'unknown'],
    ['no node any more', remove, undefined, 'applied'],
    ['a node to delete that is still there', remove, node('old', before), 'not-applied'],
    ['a node to delete that was made anew', remove, node('old', newSince), 'unknown'],
  ])('is derived from what is found afterwards: %s', (_what, write, found, fate) => {
    expect(fateOf(write, found, context)).toBe(fate);
  });
});

function node(data: string, stat: Partial<NodeStat>): RegistryNode {
  const rest = { ctime: 0, mtime: 0, version: 0, ephemeralOwner: undefined, czxid: 0n, mzxid: 0n };
  return { path: '/a', data, stat: { ...rest, ...stat } };
}
