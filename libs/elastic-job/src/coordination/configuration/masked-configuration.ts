import { JAVA_SETTINGS, JOB_SETTINGS, NESTJS_PREFIX } from '../../domain/index.js';
import { JAVA_TEXTS } from './parse-configuration.js';
import { readMapping, type YamlMapping } from './yaml-mapping.js';

const HIDDEN = 'hidden';
/** Settings without secrets. Entries of other versions may contain some. */
const SHOWN: ReadonlySet<string> = new Set([
  ...JAVA_SETTINGS.filter((name) => !('secret' in JOB_SETTINGS[name])),
  ...JAVA_TEXTS,
  'jobListenerTypes',
]);

/**
 * Text of a `config` node without the values of parameters, props and extra configurations, which may be secrets; their
 * names stay. An unreadable text is hidden as a whole.
 */
export function maskConfiguration(text: string): string {
  const read = readMapping(text);
  if (read.kind === 'unreadable') return HIDDEN;
  return [...read.mapping.keys].flatMap((key) => linesOf(read.mapping, key)).join('\n');
}

function linesOf(mapping: YamlMapping, key: string): readonly string[] {
  const entry = mapping.entryText(key);
  if (entry === undefined) return [];
  if (SHOWN.has(key)) return [`${entry.key}:${entry.value}`];
  if (key !== 'props') return [`${entry.key}: ${/^\s*(?:''|"")?\s*$/.test(entry.value) ? "''" : HIDDEN}`];
  const props = mapping.mapping(key);
  return [`${key}:`, ...[...props.keys].map((name) => `  ${JSON.stringify(name)}: ${propOf(props, name)}`)];
}

function propOf(props: YamlMapping, name: string): string {
  return name.startsWith(NESTJS_PREFIX) ? JSON.stringify(props.text(name) ?? '') : HIDDEN;
}
