import {
  type AuditQuery,
  ConsoleProblem,
  type JobsQuery,
  type PageQuery,
  type ServersQuery,
} from '../contract/index.js';
import { logIn, logOut } from './audit-notes.js';
import { type ConsoleRoute, reads } from './route.js';
import { BODIES, type ExecutionsQuery, type FireTimesQuery, type LiveQuery, type LogInBody, QUERIES } from './rows.js';
import { topicsOf } from './topics.js';

/** Routes of sessions. */
export const SESSION_ROUTES: readonly ConsoleRoute[] = [
  reads<'SessionAnswer', object, LogInBody>({
    method: 'POST',
    path: '/session',
    role: 'anybody',
    body: BODIES.logIn,
    answer: 'SessionAnswer',
    summary: 'Logs in: the answer sets the cookie of a session.',
    run: logIn,
  }),
  reads({
    method: 'GET',
    path: '/session',
    role: 'anybody',
    answer: 'SessionAnswer',
    summary: 'Who asks, and what that may do.',
    run: async ({ identities, limits }, _call, request) => {
      const caller = await identities.authenticate(request);
      limits.read(caller);
      return identities.session(request, caller);
    },
  }),
  reads({
    method: 'DELETE',
    path: '/session',
    role: 'anybody',
    answer: 'nothing',
    status: 204,
    summary: 'Logs out: the session ends at once.',
    run: logOut,
  }),
];

/** Routes that show something. */
export const READ_ROUTES: readonly ConsoleRoute[] = [
  reads({
    method: 'GET',
    path: '/overview',
    role: 'viewer',
    answer: 'OverviewAnswer',
    summary: 'The namespace at a glance.',
    run: async ({ index }, { caller }) => {
      const overview = index.overview(caller);
      await index.historyReady();
      return overview.history === null ? index.overview(caller) : overview;
    },
  }),
  reads<'events', LiveQuery>({
    method: 'GET',
    path: '/live',
    role: 'viewer',
    query: QUERIES.live,
    answer: 'events',
    summary: 'A stream of server-sent events: `?topics=overview,jobs,audit,job:NAME`.',
    run: ({ live }, { caller, query }, request) => live(request, caller, topicsOf(query.topics, caller)),
  }),
  reads({
    method: 'GET',
    path: '/openapi.json',
    role: 'viewer',
    answer: 'document',
    summary: 'This document.',
    run: ({ document }) => document(),
  }),
  reads<'JobsAnswer', JobsQuery>({
    method: 'GET',
    path: '/jobs',
    role: 'viewer',
    query: QUERIES.jobs,
    answer: 'JobsAnswer',
    summary: 'Jobs, by pages.',
    run: async ({ index }, { caller, query }) => {
      const { items } = index.list(query, caller);
      index.setScreen(
        caller,
        items.map(({ job }) => job),
      );
      await index.historyReady();
      return index.list(query, caller);
    },
  }),
  reads({
    method: 'GET',
    path: '/jobs/:job',
    role: 'viewer',
    answer: 'JobAnswer',
    summary: 'A job with its instances and servers.',
    run: ({ reads: read }, { params }) => read.job(params.job!),
  }),
  reads<'ItemsAnswer', PageQuery>({
    method: 'GET',
    path: '/jobs/:job/items',
    role: 'viewer',
    query: QUERIES.page,
    answer: 'ItemsAnswer',
    summary: 'Items of a job, by pages.',
    run: ({ reads: read }, { params, query }) => read.items(params.job!, query),
  }),
  reads({
    method: 'GET',
    path: '/jobs/:job/items/:item',
    role: 'viewer',
    answer: 'ItemAnswer',
    summary: 'An item with its last run.',
    run: ({ reads: read }, { params }) => read.item(params.job!, Number(params.item)),
  }),
  reads<'FireTimesAnswer', FireTimesQuery>({
    method: 'GET',
    path: '/jobs/:job/fire-times',
    role: 'viewer',
    query: QUERIES.fireTimes,
    answer: 'FireTimesAnswer',
    summary: 'The next fire times of a job.',
    run: ({ reads: read }, { params, query }) => read.fireTimes(params.job!, query),
  }),
  reads<'ExecutionsAnswer', ExecutionsQuery>({
    method: 'GET',
    path: '/jobs/:job/executions',
    role: 'viewer',
    query: QUERIES.executions,
    answer: 'ExecutionsAnswer',
    summary: 'Runs of a job from the history, the newest first.',
    run: ({ reads: read }, { params, query }) => read.executions(params.job!, query),
  }),
  reads({
    method: 'GET',
    path: '/jobs/:job/failover',
    role: 'viewer',
    answer: 'FailoverAnswer',
    summary: 'Items that wait for an instance to take them over.',
    run: ({ reads: read }, { params }) => read.failover(params.job!),
  }),
  reads({
    method: 'GET',
    path: '/jobs/:job/reruns',
    role: 'viewer',
    answer: 'RerunsAnswer',
    summary: 'Re-runs of a job that have not ended yet, the oldest first.',
    run: ({ reads: read }, { params }) => read.reruns(params.job!),
  }),
  reads({
    method: 'GET',
    path: '/jobs/:job/dump',
    role: 'viewer',
    // Its nodes name other jobs, before and after which this one starts.
    beyondPrefix: true,
    answer: 'text',
    summary: 'The nodes of a job as text, secrets hidden.',
    run: ({ reads: read }, { params }) => read.dump(params.job!),
  }),
  reads({
    method: 'GET',
    path: '/jobs/:job/config',
    role: 'viewer',
    answer: 'ConfigAnswer',
    summary: 'The settings of a job. The ETag is what a change names.',
    run: ({ config }, call) => config.show(call),
  }),
  reads<'ServersAnswer', ServersQuery>({
    method: 'GET',
    path: '/servers',
    role: 'viewer',
    query: QUERIES.servers,
    answer: 'ServersAnswer',
    summary: 'Servers that have run a job, by pages.',
    run: ({ index }, { caller, query }) => index.servers(query, caller),
  }),
  reads({
    method: 'GET',
    path: '/servers/:ip',
    role: 'viewer',
    answer: 'ServerAnswer',
    summary: 'A server with its jobs and its instances, their clocks, and which of them leave.',
    run: ({ index }, { caller, params }) => {
      const server = index.server(params.ip!, caller) ?? noServer(params.ip!);
      index.setScreen(caller, server.jobNames);
      return server;
    },
  }),
  reads<'AuditAnswer', AuditQuery>({
    method: 'GET',
    path: '/audit',
    role: 'operator',
    query: QUERIES.audit,
    answer: 'AuditAnswer',
    summary: 'Who has changed what, the newest first.',
    run: ({ audit }, { caller, query }) => audit.read(query, caller),
  }),
];

function noServer(ip: string): never {
  throw new ConsoleProblem(404, 'UNKNOWN_SERVER', `There is no server "${ip}"; GET /servers has all of them.`);
}
