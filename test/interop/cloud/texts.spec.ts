import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  CLOUD_APP_FORM,
  CLOUD_JOB_FORM,
  type CloudForm,
  type CloudJobConfiguration,
  type CloudTaskId,
  type Partly,
  formatCloudTaskId,
  formatMetaInfo,
  parseCloudTaskId,
  parseMetaInfo,
  UNASSIGNED_SLAVE_ID,
} from '../../../libs/elastic-job/src/cloud/index.js';
import { Seeded } from '@test/support/seeded.js';
import { askJava, type Question } from './oracle.js';
import { randomApp, randomJob } from './random-configurations.js';
import { ANY, ANY_AND_BREAKS, PRINTABLE } from './random-texts.js';

const SEED = Number(process.env['CLOUD_TEXTS_SEED'] ?? 20_261_121);
/** Number of jobs, and of applications, in each test. */
const COUNT = Number(process.env['CLOUD_TEXTS'] ?? 2_000);
const FAILED = 'failed';

const HAND_WRITTEN = `appName: shop
cpuCount: 1
memoryMB: 64
jobExecutionType: TRANSIENT
jobName: settle
cron: 0/5 * * * * ?
shardingTotalCount: 3
`;

/** Further lines of a handwritten text. The last line for a field counts. */
const SOUND = [
  'cpuCount: 2',
  'cpuCount: "0.5"',
  "memoryMB: '64'",
  'cpuCount: 1e3',
  'cpuCount: .5',
  'cpuCount: 1_000.5',
  'cpuCount: 012',
  'cpuCount: 1:30',
  'memoryMB: +64.0',
  'shardingTotalCount: "3"',
  'shardingTotalCount: 012',
  'shardingTotalCount: 0x10',
  'misfire: yes',
  'failover: "on"',
  'disabled: Off',
  'description: ~',
  'description: 012',
  'description: yes',
  'description: "a\\tb"',
  'description: >\n  a\n  b\n',
  '# none',
  'props: {a: b, n: 5, f: yes, o: 012}',
  'props:\n  elastic-job.io/queueName: night',
  'props: {}',
  'jobExecutionType: "DAEMON"',
  'jobErrorHandlerType: LOG\nmisfire: false\nmisfire: true',
  'jobErrorHandlerType:',
];
const FAULTY = [
  'label: a',
  'timeZone: GMT+8',
  'cpuCount: many',
  'cpuCount: 1 2',
  'jobExecutionType: transient',
  'jobName: {a: b}',
  'misfire: y',
  'shardingTotalCount: 1.5',
];

describe.skipIf(inject('whyNoJava') !== undefined)("texts of ElasticJob-Cloud 3.0.2's own classes, and ours", () => {
  const byHand = new Map<string, unknown>();

  beforeAll(async () => {
    const lines = [...SOUND, ...FAULTY];
    const read = await ask(lines.map((line) => ({ call: 'readJob', with: HAND_WRITTEN + line })));
    for (const [index, line] of lines.entries()) byHand.set(line, read[index]);
  });

  it('are equal byte for byte for random jobs', async () => {
    const jobs = many((seeded) => randomJob(seeded, PRINTABLE));

    // An object loses the order of names that are numbers.
    const ordered = jobs.filter(({ props }) => !Object.keys(props).some((name) => /^\d+$/.test(name)));
    const [asGiven, asRegistered] = await Promise.all([
      ask(jobs.map((job) => ({ call: 'writeJob', with: job }))),
      ask(ordered.map((job) => ({ call: 'rewriteJob', with: job }))),
    ]);

    expect(
      findDifferences(
        asGiven,
        jobs.map((job) => CLOUD_JOB_FORM.format(job)),
      ),
    ).toEqual([]);
    expect(
      findDifferences(
        asRegistered,
        ordered.map((job) => CLOUD_JOB_FORM.format(registered(job))),
      ),
    ).toEqual([]);
  });

  it('are equal byte for byte for random applications', async () => {
    const apps = many((seeded) => randomApp(seeded, PRINTABLE));

    const theirs = await ask(apps.map((app) => ({ call: 'writeApp', with: app })));

    expect(
      findDifferences(
        theirs,
        apps.map((app) => CLOUD_APP_FORM.format(app)),
      ),
    ).toEqual([]);
  });

  it('have the same values when Java reads what ours has written', async () => {
    const jobs = many((seeded) => randomJob(seeded, ANY_AND_BREAKS));
    const apps = many((seeded) => randomApp(seeded, ANY_AND_BREAKS));

    const [readJobs, readApps] = await Promise.all([
      ask(jobs.map((job) => ({ call: 'readJob', with: CLOUD_JOB_FORM.format(job) }))),
      ask(apps.map((app) => ({ call: 'readApp', with: CLOUD_APP_FORM.format(app) }))),
    ]);

    expect(findDifferences(readJobs, jobs)).toEqual([]);
    expect(findDifferences(readApps, apps)).toEqual([]);
  });

  it('have the same values when ours reads what Java has written', async () => {
    const jobs = many((seeded) => randomJob(seeded, ANY));
    const apps = many((seeded) => randomApp(seeded, ANY));

    const [jobTexts, appTexts] = await Promise.all([
      ask(jobs.map((job) => ({ call: 'writeJob', with: job }))),
      ask(apps.map((app) => ({ call: 'writeApp', with: app }))),
    ]);

    expect(
      findDifferences(
        jobTexts.map((text) => valuesIn(CLOUD_JOB_FORM, text)),
        jobs,
      ),
    ).toEqual([]);
    expect(
      findDifferences(
        appTexts.map((text) => valuesIn(CLOUD_APP_FORM, text)),
        apps,
      ),
    ).toEqual([]);
  });

  it.each(SOUND)('have the same values on both sides for a handwritten %j', (line) => {
    const ours = CLOUD_JOB_FORM.read(HAND_WRITTEN + line, 'settle');

    expect(ours.kind).toBe('read');
    expect(findDifferences([byHand.get(line)], [valuesIn(CLOUD_JOB_FORM, HAND_WRITTEN + line)])).toEqual([]);
  });

  it.each(FAULTY)('are refused by both for a handwritten %j, and ours names the field', (line) => {
    const field = line.split(':')[0];

    expect(byHand.get(line)).toHaveProperty(FAILED);
    expect(CLOUD_JOB_FORM.read(HAND_WRITTEN + line)).toMatchObject({
      kind: 'faulty',
      problems: [expect.stringContaining(`line 8: ${field} `)],
    });
  });

  it('have the same parts of task ids, whichever side has written them', async () => {
    const wanted = many(randomTask);

    const made = (await ask(wanted.map((task) => ({ call: 'makeTask', with: task })))).map(taskOf);
    const read = (await ask(wanted.map((task) => ({ call: 'readTask', with: formatCloudTaskId(task) })))).map(taskOf);

    expect(
      findDifferences(
        made.map(({ id }) => parseCloudTaskId(id)),
        made.map(partsOf),
      ),
    ).toEqual([]);
    expect(
      findDifferences(
        made.map(({ id }) => parseMetaInfo(id)),
        wanted.map(metaOf),
      ),
    ).toEqual([]);
    expect(made.map(({ meta }) => meta)).toEqual(wanted.map(({ jobName, items }) => formatMetaInfo(jobName, items)));
    expect(findDifferences(read.map(partsOf), wanted)).toEqual([]);
  });
});

