/*
 * One item of one job, two instances, their clocks, and the registry. README.md says how to read and how to run this.
 *
 * Each inline is an action that happens at once. The comment above it names the functions of the library that it stands
 * for; or it is the world around the library (@world), or a part of other actions (@part). test/model checks the names.
 */
#ifndef FAULTS
#define FAULTS 2
#endif
#ifdef NO_SETTLE_RETRY
#define NO_MARK_CHECK /* What has been given up nobody finds. */
#endif

/* -- Time ------------------------------------------------------------------------------------------------
 * A clock is in one of two eras, 0 or 1, hours apart; the job is due at each tick. A fire time is 4 * era + age: age 3
 * is the latest tick of that era, 2 the one before, 1 anything older; 0 is no fire time. So fire times keep their order
 * as numbers, time goes on for ever, and an era never reaches the other one: what waits for hours waits for ever.
 * Nothing is begun for anything older than age 2: time waits for an instance that is so slow. */
#define ERA(fire) ((fire) / 4)
#define OLDER(fire) (((fire) & 3) > 1 -> (fire) - 1 : (fire))
#define OLDER_SET(set) (((set) & 136) >> 1) /* A set has bit f for fire time f, of ages 3 and 2. */
#define IN(fire, set) (((set) >> (fire)) & 1)

bit registryEra;    /* The registry's clock. */
bit clockEra[2];    /* The wall clocks of the instances. */

/* -- The registry ---------------------------------------------------------------------------------------- */
#define NOBODY 2
#define DEAD 3 /* A holder whose session is over: a name that never comes back. */
byte recordTarget;         /* The fire time that was begun last. */
byte recordBy = NOBODY;    /* The instance that has begun it: with the mark, the run id. */
bit recordSettled = 1;
byte recordNamed;          /* The fire times that were begun ahead of the registry's clock, as far as they are known. */
byte mark = NOBODY;        /* The holder of the running mark: 0, 1 or DEAD. */
bit queued;                /* The item waits for failover. */
byte leader = NOBODY;      /* The election node. */
bit termStands[2];         /* The term node has not been written since the election of this instance. */
bit session[2];            /* The server has the session. */

/* -- The instances --------------------------------------------------------------------------------------- */
mtype = { IDLE, READING, DECIDED, CLAIMING, BEGIN_IN_DOUBT, RUNNING, ENDED, SETTLE_IN_DOUBT };
mtype at[2] = IDLE;        /* What the instance does with the item. */
bit joined[2];             /* It believes in its current session. */
bit paused[2];             /* The process is stopped. */
bit removed[2];            /* The job was removed from this process; its handler may still run. */
bit left[2];               /* And now it does not. */
bit leaseLives[2];         /* The session under which the lease was made lives, by this process's clocks. */
byte chosen[2];            /* The fire time that is about to be begun. */
bit hasReadRecord[2];      /* The version that this instance has read is still the current one. */
bit isDeaf[2];             /* (Mutant) The ticker waits for a fire time that the clock was set back from. */
bit leads[2];              /* It believes that it leads. */
bit sweeping[2];           /* It has read the marks of somebody who is gone, */
bit sweptIsOwed[2];        /* whose run had not ended, */
bit hasReadMarks[2];       /* and what it has read still stands. */

/* -- What the properties look at ------------------------------------------------------------------------- */
byte everBegun;            /* The set of the fire times that were begun, repetitions by failover aside. */
bit hasEnded;              /* The run that began last has been settled by its holder. */
byte faults = FAULTS;      /* So many are left. */

#define AWAKE(i) (!paused[i])
#define ACTS(i) (!paused[i] && joined[i] && !removed[i])
#define OTHER(i) (1 - (i))
/* The era that counts: the registry's, unless most instances agree against it. (The library has no such vote yet.) */
#define OUTVOTED (joined[0] && joined[1] && clockEra[0] == clockEra[1])
#define ERA_NOW ((OUTVOTED && clockEra[0]) || (!OUTVOTED && registryEra))

