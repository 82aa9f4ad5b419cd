import { flag, mustBeUnseen, type OptionRow, OptionTable, rule, text, wholeNumber } from '../../domain/index.js';

/** The error handler in errors. */
export const PLACE = 'EmailErrorHandler';
const GREATEST_PORT = 65_535;

/** The mail server and the account that sends the mails. */
export interface EmailErrorHandlerOptions {
  /** Name of the mail server. */
  readonly host: string;
  /** Port of the mail server. @default 465, or 587 without `secure` */
  readonly port?: number;
  /** True: TLS from the start; false: by STARTTLS. @default true */
  readonly secure?: boolean;
  /** Undefined: the server needs no account. */
  readonly auth?: { readonly username: string; readonly password: string };
  /** Certificates in PEM that are trusted besides Node's authorities, such as that of an own server. */
  readonly ca?: string | readonly string[];
  /**
   * Allows mails without TLS, or to a server whose certificate cannot be checked. Not together with `auth`: a password
   * is never sent that way.
   * @default false
   */
  readonly insecure?: boolean;
  /** The sender. @default the prop `email.from` of each job */
  readonly from?: string;
  /** The recipients, separated by commas. @default the prop `email.to` of each job */
  readonly to?: string;
}

const ACCOUNT = 'auth must have a username and a password';
const ROWS = {
  host: { required: true, rule: rule('the name of a mail server', isHost, mustBeUnseen('the name of a mail server')) },
  port: { rule: wholeNumber({ from: 1, to: GREATEST_PORT }) },
  secure: { rule: flag() },
  auth: { rule: rule(ACCOUNT, isAccount, () => ACCOUNT) },
  ca: { rule: rule('certificates in PEM', areTexts, mustBeUnseen('certificates in PEM')) },
  insecure: { rule: flag() },
  from: { rule: text() },
  to: { rule: text() },
} as const satisfies Readonly<Record<keyof EmailErrorHandlerOptions, OptionRow>>;
/** Options of `EmailErrorHandler`. */
export const EMAIL_TABLE = new OptionTable(ROWS, PLACE);

function isHost(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s/]+$/.test(value);
}

function isAccount(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const isText = (name: string) => typeof Reflect.get(value, name) === 'string' && Reflect.get(value, name) !== '';
  return isText('username') && isText('password') && Object.keys(value).length === 2;
}

function areTexts(value: unknown): boolean {
  return [value].flat().every((one) => typeof one === 'string');
}
