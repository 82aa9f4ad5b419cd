import type { Options } from 'nodemailer/lib/smtp-transport/index.js';
import {
  ConfigurationError,
  type DeliveryTerms,
  describeReport,
  errorOfImport,
  type FailureReport,
  flag,
  type JobErrorHandler,
  type JobProps,
  LOCAL_TARGET,
  mustBeUnseen,
  nested,
  type OptionRow,
  OptionTable,
  type PropClasses,
  PropsReader,
  type PropTargets,
  rule,
  targetsAmong,
  text,
  wholeNumber,
} from '../../domain/index.js';

/** The error handler in errors. */
const PLACE = 'EmailErrorHandler';
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
const EMAIL_TABLE = new OptionTable(ROWS, PLACE);

const LINE_BREAK = /[\r\n]/;
const DEFAULT_SUBJECT = 'ElasticJob error message';
/** Longest wait for the connection, and for the answer to each command, in milliseconds. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 5_000;
/** Longest time of one delivery, in milliseconds. */
const DELIVERY_MS = 20_000;

/** The props of `EMAIL`, as ElasticJob names them. */
interface EmailSettings {
  readonly subject: string;
  readonly from: string;
  /** Separated by commas. */
  readonly to: string;
  readonly cc: string | undefined;
  readonly bcc: string | undefined;
}

/** Mails go out in the name of the process, so a stranger writes neither their addresses nor their subject. */
export const EMAIL_PROPS: PropClasses = {
  'email.from': LOCAL_TARGET,
  'email.to': LOCAL_TARGET,
  'email.cc': LOCAL_TARGET,
  'email.bcc': LOCAL_TARGET,
  'email.subject': LOCAL_TARGET,
};

/**
 * `EMAIL`: a mail for each report. The server, the account and the trusted certificates are set here only: ElasticJob's
 * props for them are ignored, since an editor of the registry could redirect the password.
 *
 * Props:
 * - `email.from` (required): sender. The registry's is ignored, as are its values of the other props.
 * - `email.to` (required): receivers, separated by commas.
 * - `email.cc` (none): further receivers, separated by commas.
 * - `email.bcc` (none): receivers whom the others do not see, separated by commas.
 * - `email.subject` (ElasticJob error message): subject, in one line.
 *
 * ```ts
 * ElasticJobModule.forRoot({
 *   errorHandlers: [new EmailErrorHandler({ host: 'smtp.example.org', auth: { username: 'jobs', password } })],
 * })
 * ```
 * @see ElasticJob, `EmailJobErrorHandler`
 */
export class EmailErrorHandler implements JobErrorHandler {
  readonly type = 'EMAIL';
  readonly targets: PropTargets = targetsAmong(EMAIL_PROPS);
  // Truly private: it holds a password.
  readonly #server: Options;
  readonly #given: JobProps;
  /** Imported at once, so that a missing package fails the start instead of the first report. */
  readonly #mailer: ReturnType<typeof importMailer>;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(options: EmailErrorHandlerOptions) {
    const checked = EMAIL_TABLE.checked(PLACE, options);
    this.#server = serverOf(checked);
    const { from, to } = checked;
    this.#given = { ...(from !== undefined && { 'email.from': from }), ...(to !== undefined && { 'email.to': to }) };
    const faults = Object.entries(this.#given).flatMap(([name, address]) => findAddressFaults(name, address));
    if (faults.length > 0) throw new ConfigurationError(PLACE, faults);
    this.#mailer = importMailer();
    this.#mailer.catch((error: Error) => process.emitWarning(error));
  }

  findFaults(props: JobProps): readonly string[] {
    const reader = this.readerOf(props);
    read(reader);
    return reader.faults;
  }

  timeLimitMs(): number {
    return DELIVERY_MS;
  }

  /** @throws {MissingPackageError} if nodemailer is not installed */
  async handle(report: FailureReport, { props }: DeliveryTerms): Promise<void> {
    const { createTransport } = await this.#mailer;
    const transport = createTransport(this.#server);
    try {
      await transport.sendMail({ ...read(this.readerOf(props)), text: describeReport(report) });
    } finally {
      transport.close();
    }
  }

  private readerOf(props: JobProps): PropsReader {
    return new PropsReader({ ...props, ...this.#given });
  }
}

async function importMailer(): Promise<typeof import('nodemailer')> {
  try {
    return await import('nodemailer');
  } catch (error) {
    throw errorOfImport(error, 'nodemailer', PLACE);
  }
}

function read(reader: PropsReader): EmailSettings {
  const required = (name: string) => addressed(reader, name, reader.required(name));
  const optional = (name: string) => addressed(reader, name, reader.text(name));
  const subject = reader.text('email.subject') ?? DEFAULT_SUBJECT;
  if (LINE_BREAK.test(subject)) reader.faults.push('email.subject must be one line');
  return {
    subject,
    from: required('email.from'),
    to: required('email.to'),
    cc: optional('email.cc'),
    bcc: optional('email.bcc'),
  };
}

function addressed<Text extends string | undefined>(reader: PropsReader, name: string, value: Text): Text {
  if (value) reader.faults.push(...findAddressFaults(name, value));
  return value;
}

/**
 * Checks only for a missing "@", which is a mistake, and for line breaks, which are an attack; the mail server judges
 * the rest.
 */
function findAddressFaults(name: string, value: string): readonly string[] {
  if (LINE_BREAK.test(value)) return [`${name} must be one line`];
  return /[^\s@]@[^\s@]/.test(value) ? [] : [`${name} must be an address`];
}

function serverOf({ host, port, secure = true, auth, ca, insecure = false }: EmailErrorHandlerOptions): Options {
  if (auth !== undefined && insecure) {
    const problem =
      'insecure and auth exclude each other: a password is sent only over TLS that is checked; name the ca';
    throw new ConfigurationError(PLACE, [problem]);
  }
  return {
    host,
    port: port ?? (secure ? 465 : 587),
    secure,
    requireTLS: !insecure,
    ...(auth !== undefined && { auth: { user: auth.username, pass: auth.password } }),
    tls: { rejectUnauthorized: !insecure, ...(ca !== undefined && { ca: [ca].flat() }) },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: ANSWER_MS,
  };
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && /^[^\s/]+$/.test(value);
}

function areTexts(value: unknown): boolean {
  return [value].flat().every((one) => typeof one === 'string');
}