/* The fire time that has come last: by the instance's own clock, or, if that runs ahead, by the one that counts.
 * @stands-for ScheduleClock.wallNow libs/elastic-job/src/runtime/time/schedule-clock.ts */
#define NOW(i) (4 * (clockEra[i] && ERA_NOW) + 3)

/* context.assertHeld() returns in the handler. */
#ifdef NO_OWN_SESSION
#define HELD(i) (at[i] == RUNNING && !paused[i] && (removed[i] -> joined[i] : leaseLives[i]))
#else
#define HELD(i) (at[i] == RUNNING && !paused[i] && leaseLives[i])
#endif

/* -- Decisions ------------------------------------------------------------------------------------------- */

/* A record from the future stands for the fire times that it names, not for all before.
 * @stands-for recordAsOf libs/elastic-job/src/domain/run/early-runs.ts
 * @stands-for wasEarly libs/elastic-job/src/domain/run/early-runs.ts */
#define IS_FROM_FUTURE (ERA(recordTarget) > ERA_NOW)
#ifdef NO_FUTURE_RULE
#define IS_SUPERSEDED(fire) (recordTarget >= (fire))
#else
#define IS_NAMED(fire) (recordTarget == (fire) || IN(fire, recordNamed))
#define IS_SUPERSEDED(fire) (IS_NAMED(fire) || (recordTarget > (fire) && !IS_FROM_FUTURE))
#endif

/* @stands-for decideBegin libs/elastic-job/src/domain/run/begin.decision.ts */
#define MAY_BEGIN(fire) (mark == NOBODY && !queued && !IS_SUPERSEDED(fire))

/* A write of the record raises its version: what others have read of it is outdated.
 * @part */
inline WriteRecord() {
  hasReadRecord[0] = 0; hasReadRecord[1] = 0;
  hasReadMarks[0] = 0; hasReadMarks[1] = 0
}

/* Something goes wrong, as often as FAULTS says. */
#define FAULT faults > 0 -> faults--

/* -- A run, from its fire time to its end ---------------------------------------------------------------- */

/* A fire time has come by this instance's clock. It reads the item's record and decides.
 * @stands-for Ticker.arm libs/elastic-job/src/scheduling/ticker.ts
 * @stands-for JobSession.tick libs/elastic-job/src/runtime/job/job-session.ts
 * @stands-for CatchUp.work libs/elastic-job/src/runtime/triggering/catch-up.ts */
inline ChooseFireTime(i) {
  chosen[i] = NOW(i);
  hasReadRecord[i] = 1;
  at[i] = DECIDED
}

/* @stands-for JobTree.loadRecords libs/elastic-job/src/coordination/job-tree/job-tree.ts
 * @stands-for Begin.tryFree libs/elastic-job/src/coordination/execution/begin.ts */
inline ReadAgain(i) {
  if
  :: ACTS(i) && MAY_BEGIN(chosen[i]) -> hasReadRecord[i] = 1; at[i] = DECIDED
  :: else -> GiveWay(i)
  fi
}

/* Nothing is begun now.
 * @part */
inline GiveWay(i) {
  chosen[i] = 0;
  hasReadRecord[i] = 0;
  at[i] = IDLE
}

/* The server takes a begin if nobody has marked the item, and nobody has written its record since it was read. */
#ifdef NO_BEGIN_CAS
#define IS_CURRENT(i) true
#else
#define IS_CURRENT(i) hasReadRecord[i]
#endif

/* One transaction: the mark and the record.
 * @stands-for Begin.commit libs/elastic-job/src/coordination/execution/begin.ts
 * @stands-for beginOperations libs/elastic-job/src/coordination/execution/item-operations.ts
 * @stands-for recordOf libs/elastic-job/src/coordination/execution/item-operations.ts */
