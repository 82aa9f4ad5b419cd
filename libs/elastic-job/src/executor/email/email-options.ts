import {
  flag,
  mustBeUnseen,
  nested,
  type OptionRow,
  OptionTable,
  rule,
  text,
  wholeNumber,
} from '../../domain/index.js';

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

const NOT_EMPTY = 'a text that is not empty';
const credential = rule(NOT_EMPTY, (value) => typeof value === 'string' && value !== '', mustBeUnseen(NOT_EMPTY));
const ACCOUNT = {
  username: { required: true, rule: credential },
  password: { required: true, rule: credential },
} as const satisfies Readonly<Record<keyof NonNullable<EmailErrorHandlerOptions['auth']>, OptionRow>>;
const ROWS = {
  host: { required: true, rule: rule('the name of a mail server', isHost, mustBeUnseen('the name of a mail server')) },
  port: { rule: wholeNumber({ from: 1, to: GREATEST_PORT }) },
  secure: { rule: flag() },
  auth: { rule: nested('an object with username and password', new OptionTable(ACCOUNT, 'an account', 'auth.')) },
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

function areTexts(value: unknown): boolean {
  return [value].flat().every((one) => typeof one === 'string');
}
