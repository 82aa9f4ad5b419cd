import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bundleConnectionWorker } from '@test/support/bundle/bundle.js';
import {
  type ClientProcess,
  type FaultProxy,
  forkClient,
  OpenHandles,
  ProcessClock,
  startFaultProxy,
  startZooKeeperServer,
  type TestServer,
  whyNoProcessClock,
} from '@test/support/faults/index.js';
import type { Told } from './clock-steps.fixture.js';

const HOURS_MS = 2 * 3_600_000;
/** Far longer than the question to a server. */
const SESSION_MS = 20_000;
/** The longest question to a server, plus the lateness of a shared machine. */
const QUESTION_MS = 2_000;
const SLACK_MS = 1_500;
/** A process may have to compile the library first. */
const START_LIMIT_MS = 40_000;

const missing = await whyNoProcessClock();
const handles = new OpenHandles();
let worker: Awaited<ReturnType<typeof bundleConnectionWorker>>;
beforeAll(async () => {
  worker = await bundleConnectionWorker();
});
afterAll(() => worker.remove());
afterEach(() => handles.stopAll());

interface Stage {
  readonly server: TestServer;
  readonly proxy: FaultProxy;
  readonly clock: ProcessClock;
  readonly process: ClientProcess;
  /** The session in which the handler runs. */
  readonly session: string;
  readonly next: (kind: Told['kind'], state?: string) => Promise<Told>;
}

describe.skipIf(missing).each(['in-process', 'worker-thread'])(
  'the wall clock of a process, connected %s, is set forward by 2 hours',
  { timeout: 90_000 },
  (connection) => {
    it('refuses until a server has answered, and goes on in the same session', async () => {
      const { clock, proxy, session, next } = await start(connection);
      // An answer within the few milliseconds between two looks would be no refusal.
      proxy.blackhole('both');
      await clock.set(HOURS_MS);

      const refused = await next('refused');
      await proxy.heal();
      const held = await next('held');

      expect(held.session).toBe(session);
      expect(held.at - refused.at).toBeLessThan(QUESTION_MS);
    });

    it('gives the session up 2 s later when no server answers, and runs the item in another one', async () => {
      const { clock, proxy, session, next } = await start(connection);
      proxy.blackhole('both');
      await clock.set(HOURS_MS);

      const refused = await next('refused');
      const lost = await next('state', 'LOST');
      await next('aborted');
      await proxy.heal();
      const started = await next('started');

      expect(lost.at - refused.at).toBeGreaterThan(QUESTION_MS - 100);
      expect(lost.at - refused.at).toBeLessThan(QUESTION_MS + SLACK_MS);
      expect(started.session).not.toBe(session);
    });

    it('goes on in the same session after the process was suspended for less than it lasts', async () => {
      const { clock, process, proxy, session, next } = await start(connection);
      process.pause();
      proxy.blackhole('both');
      await clock.set(HOURS_MS);
      process.resume();

      await next('refused');
      await proxy.heal();
      const held = await next('held');

      expect(held.session).toBe(session);
    });

    it('refuses from the first look on after the process was suspended for longer than its session', async () => {
      const { clock, process, server, session, next } = await start(connection, 3_000);
      process.pause();
      await server.untilExpired(session, 15_000);
      await clock.set(HOURS_MS);
      process.resume();

      await next('refused');
      await next('aborted');
      expect((await next('started')).session).not.toBe(session);
    });
  },
);

async function start(connection: string, sessionTimeoutMs = SESSION_MS): Promise<Stage> {
  const server = await handles.add(
    startZooKeeperServer({ settings: { tickTime: 500, maxSessionTimeout: SESSION_MS } }),
  );
  const proxy = await handles.add(startFaultProxy(server.port));
  const clock = await handles.add(ProcessClock.make());
  const options = {
    servers: proxy.connect,
    namespace: 'steps',
    sessionTimeoutMs,
    connection,
    workerUrl: connection === 'worker-thread' ? worker.url.href : undefined,
  };
  const script = new URL('./clock-steps.fixture.ts', import.meta.url);
  const process = await handles.add(forkClient(script, [JSON.stringify(options)], clock.environment));
  const next: Stage['next'] = (kind, state) =>
    process.receive(
      (message): message is Told => isTold(message) && message.kind === kind && message.state === state,
      START_LIMIT_MS,
    );
  await next('ready');
  const { session } = await next('started');
  return { server, proxy, clock, process, session: session!, next };
}

function isTold(message: unknown): message is Told {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
