import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packLibrary } from './pack.js';
import { Project } from './project.js';
import type { Row } from './rows/index.js';

export type SharedProject = 'nest-11' | 'nest-12';

/** A folder for the projects of a run. */
export class Site {
  private readonly made = new Map<SharedProject, Promise<Project>>();
  private readonly removals: Promise<void>[] = [];

  private constructor(
    readonly folder: string,
    /** The packed library. */
    readonly tarball: string,
  ) {}

  static async in(folder: string): Promise<Site> {
    return new Site(folder, await packLibrary(folder));
  }

  project(name: string, env?: Readonly<Record<string, string>>): Promise<Project> {
    return Project.in(join(this.folder, name), name, env);
  }

  /** A project that several rows use. The first one makes it. */
  shared(name: SharedProject, make: () => Promise<Project>): Promise<Project> {
    const project = this.made.get(name) ?? make();
    this.made.set(name, project);
    return project;
  }

  /** Begins to remove shared projects that no row needs any more. It takes a minute, which other rows can use. */
  leave(row: Row, rowsLeft: readonly Row[]): void {
    const unused = (row.uses ?? []).filter((name) => !rowsLeft.some(({ uses }) => uses?.includes(name)));
    this.removals.push(...unused.map((name) => rm(join(this.folder, name), { recursive: true, force: true })));
  }

  async removed(): Promise<void> {
    await Promise.allSettled(this.removals);
  }
}
