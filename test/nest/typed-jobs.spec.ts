import { once } from 'node:events';
import { createServer } from 'node:http';
import {
  ConfigurationService,
  ElasticJob,
  type ElasticJobModuleOptions,
  ExecutorDeathError,
  JobEvents,
  JobRegistrar,
  REGISTRY_CENTER,
  type ShardingContext,
} from '@app/elastic-job';
import { HttpJobError, HttpJobType } from '@app/elastic-job/http';
import type { RegistryCenter } from '@app/elastic-job/registry';
import type { JobType } from '@app/elastic-job/spi';
import { ScriptFailedError, ScriptJobType } from '@app/elastic-job/script';
import type { INestApplicationContext } from '@nestjs/common';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EVERY_SECOND, type JobApplication, startJobs } from './support/job-application.js';

const TWO = { cron: EVERY_SECOND, shardingTotalCount: 2 };

/** A real service on a free port. @returns its address, and the items that it was asked for */
async function startService(status: number) {
  const items: number[] = [];
  const server = createServer((request, response) => {
    const context: { shardingItem: number } = JSON.parse(String(request.headers['shardingcontext']));
    items.push(context.shardingItem);
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return { items, uri: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/settle` };
}

/** Moves on by a second, and waits for `count` outcomes, since work outside of the process takes real time. */
async function outcomesOf(jobs: JobApplication, count: number) {
  const settled = new Promise<void>((resolve) => {
    jobs.app.get(JobEvents).on(() => jobs.outcomes.length === count && resolve());
  });
  await jobs.tick();
  await settled;
  return jobs.outcomes.toSorted(([a], [b]) => a - b);
}

function classNameOf(app: INestApplicationContext, jobName: string): Promise<string | undefined> {
  return app
    .get<RegistryCenter>(REGISTRY_CENTER)
    .read(`/${jobName}`)
    .then((node) => node?.data);
}

async function startError(options: ElasticJobModuleOptions, providers: (new () => object)[] = []): Promise<string> {
  return startJobs({ options, providers }).then(
    () => 'it started',
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe('a job without a class', () => {
  it("of type HTTP sends one request for each item, and has Java's type in the registry", async () => {
    const { items, uri } = await startService(200);
    const props = { 'http.uri': uri, 'http.method': 'POST' };
    const jobs = await startJobs({ options: { jobs: { ping: { ...TWO, type: 'HTTP', props } } } });

    expect(await outcomesOf(jobs, 2)).toEqual([
      [0, { kind: 'succeeded' }],
      [1, { kind: 'succeeded' }],
    ]);

    expect(items.toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(await jobs.clock.advanceUntil(classNameOf(jobs.app, 'ping'))).toBe('HTTP');
  });

  it('uses changed props from the next run on', async () => {
    const [before, after] = [await startService(200), await startService(503)];
    const props = { 'http.uri': before.uri, 'http.method': 'GET' };
    const jobs = await startJobs({
      options: {
        jobs: { ping: { ...TWO, shardingTotalCount: 1, type: 'HTTP', props } },
        allowRegistryTargets: { origins: [new URL(after.uri).origin] },
      },
    });
    await outcomesOf(jobs, 1);

    const changed = { props: { ...props, 'http.uri': after.uri } };
    await jobs.clock.advanceUntil(jobs.app.get(JobRegistrar).change('ping', changed));

    const [, second] = await outcomesOf(jobs, 2);
    expect(second).toEqual([0, { kind: 'failed', error: expect.any(HttpJobError) }]);
    expect([before.items, after.items]).toEqual([[0], [0]]);
  });

  it('refuses to be changed to an address that the process does not allow, and writes nothing', async () => {
    const { uri } = await startService(200);
    const props = { 'http.uri': uri, 'http.method': 'GET' };
    const jobs = await startJobs({ options: { jobs: { ping: { ...TWO, type: 'HTTP', props } } } });

    const changing = jobs.app
      .get(JobRegistrar)
      .change('ping', { props: { ...props, 'http.uri': 'http://127.0.0.1:1/' } });

    await expect(jobs.clock.advanceUntil(changing)).rejects.toThrow(
      'props: http.uri is not taken from the registry: set it in this process, ' +
        "or allow it by the module's allowRegistryTargets",
    );
    expect(jobs.app.get(ConfigurationService).current('ping').props).toEqual(props);
  });

  it('of type SCRIPT runs one process for each item', async () => {
    const jobs = await startJobs({
      options: {
        jobTypes: [new ScriptJobType()],
        jobs: {
          sweep: { ...TWO, type: 'SCRIPT', props: { 'script.command.line': `sh -c "exit 7"` } },
        },
      },
    });

    expect(await outcomesOf(jobs, 2)).toMatchObject([
      [0, { kind: 'failed', error: { exitCode: 7 } }],
      [1, { kind: 'failed', error: expect.any(ScriptFailedError) }],
    ]);
    expect(await jobs.clock.advanceUntil(classNameOf(jobs.app, 'sweep'))).toBe('SCRIPT');
  });

  it('reports the death of its executor if somebody kills its script', async () => {
    const props = { 'script.command.line': `sh -c "kill -9 $$"` };
    const jobs = await startJobs({
      options: {
        jobTypes: [new ScriptJobType()],
        jobs: { sweep: { ...TWO, shardingTotalCount: 1, type: 'SCRIPT', props } },
      },
    });

    expect(await outcomesOf(jobs, 1)).toEqual([[0, { kind: 'failed', error: expect.any(ExecutorDeathError) }]]);
    expect(jobs.events).toContainEqual(expect.objectContaining({ kind: 'executor-died', state: 'KILLED' }));
  });

  it("of the application's own type gets the props in force", async () => {
    const greetings: string[] = [];
    const greet: JobType = {
      type: 'GREET',
      findFaults: ({ name }) => (name ? [] : ['name is required']),
      execute: ({ props, shardingItem }: ShardingContext) => greetings.push(`${props.name} ${shardingItem}`),
    };
    const jobs = await startJobs({
      options: { jobTypes: [greet], jobs: { hello: { ...TWO, type: 'GREET', props: { name: 'Ada' } } } },
    });

    await jobs.tick();

    expect(greetings.toSorted()).toEqual(['Ada 0', 'Ada 1']);
  });

  it("runs the application's own type instead of a built-in one of the same name", async () => {
    const items: number[] = [];
    const own: JobType = {
      type: 'HTTP',
      findFaults: () => [],
      execute: ({ shardingItem }) => items.push(shardingItem),
    };
    const jobs = await startJobs({ options: { jobTypes: [own], jobs: { ping: { ...TWO, type: 'HTTP' } } } });

    await jobs.tick();

    expect(items.toSorted((a, b) => a - b)).toEqual([0, 1]);
  });

  it('can be added at run time', async () => {
    const { items, uri } = await startService(200);
    const jobs = await startJobs({});
    const props = { 'http.uri': uri, 'http.method': 'GET' };

    await jobs.clock.advanceUntil(jobs.app.get(JobRegistrar).add({ ...TWO, name: 'ping', props }, new HttpJobType()));

    await outcomesOf(jobs, 2);
    expect(items).toHaveLength(2);
    const wrong = jobs.app.get(JobRegistrar).add({ ...TWO, name: 'pong', props: {} }, new HttpJobType());
    await expect(wrong).rejects.toThrow('job "pong" (JobRegistrar.add): http.uri must be given');
  });
});

describe('a job without a class that is wrong', () => {
  it('is refused without its props, which the error names with the job', async () => {
    expect(await startError({ jobs: { ping: { ...TWO, type: 'HTTP' } } })).toBe(
      'ConfigurationError: job "ping" (module options): http.uri must be given, ' +
        'such as "https://example.org/settle"; http.method must be given, such as "POST"',
    );
  });

  it('is refused with an unknown type: the error names job, field, value and a useful import', async () => {
    expect(await startError({ jobs: { sweep: { ...TWO, type: 'SCRIPT' } } })).toBe(
      'ConfigurationError: job "sweep" (module options): type must be one of HTTP, but is "SCRIPT"; ' +
        'add others to jobTypes, such as new ScriptJobType() of nestjs-elastic-job/script',
    );
  });

  it('is refused without a total count, which the error names', async () => {
    expect(await startError({ jobs: { ping: { type: 'HTTP', cron: EVERY_SECOND } } })).toMatch(
      /job "ping" \(module options\): shardingTotalCount must be a whole number from 1 to \d+, but is undefined/,
    );
  });

  it('is refused if a decorated job has a type', async () => {
    class OrderJobs {
      @ElasticJob({ ...TWO, name: 'settle-orders' })
      settle(): void {}
    }
    expect(await startError({ jobs: { 'settle-orders': { type: 'HTTP' } } }, [OrderJobs])).toBe(
      'ConfigurationError: job "settle-orders" (OrderJobs.settle): type "HTTP": the job has a class already; ' +
        'give one of them another name',
    );
  });

  it('is refused with something that is no type, and the error names the option', async () => {
    const jobTypes: JobType[] = JSON.parse('[{ "type": "MINE" }]');
    expect(await startError({ jobTypes })).toMatch(
      /jobTypes must be job types with type, findFaults and execute, such as a ScriptJobType, but has an object/,
    );
  });
});
