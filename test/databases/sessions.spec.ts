import { describeSessionsContract } from '../contract/sessions/sessions.contract.js';
import { sqlSessions } from '../contract/sessions/sql-sessions.js';
import { describeEachDatabase } from './support/each-database.js';

describeEachDatabase((name, client) => {
  describeSessionsContract(name, () => sqlSessions(client));
});
