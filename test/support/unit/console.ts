import { VirtualClock } from '@app/elastic-job/testing';
import {
  type AuditIntent,
  type AuditNote,
  ConsoleApi,
  type ConsoleApiParts,
  type ConsoleCaller,
  ConsoleProblem,
  HistoryGate,
  type ConsoleRequest,
  type ConsoleRole,
  type ItemAnswer,
  type JobAnswer,
  type JobRow,
  UNKNOWN_PULSE,
  type WholeAnswer,
} from '../../../libs/elastic-job/src/console/index.js';
import { resolveJobOptions, UnknownJobError } from '../../../libs/elastic-job/src/domain/index.js';
import type { StoredJobConfiguration } from '../../../libs/elastic-job/src/operations/index.js';

/** Callers by their tokens. */
const CALLERS: Readonly<Record<string, ConsoleCaller>> = {
  viewer: { name: 'Vera', role: 'viewer', by: 'token' },
  operator: { name: 'Oli', role: 'operator', by: 'token' },
  admin: { name: 'Ada', role: 'admin', by: 'token' },
  finance: { name: 'Fin', role: 'admin', jobPrefix: 'finance-', by: 'token' },
};

/** A history without runs. */
export const HISTORY = {
  migrate: async () => {},
  executions: async () => ({ rows: [], cursor: undefined }),
  statuses: async () => ({ rows: [], cursor: undefined }),
  countExecutions: async () => ({ executions: 0, jobs: 0 }),
  countStatuses: async () => 0,
};

/** A console over fakes, that notes what it asks them to change. */
export class FakeConsole {
  readonly clock = new VirtualClock();
  /** Commands that were given, with their arguments. */
  readonly commands: (readonly [string, ...unknown[]])[] = [];
  readonly audit: (AuditIntent & { readonly end?: unknown })[] = [];
  /** Log-ins, log-outs and refusals. */
  readonly notes: AuditNote[] = [];
  readonly errors: unknown[] = [];
  readonly parts: ConsoleApiParts;
  private readonly api: ConsoleApi;

  constructor(
    given: Partial<ConsoleApiParts> & { readonly sinks?: readonly object[] } = {},
    /** Thrown or answered by the commands of these names. */
    private readonly replies: Readonly<Record<string, unknown>> = {},
  ) {
    const { sinks = [], ...parts } = given;
    const log = { error: (_text: string, error: unknown) => void this.errors.push(error) };
    this.parts = {
      path: '/elastic-job',
      clock: this.clock,
      redact: (text) => text.replaceAll('s3cret', '***'),
      identities: {
        authenticate: async ({ headers }) => {
          const caller = CALLERS[String(headers['authorization']).replace('Bearer ', '')];
          if (caller === undefined) throw new ConsoleProblem(401, 'UNAUTHENTICATED', 'Log in.');
          return caller;
        },
        logIn: async () => ({ answer: this.session(CALLERS['viewer']!), headers: { 'set-cookie': 'ej_session=1' } }),
        logOut: async () => ({ headers: { 'set-cookie': 'ej_session=; Max-Age=0' }, caller: CALLERS['viewer'] }),
        isUser: (name) => Object.values(CALLERS).some((caller) => caller.name === name),
        session: async (_request, caller) => this.session(caller),
        addressOf: ({ peer }) => peer,
      },
      limits: { read: () => {}, change: () => {} },
      audit: {
        note: async (note) => void this.notes.push(note),
        read: async () => ({ items: [], cursor: null }),
        record: async (intent, change) => {
          const id = String(this.audit.push(intent));
          const { after, result } = await change({ id });
          this.audit[Number(id) - 1] = { ...intent, end: after };
          return { result, audit: id, isSettled: true };
        },
      },
      index: {
        list: () => ({ items: [row('settle')], cursor: null, total: 1, matching: 1, ...INDEX }),
        overview: () => ({
          ...INDEX,
          registry: { state: 'connected', namespace: 'jobs' },
          jobs: 1,
          servers: 1,
          instances: 1,
          versions: [RELEASE],
          drainingInstances: 1,
          draining: [{ instance: '10.0.0.1@-@1', ip: '10.0.0.1', version: '1.43.1', jobs: 1, since: NOW }],
          runningItems: 0,
          needing: 0,
          attention: {},
          worst: [],
          busiest: [],
          next: [],
          history: null,
        }),
        setScreen: () => {},
        historyReady: async () => {},
        servers: () => ({ items: [], cursor: null, total: 0, matching: 0, ...INDEX }),
        server: (ip) => (ip === '10.0.0.1' ? { ip, ...SERVER, ...INDEX } : undefined),
        open: (name) => ({
          job: async () => {
            if (name === 'gone') throw new UnknownJobError(name, 'registry', false, 'secret-other-job');
            return job(name);
          },
          items: async () => ({ items: [ITEM], cursor: null, total: 1, asOf: NOW, stale: false }),
          item: async (item) => (item === 3 ? ITEM : undefined),
          failover: async () => ({ items: [], asOf: NOW, stale: false }),
          schedule: async () => {
            if (name === 'gone') throw new UnknownJobError(name, 'registry', false, 'secret-other-job');
            return SCHEDULE;
          },
          close: () => {},
        }),
      },
      streams: {
        open: (_caller, topics, sink) =>
          void sink.write(`event: job\ndata: ${JSON.stringify({ topics, item: ITEM })}\n\n`),
      },
      commands: this.noting({
        create: undefined,
        trigger: { id: 'run-1', asked: ['10.0.0.1@-@1'], pending: [] },
        cancel: { kind: 'requested', run: 'run-1', instanceId: '10.0.0.1@-@1' },
        enable: SWITCHED,
        disable: SWITCHED,
        reshard: undefined,
        resign: { kind: 'resigned', instanceId: '10.0.0.1@-@1' },
        rerun: { id: 'rerun-1', targets: 1, waitsFor: [] },
        previewRerun: { targets: [PREVIEWED] },
        reruns: [RERUN],
        withdrawRerun: undefined,
        confirmLost: { kind: 'requested', run: '7', instanceId: '10.0.0.1@-@1' },
        shutdown: ['10.0.0.1@-@1'],
        remove: undefined,
        enableServer: ['settle'],
        disableServer: ['settle'],
        shutdownServer: ['10.0.0.1@-@1'],
        removeServer: undefined,
        dump: '/settle/config | cron: hidden\n',
      }),
      items: this.noting({ enable: undefined, disable: undefined }),
      configurations: {
        ...this.noting({ removeJobConfiguration: undefined }),
        getJobConfiguration: async (name) => (name === 'gone' ? undefined : { ...stored(), version: 7 }),
        updateJobConfiguration: async (name, changes, options) => {
          const version = options?.version ?? 0;
          this.commands.push(['update', name, changes, version]);
          this.answer('update', undefined);
          return { ...stored(changes), version: version + 1 };
        },
        previewJobConfiguration: async (_name, changes) => stored(changes),
      },
      gate: new HistoryGate({ clock: this.clock, sinks, log }),
      targets: { targets: {}, allowed: { commands: ['/opt/settle.sh'] } },
      showProps: ['region'],
      readOnly: false,
      requireReason: false,
      document: async () => '{}',
      log,
      ...parts,
    };
    this.api = new ConsoleApi(this.parts);
  }

