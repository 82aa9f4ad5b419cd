// The input of a run of vitest (`MUTATION_PLAN` names the file), and its output.
import type { Round } from './chosen-tests.js';

/** A change of one place of the library that some test should notice. */
export interface PlannedMutant {
  readonly id: string;
  /** Path from the root of the workspace. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly mutator: string;
  readonly replacement: string;
}

/** A spec has noticed a mutant of a file. Both are paths from the root of the workspace. */
export type Noticed = readonly [file: string, spec: string];

export interface Plan {
  /** Absolute paths of mutated files, and their text with every mutant in it, each behind a switch. */
  readonly instrumented: Readonly<Record<string, string>>;
  readonly coverageFile: string;
  /** Undefined if only the coverage is measured. */
  readonly judge?: {
    readonly mutants: readonly PlannedMutant[];
    /** The specs that have noticed mutants so far, with the files of these. */
    readonly noticed: readonly Noticed[];
    readonly round: Round;
    readonly answersFile: string;
  };
  /** Absolute paths. */
  readonly specs: readonly string[];
}

/** Mutants that each test reaches. Written once, before the mutants are judged. */
export interface Coverage {
  readonly specs: Readonly<Record<string, SpecCoverage>>;
  /** Mutants reached while modules are loaded. They are judged with modules that are loaded again. */
  readonly whileLoading: readonly string[];
}

export interface SpecCoverage {
  /** By the test's id: its time, and how often it reaches each mutant. */
  readonly tests: Readonly<Record<string, { readonly ms: number; readonly hits: Readonly<Record<string, number>> }>>;
  /** Mutants reached outside of its tests, in the bodies of `describe`. */
  readonly whileCollecting: readonly string[];
}

export type Verdict =
  | { readonly kind: 'noticed'; readonly by: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'survived' }
  | { readonly kind: 'untested' }
  /** The test that failed fails without the mutant too, because of earlier mutants. */
  | { readonly kind: 'void' };

/** Lines of the file of answers, as JSON. */
export type Answer =
  | { readonly id: string; readonly startedFor: number }
  | { readonly id: string; readonly verdict: Verdict; readonly ms: number };
