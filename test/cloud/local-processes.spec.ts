import fs, { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LocalProcesses, type TaskLink } from '../../libs/elastic-job/src/cloud/index.js';
import { killAll } from '../../libs/elastic-job/src/cloud/process/process-table.js';
import { processesWith } from '../support/faults/found-processes.js';
import { HELD } from '../contract/tasks/harness.js';
import { endOf, stateOf, statesUntil } from '../contract/tasks/support.js';
import { bundleTaskSupervisor } from '@test/support/bundle/bundle.js';
import { LocalStage } from './support/local-stage.js';
import { BUSY_NODE, GRANDCHILD, HEARING, hungry, PYTHON, withDetached } from './support/programs.js';

let supervisor: Awaited<ReturnType<typeof bundleTaskSupervisor>>;
beforeAll(async () => {
  supervisor = await bundleTaskSupervisor();
});
afterAll(() => supervisor.remove());

const sh = (script: string): readonly string[] => ['sh', '-c', script];
const node = (script: string, ...options: string[]): readonly string[] => [process.execPath, ...options, '-e', script];

describe('an end of a process', () => {
  const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url }));

  it.each([
    ['kill -KILL $$', { name: 'KILLED', killer: 'other', detail: 'signal SIGKILL' }],
    ['kill -ABRT $$', { name: 'FAILED', detail: 'signal SIGABRT' }],
    ['exit 78', { name: 'ERROR', detail: 'exit code 78' }],
    ['exit 143', { name: 'KILLED', killer: 'other', detail: 'exit code 143' }],
    [
      `echo '{"report":{"v":1,"outcome":"failed","ms":3,"error":{"name":"E","message":"m"}}}' >&3; exit 79`,
      {
        name: 'FINISHED',
        detail: 'exit code 79',
        report: { v: 1, outcome: 'failed', ms: 3, error: { name: 'E', message: 'm' } },
      },
    ],
    [
      `echo '{"report":{"v":1,"outcome":"succeeded","ms":7}}' >&3`,
      { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: 7 } },
    ],
    [
      `printf '{"report":5}\nnonsense\n' >&3`,
      { name: 'FINISHED', report: { v: 1, outcome: 'succeeded', ms: expect.any(Number) } },
    ],
  ] as const)('of %j is reported as %j', async (script, end) => {
    const { exitCode: _code, ...state } = await stage.endOf(sh(script));
    expect(state).toEqual(end);
  });

  it.each([
    ['a program that is not there', { command: ['/no/such/program'] }],
    ['a directory that is not there', { command: ['true'], workingDirectory: '/no/such/directory' }],
    ['a variable that no process may have', { command: ['true'], env: { BAD: 'a\0b' } }],
  ])('is an ERROR if it is opened with %s', async (_, template) => {
    expect(await stage.endOf(template.command, { template })).toMatchObject({ name: 'ERROR' });
  });

  it('names its directory if that is not there', async () => {
    const end = await stage.endOf(['true'], { template: { workingDirectory: '/no/such/directory' } });
    expect(end).toEqual({ name: 'ERROR', detail: 'its working directory "/no/such/directory" is not there' });
  });

  it('is an ERROR if its scheduler has lost its own directory, and others go on', async () => {
    const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
      throw new Error('ENOENT: no such file or directory, uv_cwd');
    });
    const there = await stage.run(['true'], { template: { workingDirectory: '/' } });
    const nowhere = await stage.run(['true']).finally(() => cwd.mockRestore());
    expect(await endOf(stage.backend, there)).toMatchObject({ name: 'FINISHED' });
    expect(await endOf(stage.backend, nowhere)).toEqual({ name: 'ERROR', detail: expect.stringContaining('uv_cwd') });
  });

  it('comes in its directory, from that of its scheduler', async () => {
    const handle = await stage.run(['pwd'], { template: { workingDirectory: 'test' } });
    await endOf(stage.backend, handle);
    expect(await stage.backend.tail(handle, 1_000)).toBe(`${process.cwd()}/test\n`);
  });

  it('loses no report of tasks that end at once', async () => {
    const report = { v: 1, outcome: 'succeeded', ms: 7 };
    const script = sh(`echo '${JSON.stringify({ report })}' >&3`);
    const ends = await Promise.all(Array.from({ length: 60 }, () => stage.endOf(script)));
    expect(ends.filter((end) => end.report === undefined)).toEqual([]);
  });

  it('kills a process that a task leaves behind', async () => {
    expect(await stage.endOf(sh('sleep 600 >/dev/null 2>&1 3>&1 &'))).toMatchObject({ name: 'FINISHED' });
    await expect.poll(() => stage.processes()).toEqual([]);
  });
});

