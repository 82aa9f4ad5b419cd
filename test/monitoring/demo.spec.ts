import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Ensemble, OpenHandles, startEnsemble } from '@test/support/faults/index.js';
import { type GuardedProcess, startGuarded } from '@test/support/zookeeper/guarded-process.js';
import { freePorts } from '@test/support/zookeeper/loopback.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { COMPOSE, mountsOf, servicesOf, translate, ZOOKEEPER_VARIABLES } from './compose.js';
import { ALERTS, DASHBOARD, metricsIn, ROOT } from './files.js';
import { PrometheusServer } from './prometheus-server.js';

const run = promisify(execFile);
const LIMITS = { timeout: 60_000, interval: 500 };

/** Metrics that tell nothing in the demo, and why. */
const SILENT = new Map([
  ['elastic_job_history_dropped_total', 'it has no history'],
  ['elastic_job_tasks', 'its items run in the process of the job'],
  ['elastic_job_task_backend_up', 'its items run in the process of the job'],
]);

const worker = COMPOSE.services['worker']!;
const [, prometheusService] = servicesOf('prom/prometheus')[0]!;
const handles = new OpenHandles();
afterAll(() => handles.stopAll());

let ensemble: Ensemble;
let ports: readonly number[];
let workers: readonly GuardedProcess[];
let prometheus: PrometheusServer;

beforeAll(async () => {
  ensemble = await handles.add(startEnsemble(3, { settings: zooKeeperSettings() }));
  ports = await freePorts(3);
  const statistics = await makeFolder('statistics-');
  workers = await Promise.all(ports.map((port) => handles.add(startWorker(port, statistics))));
  prometheus = await handles.add(PrometheusServer.start(quickConfiguration()));
  // Rates need a run that has ended after the first scrape.
  const ended = () => sum('increase(elastic_job_items_total{outcome="succeeded"}[15s])');
  await vi
    .waitUntil(async () => (await ended()) > 0, LIMITS)
    .catch((cause: unknown) => {
      throw new Error(`No item has ended: ${handles.lastWords().join('\n')}`, { cause });
    });
}, 180_000);

describe('the services of compose.yaml', () => {
  it('make an ensemble and workers that are ready, by their own health checks', async () => {
    const [, { healthcheck }] = servicesOf('zookeeper')[0]!;
    for (const { port } of ensemble.members)
      await expect(check(healthcheck!.test, new Map([['/2181', `/${port}`]]))).resolves.toBeUndefined();
    for (const port of ports)
      await expect
        .poll(
          () => check(worker.healthcheck!.test, new Map([[':3000', `:${port}`]])).then(() => 'well', String),
          LIMITS,
        )
        .toBe('well');
  });

  it('have a health check that fails without a server', async () => {
    const [port] = await freePorts(1);
    const [, { healthcheck }] = servicesOf('zookeeper')[0]!;
    await expect(check(healthcheck!.test, new Map([['/2181', `/${port}`]]))).rejects.toThrow('Command failed');
    await expect(check(worker.healthcheck!.test, new Map([[':3000', `:${port}`]]))).rejects.toThrow('Command failed');
  });

  it('give Prometheus a configuration that promtool accepts', async () => {
    const file = join(await makeFolder('promtool-'), 'prometheus.yml');
    await writeFile(file, configuration());
    const { stdout } = await run('promtool', ['check', 'config', file]);
    expect(stdout).toContain('1 rule files found');
  });
});

