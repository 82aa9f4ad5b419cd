import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../clock/index.js';
import { RegistryTime } from '../../ensemble.js';
import type { NodeStat, NodeOperation } from '../../registry-center.js';
import { type Answer, type MultiResult, PendingReplies, ReplyReader, type Request } from '../wire/index.js';
import { OwnWrite } from './own-write.js';
import { type Watcher, Watches } from './watches.js';

const [CREATED, DELETED, CHANGED] = [1, 2, 3];
const stat: NodeStat = { czxid: 1n, mzxid: 1n, ctime: 5, mtime: 5, version: 0, ephemeralOwner: undefined };
const noReply = new ReplyReader(Buffer.alloc(0));
const request: Request<readonly MultiResult[]> = { opCode: 14, payload: null, read: () => [] };

describe('events of own writes', () => {
  it('are emitted once, with the contents, after the answer to the write', () => {
    const { told, watches, write } = stage();
    const { answered } = write([create('/a/b'), set('/a/c'), { kind: 'delete', path: '/a/d' }]);
    watches.dispatch(CREATED, '/a/b');
    watches.dispatch(CHANGED, '/a/c');
    watches.dispatch(DELETED, '/a/d');
    expect(told).toEqual([]);
    answered(ok([created('/a/b'), { kind: 'set', stat }, { kind: 'delete' }]));
    expect(told).toEqual(['own created /a/b new', 'own changed /a/c set', 'own deleted /a/d']);
  });

  it('are emitted for each of two writes under way after its own answer', () => {
    const { told, watches, write } = stage();
    const writes = [write([set('/a/b')]), write([set('/a/b')])];
    for (const { answered } of writes) {
      watches.dispatch(CHANGED, '/a/b');
      answered(ok([{ kind: 'set', stat }]));
    }
    expect(told).toEqual(['own changed /a/b set', 'own changed /a/b set']);
  });

  it('exclude an event that comes before the reply to an earlier request', () => {
    const { told, watches, write, replies } = stage();
    replies.expect(request, () => {});
    const { answered } = write([create('/a/b')]);
    watches.dispatch(CREATED, '/a/b');
    expect(told).toEqual(['created /a/b']);
    replies.answer(0, noReply);
    answered({ kind: 'refused', code: -110 });
    expect(told).toEqual(['created /a/b']);
  });

  it('do not hide an event of another client on the same node', () => {
    const { told, watches, write } = stage();
    const { answered } = write([set('/a/b')]);
    watches.dispatch(CHANGED, '/a/b');
    watches.dispatch(CHANGED, '/a/b');
    answered(ok([{ kind: 'set', stat }]));
    expect(told).toEqual(['changed /a/b', 'own changed /a/b set']);
  });

  it.each<[string, Answer<readonly MultiResult[]>]>([
    ['refused', { kind: 'refused', code: -110 }],
    ['dropped', { kind: 'dropped', wasSent: true, cause: undefined }],
  ])('are emitted as events of others if the write turns out to be %s', (_, answer) => {
    const { told, watches, write } = stage();
    const { answered } = write([create('/a/b'), set('/a/c')]);
    watches.dispatch(CREATED, '/a/b');
    answered(answer);
    expect(told).toEqual(['created /a/b']);
  });

  it('are emitted in order with equal events of another client', () => {
    const { told, watches, write } = stage();
    const { answered } = write([create('/a/b'), set('/a/c')]);
    watches.dispatch(CREATED, '/a/b');
    watches.dispatch(DELETED, '/a/b');
    watches.dispatch(CREATED, '/a/b');
    watches.dispatch(CREATED, '/a/b');
    watches.dispatch(CHANGED, '/a/c');
    answered(ok([created('/a/b'), { kind: 'set', stat }]));
    const others = ['created /a/b', 'deleted /a/b', 'created /a/b'];
    expect(told).toEqual([...others, 'own created /a/b new', 'own changed /a/c set']);
  });

  it('are emitted in order with later events if the write is refused', () => {
    const { told, watches, write } = stage();
    const { answered } = write([create('/a/b'), set('/a/c')]);
    watches.dispatch(CREATED, '/a/b');
    watches.dispatch(DELETED, '/a/b');
    answered({ kind: 'refused', code: -101 });
    expect(told).toEqual(['created /a/b', 'deleted /a/b']);
  });

  it('are recognized although other operations of the write cause no event', () => {
    const { told, watches, write } = stage();
    const { answered } = write([{ kind: 'check', path: '/a' }, create('/elsewhere'), set('/a/c')]);
    watches.dispatch(CHANGED, '/a/c');
    answered(ok([{ kind: 'check' }, created('/elsewhere'), { kind: 'set', stat }]));
    expect(told).toEqual(['own changed /a/c set']);
  });

  it('are emitted at once for a node whose number the server adds', () => {
    const { told, watches, write } = stage();
    const { answered } = write([create('/a/b-')]);
    watches.dispatch(CREATED, '/a/b-7');
    answered(ok([created('/a/b-7')]));
    expect(told).toEqual(['created /a/b-7', 'wrote /a/b-7 new']);
  });

  it('are emitted without the contents if the answer of the server has no stat', () => {
    const { told, watches, write } = stage();
    const { answered } = write([create('/a/b')]);
    watches.dispatch(CREATED, '/a/b');
    answered(ok([{ kind: 'create', path: '/a/b', stat: undefined }]));
    expect(told).toEqual(['own created /a/b']);
  });
});

function stage() {
  const watches = new Watches();
  const told: string[] = [];
  const replies = new PendingReplies();
  const watcher: Watcher = {
    isRecursive: true,
    receive: (kind, path) => told.push(`${kind} ${path}`),
    receiveOwn: (kind, path, node) => told.push(['own', kind, path, ...(node ? [node.data] : [])].join(' ')),
    wrote: ({ data, path }) => told.push(`wrote ${path} ${data}`),
    reconnected: () => {},
    lost: () => {},
  };
  watches.add('/a', watcher);
  const write = (operations: readonly NodeOperation[]) => {
    const resultsIn = (results: readonly MultiResult[]) => results;
    const createdPath = (named: string, absolutePath = named) => absolutePath;
    const writing = { operations, paths: operations.map(({ path }) => path), resultsIn, createdPath };
    let results: readonly MultiResult[] = [];
    const multi = { ...request, read: () => results };
    replies.expect(new OwnWrite(watches, new RegistryTime(new SystemClock()), multi, writing), () => {});
    const answered = (answer: Answer<readonly MultiResult[]>) => {
      if (answer.kind === 'dropped') return replies.drop(answer.cause);
      if (answer.kind === 'ok') results = answer.value;
      replies.answer(answer.kind === 'ok' ? 0 : answer.code, noReply);
    };
    return { answered };
  };
  return { told, watches, write, replies };
}

function create(path: string): NodeOperation {
  return { kind: 'create', path, data: 'new', mode: 'PERSISTENT' };
}

function set(path: string): NodeOperation {
  return { kind: 'set', path, data: 'set' };
}

function created(path: string): MultiResult {
  return { kind: 'create', path, stat };
}

function ok(value: readonly MultiResult[]): Answer<readonly MultiResult[]> {
  return { kind: 'ok', value };
}