  /** Asks as a caller, and reads the answer, which must be no stream. */
  async ask(
    who: string,
    method: string,
    url: string,
    body?: unknown,
    headers: ConsoleRequest['headers'] = {},
    read?: ConsoleRequest['body'],
  ) {
    const request = this.request(who, method, url, body, headers);
    const answer = await this.api.handle(read === undefined ? request : { ...request, body: read });
    if ('open' in answer) throw new Error('It is a stream.');
    const text = textOf(answer);
    return { ...answer, text, json: jsonOf(text) };
  }

  stream(who: string, url: string): Promise<readonly string[]> {
    return this.api.handle(this.request(who, 'GET', url)).then((answer) => {
      if (!('open' in answer)) throw new Error(`It is no stream: ${textOf(answer)}`);
      const frames: string[] = [];
      answer.open({ write: (frame) => frames.push(frame) > 0, onDrain: () => {}, onClose: () => {}, end: () => {} });
      return frames;
    });
  }

  stop(): Promise<void> {
    return this.api.stop();
  }

  private request(
    who: string,
    method: string,
    url: string,
    body?: unknown,
    headers: ConsoleRequest['headers'] = {},
  ): ConsoleRequest {
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
    return {
      id: 'request-1',
      method,
      url: `/api/v1${url}`,
      headers: { authorization: `Bearer ${who}`, 'content-type': 'application/json', ...headers },
      body: async () => Buffer.from(text),
      peer: '127.0.0.1',
      isEncrypted: false,
      raw: undefined,
      signal: new AbortController().signal,
    };
  }

  private session({ by, name, role }: { name: string; role: ConsoleRole; by: ConsoleCaller['by'] }) {
    const rights = { name, role, by, jobPrefix: null, readOnly: false, requireReason: false };
    return { ...rights, idleUntil: null, expiresAt: null };
  }

