// One instance of ours, driven by lines of JSON as the Java peer is. `peer-process.ts` is the other end.
import { createInterface } from 'node:readline';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { JobOperateApi, type NewJob } from '../../../libs/elastic-job/src/operations/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import { PlacedClock } from '@test/support/peers/placed-clock.js';
import { BehavingHandlers } from './behaving-handlers.js';
import { definitionOf, templateOf } from './node-job.js';
import { Pulse } from './pulse.js';
import type { JobSpec } from './job-spec.js';
import type { Behaviour } from './peer.js';

interface Call {
  readonly id: number;
  readonly call: string;
  readonly with: {
    readonly config: JobSpec;
    readonly job: string;
    readonly behaviour: Behaviour;
    readonly changes: Partial<JobSpec>;
    readonly template: string;
    readonly created: NewJob;
  };
}

const [servers = '', namespace = '', sessionTimeoutMs = '0', ip = ''] = process.argv.slice(2);

const clock = new PlacedClock(ip);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const tell = (event: string, facts: object): void => say({ ...facts, event, at: clock.wallNow() });
const registry = new ZooKeeperRegistryCenter({ servers, namespace, sessionTimeoutMs: Number(sessionTimeoutMs) }, clock);
const runtime = new ElasticJobRuntime({ registry, clock, version: '1.43.1-rc.1+7', drainTimeoutMs: 2_000 });
const operate = new JobOperateApi(registry, clock);
const handlers = new BehavingHandlers(clock, tell);

const pulse = new Pulse((from, to) => tell('stalled', { tookMs: to - from }));
runtime.events.on((event) => tell('runtime', plain(event)));

const calls: Readonly<Record<string, (given: Call['with']) => unknown>> = {
  start: ({ config }) => runtime.registrar.register(definitionOf(config, handlers, tell)),
  declare: ({ template }) => {
    runtime.templates.declare(templateOf(template, handlers));
    return runtime.templates.open();
  },
  create: ({ created }) => operate.create(created),
  stop: ({ job }) => runtime.registrar.remove(job),
  execute: ({ job }) => operate.trigger(job),
  dump: ({ job }) => operate.dump(job, { hideSecrets: false }),
  edit: async ({ job, changes }) => void (await runtime.registrar.change(job, changes)),
  behave: ({ job, behaviour }) => handlers.behave(job, behaviour),
  release: ({ job }) => handlers.release(job),
  leave: () => runtime.stop(),
  status: () => plain(runtime.status()),
  traffic: () => ({ ...registry.traffic }),
};

async function answer({ id, call, with: given }: Call): Promise<void> {
  try {
    const method = calls[call];
    if (method === undefined) throw new TypeError(`There is no ${call}.`);
    say({ id, result: (await method(given)) ?? null });
  } catch (error) {
    console.error(error);
    say({ id, failed: String(error) });
  }
}

function plain(value: object): object {
  const told: object = JSON.parse(JSON.stringify(value, (_, each: unknown) => tellable(each)));
  return told;
}

function tellable(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return value.stack;
  return value instanceof Map ? Object.fromEntries(value) : value;
}

await runtime.start();
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const call: Call = JSON.parse(line);
    void answer(call);
  })
  .on('close', () => {
    pulse.stop();
    process.exit();
  });
say({ event: 'ready' });
