import { CLOUD_JOB } from '@test/support/unit/cloud-job.js';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../domain/index.js';
import { CLOUD_APP_FORM } from './cloud-apps.js';
import { formatJavaDouble } from './cloud-form.js';
import { CLOUD_JOB_FORM } from './cloud-jobs.js';

// Java's own classes check the texts in test/interop/cloud.

/** A text as ElasticJob-Cloud 3.0.2 has written it. */
const JOB_TEXT = `appName: shop
cpuCount: 0.5
cron: 0/5 * * * * ?
disabled: false
failover: false
jobExecutionType: TRANSIENT
jobName: settle
maxTimeDiffSeconds: 0
memoryMB: 64.0
misfire: false
monitorExecution: false
overwrite: false
reconcileIntervalMinutes: 0
shardingTotalCount: 3
`;

const APP_TEXT = `appCacheEnable: true
appName: shop
appURL: http://example.org/shop.tar.gz
bootstrapScript: bin/start.sh
cpuCount: 1.0
eventTraceSamplingCount: 0
memoryMB: 128.0
`;

describe('the texts of jobs and applications', () => {
  it('are written as Java does, with its defaults for what the options leave out', () => {
    const app = { appName: 'shop', appURL: 'http://example.org/shop.tar.gz', bootstrapScript: 'bin/start.sh' };

    expect(CLOUD_JOB_FORM.format(CLOUD_JOB_FORM.resolve(CLOUD_JOB))).toBe(JOB_TEXT);
    expect(CLOUD_APP_FORM.format(CLOUD_APP_FORM.resolve(app))).toBe(APP_TEXT);
  });

  it('yield the same configuration after they were written and read', () => {
    const configuration = CLOUD_JOB_FORM.resolve({
      ...CLOUD_JOB,
      props: { 'a b': 'c: d' },
      description: '',
      jobParameter: ' ',
    });

    expect(CLOUD_JOB_FORM.read(CLOUD_JOB_FORM.format(configuration), 'settle')).toEqual({
      kind: 'read',
      configuration,
    });
  });

  it.each([
    ['', 'line 1: it is not a YAML mapping'],
    [JOB_TEXT.replace('0.5', '0'), 'cpuCount must be a number greater than 0, but is 0'],
    [JOB_TEXT.replace('64.0', 'many'), 'line 9: memoryMB must be a number, but is "many"'],
    [JOB_TEXT.replace('appName: shop\n', ''), 'appName must be a text that is not empty, but is undefined'],
    [JOB_TEXT.replace('settle', 'other'), 'jobName must be "settle", as the node is called, but is "other"'],
    [JOB_TEXT.replace('TRANSIENT', 'DEAMON'), 'line 6: jobExecutionType must be TRANSIENT or DAEMON, but is "DEAMON"'],
    [JOB_TEXT.replace(/cron.*\n/, ''), 'cron must be given for a job of type "TRANSIENT"'],
    [
      `${JOB_TEXT}podTemplate: a\n`,
      'line 15: podTemplate is not a field of a cloud job, and ElasticJob-Cloud refuses the whole text for it; ' +
        'known are ',
    ],
    [`${JOB_TEXT}cpucount: 1\n`, 'did you mean cpuCount?'],
    [
      `${JOB_TEXT}props:\n  elastic-job.io/nodeSelector: ssd\n`,
      'props.elastic-job.io/nodeSelector must be labels such as "disktype=ssd,zone=a"',
    ],
    [
      `${JOB_TEXT}props:\n  elastic-job.io/queuename: a\n`,
      'props.elastic-job.io/queuename is not an option of a cloud job; did you mean props.elastic-job.io/queueName?',
    ],
    [`${JOB_TEXT}props:\n  elastic-job.io/timeZone: Mars\n`, 'props.elastic-job.io/timeZone: '],
  ])('are reported with field and value if they are faulty: text %#', (text, problem) => {
    expect(CLOUD_JOB_FORM.read(text, 'settle')).toMatchObject({
      kind: 'faulty',
      problems: [expect.stringContaining(problem)],
    });
  });

  it('name all faults of the options in one error', () => {
    const wrong = { ...CLOUD_JOB, cpuCount: -1, cron: 'daily', memoryMb: 3 };

    const resolve = () => CLOUD_JOB_FORM.resolve(wrong);

    expect(resolve).toThrow(ConfigurationError);
    expect(resolve).toThrow(
      /"settle": memoryMb is not an option of a cloud job; did you mean memoryMB\?; cpuCount must be .*; cron: /,
    );
  });
});

it.each([
  [1, '1.0'],
  [0.1, '0.1'],
  [2.5, '2.5'],
  [0, '0.0'],
  [-0, '-0.0'],
  [0.001, '0.001'],
  [0.0005, '5.0E-4'],
  [9_999_999, '9999999.0'],
  [1e7, '1.0E7'],
  [12_345_678.9, '1.23456789E7'],
  [-1e21, '-1.0E21'],
])('writes %d as Java does: %s', (value, text) => {
  expect(formatJavaDouble(value)).toBe(text);
});
