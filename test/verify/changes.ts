import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Tree, VERDICTS } from './tree.js';

/**
 * Files that have changed since a verdict was committed. Undefined if that commit is not known. It explains a decision,
 * and takes part in none.
 */
export function changedSince(root: string, digest: string): readonly string[] | undefined {
  const commit = git(root, 'log', '-1', '--format=%H', `-S${digest}`, '--', VERDICTS);
  if (commit === '') return undefined;
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard');
  return [git(root, 'diff', '--name-only', commit), untracked].flatMap((text) => text.split('\n').filter(Boolean));
}

/** Reads the repository as of a revision, for as long as `work` takes. @throws if there is no such revision */
export async function withTreeOf<T>(root: string, revision: string, work: (tree: Tree) => Promise<T>): Promise<T> {
  const found = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], { cwd: root });
  if (found.status !== 0) throw new Error(`There is no revision ${revision}.`);
  const folder = mkdtempSync(join(tmpdir(), 'revision-'));
  const remove = () => {
    rmSync(folder, { recursive: true, force: true });
    git(root, 'worktree', 'prune');
  };
  process.once('exit', remove);
  try {
    git(root, 'worktree', 'add', '--quiet', '--detach', folder, revision);
    return await work(Tree.at(folder));
  } finally {
    process.off('exit', remove);
    remove();
  }
}

export function headOf(root: string): string {
  return git(root, 'rev-parse', 'HEAD');
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' }).trim();
}