inline WriteBegin(i) {
  if
  :: recordTarget > chosen[i] ->
    recordNamed = recordNamed | (1 << recordTarget);
    /* The documented exception: what was begun before may be begun once more, what the record names may not.
     * @stands-for mayRepeatEarlyRun libs/elastic-job/src/domain/run/early-runs.ts */
    everBegun = everBegun & recordNamed
  :: else
  fi;
  assert(!IN(chosen[i], everBegun)); /* One begin per target. */
  everBegun = everBegun | (1 << chosen[i]);
  recordTarget = chosen[i];
  WriteMark(i)
}

/* @part */
inline WriteMark(i) {
  mark = i;
  recordBy = i;
  recordSettled = 0;
  hasEnded = 0;
  chosen[i] = 0;
  WriteRecord();
  leaseLives[i] = 1
}

/* @stands-for Executions.begin libs/elastic-job/src/coordination/execution/executions.ts */
inline Begin(i) {
  if
  :: !ACTS(i) -> GiveWay(i)
  :: ACTS(i) && (mark != NOBODY || !IS_CURRENT(i)) -> at[i] = READING /* Refused: another one was faster. */
  :: ACTS(i) && mark == NOBODY && IS_CURRENT(i) ->
    if
    :: WriteBegin(i); at[i] = RUNNING
    :: FAULT; WriteBegin(i); at[i] = BEGIN_IN_DOUBT /* The reply is lost, */
    :: FAULT; at[i] = BEGIN_IN_DOUBT; chosen[i] = 0 /* or the request is. */
    :: FAULT; GiveWay(i) /* The server refuses, for a reason that has nothing to do with the nodes. */
    fi
  fi
}

/* The reply to a begin was lost. The run id in the record says whether the begin is ours, and the mark whether it
 * lasts.
 * @stands-for Begin.afterLostReply libs/elastic-job/src/coordination/execution/begin.ts */
inline LookForBegin(i) {
  if
  :: joined[i] && recordBy == i && !recordSettled && mark == i -> at[i] = RUNNING
  :: else -> GiveWay(i)
  fi
}

/* One transaction: the end in the record, and no mark.
 * @stands-for settleOperations libs/elastic-job/src/coordination/execution/item-operations.ts */
inline WriteEnd(i) {
  recordSettled = 1;
  recordBy = NOBODY;
  hasEnded = 1;
  mark = NOBODY;
  WriteRecord()
}

/* @stands-for ItemLease.settle libs/elastic-job/src/coordination/execution/execution-lease.ts
 * @stands-for SettleQueue.commit libs/elastic-job/src/coordination/execution/settle-queue.ts */
inline Settle(i) {
  if
  :: !leaseLives[i] || recordBy != i || recordSettled -> Forget(i) /* Fenced. */
  :: leaseLives[i] && recordBy == i && !recordSettled ->
    if
    :: WriteEnd(i); Forget(i)
    :: FAULT; WriteEnd(i); at[i] = SETTLE_IN_DOUBT
    :: FAULT; at[i] = SETTLE_IN_DOUBT
#ifdef NO_SETTLE_RETRY
    :: FAULT; Forget(i) /* Refused, and given up. */
#else
    :: FAULT; at[i] = ENDED /* Refused, and tried again until the session ends. */
#endif
    fi
  fi
}

/* The handler returns. Before that it asks assertHeld() at any moment: the property oneHolder looks at every state.
 * @stands-for ItemLease.assertHeld libs/elastic-job/src/coordination/execution/execution-lease.ts
 * @stands-for JobExecutor.run libs/elastic-job/src/executor/job-executor.ts */
inline Return(i) {
  Settle(i)
}

/* @stands-for EndedRun.judgeStanding libs/elastic-job/src/coordination/execution/ended-run.ts */
inline LookForEnd(i) {
  at[i] = ENDED
}

/* @part */
inline Forget(i) {
  at[i] = IDLE;
  leaseLives[i] = 0
}

