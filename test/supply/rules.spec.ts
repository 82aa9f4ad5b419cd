import { describe, expect, it } from 'vitest';
import { type LockedPackage, readLockFile } from './lock-file.js';
import {
  findDeprecations,
  findForeignRegistries,
  findForeignSources,
  findInstallScripts,
  findKnownBad,
  findLicenceFaults,
  findMissingIntegrity,
  findTarballChanges,
  findUnpinnedActions,
  foldFiles,
  type InstalledPackage,
} from './rules.js';

const INTEGRITY = `sha512-${'A'.repeat(86)}==`;
const ROOT: LockedPackage = { place: '', name: 'workspace', version: '0.0.0' };
const NONE = new Map<string, InstalledPackage>();

describe('findUnpinnedActions', () => {
  const workflow = (line: string) => new Map([['.github/workflows/ci.yml', `steps:\n  ${line}\n`]]);

  it.each([
    `- uses: actions/checkout@${'a'.repeat(40)} # v4.2.2`,
    `  uses: github/codeql-action/init@${'0'.repeat(40)} # v3`,
    `- uses: docker://alpine@sha256:${'a'.repeat(64)} # 3.20`,
    '- uses: ./.github/actions/own',
    '- run: echo uses',
  ])('allows %s', (line) => {
    expect(findUnpinnedActions(workflow(line))).toEqual([]);
  });

  it.each([
    '- uses: actions/checkout@v4',
    '- uses: actions/checkout@v4.2.2 # v4.2.2',
    '- "uses": actions/checkout@main',
    `- uses: actions/checkout@${'a'.repeat(40)}`,
    `- uses: actions/checkout@${'a'.repeat(39)} # v4.2.2`,
    '- uses: actions/checkout',
    '- uses: docker://alpine:3.20',
  ])('reports %s', (line) => {
    expect(findUnpinnedActions(workflow(line))).toMatchObject([
      { rule: 'workflow', subject: '.github/workflows/ci.yml', problem: expect.stringContaining('needs owner/name@') },
    ]);
  });
});

