import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Minimatch } from 'minimatch';

/** The record of verdicts is of no suite's inputs. */
export const VERDICTS = '.ci/verdicts.json';

/** The files of a checkout that are, or could be, committed. Paths are relative to its root. */
export class Tree {
  private constructor(
    readonly root: string,
    readonly files: readonly string[],
    private readonly changed: ReadonlyMap<string, string>,
  ) {}

  static at(root: string): Tree {
    const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
      .split('\0')
      .filter((file) => file !== '' && file !== VERDICTS && existsSync(join(root, file)));
    return new Tree(root, [...new Set(files)].toSorted(), new Map());
  }

  /** The same tree with other texts of some files. */
  with(changed: Readonly<Record<string, string>>): Tree {
    return new Tree(this.root, this.files, new Map([...this.changed, ...Object.entries(changed)]));
  }

  has(file: string): boolean {
    return this.files.includes(file);
  }

  read(file: string): string | Buffer {
    return this.changed.get(file) ?? readFileSync(join(this.root, file));
  }

  text(file: string): string {
    return this.read(file).toString();
  }

  /** Files that a glob names, in order. @throws if a glob names none: it is misspelt, or its files have moved */
  matching(globs: readonly string[]): readonly string[] {
    const found = new Set<string>();
    for (const glob of globs) {
      const matcher = new Minimatch(glob, { dot: true });
      const files = this.files.filter((file) => matcher.match(file));
      if (files.length === 0) throw new Error(`No file of ${this.root} matches "${glob}".`);
      for (const file of files) found.add(file);
    }
    return [...found].toSorted();
  }
}
