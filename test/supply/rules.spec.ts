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
  foldFiles,
  type InstalledPackage,
} from './rules.js';

const INTEGRITY = `sha512-${'A'.repeat(86)}==`;
const ROOT: LockedPackage = { place: '', name: 'workspace', version: '0.0.0' };
const NONE = new Map<string, InstalledPackage>();

describe('findMissingIntegrity', () => {
  it('given a digest, a link and a package of the workspace, when checked, then nothing is found', () => {
    const link = packageOf({ name: 'ours', link: true, integrity: undefined });
    expect(findMissingIntegrity([ROOT, link, packageOf()])).toEqual([]);
  });

  it.each([undefined, '', 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', 'sha512-short==', `sha512-${'A'.repeat(87)}=`])(
    'given the integrity %s, when checked, then the package is told',
    (integrity) => {
      expect(findMissingIntegrity([packageOf({ integrity })])).toMatchObject([
        { rule: 'integrity', subject: 'node_modules/left@1.0.0' },
      ]);
    },
  );
});

describe('findForeignSources', () => {
  it.each([undefined, 'https://registry.npmjs.org/left/-/left-1.0.0.tgz'])(
    'given the address %s, when checked, then nothing is found',
    (resolved) => {
      expect(findForeignSources([packageOf({ resolved })])).toEqual([]);
    },
  );

  it('given the address of a scoped or an aliased package, when checked, then nothing is found', () => {
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
  ])('given the address %s, when checked, then it is told', (resolved) => {
    expect(findForeignSources([packageOf({ resolved })])).toMatchObject([{ rule: 'source' }]);
  });

  it('given links, when checked, then only those to packages of the workspace pass', () => {
    const own: LockedPackage = { place: 'libs/ours', name: 'ours', version: '1.0.0' };
    const link = packageOf({ name: 'ours', link: true, resolved: 'libs/ours' });
    expect(findForeignSources([ROOT, own, link])).toEqual([]);
    expect(findForeignSources([ROOT, own, { ...link, resolved: '../elsewhere' }])).toHaveLength(1);
  });

  it.each(['github:a/left', 'a/left', 'git+https://a/left.git', 'file:../left', 'https://a/left.tgz', 'npm:right@1'])(
    'given that the workspace takes a package from %s, when checked, then it is told',
    (range) => {
      expect(findForeignSources([{ ...ROOT, devDependencies: { left: range } }])).toMatchObject([{ rule: 'source' }]);
      expect(findForeignSources([{ ...ROOT, peerDependencies: { left: range } }])).toHaveLength(1);
    },
  );

  it.each(['1.2.3', '^1.0.0 || ^2.0.0', '~1.2', '>=1 <3', '*', 'latest'])(
    'given the range %s, then it passes',
    (range) => {
      expect(findForeignSources([{ ...ROOT, dependencies: { left: range } }])).toEqual([]);
    },
  );
});

describe('findForeignRegistries', () => {
  it.each(['', 'fund=false\n', 'registry=https://registry.npmjs.org/\n', '# registry=https://a/'])(
    'given the settings %j, when checked, then nothing is found',
    (npmrc) => {
      expect(findForeignRegistries(npmrc)).toEqual([]);
    },
  );

  it.each(['registry=https://a.example/', ' registry = http://registry.npmjs.org/', '@a:registry=https://a.example/'])(
    'given the settings %j, when checked, then the registry is told',
    (npmrc) => {
      expect(findForeignRegistries(`fund=false\n${npmrc}\r\n`)).toMatchObject([{ rule: 'source', subject: '.npmrc' }]);
    },
  );
});

describe('findLicenceFaults', () => {
  const check = (one: LockedPackage, installed: InstalledPackage = {}) =>
    findLicenceFaults([ROOT, one], new Map([[one.place, installed]]), new Set(['MIT', 'ISC']), new Set(['MPL-2.0']));

  it.each(['MIT', '(MIT OR GPL-3.0-only)', 'GPL-3.0-only OR ISC', 'MIT AND ISC'])(
    'given %s, then it passes',
    (license) => {
      expect(check(packageOf(), { license })).toEqual([]);
    },
  );

  it.each(['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', 'UNLICENSED', 'MIT+', '(MIT OR ISC'])(
    'given %s, when checked, then it is told',
    (license) => {
      expect(check(packageOf(), { license })).toMatchObject([
        { rule: 'licence', problem: `has the licence ${license}` },
      ]);
    },
  );

  it('given the licence of a tool, when checked, then it passes for development alone', () => {
    expect(check(packageOf({ dev: true }), { license: 'MPL-2.0' })).toEqual([]);
    expect(check(packageOf(), { license: 'MPL-2.0' })).toHaveLength(1);
  });

  it('given a package of another platform, when checked, then the lock file says its licence', () => {
    expect(findLicenceFaults([packageOf({ license: 'MIT' })], NONE, new Set(['MIT']), new Set())).toEqual([]);
  });

  it('given a manifest of old, when checked, then its list of licences counts', () => {
    expect(check(packageOf(), { licenses: [{ type: 'MIT' }] })).toEqual([]);
    expect(check(packageOf(), { license: { type: 'ISC' } })).toEqual([]);
  });

  it('given none, or one that differs from that of the lock file, when checked, then it is told', () => {
    expect(check(packageOf())).toMatchObject([{ problem: 'names no licence' }]);
    expect(check(packageOf({ license: 'MIT' }), { license: 'GPL-3.0-only' })).toHaveLength(1);
  });
});

describe('findDeprecations', () => {
  it('given packages, when one is deprecated, then it is told with its reason', () => {
    expect(findDeprecations([packageOf(), packageOf({ deprecated: 'use right' })])).toEqual([
      { rule: 'deprecated', subject: 'node_modules/left@1.0.0', problem: 'use right' },
    ]);
  });
});

describe('findInstallScripts', () => {
  const check = (one: LockedPackage, installed: InstalledPackage = {}, allowed = new Map<string, string>()) =>
    findInstallScripts([ROOT, one], new Map([[one.place, installed]]), allowed);

  it('given other scripts, or scripts of the workspace, when checked, then nothing is found', () => {
    expect(check(packageOf(), { scripts: { test: 'vitest', prepare: 'tsc' } })).toEqual([]);
    expect(findInstallScripts([ROOT], new Map([['', { scripts: { install: 'x' } }]]), new Map())).toEqual([]);
  });

  it.each([
    ['preinstall', { scripts: { preinstall: 'x' } }],
    ['install', { scripts: { install: 'x' } }],
    ['postinstall', { scripts: { postinstall: 'x' } }],
    ['binding.gyp', { hasBindings: true }],
  ])('given a package with %s, when checked, then it is told', (name, installed) => {
    expect(check(packageOf(), installed)).toMatchObject([{ rule: 'install script', problem: `runs ${name}` }]);
  });

  it('given one that is not installed here, when the lock file tells of a script, then it is told', () => {
    expect(check(packageOf({ hasInstallScript: true }))).toHaveLength(1);
  });

  it('given one that is allowed, when checked, then it passes', () => {
    expect(check(packageOf(), { scripts: { install: 'x' } }, new Map([['left', 'it builds']]))).toEqual([]);
  });
});

describe('findKnownBad', () => {
  const advisory = { name: 'left', below: '0.28.17', source: 'https://a.example/1', problem: 'a hole' };

  it.each([
    ['0.28.16', 1],
    ['0.28.17', 0],
  ])('given the version %s, when checked, then there are %i findings', (version, count) => {
    expect(findKnownBad([packageOf({ version })], [advisory])).toHaveLength(count);
  });

  it('given a peer range that lets in a bad version, when checked, then it is told with its source', () => {
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
  it('given the same files in another order, when compared, then nothing is found', () => {
    expect(findTarballChanges(['b.js', 'a.js', 'a.d.ts'], foldFiles(['a.d.ts', 'b.js', 'a.js']))).toEqual([]);
  });

  it('given a file more and one less, when compared, then both are told', () => {
    const found = findTarballChanges(['dist/a.js', '.env'], ['dist/a.js', 'LICENSE']);
    expect(found.map(({ subject, problem }) => `${subject} ${problem}`)).toEqual([
      '.env is packed, and not in the list',
      'LICENSE is in the list, and not packed',
    ]);
  });

  it('given the files of a module, when folded, then they are one line', () => {
    const files = ['LICENSE', 'dist/a.js', 'dist/a.js.map', 'dist/a.d.ts', 'dist/b.js', 'dist/c.spec.js'];
    expect(foldFiles(files)).toEqual(['LICENSE', 'dist/a.{d.ts,js,js.map}', 'dist/b.js', 'dist/c.spec.js']);
  });
});

describe('readLockFile', () => {
  it('given a lock file, when read, then each package has the name by which the registry knows it', () => {
    const packages = { '': { name: 'w' }, 'node_modules/a/node_modules/@b/c': {}, 'node_modules/d': { name: 'e' } };
    const names = readLockFile(JSON.stringify({ lockfileVersion: 3, packages })).map(({ name }) => name);
    expect(names).toEqual(['w', '@b/c', 'e']);
  });

  it('given a lock file of another version, when read, then it is refused', () => {
    expect(() => readLockFile('{"lockfileVersion":1,"dependencies":{}}')).toThrow(TypeError);
  });
});

function packageOf({ name = 'left', ...fields }: Partial<LockedPackage> = {}): LockedPackage {
  return { place: `node_modules/${name}`, version: '1.0.0', integrity: INTEGRITY, ...fields, name };
}
