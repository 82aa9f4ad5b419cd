import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { waitFor } from '../../clock/index.js';
import { ConfigurationError } from '../../domain/index.js';
import { ConsoleProblem } from '../contract/index.js';
import { digestOf } from './secrets.js';

const LEAST_CHARACTERS = 12;
export const MOST_PASSWORD = 1_024;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** The cost of a guess: `2^ln` blocks of `128 r` bytes, `p` times. */
interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/**
 * As strong as N 2^17, r 8, p 1, in 32 MB instead of 128.
 * @see OWASP, "Password Storage Cheat Sheet"
 */
const COST: Cost = { ln: 15, r: 8, p: 3 };
const workOf = ({ ln, r, p }: Cost): number => 2 ** ln * r * p;
const LEAST_WORK = workOf(COST);
/** Texts beyond it would make a log-in an attack. */
const MOST_WORK = 8 * LEAST_WORK;
const MOST_MEMORY = 2 ** 27;

/** The parts of a password's text. */
interface PasswordText {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

const FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43})$/;

/** Reads what `hashPassword` has made. @returns undefined for another text, and for one that is weaker or dearer */
export function parsePasswordText(text: unknown): PasswordText | undefined {
  const [, ln, r, p, salt = '', key = ''] = (typeof text === 'string' && FORM.exec(text)) || [];
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  const work = workOf(cost);
  // Less memory for a guess would help an attacker with many small processors.
  const isStrong = cost.ln >= COST.ln && cost.r >= COST.r && work >= LEAST_WORK;
  const isDear = work > MOST_WORK || 128 * cost.r * 2 ** cost.ln > MOST_MEMORY;
  if (!isStrong || isDear) return undefined;
  return { cost, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') };
}

/**
 * The text for `password` of a user of the console: scrypt with a salt of its own.
 * @throws {ConfigurationError} for a password of less than 12 characters, or of more than 1024
 */
export async function hashPassword(password: string): Promise<string> {
  if (typeof password !== 'string' || password.length < LEAST_CHARACTERS || password.length > MOST_PASSWORD) {
    const what = `a text of ${LEAST_CHARACTERS} to ${MOST_PASSWORD} characters`;
    throw new ConfigurationError('hashPassword', [`the password must be ${what}`]);
  }
  const salt = randomBytes(SALT_BYTES);
  const { ln, r, p } = COST;
  const key = await keyOf(password, salt, COST);
  return `$scrypt$ln=${ln},r=${r},p=${p}$${plain(salt)}$${plain(key)}`;
}

/** Base64 without padding, as such texts have it. @see "PHC string format" */
function plain(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function memoryOf({ ln, r, p }: Cost): number {
  return 128 * r * (2 ** ln + p + 2);
}

/** The same letter may come composed or not, as the keyboard has it. */
function keyOf(password: string, salt: Buffer, cost: Cost): Promise<Buffer> {
  const { ln, r, p } = cost;
  // Node's default for `maxmem` is 32 MB, which refuses this cost.
  const options = { N: 2 ** ln, r, p, maxmem: memoryOf(cost) + 2 ** 20 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

const AT_ONCE = 2;
const MOST_WAITING = 16;

/** Compares passwords, few at a time: each takes 32 MB and some tenths of a second of a processor. */
export class PasswordChecks {
  private running = 0;
  private readonly waiting = new Set<() => void>();

  /** @param texts those of all users, by name; an unknown name costs what one of them costs */
  constructor(private readonly texts: ReadonlyMap<string, string>) {}

  /**
   * True if it is the password of the name. False takes the same time whether there is such a name or not.
   * @param signal of the client, who may not wait that long
   * @throws {ConsoleProblem} 429 if too many wait
   */
  async isRight(name: string, password: string, signal: AbortSignal): Promise<boolean> {
    const isKnown = this.texts.has(name);
    const text = parsePasswordText(this.texts.get(name) ?? this.standIn(name));
    if (text === undefined) return false;
    const key = await this.inTurn(() => keyOf(password, text.salt, text.cost), signal);
    return timingSafeEqual(key, text.key) && isKnown;
  }

  /** The same text for a name each time, so that one name does not show different costs. */
  private standIn(name: string): string | undefined {
    const texts = [...this.texts.values()];
    return texts[Number.parseInt(digestOf(name).slice(0, 8), 16) % texts.length];
  }

  private async inTurn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.running < AT_ONCE) this.running += 1;
    else await this.turn(signal);
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next === undefined) this.running -= 1;
      else next();
    }
  }

  /** The one that ends passes its turn on. */
  private async turn(signal: AbortSignal): Promise<void> {
    if (this.waiting.size >= MOST_WAITING) {
      const detail = 'Too many log-ins wait for their turn. Try again in a few seconds.';
      throw new ConsoleProblem(429, 'TOO_MANY_REQUESTS', detail, {}, { 'retry-after': '5' });
    }
    const arm = (goOn: () => void) => {
      this.waiting.add(goOn);
      return () => this.waiting.delete(goOn);
    };
    await waitFor(arm, { signals: [signal] });
  }
}
