/**
 * Control characters, which terminals take for commands, and invisible marks that turn the reading direction or join
 * lines.
 */
const INVISIBLE = /[\p{Cc}\u{61c}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{2069}\u{feff}\u{fff9}-\u{fffb}\p{Cs}]/gu;
const KNOWN: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

/**
 * Makes a text one line with nothing hidden: control characters are written as in a JavaScript literal. So a text from
 * elsewhere cannot forge a line of a log, colour it, or show it in another order.
 */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => KNOWN[character] ?? escaped(character));
}

/** As `visibleText` for an error's stack: the message becomes one line, and the calls stay lines of their own. */
export function visibleStack(stack: string, message: string): string {
  const at = message === '' ? -1 : stack.indexOf(message);
  const end = at === -1 ? 0 : at + message.length;
  const calls = stack.slice(end).split('\n').map(visibleText).join('\n');
  return visibleText(stack.slice(0, end)) + calls;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
