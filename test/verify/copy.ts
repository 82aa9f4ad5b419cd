import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Suite } from '../suites.js';
import type { Tree } from './tree.js';

const MODULES = 'node_modules';
/** Folders of the repository that the suite `build` writes. */
const BUILT = ['dist', 'libs/elastic-job/dist'];

/** A copy of the repository in which a suite finds what it has declared, and nothing else. */
export class DeclaredCopy {
  private constructor(
    private readonly tree: Tree,
    readonly folder: string,
  ) {}

  static of(tree: Tree): DeclaredCopy {
    const copy = new DeclaredCopy(tree, realpathSync(mkdtempSync(join(tmpdir(), 'declared-'))));
    // A run that is cancelled removes it as well.
    process.once('exit', () => copy.remove());
    return copy;
  }

  /** Replaces what the copy holds by the inputs of a suite. Installed packages stay. */
  fill({ needs = [] }: Suite, files: Iterable<string>): void {
    for (const name of readdirSync(this.folder)) if (name !== MODULES) this.remove(name);
    for (const file of files) this.take(file);
    if (needs.includes('build'))
      for (const folder of BUILT) if (existsSync(join(this.tree.root, folder))) this.take(folder);
    // An earlier commit is read from the history of the original.
    if (needs.includes('history')) writeFileSync(join(this.folder, '.git'), `gitdir: ${gitFolder(this.tree.root)}\n`);
    for (const folder of this.installed()) this.link(folder);
  }

  remove(path = ''): void {
    rmSync(join(this.folder, path), { recursive: true, force: true });
  }

  private take(path: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    cpSync(join(this.tree.root, path), join(this.folder, path), { recursive: true });
  }

  /** Links are hard ones: a package that is reached by a symbolic link would look for others in the original. */
  private link(folder: string): void {
    if (existsSync(join(this.folder, folder))) return;
    mkdirSync(dirname(join(this.folder, folder)), { recursive: true });
    execFileSync('cp', ['-al', join(this.tree.root, folder), join(this.folder, folder)]);
  }

  /** Folders of packages: that of the root, and those of its workspaces. */
  private installed(): readonly string[] {
    const { workspaces }: { readonly workspaces: readonly string[] } = JSON.parse(this.tree.text('package.json'));
    const manifests = this.tree.matching(workspaces.map((workspace) => `${workspace}/package.json`));
    return [MODULES, ...manifests.map((manifest) => join(dirname(manifest), MODULES))].filter((folder) =>
      existsSync(join(this.tree.root, folder)),
    );
  }
}

function gitFolder(root: string): string {
  return execFileSync('git', ['rev-parse', '--absolute-git-dir'], { cwd: root, encoding: 'utf8' }).trim();
}