/* A mark in the name of this instance, which runs nothing: it goes, and its run is settled.
 * @stands-for OwnMarks.work libs/elastic-job/src/runtime/runs/own-marks.ts
 * @stands-for releaseStrayMarks libs/elastic-job/src/coordination/failover/stray-marks.ts */
inline ReleaseOwnMark(i) {
  if
  :: recordBy == i && !recordSettled -> recordSettled = 1; recordBy = NOBODY; hasEnded = 1; WriteRecord()
  :: else
  fi;
  mark = NOBODY
}

/* -- A crash, to the repetition of what it has cut short ------------------------------------------------- */

/* @stands-for Leadership.elect libs/elastic-job/src/coordination/leadership/leadership.ts */
inline Elect(i) {
  leader = i;
  termStands[0] = 0; termStands[1] = 0;
  termStands[i] = 1;
  leads[i] = 1
}

/* @stands-for findOrphanedItems libs/elastic-job/src/domain/failover/orphans.decision.ts
 * @stands-for loadMarks libs/elastic-job/src/coordination/failover/orphan-sweep.ts */
inline ReadMarks(i) {
  sweeping[i] = 1;
  sweptIsOwed[i] = !recordSettled;
  hasReadMarks[i] = 1
}

#ifdef NO_TERM_GUARD
#define MAY_SWEEP(i) true
#else
#define MAY_SWEEP(i) (leader == i && termStands[i])
#endif

/* One transaction: what was owed is queued, and the mark goes, if this is still the leader's term and nobody has begun
 * or settled the item since.
 * @stands-for OrphanSweep.sweep libs/elastic-job/src/coordination/failover/orphan-sweep.ts
 * @stands-for sweepOperations libs/elastic-job/src/coordination/failover/orphan-sweep.ts */
inline Sweep(i) {
  if
  :: joined[i] && MAY_SWEEP(i) && hasReadMarks[i] && mark == DEAD ->
    assert(leader == i && termStands[i]); /* Only the leader acts as one. */
    queued = sweptIsOwed[i];
    mark = NOBODY;
    WriteRecord()
  :: else -> leads[i] = (leader == i && termStands[i])
  fi;
  sweeping[i] = 0;
  sweptIsOwed[i] = 0;
  hasReadMarks[i] = 0
}

/* @stands-for FailoverQueue.claim libs/elastic-job/src/coordination/failover/failover-queue.ts
 * @stands-for decideFailover libs/elastic-job/src/domain/failover/failover.decision.ts */
inline ChooseOrphan(i) {
  hasReadRecord[i] = 1;
  at[i] = CLAIMING
}

/* One transaction: the entry goes, the marks and the record are those of this instance.
 * @stands-for Executions.beginClaimed libs/elastic-job/src/coordination/execution/executions.ts */
inline Claim(i) {
  if
  :: ACTS(i) && queued && recordSettled && hasReadRecord[i] -> queued = 0; GiveWay(i) /* Nothing is owed. */
  :: ACTS(i) && queued && !recordSettled && mark == NOBODY && hasReadRecord[i] ->
    if
    :: WriteClaim(i); at[i] = RUNNING
    :: FAULT; WriteClaim(i); at[i] = BEGIN_IN_DOUBT
    :: FAULT; at[i] = BEGIN_IN_DOUBT
    :: FAULT; GiveWay(i)
    fi
  :: else -> GiveWay(i)
  fi
}

/* @part */
inline WriteClaim(i) {
  assert(!hasEnded); /* No settled item is repeated. */
  queued = 0;
  WriteMark(i)
}

/* -- Sessions -------------------------------------------------------------------------------------------- */

/* This process gives its session up by its own clock, and the signals of its leases abort.
 * @stands-for TimedLease.remainingMs libs/elastic-job/src/registry/session-lease.ts
 * @stands-for JobRuntime.loseSession libs/elastic-job/src/runtime/job/job-runtime.ts */
inline LoseSession(i) {
  joined[i] = 0;
  leads[i] = 0;
  leaseLives[i] = 0
}

