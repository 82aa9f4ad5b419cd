import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const SOURCE = 'libs/elastic-job/src';
/** Code that turns a thrown value into text by itself, and so may throw. */
const OWN_TEXT =
  /instanceof Error \?|String\((?:error|cause|reason|thrown|failure)\)|\b(?:error|cause|reason|thrown)\??\.stack\b/g;
/** `domain/thrown.ts` is the one place. In the others no value of a user's function comes by. */
const ALLOWED = [
  'domain/thrown.ts',
  'domain/handlers/redaction.ts', // Copies an error's properties, within a guard.
  'registry/zookeeper/wire/link.ts', // Errors of sockets.
  'cloud/process/supervisor/', // Errors of starting a child process.
  'tracing/sql/thread/history-thread.ts', // The history's own thread, whose death is noticed.
];

describe('a thrown value becomes text in one place, which never throws', () => {
  it('no other source of the library reads its stack or makes a text of it', () => {
    const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
      .filter((file) => !ALLOWED.some((path) => file.startsWith(path)));

    expect(files.length).toBeGreaterThan(200);
    expect(files.flatMap((file) => uses(file, readFileSync(`${SOURCE}/${file}`, 'utf8')))).toEqual([]);
  });

  it.each(['error instanceof Error ? error.message : ""', 'String(cause)', 'error.stack', 'reason?.stack'])(
    'is noticed in a source with %s',
    (text) => {
      expect(uses('sample.ts', `const told = ${text};`)).toHaveLength(1);
    },
  );
});

function uses(file: string, text: string): string[] {
  return [...text.matchAll(OWN_TEXT)].map(([found]) => `${file}: ${found}`);
}