describe('a child in a session of its own', () => {
  const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url, memoryPollMs: 50 }));
  const DEAF = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1e6);';
  const POLITE = 'setInterval(() => {}, 1e6);';
  /** Another environment. The mark lets the test find the child. */
  const BARE = ', env: { TASK_MARK: process.env.TASK_MARK }';
  const cases = [
    ['is deaf', DEAF, ''],
    ['ends at once', POLITE, ''],
    ['ends at once, and gave it another environment', POLITE, BARE],
    ['is deaf, and gave it another environment', DEAF, BARE],
  ] as const;

  it.each(cases)('ends with a cancelled task whose first process %s', async (_, parent, options) => {
    const handle = await stage.run(withDetached(parent, options), { graceMs: 100 });
    await stage.output(handle, 'ready');
    await stage.backend.cancel(handle, 100);
    expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
    expect(stage.processes()).toEqual([]);
  });

  it.each(cases)('ends with a task that has run for too long, whose first process %s', async (_, parent, options) => {
    const end = await stage.endOf(withDetached(parent, options), { graceMs: 100, timeoutMs: 1_000 });
    expect(end).toMatchObject({ name: 'KILLED', killer: 'timeout' });
    expect(stage.processes()).toEqual([]);
  });

  it.each(cases)('ends with a task after its lease, whose first process %s', async (_, parent, options) => {
    const heldUntil = stage.clock.monotonicNow() + 1_500;
    const heldForMs = () => Math.max(0, heldUntil - stage.clock.monotonicNow());
    const end = await stage.endOf(withDetached(parent, options), { graceMs: 100 }, { ...HELD, heldForMs });
    expect(end).toMatchObject({ name: 'LOST' });
    expect(stage.processes()).toEqual([]);
  });

  it.each([
    ['at once', 'process.exit(0);', ''],
    ['later, and gave it another environment', 'setTimeout(() => process.exit(0), 1000);', BARE],
  ])('ends with a task that ends by itself %s', async (_, parent, options) => {
    expect(await stage.endOf(withDetached(parent, options))).toMatchObject({ name: 'FINISHED' });
    expect(stage.processes()).toEqual([]);
  });

  it('ends with a task even if its own parent has ended long before', async () => {
    expect(await stage.endOf(sh('setsid sh -c "sleep 600 &" >/dev/null 2>&1'))).toMatchObject({ name: 'FINISHED' });
    expect(stage.processes()).toEqual([]);
  });

  it('holds up no task that has ended by itself if it cannot be found and keeps the output open', async () => {
    const begunAt = stage.clock.monotonicNow();
    const script = 'env -u ELASTIC_JOB_TASK setsid sleep 600 & exit 0';
    expect(await stage.endOf(sh(script), { graceMs: 30_000 })).toMatchObject({ name: 'FINISHED' });
    expect(stage.clock.monotonicNow() - begunAt).toBeLessThan(5_000);
    killAll(stage.processes());
  });

  it('ends with its own task alone', async () => {
    const other = await stage.run(withDetached(POLITE));
    await stage.output(other, 'ready');
    expect(await stage.endOf(withDetached('process.exit(0);'))).toMatchObject({ name: 'FINISHED' });
    expect(stage.processes()).toHaveLength(2);
  });
});

