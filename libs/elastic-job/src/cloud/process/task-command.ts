import { resolve } from 'node:path';
import { inheritedEnvironment } from '../../executor/index.js';
import { show } from '../../domain/index.js';
import { TASK_VARIABLE } from '../task-envelope.js';
import type { TaskOrder, TaskTemplate } from '../task-order.js';
import type { StartOrder } from './supervisor/supervisor-messages.js';

/** Options of Node that a task cannot share with this process: one debugger listens at one port. */
const OWN_OPTIONS = /^--(inspect|debug)/;
/** Prefix of variables that the library sets for a task. */
const OURS = /^ELASTIC_JOB_/;
const NAME = /^[^=\0]+$/;

/** Finds the fault of a template for child processes; undefined: it has none. */
export function findTemplateFault({ command, image, env = {}, workingDirectory }: TaskTemplate): string | undefined {
  if (image !== undefined)
    return `image ${show(image)} is for containers; leave it out, or use a backend that runs them`;
  if (command?.length === 0) return 'command must name a program, or be left out';
  if (command === undefined && ownEntry() === undefined) {
    return 'command must name a program, since this process was started without a file that a task could start with';
  }
  const bad = Object.keys(env).find((name) => !NAME.test(name) || OURS.test(name));
  if (bad !== undefined) return `env must not name ${show(bad)}: no "=", and nothing that begins with ELASTIC_JOB_`;
  const texts = [...(command ?? []), ...Object.values(env), workingDirectory ?? '.'];
  const cut = texts.find((text) => text.includes('\0'));
  return cut === undefined ? undefined : `${show(cut)} must not have a NUL character`;
}

/**
 * Program, environment and directory of a task. The process inherits only `PATH` and the locale.
 * @param envelope its text
 * @throws if it depends on this process's directory, and that was deleted
 */
export function commandOf(
  { template, traceparent }: Pick<TaskOrder, 'template' | 'traceparent'>,
  envelope: string,
): Pick<StartOrder, 'command' | 'args' | 'env' | 'workingDirectory'> {
  const [command = process.execPath, ...args] = template.command ?? [
    process.execPath,
    ...ownOptions(),
    ownEntry() ?? '',
  ];
  const traced = traceparent === undefined ? {} : { TRACEPARENT: traceparent };
  const env = { ...inheritedEnvironment(), ...traced, ...template.env, [TASK_VARIABLE]: envelope };
  return { command, args, env, workingDirectory: resolve(template.workingDirectory ?? '.') };
}

function ownOptions(): readonly string[] {
  return process.execArgv.filter((option) => !OWN_OPTIONS.test(option));
}

function ownEntry(): string | undefined {
  return process.argv[1];
}
