import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

it('parses all files of .github', () => {
  const files = pathsIn('.github', '.yml');
  expect(files.flatMap((file) => faultsIn(readFileSync(file, 'utf8')).map((fault) => `${file}: ${fault}`))).toEqual([]);
});

it('has a template for issues and pull requests, and one run of CI for the latter', () => {
  const issues = pathsIn('.github/ISSUE_TEMPLATE', '.yml').filter((file) => !file.endsWith('/config.yml'));
  const forms = issues.map((file) => parse(readFileSync(file, 'utf8')));
  expect(forms.length).toBeGreaterThan(0);
  for (const form of forms) {
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String), body: expect.any(Array) });
  }
  expect(readFileSync('.github/PULL_REQUEST_TEMPLATE.md', 'utf8')).toMatch(/^## /m);

  const workflows = pathsIn('.github/workflows', '.yml').map((file) => parse(readFileSync(file, 'utf8')));
  const asked = workflows.filter(({ on }) => 'pull_request' in on);
  const steps = asked.flatMap(({ jobs }) => Object.values<Job>(jobs)).flatMap((job) => job.steps);
  expect(steps.filter(({ run }) => /\.ci\/run\s*$/.test(run ?? ''))).toHaveLength(1);
});

it('gives CI ten minutes more than a run may take, to set up', () => {
  const [, seconds] = /^const MOST_SECONDS = ([\d_]+);$/m.exec(readFileSync('test/verify/verify.ts', 'utf8')) ?? [];
  const most = Number(seconds?.replace('_', ''));
  const { jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8'));
  expect(most).toBeLessThan(5_400);
  expect(jobs.run['timeout-minutes']).toBe(most / 60 + 10);
});

it('runs every suite, in a copy with nothing but its declared inputs, once a week', () => {
  const { on, jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8'));
  expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* \d$/) }]);
  expect(jobs.run.env.CI_ALL).toBe("${{ github.event_name == 'schedule' && '1' || '' }}");
  expect(jobs.run.steps.at(-1).run).toContain('"CI_ALL=$CI_ALL"');
});

interface Job {
  readonly steps: readonly { readonly run?: string }[];
}

function faultsIn(text: string): readonly string[] {
  return parseAllDocuments(text).flatMap(({ errors }) => errors.map(({ message }) => message));
}

function pathsIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => `${folder}/${path}`);
}
