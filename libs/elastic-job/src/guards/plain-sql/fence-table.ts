/**
 * Creates the guard table, for migrations of users without Kysely. Does nothing if it exists. `token` holds ZooKeeper's
 * transaction ids: 64-bit integers, beyond the exact range of a JavaScript number.
 */
export const createFenceTableSql = `
create table if not exists elastic_job_fence (
  job_name varchar(255) not null,
  item integer not null,
  token_epoch integer not null,
  token bigint not null,
  primary key (job_name, item)
)`;

/**
 * Claims the store for one run: parameters job name, item, tokenEpoch, token (as bigint). Execute it first in the
 * transaction of the effect. One affected row: go on. None: a newer run has written; roll back.
 *
 * For drivers with numbered parameters, replace `?` by `$1` to `$4`, as `PlainSqlGuard` does.
 */
export const advanceFenceSql = `
insert into elastic_job_fence (job_name, item, token_epoch, token)
values (?, ?, ?, ?)
on conflict (job_name, item) do update
set token_epoch = excluded.token_epoch, token = excluded.token
where (elastic_job_fence.token_epoch, elastic_job_fence.token) <= (excluded.token_epoch, excluded.token)`;

/** Finds the newest writer of a job ahead of (tokenEpoch, token): parameters job name, tokenEpoch, token. */
export const selectAheadSql = `
select item, token_epoch, cast(token as varchar(20)) as token
from elastic_job_fence
where job_name = ? and (token_epoch, token) > (?, ?)
order by token_epoch desc, elastic_job_fence.token desc
limit 1`;
