import { beforeEach, describe, expect, it, vi } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { PartlyDoneError } from '../../coordination/index.js';
import { RegistryUnavailableError, SessionLostError } from '../../registry/index.js';
import { UnknownJobError } from '../../domain/index.js';
import { type AuditEntry, ConsoleProblem } from '../contract/index.js';
import { Audit } from './audit.js';
import type { AuditIntent } from './audit-intent.js';
import type { AuditStore } from './audit-store.js';
import { MemoryAuditStore } from './memory-audit-store.js';

const INTENT: AuditIntent = {
  who: 'alice',
  role: 'operator',
  by: 'token',
  address: '10.0.0.9',
  requestId: 'r-1',
  action: 'job.disable',
  target: { job: 'settle-orders' },
  reason: 'INC-1',
};
const EVERYBODY = { name: 'root' };

/** A store that may refuse or delay what it is asked for. */
class FaultyStore extends MemoryAuditStore {
  fault: 'refuses' | 'hangs' | 'refuses ends' | undefined;
  asked = 0;

  override async add(entry: AuditEntry): Promise<void> {
    await this.fail('refuses');
    return super.add(entry);
  }

  override async settle(...end: Parameters<MemoryAuditStore['settle']>): Promise<void> {
    await this.fail('refuses ends');
    return super.settle(...end);
  }

  override async has(key: string): Promise<boolean> {
    await this.fail();
    return super.has(key);
  }

  override async lastSwitches(targets: readonly AuditEntry['target'][]) {
    await this.fail();
    return super.lastSwitches(targets);
  }

  private async fail(also?: FaultyStore['fault']): Promise<void> {
    this.asked += 1;
    if (this.fault === 'hangs') await new Promise(() => {});
    if (this.fault === 'refuses' || (this.fault !== undefined && this.fault === also)) throw new Error('key=s3cret');
  }
}

let clock: VirtualClock;
let store: FaultyStore;
let audit: Audit;
let told: string[];

beforeEach(async () => {
  clock = new VirtualClock();
  store = new FaultyStore();
  audit = await another();
});

/** One more console of the store. */
async function another(): Promise<Audit> {
  told = [];
  const statusOf = (error: unknown) => (error instanceof UnknownJobError ? 404 : undefined);
  const redact = (text: string) => text.replaceAll('s3cret', '***');
  const made = new Audit(store, clock, { redact, statusOf, log: { warn: (text) => void told.push(text) } });
  await made.start();
  return made;
}

const entries = async (reader = audit) => (await reader.read({}, EVERYBODY)).items;

