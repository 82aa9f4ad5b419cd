// Files of programs, and the signal that ends a program with its supervisor.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';
import type { Program } from './supervisor-messages.js';

/** The path of a program's file; undefined if there is none. @param directory for names that are relative */
function findProgram(command: string, path: string | undefined, directory: string): string | undefined {
  if (path === undefined) return undefined;
  const places = command.includes('/') ? [''] : path.split(delimiter);
  return places.map((place) => resolve(directory, place, command)).find((file) => isProgram(file));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const PROGRAM = 'setpriv';
const ARGUMENTS = ['--pdeathsig', 'KILL', '--'];
const MOST_TRIAL_MS = 2_000;

/**
 * The kernel's death signal: a child that is started with it is killed as soon as its parent is dead. Linux alone has
 * it, by `setpriv` of util-linux; that of BusyBox cannot set it. What the child starts does not inherit it.
 * @see prctl(2), PR_SET_PDEATHSIG
 */
export class DeathSignal {
  private readonly setter = findSetter();

  /** True if this host has it. */
  get isThere(): boolean {
    return this.setter !== undefined;
  }

  /** The program with the signal, or as it is. */
  applied<Order extends Program>(order: Order): Order {
    // A program that cannot be started is left to Node, which says why.
    if (this.setter === undefined || !canStart(order)) return order;
    return { ...order, command: this.setter, args: [...ARGUMENTS, order.command, ...order.args] };
  }
}

function findSetter(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  // By its path, since a task may have another PATH.
  const setter = findProgram(PROGRAM, process.env['PATH'], '/');
  if (setter === undefined) return undefined;
  const trial = spawnSync(setter, [...ARGUMENTS, setter, '--version'], { stdio: 'ignore', timeout: MOST_TRIAL_MS });
  return trial.status === 0 ? setter : undefined;
}

function canStart({ command, env, workingDirectory }: Program): boolean {
  return isDirectory(workingDirectory) && findProgram(command, env['PATH'], workingDirectory) !== undefined;
}
