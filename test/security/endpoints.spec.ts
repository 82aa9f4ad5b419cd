import { connect, type Socket } from 'node:net';
import { JobOperateApi, startDumpServer } from '@app/elastic-job/operations';
import { ElasticJobHealthIndicator, ElasticJobHealthModule } from '@app/elastic-job/terminus';
import { ElasticJobMetricsModule, JobMetrics } from '@app/elastic-job/metrics';
import { Logger } from '@nestjs/common';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { until, Victim } from './support/attack.js';

const NEVER = '0 0 0 1 1 ? 2199';
const SECRET = 's3cret';
const IDLE = { type: 'IDLE', findFaults: () => [], execute: () => {} };
const JOB = { type: 'IDLE', cron: NEVER, shardingTotalCount: 1 };
const MOST_BYTES = 5_000_000;

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe('a client of the dump server', () => {
  it('reads no parameters, props, extra configurations or checkpoints', async () => {
    const settle = {
      ...JOB,
      props: { 'settle.key': SECRET },
      jobParameter: SECRET,
      shardingItemParameters: `0=${SECRET}`,
    };
    const { victim, ask } = await startServed(settle);
    await victim.edit('settle', /$/, `jobExtraConfigurations:\n- !!x\n  password: ${SECRET}\npassword: ${SECRET}\n`);
    await victim.attacker.ensurePath('/settle/sharding/0');
    await victim.attacker.create('/settle/sharding/0/checkpoint', JSON.stringify(SECRET), 'PERSISTENT');
    await victim.attacker.ensurePath('/settle/trigger');
    await victim.attacker.create('/settle/trigger/10.9.9.9@-@1', `{"id":"1","parameters":"${SECRET}"}`, 'PERSISTENT');

    const dump = await ask('dump@settle\n');

    expect(dump).toContain('"settle.key": hidden\n');
    expect(dump).toContain('/settle/sharding/0/checkpoint | hidden\n');
    expect(dump).not.toContain(SECRET);
    expect(await victim.operator.dump('settle', { hideSecrets: false })).toContain(SECRET);
  });

  it("reads no operator's parameters in records, no note of a backend, and no node that nobody knows", async () => {
    const { victim, ask } = await startServed(JOB);
    await victim.operator.trigger('settle', { parameters: SECRET });
    await until(() => victim.settled('settle').length > 0);
    const note = {
      id: 'pod-1',
      backend: 'b',
      run: 'r',
      launch: 1,
      source: 'NORMAL_TRIGGER',
      state: 'QUEUED',
      since: 1,
    };
    await victim.attacker.create('/settle/sharding/0/task', JSON.stringify({ ...note, detail: SECRET }), 'PERSISTENT');
    await victim.attacker.create('/settle/notes', SECRET, 'PERSISTENT');

    const dump = await ask('dump@settle\n');

    expect(dump).toMatch(
      /record \| \{.*"outcome":"succeeded".*"fireTime":\d+,"origin":"manual:.*","parameters":"hidden"/,
    );
    expect(dump).toContain('"state":"QUEUED","since":1,"detail":"hidden"');
    expect(dump).toContain('/settle/notes | hidden\n');
    expect(dump).not.toContain(SECRET);
    expect(await victim.operator.dump('settle', { hideSecrets: false })).toContain(SECRET);
  });

  it('gets 5 MB of a larger tree, and is told that there is more', async () => {
    const { victim, ask } = await startServed(JOB);
    for (let i = 0; i < 8; i += 1) {
      await victim.attacker.create(`/settle/servers/junk-${i}`, 'x'.repeat(900_000), 'PERSISTENT');
    }
    await victim.attacker.create('/settle/servers/addresses', addresses(60_000), 'PERSISTENT');

    const dump = await ask('dump@settle\n');

    expect(Buffer.byteLength(dump)).toBeLessThanOrEqual(MOST_BYTES + 100);
    expect(Buffer.byteLength(dump)).toBeGreaterThan(MOST_BYTES / 2);
    expect(dump.split('\n').at(-2)).toMatch(`# cut: the tree has more than ${MOST_BYTES} bytes, or `);
  });

  it('hides 60,000 addresses in a moment', async () => {
    const { victim, ask } = await startServed(JOB);
    await victim.attacker.create('/settle/servers/addresses', addresses(60_000), 'PERSISTENT');

    expect(await ask('dump@settle\n')).toContain('ip60000');
  });

  it('is cut off as long as ten others wait', async () => {
    const { connectTo, ask } = await startServed(JOB);
    const waiting = await Promise.all(Array.from({ length: 10 }, () => connectTo()));

    expect(await ask('dump@settle\n')).toBe('');
    for (const socket of waiting) socket.destroy();
    await until(async () => (await ask('dump@settle\n')) !== '');
  });
});

describe('a client of the health endpoint', () => {
  it.each([
    ['in production', 'production', ElasticJobHealthModule, false],
    ['in production, where details are wanted', 'production', ElasticJobHealthModule.forRoot({ details: true }), true],
    ['in development', 'development', ElasticJobHealthModule, true],
    ['in development, where none are wanted', 'development', ElasticJobHealthModule.forRoot({ details: false }), false],
  ])('%s, reads no more than is meant for him', async (_, environment, module, isShown) => {
    vi.stubEnv('NODE_ENV', environment);
    const victim = await Victim.start({ jobTypes: [IDLE], jobs: { settle: JOB } }, { imports: [module] });
    const health = victim.get(ElasticJobHealthIndicator);

    const told = [health.liveness(), health.readiness(), health.registry(), health.leadership(), health.tracing()];

    expect(told.map((result) => Object.values(result)[0]!.status)).toEqual(['up', 'up', 'up', 'up', 'up']);
    expect(JSON.stringify(told).includes('settle')).toBe(isShown);
    expect(told.every((result) => Object.keys(Object.values(result)[0]!).length === 1)).toBe(!isShown);
  });
});

describe('an editor of settings', () => {
  it('adds at most one series, with any number of made-up names', { timeout: 120_000 }, async () => {
    const failing = { ...IDLE, execute: () => Promise.reject(new Error('no')) };
    const victim = await Victim.start(
      { jobTypes: [failing], jobs: { settle: JOB } },
      { imports: [ElasticJobMetricsModule.forRoot({ path: false })] },
    );
    const metrics = victim.get(JobMetrics);
    const series = async () => (await metrics.registry.metrics()).split('\n').filter((line) => /^\w/.test(line)).length;
    await victim.trigger('settle');
    const before = await series();

    const { data } = (await victim.attacker.read('/settle/config'))!;
    await victim.attacker.ensurePath('/settle/dependents');
    for (let edit = 0; edit < 10_000; edit += 50) {
      const edits = Array.from({ length: 50 }, (_, i) => victim.attacker.transaction([hostileEdit(edit + i, data)]));
      for (const edited of await Promise.all(edits)) expect(edited).toMatchObject({ kind: 'committed' });
      if (edit % 1_000 === 0) await victim.operator.trigger('settle');
    }
    await victim.attacker.set('/settle/config', data);
    await victim.trigger('settle');

    expect((await series()) - before).toBeLessThanOrEqual(1);
  });

  it('writes no log line beyond its own, and no command of a terminal', async () => {
    const lines: string[] = [];
    for (const level of ['log', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(Logger.prototype, level).mockImplementation((...told: unknown[]) => void lines.push(told.join('\n')));
    }
    const tracing = [{ type: 'log', level: 'debug' }] as const;
    const victim = await Victim.start({ jobTypes: [IDLE], jobs: { settle: JOB }, tracing });
    const forged = 'a\\u001b[2J\\u202e\\u2066\\n[Nest] 1 LOG all is well';

    await victim.edit('settle', /^description: .*$/m, `description: "${forged}"`);
    await until(() => victim.told('configuration-differs').length > 0);
    await victim.edit('settle', /^shardingTotalCount: .*$/m, `shardingTotalCount: "${forged}"`);
    await until(() => victim.told('error').length > 0);

    expect(lines.filter((line) => line.includes('all is well'))).not.toEqual([]);
    expect(lines.filter((line) => /[^\P{C}\n]/u.test(line))).toEqual([]);
    expect(lines.filter((line) => /^\[Nest\]/m.test(line))).toEqual([]);
  });
});

async function startServed(settle: object) {
  const victim = await Victim.start({ jobTypes: [IDLE], jobs: { settle } });
  const server = await startDumpServer(victim.get(JobOperateApi), new SystemClock(), { port: 0 });
  onTestFinished(() => server.close());
  const connectTo = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => resolve(socket)).on('error', () => {});
    });
  const ask = async (text: string) => {
    const socket = await connectTo();
    return new Promise<string>((resolve) => {
      let answer = '';
      socket.setEncoding('utf8').on('data', (chunk) => (answer += String(chunk)));
      socket.on('close', () => resolve(answer));
      socket.write(text);
    });
  };
  return { victim, connectTo, ask };
}

function addresses(count: number): string {
  return Array.from({ length: count }, (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`).join(' ');
}

/** Names of every kind that settings and the tree hold. */
function hostileEdit(i: number, config: string) {
  const edit = (from: RegExp, to: string) =>
    ({ kind: 'set', path: '/settle/config', data: config.replace(from, () => to) }) as const;
  const add = (path: string) => ({ kind: 'create', path, data: `text ${i}`, mode: 'PERSISTENT' }) as const;
  switch (i % 5) {
    case 0:
      return edit(/^shardingTotalCount/m, `jobErrorHandlerType: TYPE${i}\nshardingTotalCount`);
    case 1:
      return edit(/^shardingTotalCount/m, `jobShardingStrategyType: TYPE${i}\nshardingTotalCount`);
    case 2:
      return add(`/settle/dependents/job-${i}`);
    case 3:
      return add(`/settle/instances/10.9.${i >> 8}.${i & 255}`);
    default:
      return add(`/settle/sharding/${i}`);
  }
}
