import { JOB_SETTINGS, namesOf, NESTJS_PREFIX, type Redact, redactTexts } from '../../domain/index.js';

const HIDDEN = 'hidden';
/** Most characters of a value; longer ones are left out. */
const MOST_CHARACTERS = 65_536;

/** Fields whose values may be secrets: those that a dump hides, and what a trigger or a log-in is given. */
const SECRET: ReadonlySet<string> = new Set([
  ...namesOf(JOB_SETTINGS).filter((name) => 'secret' in JOB_SETTINGS[name]),
  'jobExtraConfigurations',
  'parameter',
  'parameters',
  'password',
  'token',
]);

/**
 * The part of a value that an entry keeps: plain data, in which a field that may hold a secret stands as `hidden`,
 * wherever it is. A change of a field, `{ field, before, after }`, is hidden by the name of the field. Each text is
 * redacted.
 */
export function hideSecrets(value: unknown, redact: Redact): unknown {
  // Redaction copies plain data, to a limited depth.
  const shown = withoutSecrets(redactTexts(value, redact)) ?? null;
  const { length } = JSON.stringify(shown);
  return length <= MOST_CHARACTERS ? shown : `left out: it has ${length} characters`;
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const field: unknown = Reflect.get(value, 'field');
  const isHidden = typeof field === 'string' && isSecretField(field);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]: [string, unknown]) => {
      if (isHidden && (name === 'before' || name === 'after')) return [name, hidden(part)];
      if (name === 'props') return [name, withoutProps(part)];
      return [name, SECRET.has(name) ? hidden(part) : withoutSecrets(part)];
    }),
  );
}

/** True for `jobParameter`, `props` and `props.url`, but not for `props.nestjs.timeoutMs`. */
function isSecretField(field: string): boolean {
  return (
    SECRET.has(field) ||
    field === 'props' ||
    (field.startsWith('props.') && !field.startsWith(`props.${NESTJS_PREFIX}`))
  );
}

function withoutProps(props: unknown): unknown {
  if (typeof props !== 'object' || props === null || Array.isArray(props)) return hidden(props);
  return Object.fromEntries(
    Object.entries(props).map(([name, part]: [string, unknown]) => [
      name,
      name.startsWith(NESTJS_PREFIX) ? part : HIDDEN,
    ]),
  );
}

/** That there is nothing is no secret. */
function hidden(value: unknown): unknown {
  return value === null || value === undefined || value === '' ? value : HIDDEN;
}
