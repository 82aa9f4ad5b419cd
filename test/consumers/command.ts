import { Program } from '../docs/readme/program.js';

/** Installing from a registry takes the most time. */
const LIMIT_MS = 240_000;
const SHOWN_LINES = 40;

export interface CommandOptions {
  readonly cwd: string;
  /** Variables in addition to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a command to its end. Its arguments have no spaces.
 * @returns its output
 * @throws if it fails or takes more than four minutes; the message has its last lines
 */
export async function succeed(command: string, options: CommandOptions): Promise<string> {
  const program = start(command, options);
  await endsWith(0, program, command);
  return program.output;
}

/**
 * Runs an application until it has printed something, then ends it by SIGTERM.
 * @param last the text that it prints at its end
 * @throws if it does not print both, or ends by anything but the signal
 */
export async function serve(command: string, said: RegExp, last: RegExp, options: CommandOptions): Promise<void> {
  const program = start(command, options);
  try {
    await program.says(said);
    void program.end('SIGTERM');
    await program.says(last);
    await endsWith('SIGTERM', program, command);
  } finally {
    await program.kill();
  }
}

function start(command: string, options: CommandOptions): Program {
  const [name = '', ...args] = command.split(' ');
  return new Program(name, args, options);
}

async function endsWith(expected: number | NodeJS.Signals, program: Program, command: string): Promise<void> {
  const limit = setTimeout(() => void program.kill(), LIMIT_MS);
  const end = await program.ended;
  clearTimeout(limit);
  if (end === expected) return;
  const lines = program.output.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new Error(`${command} has ended with ${end} instead of ${expected}:\n${lines}`);
}