describe('the memory of a task', () => {
  const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url, memoryPollMs: 50 }));

  it('has FAILED beyond its limit, and says how much it took', async () => {
    const resources = { cpu: 1, memoryMb: 64 };
    const end = await stage.endOf(hungry(200), { resources });
    expect(end).toMatchObject({ name: 'FAILED', detail: expect.stringMatching(/^out of memory: \d+ MiB of 64$/) });
  });

  it('has FAILED if its child takes too much', async () => {
    const [, , code] = hungry(200);
    const end = await stage.endOf(sh(`python3 -c '${code}' & wait`), { resources: { cpu: 1, memoryMb: 64 } });
    expect(end).toMatchObject({ name: 'FAILED', detail: expect.stringMatching(/^out of memory/) });
    await expect.poll(() => stage.processes()).toEqual([]);
  });

  it('does not end a task below its limit', async () => {
    const handle = await stage.run(hungry(50), { resources: { cpu: 1, memoryMb: 200 } });
    await stage.output(handle, 'ready');
    await stage.backend.cancel(handle, 1_000);
    expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
  });

  it("has FAILED when V8's own heap limit is reached, and says so", async () => {
    const script = 'const held = []; for (;;) held.push(new Array(1e5).fill(held.length + 0.5));';
    const end = await stage.endOf(node(script, '--max-old-space-size=20'));
    expect(end).toMatchObject({ name: 'FAILED', detail: expect.stringMatching(/^out of memory: JavaScript heap/) });
  });
});

describe('what a task is told', () => {
  const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url, maxTasks: 1 }));

  it('is PATH, the locale, its own variables and its trace', async () => {
    vi.stubEnv('DATABASE_PASSWORD', 's3cret');
    vi.stubEnv('NODE_OPTIONS', '--no-warnings');
    const script = 'console.log(JSON.stringify(process.env))';
    const handle = await stage.run(node(script), { template: { env: { ORDERS: 'all' } }, traceparent: '00-ab-cd-01' });
    await endOf(stage.backend, handle);
    vi.unstubAllEnvs();
    const env: Record<string, string> = JSON.parse((await stage.backend.tail(handle, 65_536))!);
    const others = Object.keys(env).filter((name) => !/^(PATH|LANG|LANGUAGE|LC_.*)$/.test(name));
    expect(others.toSorted()).toEqual(['ELASTIC_JOB_TASK', 'ORDERS', 'TASK_MARK', 'TRACEPARENT']);
    expect(env['TRACEPARENT']).toBe('00-ab-cd-01');
    expect(JSON.parse(env['ELASTIC_JOB_TASK']!)).toEqual({ v: 1, channel: 3, run: expect.any(String) });
  });

  it('is an answer to each checkpoint, in order', async () => {
    const saved: unknown[] = [];
    const link: TaskLink = {
      ...HELD,
      saveCheckpoint: async (value) => {
        if (value === 'bad') throw new Error('it has no JSON text');
        saved.push(value);
      },
    };
    const script = `const channel = new (require('net').Socket)({ fd: 3 });
      for (const [id, checkpoint] of [{ at: 1 }, 'bad', { at: 2 }].entries())
        channel.write(JSON.stringify({ checkpoint, id }) + '\\n');
      let text = '';
      channel.on('data', (chunk) => {
        text += chunk;
        if (text.includes('"saved":2')) { console.log(text); process.exit(0); }
      });`;
    const handle = await stage.run(node(script), {}, link);
    expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'FINISHED' });
    const [first, ...answers] = (await stage.backend.tail(handle, 65_536))!.trim().split('\n');
    // Less by what has passed since the scheduler gave its word.
    const { heldForMs }: { readonly heldForMs: number } = JSON.parse(first!);
    expect(heldForMs).toBeLessThanOrEqual(60_000);
    expect(heldForMs).toBeGreaterThan(50_000);
    expect(answers.filter((line) => !line.includes('heldForMs'))).toEqual([
      '{"saved":0}',
      '{"refused":1,"message":"it has no JSON text"}',
      '{"saved":2}',
    ]);
    expect(saved).toEqual([{ at: 1 }, { at: 2 }]);
  });

  it('is that it is LOST when its link says that the item is lost', async () => {
    let isLost = false;
    const link = { ...HELD, heldForMs: () => (isLost ? 0 : 400), isLost: () => isLost };
    const handle = await stage.run(BUSY_NODE, { graceMs: 50 }, link);
    await stage.output(handle, 'ready');
    isLost = true;
    const end = { name: 'LOST', detail: 'its scheduler has lost the item' };
    expect(await endOf(stage.backend, handle)).toEqual(end);
    expect(await endOf(stage.backend, await stage.run(BUSY_NODE, {}, link))).toEqual(end);
  });

  it('is nothing while the registry is asked if the scheduler still has the item', async () => {
    let isAsking = false;
    const heldForMs = vi.fn<() => number>(() => (isAsking ? 0 : 4_000));
    const asked = (times: number) => {
      const count = heldForMs.mock.calls.length + times;
      return expect.poll(() => heldForMs.mock.calls.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
    };
    const handle = await stage.run(PYTHON, {}, { ...HELD, heldForMs });
    await stage.output(handle, 'ready');
    isAsking = true;
    await asked(3);
    isAsking = false;
    await asked(6); // Longer than the first grant.
    expect((await stateOf(stage.backend, handle, 'RUNNING')).name).toBe('RUNNING');
    await stage.backend.cancel(handle, 0);
    expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
  });

  it('is to wait as QUEUED while all places are taken', async () => {
    const first = await stage.run(GRANDCHILD);
    const second = await stage.run(['true']);
    const third = await stage.run(['true']);
    await stateOf(stage.backend, third, 'QUEUED');
    await stage.backend.cancel(second, 0);
    expect(await endOf(stage.backend, second)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
    const states = statesUntil(stage.backend, third, () => false);
    await stage.backend.cancel(first, 0);
    expect((await states).map(({ name }) => name)).toEqual(['QUEUED', 'RUNNING', 'FINISHED']);
  });
});

