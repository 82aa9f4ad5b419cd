import type { Project } from '../project.js';
import { nest11, nest12 } from './nest-new.js';
import type { Row } from './row.js';

interface Setting {
  readonly module: string;
  readonly moduleResolution: string;
  /** The kind of module that the compiler writes, where its output can be run. */
  readonly type?: 'commonjs' | 'module';
}

/** The compiler of Nest 11 is TypeScript 5; imports have no file extension there. */
const WITH_NEST_11: readonly Setting[] = [
  { module: 'commonjs', moduleResolution: 'node', type: 'commonjs' }, // by `typesVersions`
  { module: 'node16', moduleResolution: 'node16', type: 'commonjs' },
  { module: 'nodenext', moduleResolution: 'nodenext', type: 'commonjs' },
  { module: 'esnext', moduleResolution: 'bundler' },
];

/** The compiler of Nest 12 is TypeScript 6. */
const WITH_NEST_12: readonly Setting[] = [
  { module: 'node16', moduleResolution: 'node16', type: 'module' },
  { module: 'nodenext', moduleResolution: 'nodenext', type: 'module' },
  { module: 'esnext', moduleResolution: 'bundler', type: 'module' },
  { module: 'commonjs', moduleResolution: 'bundler', type: 'commonjs' },
];

export const ROWS: readonly Row[] = [
  {
    name: 'modules',
    title: '`module` and `moduleResolution` of every kind',
    uses: ['nest-11', 'nest-12'],
    async run(site) {
      const compilations = [
        [await nest11(site), WITH_NEST_11],
        [await nest12(site), WITH_NEST_12],
      ] as const;
      for (const [project, settings] of compilations) {
        await project.write('src/entries.ts', everyEntry(await project.entries()));
        for (const setting of settings) await compile(project, setting);
      }
    },
  },
  {
    name: 'isolated',
    title: '`isolatedModules` with `emitDecoratorMetadata`',
    uses: ['nest-12'],
    async run(site) {
      const project = await nest12(site);
      await tsc(project, '--isolatedModules --emitDecoratorMetadata --verbatimModuleSyntax', 'dist-isolated');
      await project.serve('node dist-isolated/main.js');
    },
  },
];

async function compile(project: Project, { module, moduleResolution, type }: Setting): Promise<void> {
  const folder = `dist-${module}-${moduleResolution}`;
  const resolving = moduleResolution === 'node' ? ' --resolvePackageJsonExports false' : '';
  await tsc(project, `--module ${module} --moduleResolution ${moduleResolution}${resolving}`, folder);
  if (type === undefined) return;
  await project.write(`${folder}/package.json`, { type });
  await project.serve(`node ${folder}/main.js`);
}

async function tsc(project: Project, flags: string, outDir: string): Promise<void> {
  await project.run(`tsc -p tsconfig.build.json --incremental false --rootDir src --outDir ${outDir} ${flags}`);
}

/** A module that imports each entry of the package. Their optional packages are needed only when it runs. */
function everyEntry(entries: readonly string[]): string {
  return entries.map((entry, index) => `export type * as entry${index} from '${entry}';\n`).join('');
}
