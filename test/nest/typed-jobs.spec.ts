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

/** Lets a second come, and waits for as many outcomes: what runs outside of the process takes real time. */
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
  it('given type HTTP, when it fires, then each item is one request, and the registry names the type as Java does', async () => {
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

  it('given other props at run time, when the next run begins, then it goes by them', async () => {
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

  it('given an address that the process does not allow, when it is to be changed to that, then that is refused, and nothing is written', async () => {
    const { uri } = await startService(200);
    const props = { 'http.uri': uri, 'http.method': 'GET' };
    const jobs = await startJobs({ options: { jobs: { ping: { ...TWO, type: 'HTTP', props } } } });

    const changing = jobs.app
      .get(JobRegistrar)
      .change('ping', { props: { ...props, 'http.uri': 'http://127.0.0.1:1/' } });

    await expect(jobs.clock.advanceUntil(changing)).rejects.toThrow(
      /props: http\.uri is not taken from the registry: set it in this process, or allow it by the module's allowRegistryTargets/,
    );
    expect(jobs.app.get(ConfigurationService).current('ping').props).toEqual(props);
  });

  it('given type SCRIPT and its type in the options, when it fires, then each item is one process', async () => {
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

  it('given a script that somebody kills, when it fails, then the death of its executor is told', async () => {
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

  it("given a type of the application's own, when it fires, then it gets the props in force", async () => {
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

  it('given an own type of the name of a built-in one, when it fires, then the own one runs', async () => {
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

  it('given a type that is added at run time, when it fires, then it is such a job', async () => {
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

describe('a job without a class that cannot be', () => {
  it('given missing props, when it starts, then the error names job and properties', async () => {
    expect(await startError({ jobs: { ping: { ...TWO, type: 'HTTP' } } })).toBe(
      'ConfigurationError: job "ping" (module options): http.uri must be given, such as "https://example.org/settle"; ' +
        'http.method must be given, such as "POST"',
    );
  });

  it('given a type that is not there, when it starts, then the error names job, field, value and the import that helps', async () => {
    expect(await startError({ jobs: { sweep: { ...TWO, type: 'SCRIPT' } } })).toBe(
      'ConfigurationError: job "sweep" (module options): type must be one of HTTP, but is "SCRIPT"; others are given as ' +
        'jobTypes, such as [new ScriptJobType()] of nestjs-elastic-job/script',
    );
  });

  it('given no total count, when it starts, then the error names it', async () => {
    expect(await startError({ jobs: { ping: { type: 'HTTP', cron: EVERY_SECOND } } })).toMatch(
      /job "ping" \(module options\): shardingTotalCount must be a whole number from 1 to \d+, but is undefined/,
    );
  });

  it('given a decorated job with a type, when it starts, then it is refused', async () => {
    class OrderJobs {
      @ElasticJob({ ...TWO, name: 'settle-orders' })
      settle(): void {}
    }
    expect(await startError({ jobs: { 'settle-orders': { type: 'HTTP' } } }, [OrderJobs])).toBe(
      'ConfigurationError: job "settle-orders" (OrderJobs.settle): type "HTTP": the job has a class already; give one of ' +
        'them another name',
    );
  });

  it('given what is no type, when it starts, then the error names the option', async () => {
    const jobTypes: JobType[] = JSON.parse('[{ "type": "MINE" }]');
    expect(await startError({ jobTypes })).toMatch(
      /jobTypes must be job types, such as a ScriptJobType, but has an object/,
    );
  });
});