async function ask(questions: readonly Question[]): Promise<readonly unknown[]> {
  const answers = await askJava(inject('cloudOracle'), questions);
  return answers.map((answer) => (FAILED in answer ? answer : answer.result));
}

function many<T>(make: (seeded: Seeded) => T): readonly T[] {
  const seeded = new Seeded(SEED);
  return Array.from({ length: COUNT }, () => make(seeded));
}

function randomTask(seeded: Seeded): CloudTaskId {
  return {
    jobName: seeded.of(['settle', '作业', 'a.b-c', 'job@2']),
    items: seeded.of([[0], [seeded.below(1_000)], [0, 1, 12], []]),
    type: seeded.of(['READY', 'FAILOVER']),
    slaveId: seeded.of([UNASSIGNED_SLAVE_ID, '4da72be3-43d5-4f32-9d5d-1d0f2a0b5c1e-S2', 'node-1.example.org']),
    uuid: `uuid-${seeded.below(1_000_000)}`,
  };
}

interface JavaTask extends Omit<CloudTaskId, 'uuid'> {
  readonly id: string;
  readonly meta: string;
}

function taskOf(answer: unknown): JavaTask {
  assertTask(answer);
  return answer;
}

function assertTask(answer: unknown): asserts answer is JavaTask {
  expect(answer).toMatchObject({ id: expect.any(String), meta: expect.any(String) });
}

function partsOf({ id, jobName, items, type, slaveId }: JavaTask): CloudTaskId {
  return { jobName, items, type, slaveId, uuid: id.slice(id.lastIndexOf('@') + 1) };
}

function metaOf({ jobName, items }: CloudTaskId): object {
  return { jobName, items };
}

/** A job as Java's scheduler writes it: three texts are never missing, and the props were put into two tables. */
function registered(job: CloudJobConfiguration): CloudJobConfiguration {
  const { shardingItemParameters = '', jobParameter = '', description = '' } = job;
  const { props } = valuesIn(CLOUD_JOB_FORM, CLOUD_JOB_FORM.format(job));
  return { ...job, shardingItemParameters, jobParameter, description, props: props ?? {} };
}

/** Values of a text, also of one whose job could not run. */
function valuesIn<Configuration extends object>(form: CloudForm<Configuration>, text: unknown): Partly<Configuration> {
  const read = form.read(String(text));
  return read.kind === 'read' ? read.configuration : read.partly;
}

/** The first few pairs that differ. */
function findDifferences(theirs: readonly unknown[], ours: readonly unknown[]): readonly unknown[] {
  expect(theirs.length).toBe(ours.length);
  const pairs = theirs.map((value, index) => ({ theirs: textOf(value), ours: textOf(ours[index]) }));
  return pairs
    .filter((pair) => pair.theirs !== pair.ours)
    .slice(0, 5)
    .map(shortened);
}

function shortened(pair: { readonly theirs: string; readonly ours: string }): object {
  let at = 0;
  while (pair.ours[at] === pair.theirs[at]) at += 1;
  const around = (text: string) => text.slice(Math.max(0, at - 40), at + 40);
  return { theirs: around(pair.theirs), ours: around(pair.ours) };
}

function textOf(value: unknown): string {
  return JSON.stringify(canonical(value));
}

/** Puts the fields in one order, and leaves out those that are undefined. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = fields.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, inner]) => [name, canonical(inner)]));
}
