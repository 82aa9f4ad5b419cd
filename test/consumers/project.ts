import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve, succeed } from './command.js';

const LIBRARY = 'nestjs-elastic-job';
const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));
const TEMPLATES = fileURLToPath(new URL('./projects/', import.meta.url));
/** Log line of the application of `projects/app` once each of its parts has worked, and the library's at its end. */
const REPORTED = /Shanghai reported by the owner of item 1/;
const LEFT = /city-report: left as/;

type Env = Readonly<Record<string, string>>;

/** Leftovers of a developer's own trial of an example. */
const LEFTOVERS: readonly string[] = ['node_modules', 'dist', 'package-lock.json'];

/** A user's project in a folder of its own, and the steps that are taken in it. */
export class Project {
  private constructor(
    readonly folder: string,
    private readonly name: string,
    private readonly env: Env,
  ) {}

  static async in(folder: string, name: string, env: Env = {}): Promise<Project> {
    await mkdir(folder, { recursive: true });
    return new Project(folder, name, env);
  }

  /**
   * Copies files of `projects`. CommonJS users write imports without a file extension, because Jest would not find them
   * otherwise.
   */
  async add(template: string, isCommonJs = false): Promise<void> {
    const from = join(TEMPLATES, template);
    await cp(from, this.folder, { recursive: true });
    if (!isCommonJs) return;
    for (const file of await readdir(from, { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const text = await readFile(join(from, file), 'utf8');
      await this.write(file, text.replaceAll(/(from '\..+)\.js'/g, "$1'"));
    }
  }

  /** Copies one of the workspace's `examples`. @returns the range of the library that it asks for */
  async addExample(name: string): Promise<string | undefined> {
    await cp(join(EXAMPLES, name), this.folder, {
      recursive: true,
      filter: (file) => !LEFTOVERS.includes(basename(file)),
    });
    const manifest = await readFile(join(this.folder, 'package.json'), 'utf8');
    const { dependencies }: { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(manifest);
    return dependencies[LIBRARY];
  }

  /** The entries of the installed library, as an importer names them. */
  async entries(): Promise<readonly string[]> {
    const manifest = await readFile(join(this.folder, `node_modules/${LIBRARY}/package.json`), 'utf8');
    const { exports }: { readonly exports: object } = JSON.parse(manifest);
    return Object.keys(exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => LIBRARY + entry.slice(1));
  }

  /** Writes a file; an object becomes JSON. */
  async write(file: string, content: string | object): Promise<void> {
    const path = join(this.folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Runs a command of the system or of the project. @returns its output */
  run(command: string, env: Env = {}): Promise<string> {
    return this.timed(command, () => succeed(command, { cwd: this.folder, env: this.withPath(env) }));
  }

  /** Runs the application of `projects/app` until its job has fired, and ends it in order. */
  serve(command: string, env: Env = {}): Promise<void> {
    return this.timed(command, () => serve(command, REPORTED, LEFT, { cwd: this.folder, env: this.withPath(env) }));
  }

  private withPath(env: Env): Env {
    const path = [join(this.folder, 'node_modules/.bin'), process.env.PATH].join(delimiter);
    return { PATH: path, NO_COLOR: '1', npm_config_update_notifier: 'false', ...this.env, ...env };
  }

  private async timed<Result>(command: string, step: () => Promise<Result>): Promise<Result> {
    const began = performance.now();
    const result = await step();
    console.log(`${this.name}: ${command.slice(0, 90)}, ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    return result;
  }
}
