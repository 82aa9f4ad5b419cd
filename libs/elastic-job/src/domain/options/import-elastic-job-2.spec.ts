import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../errors.js';
import { importElasticJob2Configuration } from './import-elastic-job-2.js';
import { resolveJobOptions } from './resolve-job-options.js';

/** A configuration as ElasticJob 2.1.5 wrote it. */
const SIMPLE = [
  String.raw`{"jobName":"j","jobClass":"com.acme.J","jobType":"SIMPLE","cron":"0/5 * * * * ?"`,
  String.raw`,"shardingTotalCount":3,"shardingItemParameters":"0\u003da","jobParameter":""`,
  String.raw`,"failover":false,"misfire":true,"description":""`,
  String.raw`,"jobProperties":`,
  String.raw`{"job_exception_handler":"com.dangdang.ddframe.job.executor.handler.impl.DefaultJobExceptionHandler"`,
  String.raw`,"executor_service_handler":`,
  String.raw`"com.dangdang.ddframe.job.executor.handler.impl.DefaultExecutorServiceHandler"}`,
  String.raw`,"monitorExecution":true,"maxTimeDiffSeconds":-1,"monitorPort":-1`,
  String.raw`,"jobShardingStrategyClass":"","reconcileIntervalMinutes":10,"disabled":false`,
  String.raw`,"overwrite":false}`,
].join('');

describe('importElasticJob2Configuration', () => {
  it('gives options from which a new job can be added', () => {
    const options = importElasticJob2Configuration(SIMPLE);
    expect(options).toEqual({
      name: 'j',
      cron: '0/5 * * * * ?',
      shardingTotalCount: 3,
      shardingItemParameters: '0=a',
      jobParameter: '',
      failover: false,
      misfire: true,
      description: '',
      monitorExecution: true,
      maxTimeDiffSeconds: -1,
      strategy: 'AVG_ALLOCATION',
      reconcileIntervalMinutes: 10,
      disabled: false,
      overwrite: false,
      props: {},
    });
    expect(resolveJobOptions({ ...options, name: 'j3' }, { place: 'spec' })).toMatchObject({ jobName: 'j3' });
  });

  it('reads absent fields of a minimal text as ElasticJob 2 does', () => {
    const bare = '{"jobName":"j","jobType":"SIMPLE","cron":"* * * * * ?","shardingTotalCount":1,"added":1}';
    expect(importElasticJob2Configuration(bare)).toMatchObject({
      failover: false,
      misfire: false,
      monitorExecution: true,
      maxTimeDiffSeconds: -1,
      reconcileIntervalMinutes: 10,
      disabled: false,
      overwrite: false,
    });
  });

  it('takes failover, and turns it off without monitorExecution, as ElasticJob 2 took it', () => {
    const json = SIMPLE.replace('"failover":false', '"failover":true');
    expect(importElasticJob2Configuration(json)).toMatchObject({ failover: true, monitorExecution: true });
    const unmonitored = json.replace('"monitorExecution":true', '"monitorExecution":false');
    expect(importElasticJob2Configuration(unmonitored)).toMatchObject({ failover: false, monitorExecution: false });
  });

  it.each([
    ['"jobType":"DATAFLOW","streamingProcess":true', { 'streaming.process': 'true' }],
    ['"jobType":"DATAFLOW"', { 'streaming.process': 'false' }],
    ['"jobType":"SCRIPT","scriptCommandLine":"echo hi"', { 'script.command.line': 'echo hi' }],
  ])('takes %s into the props', (type, props) => {
    expect(importElasticJob2Configuration(SIMPLE.replace('"jobType":"SIMPLE"', type)).props).toEqual(props);
  });

  it.each([
    ['com.dangdang.ddframe.job.lite.api.strategy.impl.AverageAllocationJobShardingStrategy', 'AVG_ALLOCATION'],
    ['com.dangdang.ddframe.job.lite.api.strategy.impl.OdevitySortByNameJobShardingStrategy', 'ODEVITY'],
    ['com.dangdang.ddframe.job.lite.api.strategy.impl.RotateServerByNameJobShardingStrategy', 'ROUND_ROBIN'],
    ['com.acme.ByRegion', 'com.acme.ByRegion'],
    [
      'acme.com.dangdang.OdevitySortByNameJobShardingStrategy',
      'acme.com.dangdang.OdevitySortByNameJobShardingStrategy',
    ],
    ['com.dangdang.OdevitySortByNameJobShardingStrategy$1', 'com.dangdang.OdevitySortByNameJobShardingStrategy$1'],
  ])('maps the strategy class %s to %s', (className, type) => {
    const json = SIMPLE.replace('StrategyClass":""', `StrategyClass":"${className}"`);
    expect(importElasticJob2Configuration(json).strategy).toBe(type);
  });

  it('names handlers of the user by their classes', () => {
    const json = SIMPLE.replaceAll(/com\.dangdang[.\w]*\.Default/g, 'com.acme.');
    expect(importElasticJob2Configuration(json)).toMatchObject({
      jobErrorHandlerType: 'com.acme.JobExceptionHandler',
      jobExecutorThreadPoolSizeProviderType: 'com.acme.ExecutorServiceHandler',
    });
  });

  it('takes a key of an inner object that is also one of the outer object', () => {
    const json = SIMPLE.replace('"jobProperties":{', '"jobProperties":{"cron":"a","disabled":"\\"cron\\":{",');
    expect(importElasticJob2Configuration(json)).toMatchObject({ cron: '0/5 * * * * ?' });
  });

  it.each([
    ['cron: * * * * * ?', 'it must be a JSON object'],
    ['[]', 'it must be a JSON object'],
    ['{"cron":"<', 'it must be a JSON object'],
    ['<beans/>', 'it is Spring XML'],
    ['['.repeat(1_048_576), 'it has more than 262144 bytes'],
    [`${'{"jobName":'.repeat(21)}1${'}'.repeat(21)}`, 'it must be a JSON object'],
    [
      ' <beans><job:simple id="j"/></beans>',
      'it is Spring XML; import the text of the config node of each job instead',
    ],
    [SIMPLE.replace('"misfire"', '"cron"'), 'cron is there twice'],
    [SIMPLE.replace('"misfire"', String.raw`"cr\u006fn"`), 'cron is there twice'],
    [SIMPLE.replace('"executor_service_handler"', '"job_exception_handler"'), 'job_exception_handler is there twice'],
    [SIMPLE.replace('SIMPLE', 'HTTP'), 'jobType must be SIMPLE, DATAFLOW, SCRIPT, but is "HTTP"'],
    [SIMPLE.replace('"0/5 * * * * ?"', '""'), 'cron must be a Quartz cron expression, but is ""'],
    [SIMPLE.replace(':3,', ':"x",'), 'shardingTotalCount must be a whole number, but is "x"'],
    [SIMPLE.replace('"misfire":true', '"misfire":1'), 'misfire must be true or false, but is 1'],
    [SIMPLE.replace('"jobParameter":""', '"jobParameter":1'), 'jobParameter must be a text, but is 1'],
  ])('refuses a text that is no valid configuration (%#), and names what is wrong', (json, problem) => {
    const attempt = () => importElasticJob2Configuration(json);
    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(problem);
  });

  it('names twenty of the keys that are there twice, and no more', () => {
    const twice = Array.from({ length: 30 }, (_, n) => `"k${n}":1,"k${n}":2`).join();
    const problems = Array.from({ length: 20 }, (_, n) => `k${n} is there twice`);
    expect(() => importElasticJob2Configuration(`{${twice}}`)).toThrow(expect.objectContaining({ problems }));
  });
});