describe('Prometheus, over the demo', () => {
  it('scrapes each worker, and calls the name of a job exported_job', async () => {
    await expect.poll(() => sum('up{job="demo"}'), LIMITS).toBe(3);
    await expect.poll(() => sum('elastic_job_joined{exported_job="city-statistics"}'), LIMITS).toBe(3);
    await expect.poll(() => sum('elastic_job_owned_items{exported_job="city-statistics"}'), LIMITS).toBe(12);
  });

  it.each(ALERTS)('takes the rule of $alert, for which the demo has the series', async ({ alert, expr }) => {
    await prometheus.query(expr);
    for (const metric of metricsIn(expr)) {
      const series = await prometheus.query(`{__name__=~"${metric}(_bucket)?"}`);
      expect([metric, series.length > 0]).toEqual([metric, !SILENT.has(metric)]);
    }
    await expect.poll(() => ruleHealth(alert), LIMITS).toBe('ok');
  });

  // A worker may really lose its session for a moment, on a machine that is very busy. That is a warning.
  it('fires nothing critical while the demo is well', async () => {
    expect(await prometheus.query('ALERTS{severity="critical", alertstate="firing"}')).toEqual([]);
  });

  it.each(DASHBOARD.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target }))))(
    'answers query $refId of the panel "$title"',
    async ({ expr }) => {
      const isSilent = metricsIn(expr).some((metric) => SILENT.has(metric));
      // A rate needs two scrapes of its series.
      const hasSeries = async () => (await prometheus.query(inTheDemo(expr))).length > 0;
      await expect.poll(hasSeries, LIMITS).toBe(!isSilent);
    },
  );

  it('offers values for each variable of the dashboard', async () => {
    const queries = DASHBOARD.templating.list.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]));
    const offered = await Promise.all(
      queries.map((query) => {
        const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(inTheDemo(query)) ?? [];
        return prometheus.labelValues(label, selector);
      }),
    );
    expect(offered).toEqual([['demo'], ['city-statistics']]);
  });

  it('tells of a worker that was killed', { timeout: 90_000 }, async () => {
    await workers[0]!.stop();
    const waiting = 'ALERTS{alertname="ElasticJobProcessDown", alertstate="pending"}';
    await expect.poll(() => prometheus.query(waiting).then(({ length }) => length), LIMITS).toBe(1);
    await expect.poll(() => sum('elastic_job_owned_items'), LIMITS).toBe(12);
    expect(await prometheus.query('elastic_job_joined')).toHaveLength(2);
  });
});

/** A folder that is removed at the end. */
async function makeFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await handles.add({ stop: () => rm(folder, { recursive: true }) });
  return folder;
}

/** Lines of `zoo.cfg` that the image writes by the variables, for servers on other ports. */
function zooKeeperSettings(): Record<string, string | number> {
  const [, { environment = {} }] = servicesOf('zookeeper')[0]!;
  const lines = Object.entries(environment).map(([name, value]) => [ZOOKEEPER_VARIABLES[name], value] as const);
  return Object.fromEntries(lines.filter(([setting]) => setting !== undefined));
}

/** Runs the command with the variables, and with no others but the path. */
async function startWorker(port: number, statistics: string): Promise<GuardedProcess> {
  const servers = servicesOf('zookeeper').map(
    ([name], index) => [`${name}:2181`, ensemble.members[index]!.connect] as const,
  );
  const places = new Map([...servers, ['/statistics/', `${statistics}/`]]);
  const given = { ...worker.environment, PORT: port, PATH: process.env['PATH'] };
  const variables = Object.entries(given).map(([name, value]) => `${name}=${translate(String(value), places)}`);
  const folder = await mkdtemp(join(tmpdir(), 'worker-'));
  return startGuarded(['env', '-i', ...variables, ...worker.command!], folder);
}

/** @throws if the command of a health check does not end with 0 */
async function check([kind, program, ...args]: readonly string[], places: ReadonlyMap<string, string>): Promise<void> {
  expect(kind).toBe('CMD');
  await run(
    program!,
    args.map((arg) => translate(arg, places)),
    { timeout: 20_000 },
  );
}

/** The configuration of Prometheus, with the files where they are here. */
function configuration(): string {
  const files = mountsOf(prometheusService).filter(({ source }) => source.startsWith('./'));
  const places = new Map(files.map(({ source, target }) => [target, join(ROOT, source)]));
  return translate(COMPOSE.configs['prometheus']!.content, places);
}

/** The same with the workers of this test, which have no names, and without long waits. */
function quickConfiguration(): string {
  const { scrape_configs: scrapes, ...rest } = parse(configuration());
  const [{ dns_sd_configs: found, ...scrape }] = scrapes;
  expect(found).toMatchObject([{ names: ['worker'], type: 'A', port: worker.environment!['PORT'] }]);
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  return stringify({
    ...rest,
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    scrape_configs: [{ ...scrape, static_configs: [{ targets }] }],
  });
}

/** An expression of the dashboard as Grafana sends it, for all jobs. */
function inTheDemo(expr: string): string {
  const values = { __rate_interval: '15s', __range: '1m', application: '.*', job: '.*' };
  return translate(expr, new Map(Object.entries(values).map(([name, value]) => [`$${name}`, value])));
}

async function sum(expr: string): Promise<number> {
  const [total] = await prometheus.query(`sum(${expr})`);
  return Number(total?.value[1] ?? 0);
}

async function ruleHealth(alert: string): Promise<string | undefined> {
  const { groups }: { groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[] } =
    await prometheus.ask('rules');
  const rule = groups.flatMap(({ rules }) => rules).find(({ name }) => name === alert);
  return rule?.lastError ?? rule?.health;
}
