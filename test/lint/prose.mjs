// Rules of prose that `npm run lint` holds, as a plugin of oxlint: how comments begin, how long lines and titles are.
import { util } from 'prettier';

const MOST_COLUMNS = 120;
const MOST_TITLE = 100;
/** A title that retells the test instead of the rule. */
const STEPS = /^given\b|^when\b.*, then\b/i;
const OPENING = /^(Who|What|Whoever|Whether|Nobody|Whatever)(?![\w-])/i;
/** Signs before the first word of a comment: those of docstrings, lists, quotations and code. */
const SIGNS = /^[\s*\-–—([{"'`“‘]+/;
/** The name and the text of a parameter, or the text of a return. A type in braces may stand before. */
const TAG = /^[\s*]*@(?:param\s+(?:\{[^}]*\}\s*)?\S+|returns?)\s+(?:\{[^}]*\}\s*)?(.*)/;
const URL_IN_TEXT = /https?:\/\/[^\s)>'"`]+/g;
const SUITES = new Set(['describe', 'it', 'test']);
/** Members of these that take something else than a title, and give what takes the title. */
const CURRIED = new Set(['each', 'for', 'skipIf', 'runIf', 'extend']);

/** True if a line is longer than 120 columns, and not because of one address in it. */
export function isTooWide(line) {
  if (util.getStringWidth(line) <= MOST_COLUMNS) return false;
  const longest = Math.max(0, ...(line.match(URL_IN_TEXT) ?? []).map((url) => url.length));
  return util.getStringWidth(line) - longest > MOST_COLUMNS;
}

/** Lines of comments that begin in a way which the reader has to decode, as the word and the line's offset. */
function* badOpenings(text) {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.replace(SIGNS, '') !== '');
  for (const [offset, line] of lines.entries()) {
    const beginning = TAG.exec(line)?.[1] ?? (offset === first ? line : '');
    const [, word] = OPENING.exec(beginning.replace(SIGNS, '')) ?? [];
    if (word !== undefined) yield { word, offset };
  }
}

/** Comments as they are read: consecutive `//` lines at one column are one comment. */
function asRead(comments, lines) {
  const read = [];
  for (const { type, value, loc } of comments) {
    const { line, column } = loc.start;
    const standsAlone = lines[line - 1].slice(0, column).trim() === '';
    const before = read.at(-1);
    const goesOn = type === 'Line' && standsAlone && before?.next === line && before.column === column;
    if (goesOn) Object.assign(before, { text: `${before.text}\n${value}`, next: line + 1 });
    else read.push({ text: value, line, column, next: type === 'Line' && standsAlone ? line + 1 : undefined });
  }
  return read;
}

const opening = {
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const { text, line } of asRead(sourceCode.getAllComments(), sourceCode.lines)) {
        for (const { word, offset } of badOpenings(text)) {
          const message = `A comment begins with "${word}". Begin it with the noun or verb that it documents.`;
          report({
            message,
            loc: { start: { line: line + offset, column: 0 }, end: { line: line + offset, column: 1 } },
          });
        }
      }
    },
  }),
};

const columns = {
  create: ({ sourceCode, report }) => ({
    Program() {
      for (const [index, line] of sourceCode.lines.entries()) {
        if (!isTooWide(line)) continue;
        const message = `A line has ${util.getStringWidth(line)} columns. Break it, or shorten it, to ${MOST_COLUMNS}.`;
        const at = { line: index + 1, column: 0 };
        report({ message, loc: { start: at, end: { ...at, column: line.length } } });
      }
    },
  }),
};

const title = {
  create: ({ report }) => ({
    CallExpression({ callee, arguments: [first] }) {
      if (first === undefined || !takesTitle(callee)) return;
      const text = literalText(first) ?? '';
      const remedy = `Say the rule that the user gets in at most ${MOST_TITLE}.`;
      if (text.length > MOST_TITLE)
        report({ node: first, message: `The title of a test has ${text.length} characters. ${remedy}` });
      if (STEPS.test(text)) {
        const message = `The title of a test tells its steps. ${remedy} Given, when, then are parts of its body.`;
        report({ node: first, message });
      }
    },
  }),
};

function takesTitle(callee) {
  if (callee.type === 'MemberExpression' && CURRIED.has(callee.property.name)) return false;
  let root = callee;
  for (;;) {
    if (root.type === 'MemberExpression') root = root.object;
    else if (root.type === 'CallExpression') root = root.callee;
    else if (root.type === 'TaggedTemplateExpression') root = root.tag;
    else return root.type === 'Identifier' && SUITES.has(root.name);
  }
}

/** The text of a title as it is written, without what is put in; nothing if it is not written there. */
function literalText(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked).join('');
  if (node.type !== 'BinaryExpression' || node.operator !== '+') return undefined;
  return `${literalText(node.left) ?? ''}${literalText(node.right) ?? ''}`;
}

export default { meta: { name: 'prose' }, rules: { opening, columns, title } };
