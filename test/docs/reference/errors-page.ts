import { type ErrorClass, findErrors } from './error-classes.js';
import { code, firstSentence, GENERATED, table } from './markdown.js';
import type { Source } from './source.js';

/** docs/reference/errors.md: every error by its code. An error without a remedy is a fault. */
export function errorsPage(source: Source): string {
  const errors = findErrors(source).toSorted((a, b) => (a.code < b.code ? -1 : 1));
  for (const { name, problem, remedy } of errors) {
    if (problem === '') source.faults.push(`${name} has no docstring`);
    if (remedy === undefined) source.faults.push(`${name} has no @remarks, which say what to do`);
  }
  const rows = errors.map((error) => [
    `[${code(error.code)}](#${slugOf(error)})`,
    code(error.name),
    firstSentence(error.problem),
  ]);
  return [INTRODUCTION, table(['Code', 'Class', 'Problem'], rows), ...errors.map(section)].join('\n\n');
}

function section(error: ErrorClass): string {
  const { problem, remedy = '', messages, name, entry } = error;
  return [
    `## ${code(error.code)}`,
    `**Problem.** ${problem}`,
    `**Remedy.** ${remedy}`,
    [
      `- Class: ${code(name)} ${entry === undefined ? '(not exported: compare the `code`)' : `of ${code(entry)}`}`,
      ...messages.map((message) => `- Message: ${code(message)}`),
    ].join('\n'),
  ].join('\n\n');
}

function slugOf(error: ErrorClass): string {
  return error.code.toLowerCase();
}

const INTRODUCTION = `# Errors

${GENERATED}

Every error that the library throws on purpose is an \`ElasticJobError\` with a stable \`code\`. The log, events and
reasons of signals show its message. In the messages below, \`{name}\` stands for a value and \`…\` for details.

A run that is not begun is no error: an event tells the reason. \`refused\` and \`skipped\` are explained in
[events](events.md#words-in-events), and \`refused: foreign\` in the
[questions](../faq.md#what-does-refused-foreign-mean).`;
