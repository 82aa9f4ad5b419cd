/**
 * Secrets are removed at the exits: where a value or a text leaves the code of this package for a sink, a tracer, a
 * channel, a probe, a dump or another process. What a value may show there is decided by what it is made of, and not by
 * its class: texts, numbers, lists, plain records and errors are copied part by part, and anything else becomes its
 * text. So no part reaches an exit that `redact` has not seen.
 */
import { Hidden, hiddenProps } from '../options/index.js';
import type { SettledOutcome, ShardingContext, Trigger } from '../run/index.js';
import { handleRejection, isError, messageOf, nameOf, readable, stackOf } from '../thrown.js';

/** Removes secrets from a text before it leaves the process for a log, a history, a channel or a span. */
export type Redact = (text: string) => string;

/** Replaces a text whose redaction has failed, since it may hold the secret. */
const UNREADABLE = '(a text that could not be redacted)';
/** Depth to which causes, lists and records within a value are shown; deeper ones are dropped. */
const MOST_LEVELS = 10;
/** Most parts of one value that are shown, since its parts may be circular, and many. */
const MOST_PARTS = 10_000;
/** Methods by which a class may show itself as it likes. */
const OWN_FORMS = ['toString', 'toJSON', Symbol.toPrimitive, Symbol.for('nodejs.util.inspect.custom')];

/** Makes the function safe: if it throws, or returns no text, the text is not shown at all. */
export function guardRedact(redact: Redact): Redact {
  return (text) => {
    try {
      const redacted: unknown = redact(text);
      handleRejection(redacted);
      return typeof redacted === 'string' ? redacted : UNREADABLE;
    } catch (error) {
      readable(error);
      return UNREADABLE;
    }
  };
}

/**
 * Copies any value with each text in it redacted. Errors keep their class, with message, stack, fields and causes.
 * Lists and plain records stay such. All other objects, such as a `URL`, become their text. Never throws.
 */
export function redactThrown(thrown: unknown, redact: Redact): unknown {
  return new Redaction(redact).of(thrown, MOST_LEVELS);
}

/** Copies plain data, such as the details of a probe, with each text redacted, however large they are. */
export function redactTexts(value: unknown, redact: Redact): unknown {
  return new Redaction(redact, Number.POSITIVE_INFINITY).of(value, MOST_LEVELS);
}

/** The outcome with its error or reason redacted. */
export function redactOutcome(outcome: SettledOutcome, redact: Redact): SettledOutcome {
  switch (outcome.kind) {
    case 'failed':
      return { ...outcome, error: redactThrown(outcome.error, redact) };
    case 'aborted':
      return { ...outcome, reason: redactThrown(outcome.reason, redact) };
    case 'succeeded':
    case 'fenced':
      return outcome;
    default:
      return outcome satisfies never;
  }
}

/** The trigger with the operator's parameters redacted. */
export function redactTrigger<Given extends Pick<Trigger, 'parameters'>>(trigger: Given, redact: Redact): Given {
  return trigger.parameters === undefined ? trigger : { ...trigger, parameters: redact(trigger.parameters) };
}

/** A context for a tracer: its parameters and props are redacted, and all else is that of the given one. */
export function redactContext(context: ShardingContext, redact: Redact): ShardingContext {
  const { jobParameter, props, shardingParameter, trigger } = context;
  const shown = {
    jobParameter: redact(jobParameter),
    shardingParameter: shardingParameter && redact(shardingParameter),
    props: hiddenProps(Object.fromEntries(Object.entries(props).map(([name, value]) => [name, redact(value)]))),
    trigger: typeof trigger === 'string' ? trigger : redactTrigger(trigger, redact),
  } satisfies Partial<ShardingContext>;
  return Object.create(context, Object.getOwnPropertyDescriptors(shown));
}

/** One walk through a value. */
class Redaction {
  constructor(
    private readonly redact: Redact,
    private partsLeft = MOST_PARTS,
  ) {}