describe('findMissingIntegrity', () => {
  it('allows a digest, a link and a package of the workspace', () => {
    const link = packageOf({ name: 'ours', link: true, integrity: undefined });
    expect(findMissingIntegrity([ROOT, link, packageOf()])).toEqual([]);
  });

  it.each([undefined, '', 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', 'sha512-short==', `sha512-${'A'.repeat(87)}=`])(
    'reports the integrity %s',
    (integrity) => {
      expect(findMissingIntegrity([packageOf({ integrity })])).toMatchObject([
        { rule: 'integrity', subject: 'node_modules/left@1.0.0' },
      ]);
    },
  );
});

describe('findForeignSources', () => {
  it.each([undefined, 'https://registry.npmjs.org/left/-/left-1.0.0.tgz'])('allows the address %s', (resolved) => {
    expect(findForeignSources([packageOf({ resolved })])).toEqual([]);
  });

  it('allows the address of a scoped or an aliased package', () => {
    const scoped = packageOf({ name: '@a/left', resolved: 'https://registry.npmjs.org/@a/left/-/left-1.0.0.tgz' });
    const aliased = { ...scoped, place: 'node_modules/other' };
    expect(findForeignSources([scoped, aliased])).toEqual([]);
  });

  it.each([
    'https://registry.yarnpkg.com/left/-/left-1.0.0.tgz',
    'http://registry.npmjs.org/left/-/left-1.0.0.tgz',
    'https://registry.npmjs.org.example/left/-/left-1.0.0.tgz',
    'https://registry.npmjs.org/right/-/right-1.0.0.tgz',
    'git+ssh://git@github.com/a/left.git#0123456789abcdef',
    'file:../left',
  ])('reports the address %s', (resolved) => {
    expect(findForeignSources([packageOf({ resolved })])).toMatchObject([{ rule: 'source' }]);
  });

  it('allows links to packages of the workspace only', () => {
    const own: LockedPackage = { place: 'libs/ours', name: 'ours', version: '1.0.0' };
    const link = packageOf({ name: 'ours', link: true, resolved: 'libs/ours' });
    expect(findForeignSources([ROOT, own, link])).toEqual([]);
    expect(findForeignSources([ROOT, own, { ...link, resolved: '../elsewhere' }])).toHaveLength(1);
  });

  it.each(['github:a/left', 'a/left', 'git+https://a/left.git', 'file:../left', 'https://a/left.tgz', 'npm:right@1'])(
    'reports that the workspace takes a package from %s',
    (range) => {
      expect(findForeignSources([{ ...ROOT, devDependencies: { left: range } }])).toMatchObject([{ rule: 'source' }]);
      expect(findForeignSources([{ ...ROOT, peerDependencies: { left: range } }])).toHaveLength(1);
    },
  );

  it.each(['1.2.3', '^1.0.0 || ^2.0.0', '~1.2', '>=1 <3', '*', 'latest'])('allows the range %s', (range) => {
    expect(findForeignSources([{ ...ROOT, dependencies: { left: range } }])).toEqual([]);
  });
});

describe('findForeignRegistries', () => {
  it.each(['', 'fund=false\n', 'registry=https://registry.npmjs.org/\n', '# registry=https://a/'])(
    'allows the settings %j',
    (npmrc) => {
      expect(findForeignRegistries(npmrc)).toEqual([]);
    },
  );

  it.each(['registry=https://a.example/', ' registry = http://registry.npmjs.org/', '@a:registry=https://a.example/'])(
    'reports the registry of the settings %j',
    (npmrc) => {
      expect(findForeignRegistries(`fund=false\n${npmrc}\r\n`)).toMatchObject([{ rule: 'source', subject: '.npmrc' }]);
    },
  );
});

describe('findLicenceFaults', () => {
  const check = (one: LockedPackage, installed: InstalledPackage = {}) =>
    findLicenceFaults([ROOT, one], new Map([[one.place, installed]]), new Set(['MIT', 'ISC']), new Set(['MPL-2.0']));

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'GPL-3.0-only OR ISC', 'MIT AND ISC'])('allows %s', (license) => {
    expect(check(packageOf(), { license })).toEqual([]);
  });

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', 'UNLICENSED', 'MIT+', '(MIT OR ISC'])(
    'reports %s',
    (license) => {
      expect(check(packageOf(), { license })).toMatchObject([
        { rule: 'licence', problem: `has the licence ${license}` },
      ]);
    },
  );

  it('allows the licence of a tool for development alone', () => {
    expect(check(packageOf({ dev: true }), { license: 'MPL-2.0' })).toEqual([]);
    expect(check(packageOf(), { license: 'MPL-2.0' })).toHaveLength(1);
  });

  it("uses the lock file's licence for a package of another platform", () => {
    expect(findLicenceFaults([packageOf({ license: 'MIT' })], NONE, new Set(['MIT']), new Set())).toEqual([]);
  });

  it('uses the list of licences of an old manifest', () => {
    expect(check(packageOf(), { licenses: [{ type: 'MIT' }] })).toEqual([]);
    expect(check(packageOf(), { license: { type: 'ISC' } })).toEqual([]);
  });

  it("reports a missing licence, and one that differs from the lock file's", () => {
    expect(check(packageOf())).toMatchObject([{ problem: 'names no licence' }]);
    expect(check(packageOf({ license: 'MIT' }), { license: 'GPL-3.0-only' })).toHaveLength(1);
  });

  it('takes the licence that was read in a file, for that version alone', () => {
    const [older, newer] = ['1.0.0', '1.0.1'].map((version) => packageOf({ name: 'silent', version }));
    const read = new Map([['silent@1.0.0', 'MIT']]);
    expect(findLicenceFaults([older!, newer!], NONE, new Set(['MIT']), new Set(), read)).toMatchObject([
      { subject: expect.stringContaining('@1.0.1'), problem: 'names no licence' },
    ]);
  });
});

describe('findDeprecations', () => {
  it('reports a deprecated package with its reason', () => {
    expect(findDeprecations([packageOf(), packageOf({ deprecated: 'use right' })])).toEqual([
      { rule: 'deprecated', subject: 'node_modules/left@1.0.0', problem: 'use right' },
    ]);
  });
});

