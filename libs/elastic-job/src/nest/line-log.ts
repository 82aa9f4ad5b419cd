import { Logger } from '@nestjs/common';
import { describeChain, describeOne, isError, messageOf, stackOf } from '../domain/index.js';

/** A line of the application's log. */
export interface EventLine {
  readonly level: 'debug' | 'log' | 'warn' | 'error';
  readonly text: string;
  /** The thrown error, whose stack and causes are part of the line. */
  readonly error?: Error;
}

/** The package's part of the application's log, under the context `ElasticJob`. No other place writes to it. */
export class LineLog {
  private readonly logger = new Logger('ElasticJob');

  /**
   * Writes a line at its level, cut at 4 KB, as is the stack of each error in it. Hidden characters become visible: a
   * line has names of jobs and instances, and errors, that others have written.
   */
  write(line: EventLine): void {
    const message = cutText(visibleText(line.text));
    const stacks = visibleStacks(line.error);
    if (stacks === undefined) return this.logger[line.level](message);
    this.logger.error(message, stacks);
  }
}

const lineAt =
  (level: EventLine['level']) =>
  (text: string): EventLine => ({ level, text });
export const debug = lineAt('debug');
export const log = lineAt('log');
export const warn = lineAt('warn');
export const error = lineAt('error');

/** Most numbers of items in a line, for each instance. */
const MOST_NUMBERS = 100;

export function describeAssignment(assignment: ReadonlyMap<number, string>): string {
  const byInstance = new Map<string, number[]>();
  for (const [item, instanceId] of assignment) {
    byInstance.set(instanceId, [...(byInstance.get(instanceId) ?? []), item]);
  }
  return [...byInstance].map(([instanceId, own]) => `${instanceId}: ${numbers(own)}`).join('; ');
}

export function itemsText(items: readonly number[]): string {
  return items.length === 1 ? `item ${items[0]}` : `items ${numbers(items) || 'none'}`;
}

/** A job may have thousands of items. */
function numbers(items: readonly number[]): string {
  const others = items.length - MOST_NUMBERS;
  return others <= 0 ? items.join(',') : `${items.slice(0, MOST_NUMBERS).join(',')} and ${others} others`;
}

/** A handler may throw any value. */
export function thrown(line: string, reason: unknown): EventLine {
  return { level: 'error', text: `${line}: ${messageOf(reason)}`, ...(isError(reason) && { error: reason }) };
}

/**
 * Control characters, which terminals take for commands, and all that is read and not seen: marks that turn the reading
 * direction or join lines, tags (U+E0000 and above) and other characters without a shape, lone surrogates, and those
 * whose meaning is private.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]/gu;
const KNOWN: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

/**
 * Makes a text one line with nothing hidden: control characters are written as in a JavaScript literal. So a text from
 * elsewhere cannot forge a line of a log, colour it, or show it in another order.
 */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => KNOWN[character] ?? escaped(character));
}

/** Most bytes of a message within a stack, so that the calls below it are shown. The line has more of it. */
const MOST_BYTES_OF_MESSAGE = 1_024;

/**
 * The stacks of an error and of its causes, as `visibleText`, each cut at 4 KB: each message becomes one line, and the
 * calls stay lines of their own. Undefined if the error has no stack.
 */
export function visibleStacks(outer: unknown): string | undefined {
  if (stackOf(outer) === undefined) return undefined;
  return describeChain(outer, (one) => cutText(visibleStack(describeOne(one), messageOf(one))));
}

function visibleStack(stack: string, message: string): string {
  const at = message === '' ? -1 : stack.indexOf(message);
  const end = at === -1 ? 0 : at + message.length;
  const calls = stack.slice(end).split('\n').map(visibleText).join('\n');
  return cutText(visibleText(stack.slice(0, end)), MOST_BYTES_OF_MESSAGE) + calls;
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}

/** Most bytes of a message in the log, in UTF-8. */
const MOST_BYTES = 4_096;

/**
 * The text itself, or its beginning with a note of how long it was: so a log's message has at most 4 KB, however long
 * the texts are that others have thrown or written. No character is cut in half.
 */
export function cutText(text: string, mostBytes = MOST_BYTES): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostBytes) return text;
  const note = ` ... (cut, of ${bytes} bytes)`;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(mostBytes - note.length));
  return text.slice(0, read) + note;
}