describe('the channel of a task', () => {
  const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url, maxTasks: 8 }));
  const unanswered: TaskLink = { ...HELD, saveCheckpoint: () => new Promise(() => {}) };

  it.each([
    ['checkpoints', '{"checkpoint":1,"id":1}', unanswered],
    ['nonsense', 'nonsense', HELD],
  ])('takes %s no faster than the scheduler does, and holds up nobody', async (_, line, link) => {
    const own = process.memoryUsage().rss;
    const handle = await stage.run(sh(`yes '${line}' >&3`), {}, link);
    await stateOf(stage.backend, handle, 'RUNNING');
    await stage.clock.sleep(1_500); // It writes as much as it can meanwhile.

    expect(await stage.endOf(['true'])).toMatchObject({ name: 'FINISHED' });
    expect(supervisors().map((pid) => residentMb(pid) < 150)).toEqual([true]);
    expect(process.memoryUsage().rss - own).toBeLessThan(150 * 1_048_576);
    await stage.backend.cancel(handle, 1_000);
    expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'KILLED', killer: 'scheduler' });
  });

  it('ends the task that sends a line which is too long, and says so', async () => {
    const end = await stage.endOf(sh(`head -c 1100000 /dev/zero | tr '\\0' x >&3; sleep 600`));
    expect(end).toMatchObject({ name: 'FAILED', detail: 'a line on its channel has more than 1048576 bytes' });
  });

  it('carries a report behind many checkpoints, whose saves take their time, to the end', async () => {
    let saved = 0;
    const slow: TaskLink = { ...HELD, saveCheckpoint: () => ((saved += 1), stage.clock.sleep(1)) };
    const report = { v: 1, outcome: 'succeeded', ms: 7 };
    const script = `i=0; while [ $i -lt 200 ]; do echo '{"checkpoint":1,"id":'$i'}'; i=$((i+1)); done`;
    const end = await stage.endOf(sh(`{ ${script}; echo '${JSON.stringify({ report })}'; } >&3`), {}, slow);
    expect(end).toMatchObject({ name: 'FINISHED', report });
    await expect.poll(() => saved, { timeout: 10_000 }).toBe(200);
  });
});

