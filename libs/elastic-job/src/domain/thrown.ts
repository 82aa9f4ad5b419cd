/**
 * Thrown values as texts, and rejections that nobody waits for. JavaScript lets any value be thrown, and it may do
 * something when it is looked at: a revoked proxy, an error whose `message` is a getter that throws, an
 * `Error.prepareStackTrace` that throws. None but `isThenable` throws.
 */

/** Text of a value that does not let itself be read. */
const UNREADABLE = 'a value that cannot be shown';
/** Most causes of an error that are shown, since a chain of causes may be circular. */
const MOST_CAUSES = 5;

/** Stands for a promise that was thrown. Its cause is the promise's reason, once it has rejected. */
class ThrownPromiseError extends Error {
  /** Receives the reason; undefined once the promise has rejected. */
  #handle: ((reason: unknown) => void) | undefined = () => {};

  constructor(promise: unknown) {
    super('a promise was thrown, which is no error');
    handleRejection(promise, (thrown) => {
      const reason = isPromise(thrown) ? handled(thrown) : readable(thrown);
      // As `Error` has it: not listed. False, and no error, if somebody has frozen this one.
      Reflect.defineProperty(this, 'cause', { value: reason, configurable: true, writable: true });
      this.#handle?.(reason);
      this.#handle = undefined;
    });
  }

  /** False for a copy, which has the class only, and for a proxy. */
  static is(thrown: unknown): thrown is ThrownPromiseError {
    return #handle in Object(thrown);
  }

  /** @param handle must not throw. Called when the promise rejects, unless it has done so. */
  whenRejected(handle: (reason: unknown) => void): void {
    if (this.#handle !== undefined) this.#handle = handle;
  }
}

/** True for an error, also for one of another realm such as a `vm` context. A revoked proxy is none. */
export function isError(thrown: unknown): thrown is Error {
  return isOf(Error, '[object Error]', thrown);
}

/** The message of an error, or the text of another value. */
export function messageOf(thrown: unknown): string {
  return textOf(() => (isError(thrown) ? thrown.message : thrown));
}

/** The name of an error's class, or the type of another value. */
export function nameOf(thrown: unknown): string {
  return isError(thrown) ? textOf(() => thrown.name) : typeof thrown;
}

/** The code of an error as a text, as Node's errors have one; undefined if it has none, or none that can be read. */
export function codeOf(thrown: unknown): string | undefined {
  const code = anyCodeOf(thrown);
  return typeof code === 'string' ? code : undefined;
}

/** The code of an error as a text or a number, as drivers and exit codes have one. @see codeOf */
export function anyCodeOf(thrown: unknown): string | number | undefined {
  const code: unknown = isError(thrown) ? attempt(() => Reflect.get(thrown, 'code')) : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}

/** The stack of an error; undefined if it has none, or none that can be read. */
export function stackOf(thrown: unknown): string | undefined {
  const stack: unknown = isError(thrown) ? attempt(() => thrown.stack) : undefined;
  return typeof stack === 'string' && stack !== '' ? stack : undefined;
}

/** The cause of an error; undefined if it has none, or none that can be read. */
export function causeOf(thrown: unknown): unknown {
  return isError(thrown) ? attempt(() => thrown.cause) : undefined;
}

/** The error with its stack and its causes, in Java's form. Never throws, for any thrown value. */
export function describeError(error: unknown, mostCauses = MOST_CAUSES): string {
  return describeChain(error, describeOne, mostCauses);
}

/**
 * A text for the error and for each of its causes, in Java's form.
 * @param describe must not throw
 */
export function describeChain(error: unknown, describe: (thrown: unknown) => string, mostCauses = MOST_CAUSES): string {
  const texts = [describe(error)];
  for (let cause = causeOf(error); cause !== undefined && texts.length <= mostCauses; cause = causeOf(cause)) {
    texts.push(describe(cause));
  }
  return texts.join('\nCaused by: ');
}

/**
 * The value itself, if its class, name, message and causes can be read, or else an error that says what can be read of
 * it. It stands where a value of a user's function enters, so that all code behind may look at it. For a promise that
 * was thrown stands an error as well. Its rejection is handled, as is that of a promise which is the cause of an error.
 */
export function readable(thrown: unknown): unknown {
  if (isPromise(thrown)) return new ThrownPromiseError(thrown);
  if (attempt(() => hasNoTrap(thrown))) return thrown;
  return new Error(`a value was thrown that does not let itself be read: ${messageOf(thrown)}`);
}

/** The error with its stack, but without its causes. */
export function describeOne(thrown: unknown): string {
  return stackOf(thrown) ?? (isError(thrown) ? `${nameOf(thrown)}: ${messageOf(thrown)}` : messageOf(thrown));
}

/** Looks at whatever code may look at. @throws whatever the value throws */
function hasNoTrap(thrown: unknown, levels = MOST_CAUSES): boolean {
  if (!(thrown instanceof Error)) {
    handleRejection(thrown);
    return true;
  }
  const { cause, message, name } = thrown;
  return [message, name].every((text) => typeof text === 'string') && (levels === 0 || hasNoTrap(cause, levels - 1));
}

/**
 * Calls back with the reason of a promise that was thrown, when it rejects. The error, or one of its causes, stands for
 * that promise. If the reason is known already, it is a cause of the error, and nothing is called.
 * @param handle must not throw
 */
export function handleLateReason(error: unknown, handle: (reason: unknown) => void): void {
  let thrown = error;
  for (let level = 0; level <= MOST_CAUSES; level += 1, thrown = causeOf(thrown)) {
    if (ThrownPromiseError.is(thrown)) return thrown.whenRejected(handle);
  }
}

/** True for a promise, also for one of another realm. */
function isPromise(thrown: unknown): boolean {
  return isOf(Promise, '[object Promise]', thrown);
}

function isOf(type: ErrorConstructor | PromiseConstructor, tag: string, thrown: unknown): boolean {
  return attempt(() => thrown instanceof type || Object.prototype.toString.call(thrown) === tag) ?? false;
}

function textOf(read: () => unknown): string {
  return attempt(() => String(read())) ?? UNREADABLE;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** True for a promise of any realm, and for any other object with `then`. @throws what reading `then` throws */
export function isThenable(answer: unknown): answer is PromiseLike<unknown> {
  return typeof Reflect.get(Object(answer), 'then') === 'function';
}

/** The answer itself. Its rejection does not end the process if the caller, a user's function, does not await it. */
export function handled<Answer>(answer: Answer): Answer {
  handleRejection(answer);
  return answer;
}

/**
 * Handles the rejection of an answer that nothing waits for. A user's function may be `async` although its type says
 * otherwise; without this, its rejection would end the process.
 * @param handle must not throw. @default the rejection is ignored
 */
export function handleRejection(answer: unknown, handle: (error: unknown) => void = () => {}): void {
  if (answer === null || (typeof answer !== 'object' && typeof answer !== 'function')) return;
  const awaited = async (): Promise<unknown> => answer;
  awaited().catch(handle);
}