describe('a change', () => {
  it('tells each entry that it has written, and again once it has ended', async () => {
    const heard: string[] = [];
    const end = audit.onChange(({ action, target }) => void heard.push(`${action} of ${target.job}`));

    await audit.record(INTENT, async () => {
      expect(heard).toEqual(['job.disable of settle-orders']);
      return { result: undefined };
    });
    expect(heard).toEqual(['job.disable of settle-orders', 'job.disable of settle-orders']);

    await audit.note({ ...INTENT, action: 'session.login', target: {}, outcome: 'done', code: null });
    expect(heard).toHaveLength(3);
    store.fault = 'refuses';
    await audit.record(INTENT, async () => ({ result: undefined })).catch(() => {});
    expect(heard).toHaveLength(3);
    store.fault = undefined;
    end();
    await audit.record(INTENT, async () => ({ result: undefined }));
    expect(heard).toHaveLength(3);
  });

  it('tells a version of settings that no entry explains', async () => {
    const heard: AuditEntry[] = [];
    audit.seenConfig('settle-orders', 1, 'cron: a');
    await clock.advance(10);
    audit.onChange((entry) => void heard.push(entry));

    audit.seenConfig('settle-orders', 2, 'cron: b');
    await clock.advance(10);

    expect(heard).toMatchObject([{ by: 'outside', action: 'job.config', target: { job: 'settle-orders' } }]);
  });

  it('has an entry that is intended while it is made, and done after it', async () => {
    let during: readonly AuditEntry[] = [];
    const recorded = await audit.record(INTENT, async ({ id }) => {
      during = await entries();
      return { result: id, before: { disabled: false }, after: { disabled: true } };
    });

    expect(during).toMatchObject([{ ...INTENT, outcome: 'intended', before: null, after: null }]);
    expect(recorded).toEqual({ result: during[0]!.id, audit: during[0]!.id, isSettled: true });
    expect(await entries()).toEqual([
      { ...during[0]!, before: { disabled: false }, after: { disabled: true }, outcome: 'done' },
    ]);
  });

  it.each([
    [new UnknownJobError('x', 'registry'), 'refused', 'UNKNOWN_JOB'],
    [new ConsoleProblem(412, 'CHANGED', 'It has changed.'), 'refused', 'CHANGED'],
    [new ConsoleProblem(504, 'OUTCOME_UNKNOWN', 'The reply was lost.'), 'unknown', 'OUTCOME_UNKNOWN'],
    [new RegistryUnavailableError('write /x', 'unknown', 'no answer'), 'unknown', 'REGISTRY_UNAVAILABLE'],
    [new RegistryUnavailableError('write /x', 'not-applied', 'no answer'), 'failed', 'REGISTRY_UNAVAILABLE'],
    [new SessionLostError('0x1'), 'failed', 'SESSION_LOST'],
    [new TypeError('a bug'), 'failed', null],
  ] as const)('that ends with %s is %s', async (error, outcome, code) => {
    const recorded = audit.record(INTENT, async () => {
      throw error;
    });

    await expect(recorded).rejects.toBe(error);
    expect(await entries()).toMatchObject([{ outcome, code }]);
  });

  it.each(['refuses', 'hangs'] as const)('is not made if the store %s its intent', async (fault) => {
    store.fault = fault;
    let isMade = false;
    const recorded = audit.record(INTENT, async () => {
      isMade = true;
      return { result: 1 };
    });
    const refusal = recorded.catch((error: unknown) => error);
    await clock.advance(5_000);

    expect(await refusal).toMatchObject({ status: 503, code: 'AUDIT_AWAY' });
    expect(isMade).toBe(false);
    expect(told.join()).not.toContain('s3cret');
  });

  it('of which a part is made is failed, and its entry has that part without its secrets', async () => {
    const done = { servers: ['10.0.0.1'], version: 8, jobParameter: 's1' };
    const error = new PartlyDoneError('settle', 'a switch', new SessionLostError('0x1'), done);
    const recorded = audit.record(INTENT, async () => {
      throw error;
    });

    await expect(recorded).rejects.toBe(error);
    const after = { servers: ['10.0.0.1'], version: 8, jobParameter: 'hidden' };
    expect(await entries()).toMatchObject([{ outcome: 'failed', code: 'PARTLY_DONE', after }]);
  });

  it('is not asked for again and again if the store cannot even be opened', async () => {
    const open = vi.spyOn(store, 'open').mockRejectedValue(new Error('away'));
    const console = await another();
    open.mockClear();
    await expect(console.record(INTENT, async () => ({ result: 1 }))).rejects.toMatchObject({ code: 'AUDIT_AWAY' });
    await clock.advance(600_000);

    expect(open).toHaveBeenCalledTimes(1);
  });

  it('is made again once the store answers, also if its opening has never ended', async () => {
    vi.spyOn(store, 'open').mockReturnValueOnce(new Promise(() => {}));
    const making = another();
    await clock.advance(5_000);
    const console = await making;

    expect(await console.record(INTENT, async () => ({ result: 1 }))).toMatchObject({ isSettled: true });
  });

  it('stands if its end cannot be written, says so, and has its end once the store answers', async () => {
    const recorded = await audit.record(INTENT, async () => {
      store.fault = 'refuses ends';
      return { result: 'made' };
    });
    expect(recorded).toMatchObject({ result: 'made', isSettled: false });
    await clock.advance(90_000);
    expect(await entries()).toMatchObject([{ outcome: 'unknown' }]);

    store.fault = undefined;
    await clock.advance(60_000);

    expect(await entries()).toMatchObject([{ outcome: 'done' }]);
    expect(told.filter((line) => line.includes('trying again'))).toHaveLength(1);
  });

  it('ends its attempts to write an end with the process, and says that the entry stays', async () => {
    store.fault = 'refuses ends';
    await audit.record(INTENT, async () => ({ result: 1 }));
    await audit.stop();
    await clock.advance(1_000);
    const { asked } = store;
    await clock.advance(600_000);

    expect(store.asked).toBe(asked);
    expect(told.at(-1)).toContain('stays without its end');
  });

  it('counts as unknown a minute after its intent, if its process is gone', async () => {
    void audit.record(INTENT, () => new Promise<never>(() => {}));
    const reader = await another();
    await clock.advance(59_000);
    expect(await entries(reader)).toMatchObject([{ outcome: 'intended' }]);

    await clock.advance(1_000);

    expect(await entries(reader)).toMatchObject([{ outcome: 'unknown' }]);
    expect((await reader.read({ outcome: 'unknown' }, EVERYBODY)).items).toHaveLength(1);
  });

  it('leaves no secret in its entry', async () => {
    const settings = {
      cron: '0 0 2 * * ?',
      jobParameter: 's1',
      shardingItemParameters: '0=s1',
      props: { url: 'http://s1', 'nestjs.timeoutMs': '5' },
      jobExtraConfigurations: '- s1',
    };
    const changes = [
      { field: 'jobParameter', before: '', after: 's1' },
      { field: 'props.url', before: 's1', after: null },
      { field: 'props', before: 's1', after: 's1' },
      { field: 'props.nestjs.timeoutMs', before: '5', after: '6' },
      { field: 'description', before: 'was s3cret', after: 'b' },
    ];
    await audit.record({ ...INTENT, reason: 'for s3cret', after: { parameters: 's1' } }, async () => ({
      result: 1,
      before: settings,
      after: { changes, big: 10n, when: new Date(0) },
    }));
    await audit.record(INTENT, async () => ({ result: 1, after: 'x'.repeat(70_000) }));

    const [large, entry] = await entries();
    expect(JSON.stringify(entry)).not.toMatch(/s1|s3cret/);
    expect(entry).toMatchObject({
      reason: 'for ***',
      before: {
        ...settings,
        jobParameter: 'hidden',
        shardingItemParameters: 'hidden',
        props: { url: 'hidden', 'nestjs.timeoutMs': '5' },
        jobExtraConfigurations: 'hidden',
      },
      after: {
        changes: [
          { field: 'jobParameter', before: '', after: 'hidden' },
          { field: 'props.url', before: 'hidden', after: null },
          { field: 'props', before: 'hidden', after: 'hidden' },
          { field: 'props.nestjs.timeoutMs', before: '5', after: '6' },
          { field: 'description', before: 'was ***', after: 'b' },
        ],
        big: '10',
      },
    });
    expect(large!.after).toBe('left out: it has 70002 characters');
  });
});

