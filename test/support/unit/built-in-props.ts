import { vi } from 'vitest';
import { type JobProps, type PropClasses, PropsReader } from '../../../libs/elastic-job/src/domain/index.js';
import { DATAFLOW_PROPS, findDataflowFaults } from '../../../libs/elastic-job/src/executor/job-work.js';
import { EMAIL_PROPS, EmailErrorHandler } from '../../../libs/elastic-job/src/executor/email/email.error-handler.js';
import {
  DINGTALK_PROPS,
  DingtalkErrorHandler,
  SLACK_PROPS,
  SlackErrorHandler,
  WEBHOOK_PROPS,
  WebhookErrorHandler,
  WECHAT_PROPS,
  WechatErrorHandler,
} from '../../../libs/elastic-job/src/executor/index.js';
import { findHttpFaults, HTTP_PROPS, readHttpProps } from '../../../libs/elastic-job/src/executor/http/http.props.js';
import { SCRIPT_PROPS, ScriptJobType } from '../../../libs/elastic-job/src/executor/script/script.job-type.js';

/** A type of jobs or error handlers that the package has. */
interface BuiltIn {
  readonly classes: PropClasses;
  readonly read: (props: JobProps) => unknown;
}

/** Types by the names of their classes or interfaces. */
export const BUILT_INS: Readonly<Record<string, BuiltIn>> = {
  DataflowJob: { classes: DATAFLOW_PROPS, read: (props) => findDataflowFaults(props) },
  HttpJobType: { classes: HTTP_PROPS, read: (props) => [findHttpFaults(props), readHttpProps(props)] },
  ScriptJobType: { classes: SCRIPT_PROPS, read: (props) => new ScriptJobType().findFaults(props) },
  EmailErrorHandler: {
    classes: EMAIL_PROPS,
    read: (props) => new EmailErrorHandler({ host: 'localhost' }).findFaults(props),
  },
  WechatErrorHandler: { classes: WECHAT_PROPS, read: (props) => new WechatErrorHandler().findFaults(props) },
  DingtalkErrorHandler: { classes: DINGTALK_PROPS, read: (props) => new DingtalkErrorHandler().findFaults(props) },
  SlackErrorHandler: { classes: SLACK_PROPS, read: (props) => new SlackErrorHandler().findFaults(props) },
  WebhookErrorHandler: { classes: WEBHOOK_PROPS, read: (props) => new WebhookErrorHandler().findFaults(props) },
};

/** The names of the props that are read, be it by a reader or from the object itself. */
export function propsRead(read: (props: JobProps) => unknown): readonly string[] {
  const names = new Set<string>();
  const text = vi.spyOn(PropsReader.prototype, 'text').mockImplementation((name) => void names.add(name));
  const props: JobProps = {};
  const get = (_: JobProps, name: string | symbol) => {
    names.add(String(name));
    return name === 'http.method' ? 'POST' : undefined; // a body is read for some methods alone
  };
  read(new Proxy(props, { get }));
  text.mockRestore();
  return [...names];
}
