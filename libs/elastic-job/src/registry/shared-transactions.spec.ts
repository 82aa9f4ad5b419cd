import { describe, expect, it } from 'vitest';
import { type Clock, SystemClock } from '../clock/index.js';
import { VirtualClock } from '../testing/index.js';
import { Calm } from '../turns/index.js';
import type { Operation, TransactionResult } from './registry-center.js';
import { NoAuthError, RegistryUnavailableError, ServerError, SessionLostError } from './registry.errors.js';
import { SharedTransactions } from './shared-transactions.js';

type Send = (operations: readonly Operation[]) => Promise<TransactionResult>;

/** Transactions of one operation each, named by their paths, over a registry whose answers the test sets. */
function sharing(send: Send, sessionId: () => string = () => 'one', clock: Clock = new SystemClock()) {
  const sent: string[][] = [];
  const calm = new Calm(clock);
  const shared = new SharedTransactions(
    {
      sessionId,
      maxRequestBytes: 1_000_000,
      send: (operations) => {
        sent.push(operations.map(({ path }) => path));
        return send(operations);
      },
    },
    clock,
    calm,
  );
  const addOf = (path: string, bytes: number, isPatient = false) =>
    shared.add({ operations: [{ kind: 'check', path }], bytes, dueAt: 0, isPatient }).catch((error: unknown) => error);
  const add = (path: string) => addOf(path, 100);
  const addPatient = (path: string) => addOf(path, 100, true);
  return { add, addOf, addPatient, calm: () => calm.until(), sent };
}

const committed = async (operations: readonly Operation[]): Promise<TransactionResult> => ({
  kind: 'committed',
  results: operations.map(() => ({ kind: 'check' })),
});