/* A new session, and a new id.
 * @stands-for Instances.join libs/elastic-job/src/coordination/membership/instances.ts
 * @stands-for JobRuntime.join libs/elastic-job/src/runtime/job/job-runtime.ts */
inline Join(i) {
  session[i] = 1;
  joined[i] = 1
}

/* The removed job has ended what it ran, and leaves: whatever is marked in its name is nobody's.
 * @stands-for JobDeparture.drain libs/elastic-job/src/runtime/job/job-departure.ts */
inline Leave(i) {
  left[i] = 1;
  Bury(i)
}

/* An id that never comes back: what names it names nobody.
 * @world */
inline Bury(i) {
  if
  :: mark == i -> mark = DEAD
  :: else
  fi;
  if
  :: recordBy == i -> recordBy = DEAD
  :: else
  fi;
  if
  :: leader == i -> leader = NOBODY; termStands[i] = 0
  :: else
  fi
}

/* The server ends a session of which it has not heard for long. The client has given it up before, unless it is paused.
 * @world */
inline Expire(i) {
  session[i] = 0;
  Bury(i)
}

/* A process goes on after a pause. Before anything else it sees by the clock whether its session may be over.
 * @world */
inline Resume(i) {
  paused[i] = 0;
  if
  :: !session[i] -> LoseSession(i)
  :: else
  fi
}

/* -- What goes wrong ------------------------------------------------------------------------------------- */

/* @world */
inline Crash(i) {
  GiveWay(i);
  LoseSession(i);
  paused[i] = 0;
  removed[i] = 0; left[i] = 0;
  isDeaf[i] = 0;
  sweeping[i] = 0; sweptIsOwed[i] = 0; hasReadMarks[i] = 0
}

/* The host's clock is set to the other era, before or after.
 * @world */
inline StepClock(i) {
#ifdef NO_STEP_RULE
  isDeaf[i] = (clockEra[i] == 1 && at[i] == RUNNING);
#endif
  clockEra[i] = 1 - clockEra[i]
}

/* @stands-for JobRegistrar.remove libs/elastic-job/src/runtime/process/job-registrar.ts */
inline RemoveJob(i) {
  removed[i] = 1
}

/* @world */
inline Disturb(i) {
  if
  :: FAULT; registryEra = 1 - registryEra /* ZooKeeper's leadership moves to a server with another clock. */
  :: FAULT; StepClock(i)
  :: FAULT; Crash(i)
  :: !paused[i] && FAULT; paused[i] = 1
  :: !paused[i] && joined[i] && FAULT; LoseSession(i) /* It is cut off. */
  :: !removed[i] && FAULT; RemoveJob(i)
  :: session[i] && !left[i] && mark == NOBODY && FAULT; mark = i /* Somebody sets a mark by hand. */
  :: leader == i && FAULT; leader = NOBODY; termStands[i] = 0 /* Somebody deletes the election node. */
  fi
}

/* A tick of all clocks, and all that is known by its fire time is older. None while an instance is so slow that it
 * would begin what nobody remembers.
 * @world */
inline Tick() {
  recordTarget = OLDER(recordTarget);
  recordNamed = OLDER_SET(recordNamed);
  everBegun = OLDER_SET(everBegun);
  chosen[0] = OLDER(chosen[0]);
  chosen[1] = OLDER(chosen[1])
}
#define MAY_TICK ((chosen[0] & 3) != 2 && (chosen[1] & 3) != 2)

/* -- Who does what --------------------------------------------------------------------------------------- */

#define IS_DUE(i) (ACTS(i) && at[i] == IDLE && !isDeaf[i] && MAY_BEGIN(NOW(i)))
#ifdef NO_MARK_CHECK
#define HAS_STRAY_MARK(i) false
#else
#define HAS_STRAY_MARK(i) (ACTS(i) && at[i] == IDLE && mark == i)
#endif

#define MAY_EXPIRE(i) (session[i] && (paused[i] || !joined[i]))