describe('the one who has disabled something', () => {
  const target = { job: 'settle-orders' };

  it('is named with time and reason, until somebody enables it', async () => {
    expect(await audit.disabledBy([target])).toEqual([{ by: null, at: null, reason: null }]);
    await audit.record(INTENT, async () => ({ result: 1 }));
    const at = new Date(clock.wallNow()).toISOString();

    expect(await audit.disabledBy([target])).toEqual([{ by: 'alice', at, reason: 'INC-1' }]);
    await audit.record({ ...INTENT, action: 'job.enable' }, async () => ({ result: 1 }));

    expect(await audit.disabledBy([target])).toEqual([{ by: null, at: null, reason: null }]);
  });

  it('is known for a job of any name', async () => {
    const long = { job: 'a'.repeat(300) };
    await audit.record({ ...INTENT, target: long }, async () => ({ result: 1 }));

    expect(await audit.disabledBy([long])).toMatchObject([{ by: 'alice' }]);
    expect((await audit.read({ job: long.job }, { name: 'bob', jobPrefix: 'a'.repeat(256) })).items).toHaveLength(1);
  });

  it('is not known while the store is away', async () => {
    store.fault = 'refuses';

    expect(await audit.disabledBy([target])).toEqual([{ by: null, at: null, reason: null }]);
  });
});

describe('reading', () => {
  it('goes on at the cursor of a page, of the same query alone', async () => {
    for (const reason of ['1', '2', '3']) await audit.record({ ...INTENT, reason }, async () => ({ result: 1 }));

    const page = await audit.read({ limit: 2 }, EVERYBODY);
    const next = await audit.read({ limit: 2, cursor: page.cursor! }, EVERYBODY);

    expect([...page.items, ...next.items].map(({ reason }) => reason)).toEqual(['3', '2', '1']);
    expect(next.cursor).toBeNull();
    const other = audit.read({ who: 'bob', cursor: page.cursor! }, EVERYBODY);
    await expect(other).rejects.toMatchObject({ status: 400, code: 'INVALID_ARGUMENT' });
  });

  it('that takes the store longer than 5 s is refused, and the store is told to stop', async () => {
    const port: AuditStore = store;
    const read = vi.spyOn(port, 'read').mockReturnValue(new Promise(() => {}));
    const refusal = audit.read({ who: 'nobody' }, EVERYBODY).catch((error: unknown) => error);
    await clock.advance(4_999);
    const signal = read.mock.calls[0]?.[1];
    expect(signal?.aborted).toBe(false);

    await clock.advance(1);

    expect(await refusal).toMatchObject({ status: 503, code: 'AUDIT_AWAY' });
    expect(signal?.aborted).toBe(true);
  });

  it.each([{ from: 'yesterday' }, { to: 'never' }, { outcome: 'wrong' }, { cursor: 'W10' }])(
    'refuses the query %j',
    async (query) => {
      await expect(audit.read(query, EVERYBODY)).rejects.toMatchObject({ status: 400 });
    },
  );

  it('shows a caller with a prefix those jobs and own log-ins alone', async () => {
    const session = { ...INTENT, action: 'session.login', target: {}, outcome: 'done' } as const;
    await audit.note(session);
    await audit.note({ ...session, who: 'bob' });
    await audit.record(INTENT, async () => ({ result: 1 }));
    await audit.record({ ...INTENT, target: { job: 'other' } }, async () => ({ result: 1 }));

    const { items } = await audit.read({}, { name: 'bob', jobPrefix: 'settle-' });

    expect(items.map(({ action, who }) => [action, who])).toEqual([
      ['job.disable', 'alice'],
      ['session.login', 'bob'],
    ]);
  });
});

