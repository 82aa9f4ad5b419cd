import { ConfigurationError } from '../errors.js';
import { findNodeTextFault, isObject, readFields } from '../node-text.js';
import { assertText } from './given-values.js';
import type { JobOptions } from './job-options.js';
import { JOB_SETTINGS } from './job-settings.js';
import { show } from './option-rules.js';

const PLACE = 'the configuration of ElasticJob 2';
/** Most repeated keys that an error names. */
const MOST_REPORTED = 20;
const JOB_TYPES = ['SIMPLE', 'DATAFLOW', 'SCRIPT'];

/** ElasticJob 2's own classes that have a name in ElasticJob 3; the defaults need none. */
const TYPE_OF_CLASS: ReadonlyMap<string, string> = new Map([
  ['AverageAllocationJobShardingStrategy', 'AVG_ALLOCATION'],
  ['OdevitySortByNameJobShardingStrategy', 'ODEVITY'],
  ['RotateServerByNameJobShardingStrategy', 'ROUND_ROBIN'],
  ['DefaultJobExceptionHandler', ''],
  ['DefaultExecutorServiceHandler', ''],
]);

/**
 * Converts a job of ElasticJob 2 into the options of a new job that does the same. The old job must have ended for
 * good: instances of ElasticJob 2 and of this package cannot share a job, so give the new one another name
 * (`{ ...imported, name }`) or a namespace of its own. The handler must do the work of the old job's class.
 * `monitorPort` has no counterpart. Own classes of the user are passed on by name, for a strategy or error handler
 * registered under it.
 * @param json the text of the `config` node, such as ElasticJob 2.1.5 wrote it
 * @throws {ConfigurationError} if the text is none, naming each field that is wrong or there twice
 * @see ElasticJob 2.1.5, `LiteJobConfigurationGsonFactory`
 */
export function importElasticJob2Configuration(json: string): JobOptions {
  assertText(PLACE, json);
  const fields = new Fields(json);
  const jobType = fields.text('jobType');
  if (!JOB_TYPES.includes(jobType)) fields.refuse('jobType', JOB_TYPES.join(', '));
  const handlers = fields.mapping('jobProperties');
  const monitorExecution = fields.boolean('monitorExecution', true);
  const failover = fields.boolean('failover', false);
  const options: JobOptions = {
    name: fields.text('jobName'),
    cron: fields.text('cron'),
    shardingTotalCount: fields.integer('shardingTotalCount', 0),
    shardingItemParameters: fields.text('shardingItemParameters'),
    jobParameter: fields.text('jobParameter'),
    // Gson reads absent booleans of the core part as false; those of the lite part have defaults.
    misfire: fields.boolean('misfire', false),
    description: fields.text('description'),
    monitorExecution,
    // ElasticJob 2 also turns failover off without `monitorExecution`.
    failover: failover && monitorExecution,
    maxTimeDiffSeconds: fields.integer('maxTimeDiffSeconds', -1),
    strategy: typeOf(fields.text('jobShardingStrategyClass')) ?? JOB_SETTINGS.strategy.absent,
    reconcileIntervalMinutes: fields.integer('reconcileIntervalMinutes', 10),
    disabled: fields.boolean('disabled', false),
    overwrite: fields.boolean('overwrite', false),
    jobErrorHandlerType: typeOf(handlers.text('job_exception_handler')),
    jobExecutorThreadPoolSizeProviderType: typeOf(handlers.text('executor_service_handler')),
    props: propsOf(jobType, fields),
  };
  if (options.cron === '') fields.refuse('cron', 'a Quartz cron expression');
  if (fields.problems.length > 0) throw new ConfigurationError(PLACE, fields.problems);
  return options;
}

function propsOf(jobType: string, fields: Fields): Record<string, string> {
  if (jobType === 'DATAFLOW') return { 'streaming.process': String(fields.boolean('streamingProcess', false)) };
  return jobType === 'SCRIPT' ? { 'script.command.line': fields.text('scriptCommandLine') } : {};
}

function typeOf(className: string): string | undefined {
  const simpleName = /^com\.dangdang\.(?:\w+\.)*(?<name>\w+)$/.exec(className)?.groups?.['name'] ?? '';
  return (TYPE_OF_CLASS.get(simpleName) ?? className) || undefined;
}

/** The fields of a JSON object; faults are added to the `problems`. */
class Fields {
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    json: unknown,
    readonly problems: string[] = [],
  ) {
    this.values = typeof json === 'string' ? this.parse(json) : isObject(json) ? { ...json } : {};
  }

  text(name: string): string {
    const value = this.values[name] ?? '';
    if (typeof value === 'string') return value;
    this.refuse(name, 'a text');
    return '';
  }

  integer(name: string, absent: number): number {
    const value = this.values[name] ?? absent;
    if (Number.isInteger(value)) return Number(value);
    this.refuse(name, 'a whole number');
    return absent;
  }

  boolean(name: string, absent: boolean): boolean {
    const value = this.values[name] ?? absent;
    if (typeof value === 'boolean') return value;
    this.refuse(name, 'true or false');
    return absent;
  }

  mapping(name: string): Fields {
    return new Fields(this.values[name], this.problems);
  }

  refuse(name: string, expected: string): void {
    this.problems.push(`${name} must be ${expected}, but is ${show(this.values[name])}`);
  }

  private parse(json: string): Readonly<Record<string, unknown>> {
    const object = readFields(json);
    if (object === undefined) throw new ConfigurationError(PLACE, [faultOf(json)]);
    const repeated = repeatedKeys(json).map((key) => `${key} is there twice`);
    if (repeated.length > 0) throw new ConfigurationError(PLACE, repeated);
    return object;
  }
}

function faultOf(text: string): string {
  if (/^\s*</.test(text))
    return 'it is Spring XML; import the text of the config node of each job instead, /{namespace}/{job}/config';
  return findNodeTextFault(text) ?? 'it must be a JSON object, such as {"jobName":"settle-orders",...}';
}

/** Keys that an object of a JSON text has twice. `JSON.parse` takes the last one without a word. */
function repeatedKeys(json: string): readonly string[] {
  const repeated = new Set<string>();
  const objects: Set<string>[] = [];
  for (const { groups } of json.matchAll(/(?<text>"(?:[^"\\]|\\.)*")\s*(?<colon>:?)|(?<brace>[{}])/g)) {
    const { brace, colon, text = '' } = groups!;
    if (brace === '{') objects.push(new Set());
    else if (brace === '}') objects.pop();
    else if (colon === ':') {
      const key: string = JSON.parse(text);
      const keys = objects.at(-1)!;
      if (keys.has(key)) repeated.add(key);
      keys.add(key);
    }
  }
  return [...repeated].slice(0, MOST_REPORTED);
}
