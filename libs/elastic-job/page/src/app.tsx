import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { BASE, pathTo, startLive } from './api/index.js';
import { Frame } from './frame/frame.js';
import { LogInAgain, LogInPage } from './frame/log-in.js';
import { Jobs } from './jobs/jobs.js';
import { Overview } from './overview/overview.js';
import { Boundary, ChangeDialog, Failed, later, Loading, Look } from './parts/index.js';
import { loadSession, overview, sessionProblem, sessionState } from './state/index.js';
import { texts } from './text/index.js';

const Job = later(() => import('./job/job.js').then(({ JobView }) => JobView));
const Creation = later(() => import('./creation/creation.js').then((view) => view.Creation));
const Runs = later(() => import('./history/runs.js').then((view) => view.Runs));
const Run = later(() => import('./history/run.js').then((view) => view.Run));
const Events = later(() => import('./history/events.js').then((view) => view.Events));
const Servers = later(() => import('./servers/servers.js').then((view) => view.Servers));
const Server = later(() => import('./servers/server.js').then((view) => view.Server));
const Audit = later(() => import('./audit/audit.js').then((view) => view.Audit));
const Session = later(() => import('./session/session.js').then((view) => view.Session));

/** The page: its log-in, or its views by their URLs. Views that are seldom the first come once they are shown. */
export function App() {
  switch (sessionState.value) {
    case 'unknown':
      return <Loading />;
    case 'none':
      return <LogInPage />;
    case 'failed':
      return <Away />;
    case 'in':
    case 'over':
      return <Views />;
    default:
      return sessionState.value satisfies never;
  }
}

function Away() {
  const problem = sessionProblem.value;
  useEffect(() => {
    const timer = setInterval(() => void loadSession(), 5_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <main class="look page">
      <h1 class="unshown">{texts.value.product}</h1>
      {problem !== undefined && <Failed problem={problem} reload={() => void loadSession()} />}
    </main>
  );
}

function Views() {
  useLayoutEffect(() => {
    const endLive = startLive();
    const endOverview = overview.start();
    return () => {
      endOverview();
      endLive();
    };
  }, []);
  return (
    <LocationProvider scope={BASE}>
      <Frame>
        <Boundary>
          <ErrorBoundary>
            <Router>
              <Route path={BASE} component={Overview} />
              <Route path={`${BASE}jobs`} component={Jobs} />
              <Route path={`${BASE}jobs/:job/:tab?`} component={Job} />
              <Route path={`${BASE}new-job`} component={Creation} />
              <Route path={`${BASE}runs`} component={Runs} />
              <Route path={`${BASE}runs/:id`} component={Run} />
              <Route path={`${BASE}events`} component={Events} />
              <Route path={`${BASE}servers`} component={Servers} />
              <Route path={`${BASE}servers/:ip`} component={Server} />
              <Route path={`${BASE}audit`} component={Audit} />
              <Route path={`${BASE}session`} component={Session} />
              <Route default component={Unknown} />
            </Router>
          </ErrorBoundary>
        </Boundary>
      </Frame>
      <ChangeDialog />
      {sessionState.value === 'over' && <LogInAgain />}
    </LocationProvider>
  );
}

function Unknown() {
  const { toOverview, unknownView, unknownViewMore } = texts.value.looks;
  return <Look title={unknownView} more={unknownViewMore} action={{ name: toOverview, href: pathTo() }} isPage />;
}
