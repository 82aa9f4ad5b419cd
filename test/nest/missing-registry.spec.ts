import { ConfigurationError, ElasticJobModule, type ElasticJobModuleOptions, REGISTRY_CENTER } from '@app/elastic-job';
import { elasticJobConfig } from '@app/elastic-job/config';
import { MemoryRegistry, type RegistryCenter } from '@app/elastic-job/registry';
import { VirtualClock } from '@app/elastic-job/testing';
import { type DynamicModule, Global, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ELASTIC_JOB_TASK } from '../../libs/elastic-job/src/nest/module-definition.js';
import { QUIET } from './support/job-application.js';

@Module({})
class Root {}

@Global()
@Module({ providers: [{ provide: ELASTIC_JOB_TASK, useValue: true }], exports: [ELASTIC_JOB_TASK] })
class TaskMark {}

async function start(...imports: readonly NonNullable<DynamicModule['imports']>[number][]) {
  const app = await NestFactory.createApplicationContext({ module: Root, imports: [...imports] }, QUIET);
  onTestFinished(() => app.close());
  return app;
}

async function problemsOf(starting: Promise<INestApplicationContext>): Promise<readonly string[]> {
  const error = await starting.then(
    () => 'a start',
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConfigurationError)) throw new Error(`it ended with ${String(error)}`);
  expect(error.place).toBe('module options');
  return error.problems;
}

function stateOf(app: INestApplicationContext): string | undefined {
  return app.get<RegistryCenter>(REGISTRY_CENTER).session.state;
}

const fromFactory = (given: unknown) => ElasticJobModule.forRootAsync({ useFactory: () => Object(given) });
const fromClass = (given: unknown) =>
  ElasticJobModule.forRootAsync({
    useClass: class {
      createElasticJobOptions = () => Object(given);
    },
  });

/** Options as the variables of the environment give them, from `elasticJobConfig`. */
function fromVariables(variables: Readonly<Record<string, string>> = {}) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(`ELASTIC_JOB_${name}`, value);
  return ElasticJobModule.forRootAsync(elasticJobConfig.asProvider());
}

afterEach(() => void vi.unstubAllEnvs());

describe('a factory that gives no options', () => {
  class Unset {
    get registry() {
      return undefined;
    }
  }

  it.each([
    ['an empty object', {}],
    ['an object without values', { processing: undefined, drainTimeoutMs: null }],
  ])('is refused: %s would leave each process alone', async (_what, given) => {
    for (const module of [fromFactory(given), fromClass(given)]) {
      const [problem, ...others] = await problemsOf(start(module));

      expect(problem).toMatch(/^the factory of forRootAsync has given no option, .* every item; .*type: "memory"/);
      expect(others).toEqual([]);
    }
  });

  it.each([undefined, null])('is refused with the remedy: %s', async (given) => {
    const options: { useFactory: () => any } = { useFactory: () => given };
    const starting = start(ElasticJobModule.forRootAsync(options));

    const problem = (await problemsOf(starting)).join();

    expect(problem).toMatch(/of type (?:Undefined|Null); let the factory of forRootAsync return .*type: "zookeeper"/);
  });

  it('is told from one that says what else the process does, and from forRoot({})', async () => {
    expect(stateOf(await start(fromFactory({ processing: true })))).toBe('CONNECTED');
    expect(stateOf(await start(ElasticJobModule.forRoot({})))).toBe('CONNECTED');
    expect(await problemsOf(start(fromFactory(new Unset())))).toEqual([expect.stringMatching(/^registry is given/)]);
  });
});

describe('the embedded registry with NODE_ENV=production', () => {
  const ASK = /^registry must be given with NODE_ENV=production: .*ELASTIC_JOB_SERVERS.*ELASTIC_JOB_REGISTRY=memory/;

  it.each<[string, () => DynamicModule]>([
    ['forRoot({})', () => ElasticJobModule.forRoot({})],
    ['forRoot with other options', () => ElasticJobModule.forRoot({ processing: false })],
    ['a factory with other options', () => fromFactory({ drainTimeoutMs: 5 })],
    ['a factory with no options', () => fromFactory({})],
    ['elasticJobConfig without variables', () => fromVariables()],
    ['elasticJobConfig with a namespace alone', () => fromVariables({ NAMESPACE: 'orders' })],
  ])('has to be asked for: %s is refused', async (_what, module) => {
    vi.stubEnv('NODE_ENV', 'production');

    expect(await problemsOf(start(module()))).toEqual([expect.stringMatching(ASK)]);
  });

  it.each<[string, () => DynamicModule]>([
    ["type: 'memory'", () => ElasticJobModule.forRoot({ registry: { type: 'memory' } })],
    ['ELASTIC_JOB_REGISTRY=memory', () => fromVariables({ REGISTRY: 'memory' })],
  ])('is asked for by %s', async (_what, module) => {
    vi.stubEnv('NODE_ENV', 'production');

    expect(stateOf(await start(module()))).toBe('CONNECTED');
  });

  it('is not in the options of elasticJobConfig unless a variable asks for it', () => {
    vi.stubEnv('NODE_ENV', 'production');

    expect(Object.keys(elasticJobConfig())).not.toContain('registry');
  });

  it('is replaced by the registry that a factory adds to elasticJobConfig', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const registry: ElasticJobModuleOptions['registry'] = {
      type: 'memory',
      server: new MemoryRegistry(new VirtualClock()),
    };
    const module = fromFactory({ ...elasticJobConfig(), registry, processing: false, clock: new VirtualClock() });

    expect(stateOf(await start(module))).toBe('CONNECTED');
  });
});

describe('the worker of a task', () => {
  it.each<[string, () => DynamicModule]>([
    ['forRoot({})', () => ElasticJobModule.forRoot({})],
    ['a factory with no options', () => fromFactory({})],
    ['registry: undefined', () => fromFactory({ registry: undefined })],
    ['elasticJobConfig without variables', () => fromVariables()],
  ])('needs no registry in production either: %s is enough', async (_what, module) => {
    vi.stubEnv('NODE_ENV', 'production');

    const app = await start(TaskMark, module());

    expect(stateOf(app)).not.toBe('CONNECTED');
  });
});
