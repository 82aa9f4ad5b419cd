import { Allow } from 'class-validator';
import { findJobNameFault } from '../cluster/index.js';
import { isObject } from '../node-text.js';
import { HiddenText } from './hidden.js';
import { type ConcurrencyOption, type TaskOptions, type TaskResources, THREAD_POOL_SIZES } from './job-options.js';
import {
  GREATEST_INT,
  isWholeNumber,
  type KeptRule,
  mustBe,
  mustBeUnseen,
  type Rule,
  rule,
  show,
} from './option-rules.js';

/**
 * Prefix of the `props` entries that hold settings which ElasticJob does not have: Java keeps and ignores them. A key
 * of their own at top level would break every Java instance of the job.
 */
export const NESTJS_PREFIX = 'nestjs.';

/** A name that Java and ZooKeeper's paths accept. */
export function jobName(): Rule {
  return rule(
    'a name without "/", "@-@" and characters that paths or patterns cannot hold',
    (name) => findJobNameFault(name) === undefined,
    ({ property, value }) => `${property} ${findJobNameFault(value)}, but is ${show(value)}`,
  );
}

/** The text of a job's root node. */
export function className(): Rule {
  const isName = (name: unknown) => typeof name === 'string' && /^\S{1,512}$/.test(name);
  return rule('a class name such as "org.example.OrderJob"', isName);
}

/** The URL of a module for a thread. */
export function fileUrl(): Rule {
  const isUrl = (url: unknown) => typeof url === 'string' && url.startsWith('file:') && URL.canParse(url);
  return rule("the URL of a file, such as new URL('./settle.worker.js', import.meta.url)", isUrl);
}

/** A number, or a size that ElasticJob names. */
export function concurrency(): KeptRule<ConcurrencyOption> {
  const sizes: readonly unknown[] = THREAD_POOL_SIZES;
  return {
    ...rule(
      `"CPU", "SINGLE_THREAD" or a whole number from 1 to ${GREATEST_INT}`,
      (value) => sizes.includes(value) || isWholeNumber(value, 1),
    ),
    read: (node, key, none) => node.integerOr(key, [...THREAD_POOL_SIZES, ...none]),
  };
}

/** Accepts every value: `resolveStrategy` judges it, since only that knows the user's own strategies. */
export function strategy(): KeptRule<string> {
  return {
    what: 'the type of a strategy, or the strategy itself',
    accepts: () => true,
    decorator: Allow(),
    read: (node, key) => node.text(key),
  };
}

/** Texts by name. Messages omit the values, which may be secrets. */
export function props(): Rule {
  return {
    ...rule(
      'texts by name, such as { "streaming.process": "true" }',
      (given) => findPropsFault(given) === undefined,
      ({ property, value }) => `${property} ${findPropsFault(value)}`,
    ),
    schema: { type: 'object', additionalProperties: { type: 'string' } },
  };
}

function findPropsFault(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const type = Array.isArray(given) ? 'a list' : typeof given;
    return `must be texts by name, such as { "streaming.process": "true" }, but is ${type}`;
  }
  const names = Object.keys(given);
  const reserved = names.find((name) => name.startsWith(NESTJS_PREFIX));
  if (reserved !== undefined) {
    return `must not name "${reserved}": what begins with "${NESTJS_PREFIX}" are options of their own`;
  }
  const wrong = names.find((name) => typeof Reflect.get(given, name) !== 'string');
  return wrong === undefined
    ? undefined
    : `must be texts by name, but "${wrong}" is a ${typeof Reflect.get(given, wrong)}`;
}

/** Names of jobs. */
export function jobNames(): KeptRule<readonly string[]> {
  return nameList(
    'names of jobs, without commas',
    (name) => findJobNameFault(name) === undefined && !String(name).includes(','),
    ({ property, value }) => `${property} must name jobs, without commas, but is ${showList(value)}`,
  );
}

/** Types of listeners. */
export function typeNames(): KeptRule<readonly string[]> {
  return nameList('a list of types without commas', (type) => typeof type === 'string' && /^[^,]+$/.test(type));
}

/** A YAML list. Messages omit it, since it may hold a secret. A text from a registry is accepted as it is. */
export function yamlList(): Rule {
  const what = 'a YAML list as ElasticJob writes it, with "- " before each element';
  return rule(
    what,
    (value) => value instanceof HiddenText || (typeof value === 'string' && /^- .*(?:\n(?:- | |$).*)*$/.test(value)),
    mustBeUnseen(what),
  );
}

/** A list of names. A comma separates them in the registry. */
function nameList(
  what: string,
  isName: (name: unknown) => boolean,
  message = mustBe(what, showList),
): KeptRule<readonly string[]> {
  return {
    ...rule(what, (list) => Array.isArray(list) && list.every(isName), message),
    schema: { type: 'array', items: { type: 'string' } },
    read: (node, key) => {
      const read = node.text(key)?.split(',');
      return read?.filter((name) => name !== '');
    },
  };
}

function showList(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(show).join(', ')}]` : show(value);
}

type Fields<Of> = { readonly [Field in keyof Of]-?: (value: unknown) => boolean };

const RESOURCES: Fields<TaskResources> = {
  cpu: (value) => typeof value === 'number' && value > 0 && Number.isFinite(value),
  memoryMb: (value) => isWholeNumber(value, 1),
};

const TASK: Fields<TaskOptions> = {
  command: (value) => Array.isArray(value) && value.length > 0 && value.every(isText),
  image: isText,
  env: (value) => isObject(value) && Object.values(value).every((text) => typeof text === 'string'),
  workingDirectory: isText,
  graceMs: (value) => isWholeNumber(value, 0),
};

/** Processors and memory; each may be left out. */
export function resources(): Rule {
  return fields('processors and memory, such as { cpu: 0.5, memoryMb: 256 }', RESOURCES);
}

/** The rule for the name of an application of the Cloud module. */
export function appName(): Rule {
  return rule('the name of an application', isText);
}

/** The rule for the option `task`. */
export function taskOptions(): Rule {
  return fields("a program, such as { command: ['node', 'dist/main.js'] }", TASK);
}

function fields(what: string, known: Readonly<Record<string, (value: unknown) => boolean>>): Rule {
  const broken = (given: Readonly<Record<string, unknown>>) =>
    Object.keys(given).find((field) => given[field] !== undefined && known[field]?.(given[field]) !== true);
  return rule(
    what,
    (value) => isObject(value) && broken(value) === undefined,
    ({ property, value }) => {
      const field = isObject(value) ? broken(value) : undefined;
      if (!isObject(value) || field === undefined) return `${property} must be ${what}, but is ${show(value)}`;
      if (Object.hasOwn(known, field)) return `${property} must be ${what}, but its ${field} is ${show(value[field])}`;
      return `${property}.${field} is not known; known are ${Object.keys(known).join(', ')}`;
    },
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0;
}
