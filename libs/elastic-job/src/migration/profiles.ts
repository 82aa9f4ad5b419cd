import { ConfigurationError } from '../domain/index.js';
import type { Document } from './documents.js';
import { type Findings, PLACE, profileAdvice } from './findings.js';
import { isOfElasticJob, type Leaf, pathText, settingOf, uniform } from './settings-tree.js';

/** Settings that say for which profiles a document is. The second one is that of Spring Boot before 2.4. */
const ON_PROFILE = new Set(['spring.config.activate.onprofile', 'spring.profiles']);
const ON_PLATFORM = 'spring.config.activate.oncloudplatform';
/** The profile that is active in Spring if no other one is. */
const NO_PROFILE = ['default'];

/**
 * The settings of the documents that count, the later ones over the earlier. A list is replaced as a whole.
 * @param profiles the active ones; undefined: only one document is expected
 * @throws {ConfigurationError} for several documents without profiles
 * @see Spring Boot, `spring.config.activate.on-profile`
 */
export function settingsIn(
  documents: readonly Document[],
  profiles: readonly string[] | undefined,
  findings: Findings,
): readonly Leaf[] {
  for (const { leaves } of documents) refuseRepeated(leaves, findings);
  if (profiles === undefined && documents.length > 1) {
    const fault = 'it has several documents; name the active profiles in the option profiles, [] for none';
    throw new ConfigurationError(PLACE, [`${findings.placeOf(documents[1]!.at)}: ${fault}`]);
  }
  reportUnknownProfiles(documents, profiles ?? [], findings);
  const settings = new Map<string, readonly Leaf[]>();
  for (const document of documents) {
    if (profiles !== undefined && !isActive(document, profiles, findings)) continue;
    for (const [key, leaves] of bySetting(document.leaves)) settings.set(key, leaves);
  }
  return [...settings.values()].flat();
}

/** A misspelled profile would leave its settings out without a word. */
function reportUnknownProfiles(documents: readonly Document[], profiles: readonly string[], findings: Findings): void {
  const conditions = documents.flatMap(({ leaves }) => leaves.filter(isOnProfile));
  const [first] = conditions;
  if (first === undefined) return;
  const named = [...new Set(conditions.flatMap(({ text }) => text.split(',').flatMap(profilesIn)))];
  const unknown = profiles.filter((profile) => !named.includes(profile) && !NO_PROFILE.includes(profile));
  for (const profile of unknown) findings.leaveOut('profiles', profile, first.at, profileAdvice(profile, named));
}

function isOnProfile({ path }: Leaf): boolean {
  return ON_PROFILE.has(nameOf(path));
}

/** The name of a setting, without the index of a list's element. */
function nameOf(path: readonly string[]): string {
  return uniform(pathText(path).replace(/\[\d+\]$/, ''));
}

function bySetting(leaves: readonly Leaf[]): ReadonlyMap<string, readonly Leaf[]> {
  const settings = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    const { key } = settingOf(leaf.path);
    const same = settings.get(key);
    if (same === undefined) settings.set(key, [leaf]);
    else same.push(leaf);
  }
  return settings;
}

function isActive({ leaves }: Document, profiles: readonly string[], findings: Findings): boolean {
  const active = new Set(profiles.length === 0 ? NO_PROFILE : profiles);
  const accepted: (boolean | undefined)[] = [];
  for (const { at, path, text } of leaves) {
    const name = nameOf(path);
    if (name === ON_PLATFORM)
      findings.refuse(at, `${pathText(path)} is not known here; leave out the document, or this setting of it`);
    if (!ON_PROFILE.has(name)) continue;
    for (const expression of text === '' ? [] : text.split(',')) {
      const isAccepted = acceptsProfiles(expression, active);
      if (isAccepted === undefined)
        findings.refuse(at, `${pathText(path)} must be a profile expression, such as "prod & !dry"`);
      accepted.push(isAccepted);
    }
  }
  return accepted.length === 0 || accepted.includes(true);
}

/** Refuses a setting of ElasticJob that is there twice, in whatever spellings, and a list that is also a text. */
function refuseRepeated(leaves: readonly Leaf[], findings: Findings): void {
  const seen = new Map<string, Map<string, Leaf>>();
  for (const leaf of leaves) {
    if (!isOfElasticJob(leaf.path)) continue;
    const { key, index } = settingOf(leaf.path);
    const forms = seen.get(key) ?? new Map<string, Leaf>();
    const [any] = forms.values();
    const earlier = forms.get(index) ?? (index === '' ? any : forms.get(''));
    if (earlier !== undefined) findings.refuseTwice(pathText(leaf.path), leaf.at, earlier.at);
    seen.set(key, forms.set(index, leaf));
  }
}

/** A longer one is no expression that a person wrote. */
const MOST_CHARACTERS = 1_000;
const NAME = /[^\s()&|!]+/g;
const CHAIN = /^[01](?:(?:&[01])*|(?:\|[01])*)$/;
const GROUP = /\((?<chain>[01](?:(?:&[01])*|(?:\|[01])*))\)/g;

/**
 * True if the active profiles fulfil an expression, such as `prod & !dry`. It is undefined for a text that is none.
 * `&` and `|` stand beside each other only with parentheses.
 * @see Spring, `Profiles.of`
 */
function acceptsProfiles(expression: string, active: ReadonlySet<string>): boolean | undefined {
  if (expression.length > MOST_CHARACTERS || expression.includes('${')) return undefined;
  let text = expression.replaceAll(NAME, (name) => (active.has(name) ? '1' : '0')).replaceAll(/\s/g, '');
  for (let before = ''; before !== text;) {
    before = text;
    text = text
      .replaceAll(/!(?<value>[01])/g, (negated) => (negated === '!0' ? '1' : '0'))
      .replaceAll(GROUP, (_, chain: string) => (isTrue(chain) ? '1' : '0'));
  }
  return CHAIN.test(text) ? isTrue(text) : undefined;
}

/** The profiles that an expression names. */
function profilesIn(expression: string): readonly string[] {
  return expression.match(NAME) ?? [];
}

/** @param chain `1&0&1` or `1|0|1` */
function isTrue(chain: string): boolean {
  return chain.includes('|') ? chain.includes('1') : !chain.includes('0');
}
