import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import { JavaPeersError, NoSuchFireTimeError, TooManyRerunsError, UnknownRerunError } from '../../operations/index.js';

const URL = '/jobs/settle/reruns';
const ASKED = { items: [3], fireTimes: ['2026-11-22T03:00:00+01:00'], parameters: 'day=s3cret', reason: 'INC-4182' };
const T = new Date('2026-11-22T02:00:00.000Z');

describe('a re-run', () => {
  it('is asked for once, and the audit has items and instants, and no parameters', async () => {
    const console = new FakeConsole();

    const { json, status } = await console.ask('operator', 'POST', URL, ASKED);

    expect({ json, status }).toEqual({ status: 202, json: { id: 'rerun-1', targets: 1, waitsFor: [], audit: '1' } });
    expect(console.commands).toEqual([
      ['rerun', 'settle', { items: [3], fireTimes: [T], anyTime: false, parameters: 'day=s3cret' }],
    ]);
    const noted = { items: [3], fireTimes: ASKED.fireTimes, anyTime: false, parameters: 'hidden' };
    expect(console.audit).toMatchObject([
      {
        action: 'job.rerun',
        target: { job: 'settle' },
        reason: 'INC-4182',
        after: noted,
        end: { ...noted, id: 'rerun-1' },
      },
    ]);
  });

  it.each(['?preview', '?preview=true'])('is previewed by %s without an entry of the audit', async (query) => {
    const console = new FakeConsole({ readOnly: true, requireReason: true });

    const { json, status } = await console.ask('operator', 'POST', URL + query, { ...ASKED, reason: undefined });

    expect({ json, status }).toEqual({
      status: 200,
      json: {
        targets: [
          {
            fireTime: '1970-01-01T00:00:00.000Z',
            item: 3,
            last: null,
            newerSuccess: null,
            owner: null,
            begins: 'waits',
            because: 'item 3 has no instance',
          },
        ],
      },
    });
    expect([console.commands[0]?.[0], console.audit]).toEqual(['previewRerun', []]);
  });

  it.each([
    ['operator', 'day=1'],
    ['viewer', 'hidden'],
  ])('that is open shows a %s the parameters %s', async (who, parameters) => {
    const { json } = await new FakeConsole().ask(who, 'GET', URL);
    expect(json.items).toEqual([
      {
        id: 'rerun-1',
        at: '1970-01-01T00:01:00.000Z',
        items: [3],
        fireTimes: ['1970-01-01T00:00:00.000Z'],
        parameters,
        anyTime: false,
        withdrawn: false,
        targets: 1,
        progress: [{ item: 3, ended: 0, failed: 0 }],
        waitsFor: [],
      },
    ]);
  });

  it('is withdrawn by its id', async () => {
    const console = new FakeConsole();

    const { json, status } = await console.ask('operator', 'DELETE', `${URL}/rerun-1`, { reason: 'wrong day' });

    expect({ json, status }).toEqual({ status: 200, json: { audit: '1', note: null } });
    expect(console.commands).toEqual([['withdrawRerun', 'settle', 'rerun-1']]);
    expect(console.audit).toMatchObject([
      { action: 'rerun.withdraw', target: { job: 'settle' }, before: { id: 'rerun-1' } },
    ]);
  });

  it.each([
    [{ items: [], fireTimes: ASKED.fireTimes }, 'items'],
    [{ items: [0.5], fireTimes: ASKED.fireTimes }, 'items'],
    [{ fireTimes: ASKED.fireTimes }, 'items'],
    [{ items: [3], fireTimes: [] }, 'fireTimes'],
    [{ items: [3], fireTimes: ['yesterday'] }, 'fireTimes'],
    [{ items: [3], fireTimes: Array.from({ length: 101 }, () => ASKED.fireTimes[0]) }, 'fireTimes'],
  ])('is refused for the body %j', async (body, field) => {
    const console = new FakeConsole();
    const { json, status } = await console.ask('operator', 'POST', URL, body);
    expect({ status, json }).toMatchObject({ status: 400, json: { fields: [{ field }] } });
    expect(console.commands).toEqual([]);
  });

  it.each([
    [
      new NoSuchFireTimeError('settle', T.getTime() + 1, T.getTime(), undefined),
      422,
      { code: 'NO_SUCH_FIRE_TIME', before: T.toISOString(), after: null },
    ],
    [new JavaPeersError('settle', ['10.0.0.7@-@17']), 409, { code: 'JAVA_PEERS', instances: ['10.0.0.7@-@17'] }],
    [new TooManyRerunsError('settle', 16, 16, 1), 409, { code: 'TOO_MANY_RERUNS' }],
  ])('is refused with what the caller can go by: %s', async (rerun, status, json) => {
    expect(await new FakeConsole({}, { rerun }).ask('operator', 'POST', URL, ASKED)).toMatchObject({ status, json });
  });

  it('that is not there is named, with the route that has those that are', async () => {
    const console = new FakeConsole({}, { withdrawRerun: new UnknownRerunError('settle', 'r9') });
    expect(await console.ask('operator', 'DELETE', `${URL}/r9`)).toMatchObject({
      status: 404,
      json: { code: 'UNKNOWN_RERUN', detail: expect.stringContaining('GET /jobs/settle/reruns') },
    });
  });
});

describe('the resignation of a leader', () => {
  it.each([
    [{ kind: 'resigned', instanceId: '10.0.0.1@-@1' }, '10.0.0.1@-@1'],
    [{ kind: 'no-leader' }, null],
  ])('answers who has led: %j', async (resign, instance) => {
    const console = new FakeConsole({}, { resign });
    const { json, status } = await console.ask('operator', 'POST', '/jobs/settle/resign', {});
    expect({ json, status }).toEqual({ status: 200, json: { instance, audit: '1' } });
    expect(console.audit).toMatchObject([{ action: 'job.resign', target: { job: 'settle' }, end: { instance } }]);
  });
});