describe('a task that ignores SIGTERM, with a grace of an hour,', () => {
  const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url }));
  const HOUR = 3_600_000;

  it('is killed at once if its item is lost before the lease ends: the session is over then', async () => {
    let isLost = false;
    const link = { ...HELD, heldForMs: () => (isLost ? 0 : 60_000), isLost: () => isLost };
    const handle = await stage.run(PYTHON, { graceMs: HOUR }, link);
    await stage.output(handle, 'ready');

    isLost = true;
    expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'LOST' });
    expect(stage.processes()).toEqual([]);
  });

  it('is told at the end of the lease, no earlier, and is killed before others take its item', async () => {
    const heldUntil = stage.clock.monotonicNow() + 2_000;
    const link = {
      ...HELD,
      heldForMs: () => Math.max(0, heldUntil - stage.clock.monotonicNow()),
      lossGraceMs: 500,
      isLost: () => stage.clock.monotonicNow() > heldUntil,
    };
    const handle = await stage.run(PYTHON, { graceMs: HOUR }, link);

    expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'LOST' });
    const lateMs = stage.clock.monotonicNow() - heldUntil;
    expect(lateMs).toBeGreaterThan(0);
    expect(lateMs).toBeLessThan(1_500);
    expect(stage.processes()).toEqual([]);
  });

  it.each([
    ['was cancelled', {}, true],
    ['has run for too long', { timeoutMs: 2_000 }, false],
  ])('is killed in its grace if its item is lost after it %s', async (_, order, isCancelled) => {
    let isLost = false;
    const link = { ...HELD, heldForMs: () => (isLost ? 0 : 60_000), isLost: () => isLost };
    const handle = await stage.run(HEARING, { graceMs: HOUR, ...order }, link);
    await stage.output(handle, 'ready');
    if (isCancelled) await stage.backend.cancel(handle, HOUR);
    await stage.output(handle, 'told');

    isLost = true;
    expect(await endOf(stage.backend, handle)).toMatchObject({ name: expect.stringMatching(/^(KILLED|LOST)$/) });
  });
});

describe('a supervisor that dies', () => {
  const TASKS = 60;
  const stage = new LocalStage(() => ({ supervisorUrl: supervisor.url, maxTasks: TASKS }));

  it('leaves its tasks LOST and gone, and the next one runs tasks', async () => {
    const handles = await Promise.all([BUSY_NODE, GRANDCHILD].map((program) => stage.run(program)));
    await Promise.all(handles.map((handle) => stage.output(handle, 'ready')));
    killAll(supervisors());
    for (const handle of handles) expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'LOST' });
    expect(stage.processes()).toEqual([]);

    expect(await stage.endOf(['true'])).toMatchObject({ name: 'FINISHED' });
    expect(stage.events.map(({ kind }) => kind)).toEqual(['connected', 'disconnected', 'connected']);
  });

  it('holds its scheduler up no longer for many tasks than for one', async () => {
    const handles = await Promise.all(Array.from({ length: TASKS }, () => stage.run(['sleep', '600'])));
    await Promise.all(handles.map((handle) => stateOf(stage.backend, handle, 'RUNNING')));
    const reads = vi.spyOn(fs, 'readFileSync');
    syncBuiltinESMExports();
    killAll(supervisors());
    await Promise.all(handles.map((handle) => endOf(stage.backend, handle)));
    const files = reads.mock.calls.map(([file]) => String(file)).filter((file) => file.endsWith('/environ'));
    reads.mockRestore();
    syncBuiltinESMExports();
    const rounds = files.filter((file) => file === `/proc/${process.pid}/environ`).length;
    expect(rounds).toBeGreaterThan(0);
    expect(rounds).toBeLessThan(TASKS);
  });

  it('is ended when it reads nothing, before what it was told fills memory', async () => {
    for (const pid of supervisors()) process.kill(pid, 'SIGSTOP');
    const template = { env: { LARGE: 'x'.repeat(4_000_000) } };
    const handles = await Promise.all(Array.from({ length: 8 }, () => stage.run(['true'], { template })));
    for (const handle of handles) expect(await endOf(stage.backend, handle)).toMatchObject({ name: 'LOST' });
    expect(stage.events[1]).toMatchObject({
      kind: 'disconnected',
      error: { message: expect.stringContaining('has read none of its orders') },
    });
    expect(await stage.endOf(['true'])).toMatchObject({ name: 'FINISHED' });
  });

  it('goes on when a signal asks it to end', async () => {
    for (const pid of supervisors()) process.kill(pid, 'SIGTERM');
    expect(await stage.endOf(['true'])).toMatchObject({ name: 'FINISHED' });
    expect(stage.events.map(({ kind }) => kind)).toEqual(['connected']);
  });

  it('is reported at the start of the backend if its file is no supervisor', async () => {
    const backend = new LocalProcesses({ supervisorUrl: new URL('./no-such-file.js', import.meta.url) });
    const started = backend.start({ clock: stage.clock, cluster: 'contract', emit: () => {} });
    await expect(started).rejects.toMatchObject({ code: 'TASK_BACKEND', request: 'start' });
  });

  it.each([0, 5, 20, 100])('is ended by a stop %i ms after the start', async (ms) => {
    const backend = new LocalProcesses({ supervisorUrl: supervisor.url });
    const before = supervisors();
    const started = Promise.allSettled([backend.start({ clock: stage.clock, cluster: 'contract', emit: () => {} })]);
    await stage.clock.sleep(ms);
    await backend.stop();
    expect(supervisors()).toEqual(before);
    await started;
  });

  it('does not start if the backend is stopped meanwhile, which is told', async () => {
    const backend = new LocalProcesses({ supervisorUrl: supervisor.url });
    const started = backend.start({ clock: stage.clock, cluster: 'contract', emit: () => {} });
    const stopped = backend.stop();
    await expect(started).rejects.toMatchObject({ code: 'TASK_BACKEND', request: 'start' });
    await stopped;
  });

  it('is one, since a second start is refused', async () => {
    const again = stage.backend.start({ clock: stage.clock, cluster: 'contract', emit: () => {} });
    await expect(again).rejects.toMatchObject({ code: 'TASK_BACKEND', request: 'start' });
    expect(await stage.endOf(['true'])).toMatchObject({ name: 'FINISHED' });
    await stage.backend.stop();
    expect(supervisors()).toEqual([]);
  });

  it('starts again after a stop', async () => {
    await stage.backend.stop();
    await stage.backend.start({ clock: stage.clock, cluster: 'contract', emit: () => {} });
    expect(await stage.endOf(['true'])).toMatchObject({ name: 'FINISHED' });
  });

  it('leaves no process when the backend stops', async () => {
    await stage.output(await stage.run(GRANDCHILD), 'ready');
    await stage.backend.stop();
    expect([...stage.processes(), ...supervisors()]).toEqual([]);
  });
});