describe('transactions that share a request', () => {
  it.each([
    ['access is denied', new NoAuthError('/b')],
    ['a quota is exceeded', new ServerError('transaction of 3', -125, '/b')],
  ])('are sent again one by one if their request is refused because %s', async (_, refusal) => {
    const { add, sent } = sharing(async (operations) => {
      if (operations.some(({ path }) => path === '/b')) throw refusal;
      return committed(operations);
    });
    const answers = await Promise.all([add('/a'), add('/b'), add('/c')]);
    expect(answers).toEqual([await committed([{ kind: 'check', path: '/a' }]), refusal, answers[0]]);
    expect(sent).toEqual([['/a', '/b', '/c'], ['/a'], ['/b'], ['/c']]);
  });

  it('are not sent one by one if an overloaded server refuses their request', async () => {
    const overloaded = new ServerError('transaction of 2', -127);
    const { add, sent } = sharing(() => Promise.reject(overloaded));
    expect(await Promise.all([add('/a'), add('/b')])).toEqual([overloaded, overloaded]);
    expect(sent).toHaveLength(1);
  });

  it('have an unknown fate if their request gets no answer', async () => {
    const unknown = new RegistryUnavailableError('transaction of 2', 'unknown', 'the connection broke');
    const { add, sent } = sharing(() => Promise.reject(unknown));
    expect(await Promise.all([add('/a'), add('/b')])).toEqual([unknown, unknown]);
    expect(sent).toHaveLength(1);
  });

  it('are not sent if their session ends before the request leaves', async () => {
    let session = 'one';
    const { add, sent } = sharing(committed, () => session);
    const lost = add('/a');
    session = 'two';
    const next = add('/b');
    expect(await lost).toBeInstanceOf(SessionLostError);
    expect(await next).toMatchObject({ kind: 'committed' });
    expect(sent).toEqual([['/b']]);
  });

  it('go on without a member whose deadline has passed', async () => {
    let answer!: (result: TransactionResult) => void;
    const answered = new Promise<TransactionResult>((resolve) => (answer = resolve));
    const clock = new SystemClock();
    const shared = new SharedTransactions(
      { sessionId: () => 'one', maxRequestBytes: 1_000_000, send: () => answered },
      clock,
      new Calm(clock),
    );
    const member = (timeoutMs?: number) =>
      shared.add({ operations: [{ kind: 'check', path: '/a' }], bytes: 100, dueAt: 0 }, { timeoutMs });
    const [hasty, patient] = [member(1), member()];
    await expect(hasty).rejects.toThrow('transaction of 1');
    answer({ kind: 'committed', results: [{ kind: 'check' }, { kind: 'check' }] });
    expect(await patient).toEqual({ kind: 'committed', results: [{ kind: 'check' }] });
  });

  it('are not held up by a large one of the same instant', async () => {
    const { addOf, sent } = sharing(committed);
    await Promise.all([addOf('/small', 100), addOf('/large', 200_000), addOf('/other', 100)]);
    expect(sent).toEqual([['/small', '/other'], ['/large']]);
  });

  it('leave before the turn ends once their request is full', async () => {
    const { addOf, sent } = sharing(committed);
    const all = [addOf('/a', 4_000), addOf('/large', 200_000), addOf('/b', 4_000), addOf('/c', 4_000)];
    expect(sent).toEqual([['/a', '/b']]);
    await Promise.all(all);
    expect(sent).toEqual([['/a', '/b'], ['/c'], ['/large']]);
  });

  it('begin each burst with a small request, and double each next one up to a limit', async () => {
    const { addOf, calm, sent } = sharing(committed);
    const burst = async () => {
      await Promise.all(Array.from({ length: 60 }, () => addOf('/a', 4_000)));
      return sent.splice(0).map(({ length }) => length);
    };
    const sizes = [2, 4, 8, 16, 16, 14];
    expect(await burst()).toEqual(sizes);
    await calm();
    expect(await burst()).toEqual(sizes);
  });

  it('fill a large request at once if they are patient', async () => {
    const { addOf, sent } = sharing(committed);
    await Promise.all(Array.from({ length: 20 }, () => addOf('/a', 4_000, true)));
    expect(sent.map(({ length }) => length)).toEqual([16, 4]);
  });

  describe('calm', () => {
    /** A begin whose answer the test releases. */
    function beside() {
      let answer = (): void => {};
      const isAnswered = new Promise<void>((resolve) => (answer = resolve));
      const clock = new VirtualClock();
      const send: Send = async (operations) => {
        if (operations[0]!.path === '/begin') await isAnswered;
        return committed(operations);
      };
      const shared = sharing(send, () => 'one', clock);
      const told: string[] = [];
      void shared.calm().then(() => told.push('calm'));
      return { ...shared, answer, clock, told };
    }

    it('comes in the next turn if nothing is under way', async () => {
      const { clock, told } = beside();
      await clock.advance(0);
      expect(told).toEqual(['calm']);
    });

    it('comes once transactions that wait or are under way are answered', async () => {
      const { add, answer, clock, told } = beside();
      const begun = add('/begin');
      await clock.advance(100);
      expect(told).toEqual([]);
      answer();
      await Promise.all([begun, clock.advance(0)]);
      expect(told).toEqual(['calm']);
    });

    it('comes after 200 ms without an answer', async () => {
      const { add, clock, told } = beside();
      void add('/begin');
      await clock.advance(199);
      expect(told).toEqual([]);
      await clock.advance(1);
      expect(told).toEqual(['calm']);
    });

    it('comes once the members of a refused request have their own answers', async () => {
      let answer = (): void => {};
      const isAnswered = new Promise<void>((resolve) => (answer = resolve));
      const clock = new VirtualClock();
      const refused: TransactionResult = { kind: 'refused', index: 0, path: '/a', refusal: 'NODE_EXISTS' };
      const send: Send = async (operations) => {
        if (operations.length === 1) await isAnswered;
        return operations.length === 1 ? committed(operations) : refused;
      };
      const { add, calm } = sharing(send, () => 'one', clock);
      let isCalm = false;
      const members = [add('/a'), add('/b')];
      const later = calm().then(() => (isCalm = true));
      await clock.advance(100);
      expect(isCalm).toBe(false);
      answer();
      await Promise.all([...members, later, clock.advance(0)]);
    });

    it('does not wait for patient transactions', async () => {
      const { addPatient, clock, told } = beside();
      void addPatient('/begin');
      await clock.advance(0);
      expect(told).toEqual(['calm']);
    });
  });
});
