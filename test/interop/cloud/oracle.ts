import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const JAVA = 'java';

/** A question to Java's classes. @see Oracle.java */
export interface Question {
  readonly call:
    'writeJob' | 'rewriteJob' | 'readJob' | 'copyJob' | 'writeApp' | 'readApp' | 'makeTask' | 'readTask' | 'readMeta';
  readonly with: unknown;
}

/** The result of Java's classes, or their exception. */
export type Answer = { readonly result: unknown } | { readonly failed: string };

/** Answers of one process, in the order of the questions. */
export async function askJava(classPath: string, questions: readonly Question[]): Promise<readonly Answer[]> {
  const java = spawn(JAVA, ['-cp', classPath, '-Dfile.encoding=UTF-8', 'cloud.Oracle'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(java, 'exit');
  const out = text(java.stdout);
  java.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const lines = (await out).trimEnd().split('\n');
  await ended;
  if (lines.length !== questions.length) {
    throw new Error(`Java has answered ${lines.length} of ${questions.length} questions.`);
  }
  return lines.map((line): Answer => JSON.parse(line));
}
