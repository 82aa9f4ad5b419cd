import { type ConsoleCaller, type ConsoleRole, mayAs } from '../contract/index.js';
import type { ConsoleRights, ConsoleToken, ConsoleUser } from './auth-options.js';
import { hashPassword, PasswordChecks } from './passwords.js';
import { digestOf, randomSecret } from './secrets.js';
import type { StoredSession } from './session-store.js';

/** A user, and the digest that changes with the password. */
export interface KnownUser extends ConsoleRights {
  readonly credential: string;
}

const PRINTED_BITS = 128;

/** The accounts of the options. Maps hold them, so that no name of an object's own fields finds anything. */
export class Accounts {
  private readonly users: ReadonlyMap<string, KnownUser>;
  private readonly tokens: ReadonlyMap<string, ConsoleToken>;
  private readonly passwords: PasswordChecks;

  constructor(users: readonly ConsoleUser[], tokens: readonly ConsoleToken[]) {
    const known = users.map(({ name, role, jobPrefix, password }): KnownUser => {
      return { name, role, jobPrefix, credential: digestOf(password) };
    });
    this.users = new Map(known.map((user) => [user.name, user]));
    this.tokens = new Map(tokens.map((token) => [token.sha256.toLowerCase(), { ...token }]));
    this.passwords = new PasswordChecks(new Map(users.map(({ name, password }) => [name, password])));
  }

  /** One admin with a new password. @param tell is given the password, which is kept nowhere else */
  static async printed(tell: (name: string, password: string) => void): Promise<Accounts> {
    const password = randomSecret(PRINTED_BITS);
    const accounts = new Accounts([{ name: 'admin', role: 'admin', password: await hashPassword(password) }], []);
    tell('admin', password);
    return accounts;
  }

  get haveUsers(): boolean {
    return this.users.size > 0;
  }

  isUser(name: string): boolean {
    return this.users.has(name);
  }

  /** @throws {ConsoleProblem} 429 if too many log in at once */
  async byPassword(name: string, password: string, signal: AbortSignal): Promise<KnownUser | undefined> {
    return (await this.passwords.isRight(name, password, signal)) ? this.users.get(name) : undefined;
  }

  byToken(token: string, now: number): ConsoleCaller | undefined {
    const found = this.tokens.get(digestOf(token));
    if (found === undefined || (found.expires !== undefined && now >= Date.parse(found.expires))) return undefined;
    return { name: found.name, role: found.role, jobPrefix: found.jobPrefix, by: 'token' };
  }

  /**
   * Rights of a session's user at present: the lower one of both roles, since a higher one needs a log-in.
   * @returns undefined if the user is gone, or has another password or prefix
   */
  bySession({ name, role, jobPrefix, credential }: StoredSession): ConsoleCaller | undefined {
    const user = this.users.get(name);
    if (user?.credential !== credential || (user.jobPrefix ?? null) !== jobPrefix) return undefined;
    return { name, role: lowerOf(role, user.role), jobPrefix: user.jobPrefix, by: 'page' };
  }
}

function lowerOf(one: ConsoleRole, other: ConsoleRole): ConsoleRole {
  return mayAs(one, other) ? other : one;
}
