import { describe, expect, it } from 'vitest';
import { JOB_EVENTS } from './job-event.catalogue.js';
import type { JobEvent } from './job-event.js';
import { eventRedaction } from './redacted-event.js';

const SECRET = 's3cret';
const hide = (text: string) => text.replaceAll(SECRET, '***');
const TASK = { fireTime: 1, launch: 1, uid: 'pod-1', node: undefined };
const TRIGGER = {
  jobName: 'j',
  fireTime: 1,
  origin: 'manual:1',
  source: 'NORMAL_TRIGGER',
  parameters: `for ${SECRET}`,
} as const;
const OF_ITEM = { jobName: 'j', item: 0, task: TASK } as const;

describe('events for sinks', () => {
  it.each<JobEvent>([
    { kind: 'trigger-requested', trigger: TRIGGER },
    { kind: 'skipped', trigger: TRIGGER, reason: `no ${SECRET}` },
    { kind: 'refused', trigger: TRIGGER, items: [0], cause: `no ${SECRET}` },
    {
      kind: 'settled',
      trigger: TRIGGER,
      taskId: 't',
      item: 0,
      outcome: { kind: 'failed', error: new URL(`a://${SECRET}`) },
      durationMs: 1,
    },
    { kind: 'finished', trigger: TRIGGER, taskId: 't', items: [0], failures: new Map([[0, { key: SECRET }]]) },
    { kind: 'hung', trigger: TRIGGER, item: 0, since: 1, reason: SECRET, isReleased: false },
    { kind: 'settle-delayed', jobName: 'j', items: [0], since: 1, error: SECRET },
    { kind: 'retrying', trigger: TRIGGER, item: 0, attempt: 2, error: SECRET, delayMs: 1 },
    { kind: 'error-handler-failed', jobName: 'j', type: 'PAGER', error: SECRET },
    { kind: 'task-queued', ...OF_ITEM, detail: SECRET },
    { kind: 'task-state', ...OF_ITEM, state: 'RUNNING', detail: SECRET },
    { kind: 'task-lost', ...OF_ITEM, state: 'LOST', detail: SECRET },
    { kind: 'task-released', ...OF_ITEM, tail: `its output: ${SECRET}` },
    { kind: 'mixed', jobName: 'j', peers: ['10.0.0.1@-@1'], unshareable: [`timeZone ${SECRET}`] },
    {
      kind: 'configuration-differs',
      jobName: 'j',
      edited: false,
      differences: [`jobParameter: ${SECRET}`],
      agreed: [`props.${SECRET}`],
      total: 1,
      count: 1,
      isRefused: false,
      overwrite: false,
    },
    { kind: 'unanswered', counts: new Map([['j', 2]]), error: new Error(SECRET) },
    { kind: 'warning', jobName: 'j', message: SECRET },
    { kind: 'error', jobName: 'j', message: SECRET, error: new Error(SECRET) },
  ])('show no secret: $kind', (event) => {
    const shown = eventRedaction(hide)(event);

    expect(texts(event)).toContain(SECRET);
    expect(texts(shown)).not.toContain(SECRET);
    expect(texts(shown)).toContain('***');
    expect(Object.keys(shown)).toEqual(Object.keys(event));
  });

  it('keep names, numbers and words of fixed lists, whatever redact does', () => {
    const missed: JobEvent = {
      kind: 'missed',
      jobName: 'j',
      items: [0],
      fireTime: 2,
      since: 1,
      count: 2,
      reason: 'skipped',
    };
    const released: JobEvent = { kind: 'task-released', ...OF_ITEM, tail: undefined };

    expect(eventRedaction(() => '***')(missed)).toEqual(missed);
    expect(eventRedaction(() => '***')(released)).toEqual(released);
  });

  it('have no field that the table of fields does not know', () => {
    const event: JobEvent = Object.assign({ kind: 'joined', jobName: 'j', instanceId: 'i' } as const, { note: SECRET });
    expect(eventRedaction(hide)(event)).toEqual({ kind: 'joined', jobName: 'j', instanceId: 'i' });
  });

  it('of one run have one trigger, by which a sink joins them', () => {
    const shown = eventRedaction(hide);
    const [first, second] = (['begun', 'triggered'] as const).map((kind) =>
      shown({ kind, trigger: TRIGGER, taskId: 't', items: [0] }),
    );

    expect(first).toMatchObject({ trigger: { parameters: 'for ***' } });
    expect(Object(first).trigger).toBe(Object(second).trigger);
  });

  it('are shown in each kind of the catalogue', () => {
    for (const kind of Object.keys(JOB_EVENTS)) {
      const bare: JobEvent = JSON.parse(JSON.stringify({ kind }));
      expect(eventRedaction(hide)(bare)).toEqual({ kind });
    }
  });
});

function texts(event: JobEvent): string {
  return JSON.stringify(event, (_, value: unknown) => {
    if (value instanceof Map) return [...value];
    return value instanceof Error ? { message: value.message, stack: value.stack, cause: value.cause } : value;
  });
}
