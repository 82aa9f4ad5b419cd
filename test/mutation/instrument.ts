import { Instrumenter, type InstrumenterOptions } from '@stryker-mutator/instrumenter';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PlannedMutant } from './plan.js';

/** First and last line of each part of a file. Undefined means all of it. */
export type Lines = readonly (readonly [number, number])[] | undefined;

// Texts of errors and events are for people, and tests name the few that matter.
const TEXTS = 'StringLiteral';
const OPTIONS: InstrumenterOptions = { plugins: null, ignorers: [], excludedMutations: [TEXTS] };

const silent = (): void => {};
const logger = {
  isTraceEnabled: () => false,
  isDebugEnabled: () => false,
  isInfoEnabled: () => false,
  isWarnEnabled: () => true,
  isErrorEnabled: () => true,
  isFatalEnabled: () => true,
  trace: silent,
  debug: silent,
  info: silent,
  warn: console.warn,
  error: console.error,
  fatal: console.error,
};

export interface Instrumented {
  /** By absolute path. */
  readonly texts: Readonly<Record<string, string>>;
  readonly mutants: readonly PlannedMutant[];
  /** Number of mutants that a comment excludes. */
  readonly excluded: number;
}

/** Puts every mutant of these files, or of these lines of them, behind a switch. @param files by path from the root */
export async function instrument(files: ReadonlyMap<string, Lines>): Promise<Instrumented> {
  const result = await new Instrumenter(logger).instrument(
    [...files].map(([name, lines]) => ({
      name,
      content: readFileSync(name, 'utf8'),
      mutate: lines?.map(([first, last]) => ({ start: at(first), end: at(last + 1) })) ?? true,
    })),
    OPTIONS,
  );
  const judged = result.mutants.filter(({ status }) => status === undefined);
  return {
    texts: Object.fromEntries(result.files.map(({ name, content }) => [resolve(name), content])),
    mutants: judged.map(({ id, fileName, location, mutatorName, replacement }) => ({
      id,
      file: fileName,
      line: location.start.line + 1,
      column: location.start.column + 1,
      mutator: mutatorName,
      replacement,
    })),
    excluded:
      result.mutants.length - judged.length - result.mutants.filter(({ mutatorName }) => mutatorName === TEXTS).length,
  };
}

function at(line: number) {
  return { line: line - 1, column: 0 };
}
