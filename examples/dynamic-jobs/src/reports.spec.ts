import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { JobEvents } from 'nestjs-elastic-job';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppModule } from './app.module.js';

let app: INestApplication;
let url: string;

beforeEach(async () => {
  const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
  app = module.createNestApplication();
  await app.listen(0, '127.0.0.1');
  url = `${await app.getUrl()}/reports`;
});
afterEach(() => app.close());

it('runs a job that a request has created, until another request removes it', async () => {
  const finished = heard('finished');
  expect((await post('', { tenant: 'acme', cron: '* * * * * ?' })).status).toBe(201);
  await finished; // within two seconds
  expect(await names()).toEqual(['report-acme']);

  const left = heard('left');
  await fetch(`${url}/report-acme`, { method: 'DELETE' });
  await left;
  expect(await names()).toEqual([]);
});

it('runs a job at once that is due in a year', async () => {
  const joined = heard('joined');
  await post('', { tenant: 'acme', cron: '0 0 0 1 1 ?' });
  await joined;
  const finished = heard('finished');
  expect((await post('/report-acme/runs')).status).toBe(202);
  await finished;
});

it('answers 400 to a wrong cron, 404 to an unknown job and 409 to a name that is taken', async () => {
  expect((await post('', { tenant: 'acme', cron: 'each day' })).status).toBe(400);
  expect((await fetch(`${url}/report-acme`, { method: 'DELETE' })).status).toBe(404);
  await post('', { tenant: 'acme', cron: '0 0 2 * * ?' });
  expect((await post('', { tenant: 'acme', cron: '0 0 2 * * ?' })).status).toBe(409);
});

function post(path: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: body && JSON.stringify(body) });
}

async function names(): Promise<string[]> {
  const jobs = (await (await fetch(url)).json()) as { jobName: string }[];
  return jobs.map(({ jobName }) => jobName);
}

/** The next event of a kind. */
function heard(kind: string): Promise<void> {
  return new Promise((resolve) => {
    const stop = app.get(JobEvents).on((event) => {
      if (event.kind !== kind) return;
      stop();
      resolve();
    });
  });
}
