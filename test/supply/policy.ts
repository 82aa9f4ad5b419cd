import type { VersionSpan } from './version-ranges.js';

export const REGISTRY = 'https://registry.npmjs.org/';

/** Licences that require no more than a notice. SPDX identifiers. */
export const LICENCES: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
]);

/** Licences of tools, of which nothing is published or deployed. */
export const LICENCES_OF_TOOLS: ReadonlySet<string> = new Set(['CC-BY-4.0', 'MPL-2.0', 'Python-2.0', 'Unlicense']);

/** Licences of packages whose manifest names none, as somebody has read them in the package's own file. */
export const LICENCES_IN_FILES: ReadonlyMap<string, string> = new Map([['khroma@2.1.0', 'MIT']]);

/** Packages that may run a script when they are installed, and why. */
export const INSTALL_SCRIPTS: ReadonlyMap<string, string> = new Map([
  ['esbuild', 'checks the binary of the platform; VitePress alone needs it, and it works without the script'],
]);

/** Versions that somebody has found to be harmful. */
export interface Advisory extends VersionSpan {
  readonly name: string;
  readonly source: string;
  readonly problem: string;
}

const advisories = 'https://github.com/advisories/';

/**
 * Advisories for the library's dependencies and its peers, each with its source. A peer range that includes one of
 * these versions is a finding as well, because an application that takes the lowest version would have it.
 */
export const ADVISORIES: readonly Advisory[] = [
  {
    name: '@nestjs/common',
    below: '10.4.16',
    source: `${advisories}GHSA-cj7v-w2c7-cp7c`,
    problem: 'a file type that is taken from the Content-Type header',
  },
  {
    name: '@nestjs/common',
    from: '11.0.0',
    below: '11.0.16',
    source: `${advisories}GHSA-cj7v-w2c7-cp7c`,
    problem: 'a file type that is taken from the Content-Type header',
  },
  {
    name: '@nestjs/core',
    below: '11.1.18',
    source: `${advisories}GHSA-36xv-jgw5-4q75`,
    problem: 'output that is not escaped for what reads it',
  },
  {
    name: 'async',
    below: '2.6.4',
    source: `${advisories}GHSA-fwr7-v2mv-hh25`,
    problem: 'a prototype that mapValues changes',
  },
  {
    name: 'async',
    from: '3.0.0',
    below: '3.2.2',
    source: `${advisories}GHSA-fwr7-v2mv-hh25`,
    problem: 'a prototype that mapValues changes',
  },
  {
    name: 'class-validator',
    below: '0.14.0',
    source: `${advisories}GHSA-fj58-h2fr-3pp2`,
    problem: 'objects of unknown classes that pass without validation',
  },
  {
    name: 'kysely',
    below: '0.28.17',
    source: `${advisories}GHSA-pv5w-4p9q-p3v2, ${advisories}GHSA-8cpq-38p9-67gx and ${advisories}GHSA-wmrf-hv6w-mr66`,
    problem: 'SQL injection by JSON paths and by sql.lit',
  },
  {
    name: 'mysql2',
    below: '3.9.8',
    source: `${advisories}GHSA-pmh2-wpjm-fj45, ${advisories}GHSA-4rch-2fh8-94vw and ${advisories}GHSA-fpw7-j2hg-69v5`,
    problem: 'code that runs out of a result set, and a prototype that rows change',
  },
  {
    name: 'nodemailer',
    below: '9.0.1',
    source: `${advisories}GHSA-p6gq-j5cr-w38f, ${advisories}GHSA-vvjj-xcjg-gr5g and ${advisories}GHSA-c7w3-x93f-qmm8`,
    problem: 'SMTP commands by line ends, and raw messages that read files',
  },
  {
    name: 'underscore',
    below: '1.13.8',
    source: `${advisories}GHSA-qpx9-hpmf-5gmw`,
    problem: 'recursion without a limit',
  },
];
