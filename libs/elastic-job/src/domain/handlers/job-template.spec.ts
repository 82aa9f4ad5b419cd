import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../errors.js';
import { resolveJobOptions } from '../options/index.js';
import {
  assertMeetsTemplate,
  assertTextWithin,
  assertWithinLimits,
  createdRoot,
  parseCreatedJob,
  removedRoot,
  resolveTemplateLimits,
  TemplateLimitError,
  type TemplateLimits,
} from './job-template.js';

describe('the text of the root of a job that was created from a template', () => {
  it('names the template, and whether the job is to go', () => {
    expect(parseCreatedJob(createdRoot('report'))).toEqual({ template: 'report', isBeingRemoved: false });
    expect(parseCreatedJob(removedRoot('report'))).toEqual({ template: 'report', isBeingRemoved: true });
  });

  it('is the same in every release', () => {
    expect([createdRoot('report'), removedRoot('report')]).toEqual(['nestjs.template:report', 'nestjs.removed:report']);
  });

  it.each(['', 'org.example.OrderJob', 'DATAFLOW', 'my.nestjs.template:report', 'report nestjs.removed:'])(
    'is not %j',
    (text) => expect(parseCreatedJob(text)).toBeUndefined(),
  );
});

const PLACE = 'spec';
const limits = (given: TemplateLimits = {}) => resolveTemplateLimits('report', given, PLACE);
const job = (given: object = {}) =>
  resolveJobOptions({ name: 'acme', shardingTotalCount: 1, ...given }, { place: PLACE });

describe('limits of a template', () => {
  it('are on by default: 2,000 jobs of 100 items, each second, whose texts have 16 KB', () => {
    expect(limits()).toMatchObject({ template: 'report', maxJobs: 2_000, maxItems: 100, minIntervalMs: 1_000 });
    expect(limits().maxConfigBytes).toBe(16_384);
  });

  it.each([
    [{ maxJobs: 0 }, 'maxJobs must be a whole number from 1'],
    [{ maxItems: 1.5 }, 'maxItems must be a whole number from 1'],
    [{ minIntervalMs: -1 }, 'minIntervalMs must be a whole number from 1'],
    [{ maxConfigBytes: 262_145 }, 'maxConfigBytes must be a whole number from 1 to 262144'],
  ])('are refused if they are no limits: %j', (wrong, message) => {
    expect(() => limits(wrong)).toThrow(message);
  });

  it('may have a check of the props, which must be a function', () => {
    expect(limits().findPropsFaults).toBeUndefined();
    expect(() => limits(JSON.parse('{"findPropsFaults":5}'))).toThrow(
      'findPropsFaults must be a function, but is number',
    );
  });

  it.each(['maxJobs', 'maxItems', 'minIntervalMs', 'maxConfigBytes'] as const)('say how to raise %s', (limit) => {
    expect(new TemplateLimitError('report', limit, 1, 2).message).toMatch(`${limit} in @ElasticJobTemplate`);
  });

  it.each([
    [{}, { shardingTotalCount: 100 }],
    [{}, { cron: '* * * * * ?' }],
    [{ minIntervalMs: 60_000 }, { cron: '0 * * * * ?' }],
    [{ minIntervalMs: 60_000 }, { shardingTotalCount: 2 }],
    [{ minIntervalMs: 86_400_000 }, { cron: '0 0 3 * * ?', timeZone: 'Europe/Berlin' }],
  ])('%j leave a job of %j alone', (given, settings) => {
    expect(() => assertWithinLimits(limits(given), job(settings))).not.toThrow();
  });

  it.each([
    [{}, { shardingTotalCount: 101 }, { limit: 'maxItems', allowed: 100, value: 101 }],
    [{ minIntervalMs: 60_000 }, { cron: '0/30 * * * * ?' }, { limit: 'minIntervalMs', allowed: 60_000, value: 30_000 }],
    [{ minIntervalMs: 5_000 }, { cron: '0,58 * 3 1 1 ?' }, { limit: 'minIntervalMs', allowed: 5_000, value: 2_000 }],
  ])('%j refuse a job of %j, with limit, value and remedy', (given, settings, expected) => {
    const refused = () => assertWithinLimits(limits(given), job(settings));
    expect(refused).toThrow(expect.objectContaining({ code: 'TEMPLATE_LIMIT', template: 'report', ...expected }));
    expect(refused).toThrow(/(raise|lower) (maxItems|minIntervalMs) in @ElasticJobTemplate/);
  });

  it('count the bytes of a text, and name limit, value and remedy', () => {
    const judge = (text: string) => () => assertTextWithin(limits({ maxConfigBytes: 4 }), text);

    expect(judge('\u00e9\u00e9')).not.toThrow();
    expect(judge('\u00e9\u00e9a')).toThrow(expect.objectContaining({ limit: 'maxConfigBytes', allowed: 4, value: 5 }));
    expect(judge('\u00e9\u00e9a')).toThrow('raise maxConfigBytes in @ElasticJobTemplate');
  });

  it('judge a new job by what the template says for what it does not say', () => {
    const findPropsFaults = ({ format, tenant }: Readonly<Record<string, string>>) =>
      [format ? [] : 'format must be given', tenant ? [] : 'tenant must be given'].flat();
    const template = {
      configuration: job({ cron: '* * * * * ?', props: { format: 'pdf' } }),
      limits: limits({ minIntervalMs: 60_000, findPropsFaults }),
    };
    const judge = (given: object) => () => assertMeetsTemplate(template, job(given), PLACE);

    expect(judge({ cron: '0 0 * * * ?', props: { tenant: 'acme' } })).not.toThrow();
    expect(judge({ props: { tenant: 'acme' } })).toThrow('minIntervalMs');
    expect(judge({ cron: '0 0 * * * ?' })).toThrow(`${PLACE}: tenant must be given`);
    expect(judge({ cron: '0 0 * * * ?' })).toThrow(ConfigurationError);
    expect(() => assertMeetsTemplate({ configuration: job() }, job({ cron: '* * * * * ?' }), PLACE)).not.toThrow();
  });
});
