import { describe, expect, it } from 'vitest';
import { PagePath } from './page-path.js';

describe('URLs of the page', () => {
  const page = new PagePath('/elastic-job');

  it.each([
    ['/elastic-job', '', './elastic-job/'],
    ['/elastic-job/', '', './'],
    ['/elastic-job?x=/jobs', '', './elastic-job/'],
    ['/elastic-job/jobs?q=a/b', '/jobs', './'],
    ['/elastic-job/jobs/', '/jobs/', '../'],
    ['/elastic-job/jobs/com.example.Job/config', '/jobs/com.example.Job/config', '../../'],
    ['/elastic-job/servers/10.0.0.1', '/servers/10.0.0.1', '../'],
    ['/elastic-job/runs/01jd8', '/runs/01jd8', '../'],
    ['/elastic-job/events?kind=missed', '/events', './'],
    ['/ops/v1/elastic-job/audit', '/audit', './'],
    ['/Elastic-Job/session', '/session', './'],
  ])('finds in %s what is below the path of the console, and the way back to it', (url, below, base) => {
    expect(page.find(url)).toEqual({ below, base });
  });

  it.each([
    '/',
    '/elastic-job/events/x',
    '/elastic-jobs',
    '/elastic-job/api/v1/jobs',
    '/elastic-job/orders',
    '/elastic-job/audit/x',
    '/x?/elastic-job',
  ])('leaves %s to others', (url) => {
    expect(page.find(url)).toBeUndefined();
  });
});