describe('findInstallScripts', () => {
  const check = (one: LockedPackage, installed: InstalledPackage = {}, allowed = new Map<string, string>()) =>
    findInstallScripts([ROOT, one], new Map([[one.place, installed]]), allowed);

  it('allows other scripts, and scripts of the workspace', () => {
    expect(check(packageOf(), { scripts: { test: 'vitest', prepare: 'tsc' } })).toEqual([]);
    expect(findInstallScripts([ROOT], new Map([['', { scripts: { install: 'x' } }]]), new Map())).toEqual([]);
  });

  it.each([
    ['preinstall', { scripts: { preinstall: 'x' } }],
    ['install', { scripts: { install: 'x' } }],
    ['postinstall', { scripts: { postinstall: 'x' } }],
    ['binding.gyp', { hasBindings: true }],
  ])('reports a package with %s', (name, installed) => {
    expect(check(packageOf(), installed)).toMatchObject([{ rule: 'install script', problem: `runs ${name}` }]);
  });

  it('reports a script in the lock file of a package that is not installed here', () => {
    expect(check(packageOf({ hasInstallScript: true }))).toHaveLength(1);
  });

  it('allows a package on the list', () => {
    expect(check(packageOf(), { scripts: { install: 'x' } }, new Map([['left', 'it builds']]))).toEqual([]);
  });
});

describe('findKnownBad', () => {
  const advisory = { name: 'left', below: '0.28.17', source: 'https://a.example/1', problem: 'a hole' };

  it.each([
    ['0.28.16', 1],
    ['0.28.17', 0],
  ])('has for the version %s: %i findings', (version, count) => {
    expect(findKnownBad([packageOf({ version })], [advisory])).toHaveLength(count);
  });

  it('reports a peer range that includes a bad version, with its source', () => {
    const own: LockedPackage = {
      place: 'libs/ours',
      name: 'ours',
      version: '1.0.0',
      peerDependencies: { left: '^0.28.0' },
    };
    expect(findKnownBad([own], [advisory])).toEqual([
      {
        rule: 'known bad',
        subject: 'libs/ours@1.0.0',
        problem: 'lets in left ^0.28.0, which has a hole: https://a.example/1',
      },
    ]);
    expect(findKnownBad([{ ...own, peerDependencies: { left: '^0.28.17' } }], [advisory])).toEqual([]);
  });
});

describe('findTarballChanges', () => {
  it('finds nothing if the files are the same in another order', () => {
    expect(findTarballChanges(['b.js', 'a.js', 'a.d.ts'], foldFiles(['a.d.ts', 'b.js', 'a.js']))).toEqual([]);
  });

  it('reports an additional and a missing file', () => {
    const found = findTarballChanges(['dist/a.js', '.env'], ['dist/a.js', 'LICENSE']);
    expect(found.map(({ subject, problem }) => `${subject} ${problem}`)).toEqual([
      '.env is packed, and not in the list',
      'LICENSE is in the list, and not packed',
    ]);
  });

  it('folds the files of a module into one line', () => {
    const files = ['LICENSE', 'dist/a.js', 'dist/a.js.map', 'dist/a.d.ts', 'dist/b.js', 'dist/c.spec.js'];
    expect(foldFiles(files)).toEqual(['LICENSE', 'dist/a.{d.ts,js,js.map}', 'dist/b.js', 'dist/c.spec.js']);
  });

  it('leaves digests out of the names of the files of the page', () => {
    const built = (digest: string) => ['.css', '.css.br'].map((ending) => `dist/page/assets/index-${digest}${ending}`);
    expect(foldFiles([...built('B4nbT-H5'), ...built('xsXo_yPf')])).toEqual(foldFiles(built('00000000')));
  });
});

describe('readLockFile', () => {
  it('gives each package its name in the registry', () => {
    const packages = { '': { name: 'w' }, 'node_modules/a/node_modules/@b/c': {}, 'node_modules/d': { name: 'e' } };
    const names = readLockFile(JSON.stringify({ lockfileVersion: 3, packages })).map(({ name }) => name);
    expect(names).toEqual(['w', '@b/c', 'e']);
  });

  it('refuses a lock file of another version', () => {
    expect(() => readLockFile('{"lockfileVersion":1,"dependencies":{}}')).toThrow(TypeError);
  });
});

function packageOf({ name = 'left', ...fields }: Partial<LockedPackage> = {}): LockedPackage {
  return { place: `node_modules/${name}`, version: '1.0.0', integrity: INTEGRITY, ...fields, name };
}