  private answer(name: string, usual: unknown): unknown {
    const reply = Object.hasOwn(this.replies, name) ? this.replies[name] : usual;
    if (reply instanceof Error) throw reply;
    return reply;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- each command answers as its own type says
  private noting<Name extends string>(
    usual: Readonly<Record<Name, unknown>>,
  ): Record<Name, (...given: any[]) => Promise<any>> {
    // oxlint-disable-next-line typescript/no-explicit-any, no-unsafe-type-assertion -- as above
    return Object.fromEntries(
      Object.entries(usual).map(([name, answer]) => [
        name,
        async (...given: unknown[]) => {
          this.commands.push([name, ...given]);
          return this.answer(name, answer);
        },
      ]),
    ) as Record<Name, (...given: any[]) => Promise<any>>;
  }
}

const HOUR_MS = 3_600_000;
const NOW = '2030-01-01T00:00:00.000Z';
/** Every hour. */
const SCHEDULE = {
  timeZone: 'UTC',
  shardingTotalCount: 4,
  changedAt: 0,
  nextFireTime: (after: number) => (Math.floor(after / HOUR_MS) + 1) * HOUR_MS,
};
const INDEX = { indexed: 1, asOf: NOW, stale: false };
const SWITCHED = { servers: ['10.0.0.1'], newServers: 'switched', javaPeers: [] };
const RELEASE = {
  version: '1.43.1',
  instances: 1,
  drainingInstances: 1,
  jobs: 1,
  mixedJobs: 0,
  since: NOW,
  lastJoined: NOW,
};
const PREVIEWED = { fireTime: 0, item: 3, owner: undefined, begins: 'waits', because: 'item 3 has no instance' };
const RERUN = {
  id: 'rerun-1',
  at: 60_000,
  items: [3],
  fireTimes: [0],
  parameters: 'day=1',
  anyTime: false,
  withdrawn: false,
  targets: 1,
  progress: [{ item: 3, ended: 0, failed: 0 }],
  waitsFor: [],
};
const SERVER = {
  instances: ['10.0.0.1@-@1'],
  javaInstances: 0,
  versions: ['1.43.1'],
  drainingInstances: 0,
  clockOffsetMs: -12,
  jobs: 1,
  disabledJobs: 0,
  members: [
    { instance: '10.0.0.1@-@1', java: false, version: null, jobs: 1, leads: 1, drainingJobs: 0, clockOffsetMs: -12 },
  ],
  jobNames: ['settle'],
  disabledJobNames: [],
};
const ITEM: ItemAnswer = {
  item: 3,
  parameter: 'EU with s3cret',
  status: 'RUNNING',
  owner: null,
  holder: null,
  failover: false,
  queued: null,
  misfired: false,
  disabled: null,
  task: {
    id: 'task',
    backend: 'local',
    state: 'running',
    since: NOW,
    launch: 1,
    node: null,
    detail: 'a note with a key',
  },
  lastRun: {
    run: 'run',
    instance: '10.0.0.1@-@1',
    fireTime: NOW,
    origin: 'schedule',
    outcome: 'failed',
    cause: null,
    launch: null,
    token: '1',
    begunAt: NOW,
    settledAt: NOW,
    error: 'wrong password s3cret',
  },
  why: null,
};

function row(name: string): JobRow {
  return {
    job: name,
    label: null,
    status: 'OK',
    attention: [],
    cron: null,
    timeZone: null,
    nextFireTime: null,
    items: 1,
    running: 0,
    disabledItems: [],
    instances: 1,
    javaInstances: 0,
    leader: null,
    template: null,
    isBeingRemoved: false,
    resident: false,
    inTasks: false,
    registeredIn: 'code',
    problem: name === 'unreadable' ? 'line 3: password must be a text, but is s3cret2' : null,
    ...UNKNOWN_PULSE,
    asOf: NOW,
  };
}

function job(name: string): JobAnswer {
  return {
    ...row(name),
    description: 'settles',
    after: ['finance-close', 'payroll'],
    disabled: null,
    servers: [],
    members: [],
    configVersion: 7,
    stale: false,
  };
}

/** Settings of a job as they are stored, with secrets in every place. */
function stored(changes: object = {}): StoredJobConfiguration {
  const { strategy, ...configuration } = resolveJobOptions(
    {
      name: 'settle',
      cron: '0 0 2 * * ?',
      timeZone: 'UTC',
      shardingTotalCount: 2,
      jobParameter: 'p4rameter',
      shardingItemParameters: '0=a,1=b',
      props: { region: 'eu', 'db.password': 'hunter2' },
      ...changes,
    },
    { place: 'a test' },
  );
  return { ...configuration, strategy: strategy.type, version: 0 };
}

function textOf({ body }: WholeAnswer): string {
  return typeof body === 'string' ? body : (JSON.stringify(body) ?? '');
}

// oxlint-disable-next-line typescript/no-explicit-any -- each test knows what it has asked for
function jsonOf(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