describe('log-ins', () => {
  const login = { ...INTENT, action: 'session.login', target: {}, reason: null };

  it('are not made if they cannot be kept', async () => {
    store.fault = 'refuses';

    await expect(audit.note({ ...login, outcome: 'done' })).rejects.toMatchObject({ code: 'AUDIT_AWAY' });
    await expect(audit.note({ ...login, outcome: 'refused' })).resolves.toBeUndefined();
  });

  it('that are refused again and again are two entries a minute for a name and an address', async () => {
    const refused = { ...login, outcome: 'refused', code: 'UNAUTHENTICATED' } as const;
    for (let count = 0; count < 50; count += 1) await audit.note(refused);
    await audit.note({ ...refused, address: '10.0.0.7' });
    await clock.advance(60_000);

    expect((await entries()).map(({ address, after, code }) => [address, after, code])).toEqual([
      ['10.0.0.9', { more: 49 }, 'UNAUTHENTICATED'],
      ['10.0.0.7', null, 'UNAUTHENTICATED'],
      ['10.0.0.9', null, 'UNAUTHENTICATED'],
    ]);
  });

  it('that are refused to any number of names and addresses do not flood the store', async () => {
    for (let count = 0; count < 5_000; count += 1) {
      await audit.note({ ...login, who: null, address: `10.0.${count % 256}.${count >> 8}`, outcome: 'refused' });
    }
    await audit.stop();

    const { items } = await audit.read({ limit: 1_000 }, EVERYBODY);
    expect(items.length).toBeLessThan(210);
    expect(items[0]).toMatchObject({ who: null, address: null, after: { more: 4_799 } });
  });
});

describe('settings that others have changed', () => {
  const outside = async () => (await audit.read({ action: 'job.config' }, EVERYBODY)).items;

  it('are an entry for each version after the first that is seen, once for all consoles', async () => {
    const second = await another();
    for (const console of [audit, second]) console.seenConfig('a', 4, 'cron: x');
    await clock.advance(0);
    expect(await outside()).toEqual([]);

    for (const console of [audit, second, await another()]) console.seenConfig('a', 5, 'cron: y\njobParameter: s1');
    await clock.advance(0);

    expect(await outside()).toMatchObject([
      {
        who: null,
        role: null,
        by: 'outside',
        target: { job: 'a' },
        after: { version: 5, config: 'cron: y\njobParameter: hidden' },
        outcome: 'done',
      },
    ]);
  });

  it.each([
    ['', async () => ({ result: 1, after: { version: 2 } })],
    [
      ', as a part of a change that has failed',
      async () => {
        throw new PartlyDoneError('settle-orders', 'a switch', new SessionLostError('0x1'), { version: 2 });
      },
    ],
  ])('are no entry if a console has changed them%s, even if another one sees that before the end', async (_, end) => {
    const second = await another();
    second.seenConfig('settle-orders', 1, 'cron: x');
    await clock.advance(0);

    const recorded = audit.record({ ...INTENT, action: 'job.patch' }, async () => {
      second.seenConfig('settle-orders', 2, 'cron: y');
      await clock.advance(3_000);
      return end();
    });
    await Promise.allSettled([recorded]);
    await clock.advance(120_000);
    expect(await outside()).toEqual([]);

    second.seenConfig('settle-orders', 3, 'cron: z');
    await clock.advance(0);
    expect(await outside()).toHaveLength(1);
  });

  it('are noted once the store answers again', async () => {
    audit.seenConfig('a', 1, 'cron: x');
    await clock.advance(0);
    store.fault = 'refuses';
    audit.seenConfig('a', 2, 'cron: y');
    audit.seenConfig('b', 1, 'cron: y');
    await clock.advance(20_000);
    expect(store.asked).toBeLessThan(20);

    store.fault = undefined;
    await clock.advance(60_000);

    expect((await outside()).map(({ after, target }) => [target.job, after])).toEqual([
      ['a', { version: 2, config: 'cron: y' }],
    ]);
    expect(told.filter((line) => line.includes('from outside'))).toHaveLength(1);
  });
});
