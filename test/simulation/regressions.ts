import type { Edition } from './world/plan.js';

/** A seed that has once failed, with the fault. */
export interface Regression {
  readonly seed: number;
  /** Edition of its draws; `tasks`: of a history whose items are tasks. @default 1 */
  readonly edition?: Edition | 'tasks';
  readonly showed: string;
}

/**
 * Seeds that every test run runs. A seed of an edition means another history once that draws differently: add an
 * edition.
 */
export const REGRESSIONS: readonly Regression[] = [
  {
    seed: 9_391,
    edition: 7,
    showed: 'a fire time that came while a re-run was the first to run an item was forgotten, and nobody was told',
  },
  {
    seed: 140,
    showed: 'a newer target overwrote what a dead rescuer owed, between the end of its session and the sweep',
  },
  {
    seed: 166,
    showed: "another instance told of its clock while a job's tree was being opened, which could not be asked yet",
  },
  {
    seed: 312,
    showed: 'a new owner ran an item again for the trigger of an operator, after a fire time that came in between',
  },
  {
    seed: 3515,
    showed: 'the queue of a disabled job was purged although its server had been enabled while the records were read',
  },
  {
    seed: 18_473,
    showed: "an operator's trigger left out items that were failed over at that moment",
  },
  {
    seed: 21_355,
    showed: 'an entry of the failover queue was lost to an instance that dropped an older one of the same item',
  },
  {
    seed: 34_672,
    showed: 'an instance that was shut down as it was elected without the answer led for ever, and did nothing',
  },
  {
    seed: 111_675,
    showed: 'two fire times that had waited for one answer began the same items, in a job without marks',
  },
  {
    seed: 428_065,
    showed:
      'an instance that was shut down before it knew that it had rejoined waited for itself, led for ever, ' +
      'and did nothing',
  },
  {
    seed: 404_105,
    showed: "an operator's trigger never began items that were behind: their catching up began first, again and again",
  },
  {
    seed: 527_361,
    showed: 'the embedded registry did what a session had asked for after that session had ended',
  },
  {
    seed: 539_420,
    showed: 'an item of a job that starts another was not settled for ten seconds: others were always quicker to count',
  },
  {
    seed: 603_456,
    showed: 'a leader that was elected anew moved resident items and nobody was told: they never ran again',
  },
  {
    seed: 605_548,
    showed: 'the queue of a job was purged while all its servers but a disabled one were being restarted',
  },
  {
    seed: 942_172,
    showed: 'the last item of a run that starts another job was not settled for 21 seconds over a slow connection',
  },
  {
    seed: 1_043_372,
    showed:
      "a fire time that met an operator's run on an instance whose clock was behind was neither run nor told as missed",
  },
  {
    seed: 1_113_121,
    showed: 'a resident item that moved between clocks that differ was begun twice for the same millisecond',
  },
  { seed: 1_047_420, showed: 'the simulation made a fault for a session that its process had just closed' },
  { seed: 1_048_211, showed: 'a checker took a parent without an enabled item for one that had succeeded' },
  { seed: 1_200_889, showed: 'a checker expected a run for a request that was not added, as an earlier one waited' },
  { seed: 1_206_687, showed: 'a checker expected a claim in a job whose last instance had left' },
  {
    seed: 1_207_966,
    showed: 'the simulation cut off a process whose start had failed, and which had just closed its session',
  },
  { seed: 1_259_787, showed: 'a checker expected a start for a fire time that was older than the dependency' },
  { seed: 1_283_843, showed: 'the same of a child whose first leader came late' },
  { seed: 1_285_897, showed: 'a checker counted items beyond a smaller total, which still ran, as part of the plan' },
  {
    seed: 454,
    edition: 2,
    showed: 'a checker took a job for removed that had been added again before two removals were answered',
  },
  {
    seed: 35,
    edition: 3,
    showed: 'an instance that was shut down while the registry refused its writes led for ever, and did nothing',
  },
  {
    seed: 2138,
    edition: 4,
    showed: 'a checker took for litter what a deaf handler had left that ended as its process did',
  },
  {
    seed: 3018,
    edition: 4,
    showed: 'a drifting clock waited for what rounding had left of a wait, at one instant, for ever',
  },
  {
    seed: 685,
    edition: 4,
    showed: 'a checker expected a run for a start that came while the process had paused the job',
  },
  {
    seed: 1387,
    edition: 4,
    showed: 'a checker did not know which early runs count as early where most agree against the registry',
  },
  {
    seed: 1585,
    edition: 4,
    showed: 'a checker asked for the report of an early run, though the only instance to find it had lost its session',
  },
  { seed: 1580, edition: 4, showed: 'a checker took a job for removed that an earlier call had yet to add again' },
  { seed: 1795, edition: 4, showed: 'a checker did not expect that a call fails for missing rights' },
  { seed: 553, edition: 2, showed: 'a checker did not know that a process which ends adds no job' },
  {
    seed: 3_004_898,
    edition: 4,
    showed:
      "a start that an item was begun for early was owed for ever, so the item was begun for nothing else under 'all'",
  },
  {
    seed: 3_000_960,
    edition: 4,
    showed: 'a checker blamed a run that was begun after the process had added the job again',
  },
  {
    seed: 3_002_544,
    edition: 4,
    showed: 'a checker took a loss of the session for heard that came later in the same millisecond',
  },
  {
    seed: 3_005_225,
    edition: 4,
    showed: 'a checker expected that a job which is started after others waits for the clock',
  },
  {
    seed: 3_005_808,
    edition: 4,
    showed: 'a checker did not know how long the repetition of a refused end may take to come',
  },
  {
    seed: 3_006_092,
    edition: 4,
    showed: 'a checker did not know that a process knows the clock of the registry as an interval only',
  },
  {
    seed: 3_010_613,
    edition: 4,
    showed: 'a checker did not know that a clock which is ahead of the time that most agree on may go by that time too',
  },
  {
    seed: 3_010_580,
    edition: 4,
    showed:
      "a mark by hand in an instance's own name stood as long as unmonitored runs of the item happened to be under way",
  },
  {
    seed: 3_011_812,
    edition: 4,
    showed: 'a checker did not know that a mark by hand may have a cancelled run repeated',
  },
  {
    seed: 3_013_043,
    edition: 4,
    showed: 'a checker took a second removal for one that takes back a waiting call of add',
  },
  {
    seed: 3_012_931,
    edition: 4,
    showed: 'an item was caught up on that had been disabled while the others told of their clocks',
  },
  {
    seed: 4_004_682,
    edition: 4,
    showed: 'a checker found a mark left behind whose holder had told that its time to leave was up',
  },
  {
    seed: 4_007_036,
    edition: 4,
    showed: 'a resident item stood still after begins that were refused for its own instance, which was registered',
  },
  {
    seed: 4_104_028,
    edition: 4,
    showed: 'a process counted as two clocks while the nodes of the session that it had lost were there',
  },
  {
    seed: 4_103_354,
    edition: 4,
    showed: 'a checker overlooked a call of add that waited for a removal, since an earlier one had ended meanwhile',
  },
  {
    seed: 4_106_502,
    edition: 4,
    showed: 'a checker judged a clock that drifts as if its process had heard the registry just before',
  },
  {
    seed: 4_111_729,
    edition: 4,
    showed: 'a checker took a mark that was set by hand for no reason to run an item once more',
  },
  {
    seed: 5_007_268,
    edition: 4,
    showed: 'a checker took a clock that was behind most others for one that was judged by the registry',
  },
  {
    seed: 5_009_857,
    edition: 4,
    showed: 'a checker forgot what most agreed on when the clock of a process was set right before those of the others',
  },
  {
    seed: 5_013_297,
    edition: 4,
    showed: 'a checker did not know that a clock which is set forward by seconds is noticed only after a while',
  },
  {
    seed: 5_016_702,
    edition: 4,
    showed: 'a checker counted an item for a run that was disabled in it, and begun by a clock that got there later',
  },
  {
    seed: 5_034_722,
    edition: 4,
    showed: 'a checker counted an item for a run since a clock was set right in the moment in which it was enabled',
  },
  {
    seed: 5_003_168,
    edition: 4,
    showed: 'a client of the embedded registry believed in its session after a pause before the server had heard it',
  },
  {
    seed: 5_028_767,
    edition: 4,
    showed: 'a checker took the time of the registry for known before the reply that told it had come',
  },
  {
    seed: 5_044_547,
    edition: 4,
    showed: 'a checker expected the mark of a crashed process to go, although nobody was left to take it away',
  },
  {
    seed: 5_044_783,
    edition: 4,
    showed:
      'a checker took an item for disabled that was new since the one of that number had gone with a smaller total',
  },
  {
    seed: 5_029_547,
    edition: 4,
    showed: 'a checker took the time of the registry for known to a process whose reply was still under way',
  },
  {
    seed: 5_040_016,
    edition: 4,
    showed: 'a checker did not know that a clock that was off already is judged by the others once these agree',
  },
  {
    seed: 5_045_441,
    edition: 4,
    showed: 'a checker overlooked what most had agreed on before one more process joined',
  },
  {
    seed: 5_046_328,
    edition: 4,
    showed: 'a checker did not know that two clocks of three agreed once the session of a fourth was over',
  },
  {
    seed: 5_047_629,
    edition: 4,
    showed: 'a checker did not expect fire times to come again after most clocks had been set back for a while',
  },
  {
    seed: 5_039_026,
    edition: 4,
    showed: 'an item was run for a start that came while it was disabled, noted by a clock that was set wrong',
  },
  {
    seed: 6_035_428,
    edition: 4,
    showed: 'a checker did not know that a run which came within the tolerance may be repeated after a later early one',
  },
  {
    seed: 6_039_562,
    edition: 4,
    showed: 'a checker took a run for complete that was begun while the parent had more items',
  },
  {
    seed: 6_043_977,
    edition: 4,
    showed:
      'an instance whose clock was set right noticed that only with the fire time that it had waited for until then',
  },
  {
    seed: 7_000_699,
    edition: 4,
    showed: 'a checker judged a clock when a trigger had its items, and not when the fire time came',
  },
  {
    seed: 7_013_502,
    edition: 4,
    showed: 'an instance whose clock was hours behind ran an item for a start that came while it was disabled',
  },
  {
    seed: 7_019_159,
    edition: 4,
    showed: 'a checker did not know that a job which an operator removes was about to be added again',
  },
  {
    seed: 8_019_934,
    edition: 4,
    showed: 'a checker expected that somebody removes a mark from a job that nobody is in',
  },
  {
    seed: 8_046_865,
    edition: 4,
    showed: 'an instance that came back swept marks of its own into a full queue, and told nobody of what it dropped',
  },
  {
    seed: 9_017_418,
    edition: 4,
    showed: 'an instance whose clock was seconds behind ran an item for a start that came while it was disabled',
  },
  {
    seed: 9_021_580,
    edition: 4,
    showed: 'a checker did not expect an instance to be back in the very millisecond in which its job is added again',
  },
  {
    seed: 10_002_774,
    edition: 4,
    showed: 'a checker did not know that the news of a shutdown may come later than others wait for it',
  },
  {
    seed: 10_018_015,
    edition: 4,
    showed:
      'a new item was begun for what a clock within the tolerance had begun for the one that a smaller total had ended',
  },
  {
    seed: 10_023_617,
    edition: 4,
    showed: 'a checker expected that somebody removes the mark of a lost session from a job that nobody is in',
  },
  {
    seed: 10_075_138,
    edition: 4,
    showed: 'a checker took the end of one fault for the end of another one that went on',
  },
  {
    seed: 10_079_247,
    edition: 4,
    showed: 'a checker did not expect a process to stand still while it waits to repeat what was refused',
  },
  {
    seed: 11_000_702,
    edition: 4,
    showed: 'a checker expected a sweep in a job whose leader was cut off until it left',
  },
  {
    seed: 12_001_848,
    edition: 4,
    showed: 'an item that ended while another instance counted waited for a second turn, and its end came 9 s late',
  },
  {
    seed: 403_164,
    edition: 4,
    showed: 'a begin that was refused and tried again took an item whose hung handler still ran in the process',
  },
  {
    seed: 605_981,
    edition: 4,
    showed: 'a process that an operator took out of a job while it started joined its jobs twice in one session',
  },
  {
    seed: 607_237,
    edition: 4,
    showed: 'a checker took a settle for a sweep, since it shared its request with the leader of another job',
  },
  {
    seed: 30_000_622,
    edition: 5,
    showed: "a checker took an item that was new since for part of a parent's run, for which a late clock had begun it",
  },
  {
    seed: 23_002_322,
    edition: 5,
    showed: "a checker took an item that had just gone for part of a parent's run, for which a late clock had begun it",
  },
  {
    seed: 30_002_524,
    edition: 5,
    showed: 'the leader purged an entry that a greater total, written while it purged, had made due again',
  },
  {
    seed: 20_000_724,
    edition: 5,
    showed: 'a process that stopped while the registry was away left a timer, which counted what had no answer',
  },
  {
    seed: 24_011_768,
    edition: 5,
    showed: 'a fire time was forgotten at which a fast clock was found to be ahead, under "skip" for good',
  },
  {
    seed: 20_013_733,
    edition: 5,
    showed: 'a start was forgotten that a dead owner had not heard of, as its item still ran on the next owner',
  },
  {
    seed: 180,
    edition: 'tasks',
    showed: 'a task that had finished while the registry was silent was launched again',
  },
  {
    seed: 144,
    edition: 'tasks',
    showed: 'a checker expected a claim that was handed over at once to make room for a task that nobody had released',
  },
  {
    seed: 106,
    edition: 'tasks',
    showed: 'a checker expected somebody to release a task that was handed over as its item was beyond the total',
  },
  {
    seed: 1226,
    edition: 'tasks',
    showed: 'a checker did not know that an operator was heard whose word was answered with an error',
  },
  {
    seed: 5093,
    edition: 'tasks',
    showed: 'the simulation let an operator confirm the loss of a task that had gone long ago, for the next one',
  },
  {
    seed: 31_010_631,
    edition: 4,
    showed: 'a checker did not know that a mark by hand may queue an item whose last run was cancelled',
  },
  {
    seed: 210_334,
    edition: 'tasks',
    showed: 'a checker did not know that an operator may confirm the loss of a task that its run has not adopted yet',
  },
  {
    seed: 21_000_522,
    edition: 'tasks',
    showed: 'a checker did not know that a gated task waits for its adoption while its job has no instance',
  },
  {
    seed: 122,
    edition: 'tasks',
    showed: 'a checker did not know that a run which adopts a cancelled task is told of the cancel',
  },
];
