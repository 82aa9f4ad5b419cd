import { cutText } from './cut-text.js';
import { describeChain, describeOne, messageOf, stackOf } from '../domain/index.js';

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
export function visibleStacks(error: unknown): string | undefined {
  if (stackOf(error) === undefined) return undefined;
  return describeChain(error, (thrown) => cutText(visibleStack(describeOne(thrown), messageOf(thrown))));
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