describe('options', () => {
  it.each([
    [{ maxTasks: Number.NaN }, /^LocalProcesses: maxTasks must be a whole number/],
    [{ maxTasks: 'two' }, /maxTasks .* but is "two"/],
    [{ maxTasks: 0 }, /maxTasks/],
    [{ maxTasks: -1 }, /maxTasks/],
    [{ memoryPollMs: Number.NaN }, /memoryPollMs must be a whole number/],
    [{ memoryPollMs: 0 }, /memoryPollMs/],
    [{ supervisorUrl: './supervisor.js' }, /supervisorUrl must be a file: URL, but is "\.\/supervisor\.js"/],
    [{ supervisorUrl: new URL('https://example.org/') }, /supervisorUrl/],
    [{ maxTask: 1 }, /maxTask is not an option of LocalProcesses; did you mean maxTasks\?/],
    [{ maxTasks: 0, memoryPollMs: 0 }, /maxTasks.*memoryPollMs/],
    [8, /must be an object/],
    [null, /must be an object/],
  ])('%j are refused, and the error names each', (given, message) => {
    const create = (): unknown => Reflect.construct(LocalProcesses, [given]);
    expect(create).toThrow(expect.objectContaining({ code: 'CONFIGURATION', message: expect.stringMatching(message) }));
  });

  it('may be left out', () => {
    expect(new LocalProcesses({ maxTasks: undefined, memoryPollMs: 1, supervisorUrl: supervisor.url })).toBeDefined();
  });
});

describe('a template', () => {
  const backend = new LocalProcesses();

  it.each([
    [{ image: 'orders:1' }, /^image "orders:1"/],
    [{ command: [] }, /^command/],
    [{ env: { ELASTIC_JOB_TASK: '{}' } }, /^env must not name "ELASTIC_JOB_TASK"/],
    [{ command: ['a\0b'] }, /NUL/],
  ])('%j has the fault %s', (template, fault) => {
    expect(backend.findFault(template)).toMatch(fault);
  });

  it('can start this process once more if none is given', () => {
    expect(backend.findFault({})).toBeUndefined();
  });
});

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}

/** The supervisors that this process has started. */
function supervisors(): readonly number[] {
  const path = fileURLToPath(supervisor.url);
  return processesWith('PATH', process.env['PATH']!).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path),
  );
}
