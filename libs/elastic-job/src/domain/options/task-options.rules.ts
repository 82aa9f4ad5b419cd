import { isObject } from '../json-fields.js';
import { isWholeNumber, type Rule, rule, show } from './option-rules.js';
import type { TaskOptions, TaskResources } from './task-options.js';

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