/* The reactions of one instance, and its handler. */
proctype Instance(byte i) {
  do
  :: atomic { IS_DUE(i) -> ChooseFireTime(i) }
  :: atomic { AWAKE(i) && at[i] == DECIDED -> Begin(i) }
  :: atomic { AWAKE(i) && at[i] == READING -> ReadAgain(i) }
  :: atomic { AWAKE(i) && at[i] == RUNNING -> Return(i) }
  :: atomic { AWAKE(i) && at[i] == ENDED -> Settle(i) }
  :: atomic { AWAKE(i) && at[i] == SETTLE_IN_DOUBT -> LookForEnd(i) }
  :: atomic { AWAKE(i) && at[i] == BEGIN_IN_DOUBT -> LookForBegin(i) }
  :: atomic { AWAKE(i) && at[i] == CLAIMING -> Claim(i) }
  :: atomic { ACTS(i) && at[i] == IDLE && queued && mark == NOBODY -> ChooseOrphan(i) }
  :: atomic { HAS_STRAY_MARK(i) -> ReleaseOwnMark(i) }
  :: atomic { ACTS(i) && leader == NOBODY -> Elect(i) }
  :: atomic { ACTS(i) && leads[i] && !sweeping[i] && mark == DEAD -> ReadMarks(i) }
  :: atomic { AWAKE(i) && sweeping[i] -> Sweep(i) }
  :: atomic { AWAKE(i) && !joined[i] && !session[i] -> Join(i) }
  :: atomic { AWAKE(i) && removed[i] && !left[i] && at[i] == IDLE -> Leave(i) }
  od
}

/* The server that ends sessions, and the hosts of the processes: a pause ends, before or after the session. */
proctype Host() {
  do
  :: atomic { MAY_EXPIRE(0) -> Expire(0) }
  :: atomic { MAY_EXPIRE(1) -> Expire(1) }
  :: atomic { paused[0] -> Resume(0) }
  :: atomic { paused[1] -> Resume(1) }
  od
}

proctype Time() {
  do
  :: atomic { MAY_TICK -> Tick() }
  od
}

proctype Faults() {
  do
  :: atomic { faults > 0 -> Disturb(0) }
  :: atomic { faults > 0 -> Disturb(1) }
  :: faults = 0; break
  od
}

#ifdef SAFETY
/* One current holder: at most one handler at a time may act, and no newer token than its own exists. */
#define ONE_HOLDER (!(HELD(0) && HELD(1)) && (!HELD(0) || recordBy == 0) && (!HELD(1) || recordBy == 1))
active proctype Monitor() {
  atomic { !ONE_HOLDER -> assert(ONE_HOLDER) }
}
#endif

init {
  atomic {
    if :: registryEra = 0 :: registryEra = 1 fi;
    if :: clockEra[0] = 1 :: skip fi;
    if :: clockEra[1] = 1 :: clockEra[1] = clockEra[0] fi;
    Join(0);
    Join(1);
    run Instance(0); run Instance(1); run Host(); run Time(); run Faults()
  }
}

/* -- Properties ------------------------------------------------------------------------------------------ */

/* An instance that takes part, by a clock that is not hours behind. */
#define HEALTHY(i) (joined[i] && !paused[i] && !removed[i] && clockEra[i] >= ERA_NOW)
#define SOMEBODY_IS_HEALTHY (HEALTHY(0) || HEALTHY(1))
#define RUNS (at[0] == RUNNING || at[1] == RUNNING)
#define IS_ORPHAN (queued || mark == DEAD)

/* Once the faults are over, and somebody is healthy, what is due runs again and again. */
ltl runsForEver { (<> [] SOMEBODY_IS_HEALTHY) -> ([] <> RUNS) }

/* And what a crash has left is taken. */
ltl orphansAreTaken { (<> [] SOMEBODY_IS_HEALTHY) -> [] (IS_ORPHAN -> <> !IS_ORPHAN) }
