import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Noticed, PlannedMutant, Verdict } from './plan.js';

interface Known {
  readonly verdict: Verdict;
  /** Hashes of the mutated file, and of the spec that noticed the mutant, or of all specs if none did. */
  readonly hashes: readonly [string, string];
}

/**
 * Verdicts of earlier runs. A verdict holds while its file is the same, and the spec that noticed, or all specs if none
 * did.
 */
export class KnownVerdicts {
  private readonly known: Record<string, Known>;
  private readonly hashes = new Map<string, string>();

  constructor(
    private readonly file: string,
    private readonly specs: readonly string[],
  ) {
    this.known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  }

  find(mutant: PlannedMutant): Verdict | undefined {
    const known = this.known[keyOf(mutant)];
    if (known === undefined) return undefined;
    return known.hashes.join() === this.hashesOf(mutant, known.verdict).join() ? known.verdict : undefined;
  }

  add(mutant: PlannedMutant, verdict: Verdict): void {
    this.known[keyOf(mutant)] = { verdict, hashes: this.hashesOf(mutant, verdict) };
  }

  /** The specs that have noticed mutants, with the files of these. */
  noticed(): readonly Noticed[] {
    return Object.entries(this.known).flatMap(([key, { verdict }]): readonly Noticed[] =>
      verdict.kind === 'noticed' ? [[key.slice(0, key.indexOf('|')), verdict.by]] : [],
    );
  }

  save(): void {
    writeFileSync(this.file, JSON.stringify(this.known));
  }

  private hashesOf({ file }: PlannedMutant, verdict: Verdict): readonly [string, string] {
    const specs = verdict.kind === 'noticed' ? [verdict.by] : verdict.kind === 'timeout' ? [] : this.specs;
    return [this.hash([file]), this.hash(specs)];
  }

  private hash(files: readonly string[]): string {
    const key = files.join();
    const texts = () => files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''));
    if (!this.hashes.has(key)) this.hashes.set(key, hashOf(texts()));
    return this.hashes.get(key)!;
  }
}

export function hashOf(texts: readonly string[]): string {
  return createHash('sha1').update(texts.join('\0')).digest('hex');
}

function keyOf({ file, line, column, mutator, replacement }: PlannedMutant): string {
  return [file, line, column, mutator, replacement].join('|');
}