  /** @param levels how much deeper the walk may go */
  of(value: unknown, levels: number): unknown {
    this.partsLeft -= 1;
    if (this.partsLeft < 0) return undefined;
    if (value === null || value === undefined || typeof value === 'boolean') return value;
    if (typeof value !== 'object') return this.ofText(value);
    try {
      if (value instanceof Hidden) return value;
      if (isError(value)) return this.ofError(value, levels);
      if (Array.isArray(value)) return levels === 0 ? [] : this.ofList(value, levels);
      if (isPlainRecord(value)) return levels === 0 ? {} : this.ofRecord(value, levels);
    } catch {
      // It does not let itself be looked at. Its text says what it shows.
    }
    return this.ofText(value);
  }

  /** A number or another value stays what it is if its text holds nothing to be redacted. */
  private ofText(value: unknown): unknown {
    const text = messageOf(value);
    const shown = this.redact(text);
    return shown === text && ['number', 'bigint', 'symbol'].includes(typeof value) ? value : shown;
  }

  private within(value: unknown, levels: number): unknown {
    const isDeep = typeof value === 'object' && value !== null && levels === 0;
    return isDeep ? undefined : this.of(value, levels - 1);
  }

  /** A list may be longer than it has elements. */
  private ofList(list: readonly unknown[], levels: number): readonly unknown[] {
    return list.slice(0, this.partsLeft).map((one) => this.within(one, levels));
  }

  private ofRecord(value: object, levels: number): object {
    const names = Object.keys(value).slice(0, this.partsLeft);
    return Object.fromEntries(names.map((name) => [name, this.field(value, name, levels)]));
  }

  /** An error of another realm becomes one of this realm, of the same name. The copy shows itself as errors do. */
  private ofError(thrown: Error, levels: number): object {
    const copy: object = Object.create(thrown instanceof Error ? Object.getPrototypeOf(thrown) : Error.prototype);
    const define = (name: PropertyKey, value: unknown, enumerable = false) =>
      Object.defineProperty(copy, name, { value, enumerable, configurable: true, writable: true });
    for (const form of OWN_FORMS) define(form, undefined);
    for (const [name, enumerable] of fieldsOf(thrown, this.partsLeft)) {
      define(name, this.field(thrown, name, levels), enumerable);
    }
    define('name', this.redact(nameOf(thrown)));
    define('message', this.redact(messageOf(thrown)));
    define('toString', Reflect.get(Error.prototype, 'toString'));
    const stack = stackOf(thrown);
    if (stack !== undefined) define('stack', this.redact(stack));
    return copy;
  }

  /** Beyond the limit a field is not even read. */
  private field(owner: object, name: string, levels: number): unknown {
    if (this.partsLeft <= 0) return undefined;
    try {
      return this.within(Reflect.get(owner, name), levels);
    } catch {
      return undefined;
    }
  }
}

/**
 * Fields of an error by name, with whether they are listed: its own ones, and the getters and values that it inherits
 * from its classes or another error, without their methods.
 * @param most most of each of these; an outsider may have given it any number
 */
function fieldsOf(thrown: Error, most: number): ReadonlyMap<string, boolean> {
  const fields = new Map<string, boolean>();
  for (let owner: object | null = thrown; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const isOwn = owner === thrown;
    for (const name of Object.getOwnPropertyNames(owner).slice(0, most)) {
      const field = Object.getOwnPropertyDescriptor(owner, name);
      if (field === undefined || fields.has(name)) continue;
      const isShown = isOwn || (name !== '__proto__' && typeof field.value !== 'function');
      if (isShown) fields.set(name, isOwn && field.enumerable === true);
    }
  }
  return fields;
}

function isPlainRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // `Object.prototype`, of any realm, has no prototype itself.
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain && OWN_FORMS.every((name) => !Object.hasOwn(value, name));
}
