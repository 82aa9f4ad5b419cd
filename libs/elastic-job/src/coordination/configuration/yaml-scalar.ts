/** Place of a value: how far its line is filled, and the indent of further lines. */
interface ScalarPlace {
  readonly column: number;
  readonly indent: string;
}

const LINE_WIDTH = 80;
/** Length at which a key is too long; snakeyaml counts 128 with the tag that it does not write. */
const LONGEST_KEY = 123;

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\u0085', String.raw`\N`],
  ['\u00a0', String.raw`\_`],
  ['\u2028', String.raw`\L`],
  ['\u2029', String.raw`\P`],
]);

/** Plain texts that YAML 1.1 reads as null, boolean, merge key, integer, float or date. */
const READ_AS_OTHER = new RegExp(
  [
    /~|null|Null|NULL|<</,
    /yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF/,
    /[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|0[\d_]*|[1-9][\d_]*(?::[0-5]?\d)*)/,
    /[-+]?(?:\d[\d_]*\.[\d_]*(?:[eE][-+]?\d+)?|\d[\d_]*[eE][-+]?\d+|\d[\d_]*(?::[0-5]?\d)+\.[\d_]*|\.(?:inf|Inf|INF))/,
    /[-+]?\.\d[\d_]*(?:[eE][-+]?\d+)?|\.(?:nan|NaN|NAN)/,
    // Numbers to snakeyaml 1.
    /[-+]_[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?/,
    /\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]| +)\d\d?:\d\d:\d\d(?:\.\d*)?(?: *(?:Z|[-+]\d\d?(?::\d\d)?))?/,
  ]
    .map((form) => `^(?:${form.source})$`)
    .join('|'),
);

/**
 * Cases in which a plain text would end early or become something else: an indicator, a comment, a blank at either end,
 * an empty text.
 */
const NEEDS_QUOTES = /^$|^ | $|^(?:---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[-?](?: |$)|:(?: |$)| #/;

/**
 * All but printable characters and the line feed. Some readers take the last five for line breaks or marks, and Java's
 * refuses the last two.
 */
const NEEDS_ESCAPES = /(?!\n)[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u;

/** Blanks at the end of a line, which may get lost in a literal block. */
const NOT_LITERAL = / \n| $/;

/**
 * A text as snakeyaml writes it in block style: plain if that reads back as the same text, else single quoted; several
 * lines as a literal block; double quoted if characters must be escaped. Long lines are folded at single blanks.
 */
export function formatScalar(text: string, place: ScalarPlace): string {
  if (NEEDS_ESCAPES.test(text)) return doubleQuoted(text, place);
  if (text.includes('\n')) return NOT_LITERAL.test(text) ? doubleQuoted(text, place) : literalBlock(text, place.indent);
  if (!NEEDS_QUOTES.test(text) && !READ_AS_OTHER.test(text)) return fold(text, place);
  return `'${fold(text.replaceAll("'", "''"), { ...place, column: place.column + 1 })}'`;
}

/**
 * Start of an entry as snakeyaml writes it, up to its value: `key: `. A key that is empty, has several lines, or is too
 * long to be told from a value is written after a `?` on lines of its own.
 */
export function formatKey(key: string, indent: string): string {
  if (key !== '' && !key.includes('\n') && key.length < LONGEST_KEY) {
    return `${indent}${formatScalar(key, { column: Number.NEGATIVE_INFINITY, indent })}: `;
  }
  const place = { column: indent.length + 2, indent: `${indent}  ` };
  return `${indent}? ${formatScalar(key, place)}\n${indent}: `;
}

/** An entry as snakeyaml writes it in block style, without the end of its last line. */
export function formatEntry(key: string, value: string | number | boolean, indent = ''): string {
  const start = formatKey(key, indent);
  if (typeof value !== 'string') return start + value;
  return start + formatScalar(value, { column: start.length - start.lastIndexOf('\n') - 1, indent: `${indent}  ` });
}

/**
 * Breaks lines as snakeyaml does: once a line is full, after an escaped or non-ASCII character, or before a blank. A
 * blank at the start of a line is escaped, so that it stays.
 */
function doubleQuoted(text: string, { column: filled, indent }: ScalarPlace): string {
  let column = filled + 1;
  let written = '';
  let start = 0;
  const write = (data: string) => {
    written += data;
    column += data.length;
  };
  for (let end = 0; end < text.length; end += 1) {
    const char = String.fromCodePoint(text.codePointAt(end)!);
    if (!isWrittenAsItIs(char)) {
      write(text.slice(start, end) + escaped(char));
      end += char.length - 1;
      start = end + 1;
    }
    const mayBreak = end > 0 && end < text.length - 1 && (char === ' ' || start >= end);
    if (!mayBreak || column + end - start <= LINE_WIDTH) continue;
    write(`${text.slice(start, end)}\\`);
    start = Math.max(start, end);
    written += `\n${indent}`;
    column = indent.length;
    if (text[start] === ' ') write('\\');
  }
  return `"${written}${text.slice(start)}"`;
}

function isWrittenAsItIs(char: string): boolean {
  return char >= ' ' && char <= '~' && char !== '"' && char !== '\\';
}

/** Character as written in double quotes. YAML has all escapes of JSON, needs further ones, and has short forms. */
function escaped(char: string): string {
  const code = char.codePointAt(0)!;
  const digits = code.toString(16);
  if (code > 0xff_ff) return `\\U${digits.padStart(8, '0')}`;
  if (!/[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]/.test(char)) return JSON.stringify(char).slice(1, -1);
  return SHORT_ESCAPES.get(char) ?? `\\u${digits.padStart(4, '0')}`;
}

function literalBlock(text: string, indent: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const ending = text === '\n' || text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-';
  // Without the mark, blanks at the start of the first line would count as the indent of the block.
  const mark = /^[ \n]/.test(text) ? '2' : '';
  return [`|${mark}${ending}`, ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
}

/** Folds a line at the first single blank beyond its width; blanks at either end must stay. */
function fold(text: string, { column, indent }: ScalarPlace): string {
  const chunks = text.match(/ +|[^ ]+/g) ?? [];
  return chunks
    .map((chunk, i) => {
      if (chunk === ' ' && column > LINE_WIDTH && i > 0 && i < chunks.length - 1) {
        column = indent.length;
        return `\n${indent}`;
      }
      column += chunk.length;
      return chunk;
    })
    .join('');
}
