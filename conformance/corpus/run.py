"""A run: an implementation against a corpus, from the manifest to the conclusion."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import ceil
from typing import Any

import msgspec
from pyspark.sql import DataFrame, SparkSession

from conformance import __version__
from conformance.corpus.case_source import PlannedCases, Source, StoredCases
from conformance.corpus.clusters import Clusters
from conformance.corpus.history import History, RunEntry, entries_of, shrunk_before
from conformance.corpus.kit_archive import digest
from conformance.corpus.manifest import CORPUS_SCHEMA, CorpusManifest, RunManifest, origin
from conformance.corpus.output import NotUsable, Output, Wave
from conformance.corpus.pace import Pace
from conformance.corpus.plan import Plan, Size
from conformance.corpus.results import Results, read_results
from conformance.corpus.waves import Watch, WaveFailed, Waves, verified_corpus, verified_results
from conformance.corpus.worker import Job, Report, Stretch
from conformance.engine.baseline import Baseline
from conformance.engine.events import Event, Listener, RunFinished, RunStarted
from conformance.engine.selection import NothingToRun, Selection
from conformance.engine.shrinking import Shrinker
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.registry import Implementation, implementation
from conformance.oracles.judge import Judge
from conformance.protocol.observation import Declaration


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is done.

    Attributes:
        limits: What the implementation may use up, on each worker.
        window: How many questions may be under way in one task.
        cores: How many tasks the work is divided for; as many as run at once when None.
        resume: Whether a run that is there already is gone on with.
        baseline: The failures that are known.
        history: The table of earlier runs.
        shrink: Whether failures are shrunk.
        listeners: Who is told.
        watch: Is shown how far the run is.
    """

    limits: Limits = DEFAULT_LIMITS
    window: int = 16
    cores: int | None = None
    resume: bool = False
    baseline: Baseline = field(default_factory=Baseline)
    history: History | None = None
    shrink: bool = True
    listeners: Sequence[Listener] = ()
    watch: Watch = lambda snapshot: None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corpus:
    """The cases of a run.

    Attributes:
        source: Where they come from.
        plan: The pairs that are asked, and the seed.
        made_from: What the manifest says of them.
        examples: How many there are of each pair, where that is known.
        seconds: How long they may take, where that is what limits them.
    """

    source: Source
    plan: Plan
    made_from: Mapping[str, Any]
    examples: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class CorpusRun:
    """One implementation against one corpus.

    Attributes:
        spark: The session.
        output: The run's folder.
        spec: The implementation as the user named it.
        options: How it is done.
    """

    spark: SparkSession
    output: Output
    spec: str
    options: Options = field(default_factory=Options)

    def run(self, selection: Selection, *, size: Size, seed: int = 0) -> tuple[RunFinished, Results]:
        """Generate, ask and judge in one pass.

        Args:
            selection: What is covered.
            size: How many cases.
            seed: What the cases depend on.

        Raises:
            CannotStart: The implementation does not start, here or on a worker.
            NothingToRun: Nothing is left by the selection.
            NotUsable: The folder holds something else.
            StorageError: The folder cannot be reached.
            WaveFailed: Spark gave up, or cases were lost; what was committed can be resumed.
            ValueError: There is no such implementation.
        """
        tested = implementation(self.spec, limits=self.options.limits)
        declaration = tested.start()
        try:
            plan = Plan(tuple(selection.pairs(declaration)), seed, selection.role)
            corpus = _Corpus(
                source=PlannedCases(plan, size),
                plan=plan,
                made_from={"size": size},
                examples=ceil(size.cases / len(plan.pairs)) if size.cases is not None else None,
                seconds=size.seconds,
            )
            return self._judged(tested, selection, corpus)
        finally:
            tested.stop()

    def check(self, corpus: Output, selection: Selection) -> tuple[RunFinished, Results]:
        """Ask and judge a stored corpus.

        Args:
            corpus: The corpus.
            selection: The requirements that count; all its cases are asked, in the role that it was made for.

        Raises:
            CannotStart, NotUsable, StorageError, WaveFailed, ValueError: See `run`.
        """
        manifest = corpus.manifest(CorpusManifest)
        if not manifest.complete:
            raise NotUsable(f"{corpus.storage.uri} is not finished: generate it with --resume")
        tested = implementation(self.spec, limits=self.options.limits)
        declaration = tested.start()
        try:
            plan = manifest.plan
            if plan.role not in declaration.roles:
                raise NothingToRun(f"{declaration.name} does not declare the corpus' role {plan.role!r}")
            selection = replace(selection, role=plan.role)
            claimed = declaration.roles[selection.role].profiles
            pairs = tuple(pair for pair in plan.pairs if pair[1] in claimed)
            if not pairs:
                raise NothingToRun(f"{declaration.name} claims none of the corpus' profiles")
            stored = _Corpus(
                source=StoredCases(self.spark, corpus, tuple(corpus.committed())),
                plan=Plan(pairs, plan.seed, plan.role),
                made_from={"corpus": corpus.storage.uri, "corpus_kit": manifest.rules},
            )
            return self._judged(tested, selection, stored)
        finally:
            tested.stop()

    def _judged(self, tested: Implementation, selection: Selection, corpus: "_Corpus") -> tuple[RunFinished, Results]:
        declaration = tested.declaration
        role = declaration.roles[selection.role]
        manifest = self.output.begin(_manifest(self.spec, declaration, selection, corpus), resume=self.options.resume)
        plan, requirements = corpus.plan, selection.requirements
        self._tell(
            RunStarted(
                self.spec,
                declaration,
                (selection.role,),
                plan.pairs,
                requirements,
                plan.seed,
                corpus.examples,
                corpus.seconds,
            )
        )
        job = Job(self.spec, self.options.limits, selection.role, role, requirements, self.options.window)
        self._waves(corpus.source, job, corpus.seconds)
        results = read_results(self.spark, self.output)
        history = self.options.history
        clusters = Clusters(
            Shrinker(tested, Judge(role), requirements),
            corpus.source,
            self.options.baseline,
            shrunk_before(history.read(), declaration.name) if history else {},
            self.options.shrink,
            self._tell,
        )
        finished = self.options.baseline.concluded(results.tally(), clusters.failures(results.clusters))
        if history is not None:
            history.write(entries_of(_entry(manifest, declaration, finished), finished.failures))
        self._tell(finished)
        return finished, results

    def _waves(self, source: Source, job: Job, seconds: float | None) -> None:
        pace = Pace(self.options.cores or self.spark.sparkContext.defaultParallelism)
        deadline = None if seconds is None else time.monotonic() + seconds

        def next_stretch(done: Sequence[Wave], first: int) -> Stretch | None:
            return source.next(done, first, pace, None if deadline is None else deadline - time.monotonic())

        def frame(stretch: Stretch, report: Report) -> DataFrame:
            return source.results(self.spark, stretch, job, report)

        done = Waves(
            self.spark,
            self.output,
            next_stretch=next_stretch,
            frame=frame,
            verify=lambda stretch: verified_results(self.spark, self.output, stretch),
            goal=source.goal,
            pace=pace,
            watch=self.options.watch,
        ).run()
        goal = source.goal(done)
        reached = done[-1].end if done else 0
        if goal is not None and (reached != goal or sum(wave.cases for wave in done) != goal):
            raise WaveFailed(f"{goal} cases in, {sum(wave.cases for wave in done)} verdicts out")

    def _tell(self, event: Event) -> None:
        for listener in self.options.listeners:
            listener(event)


def generate(spark: SparkSession, output: Output, plan: Plan, *, size: Size, options: Options) -> list[Wave]:
    """Write a corpus, and return its waves.

    Args:
        spark: The session.
        output: The corpus' folder.
        plan: Which cases.
        size: How many of them.
        options: Whether it is resumed, and who watches.

    Raises:
        NotUsable: The folder holds something else.
        StorageError: The folder cannot be reached.
        WaveFailed: Spark gave up; what was committed can be resumed.
    """
    manifest = output.begin(
        CorpusManifest(**origin(digest()), plan=plan, size=size, corpus_schema=CORPUS_SCHEMA, complete=False),
        resume=options.resume,
    )
    source = PlannedCases(plan, size)
    pace = Pace(options.cores or spark.sparkContext.defaultParallelism)
    deadline = None if size.seconds is None else time.monotonic() + size.seconds
    done = Waves(
        spark,
        output,
        next_stretch=lambda done, first: source.next(
            done, first, pace, None if deadline is None else deadline - time.monotonic()
        ),
        frame=lambda stretch, report: source.corpus(spark, stretch, report),
        verify=lambda stretch: verified_corpus(spark, output, stretch),
        goal=source.goal,
        pace=pace,
        watch=options.watch,
    ).run()
    output.rewrite(msgspec.structs.replace(manifest, complete=True))
    return done


def _manifest(spec: str, declaration: Declaration, selection: Selection, corpus: _Corpus) -> RunManifest:
    role = declaration.roles[selection.role]
    return RunManifest(
        **origin(digest()),
        spec=spec,
        implementation=(declaration.name, declaration.version),
        role=selection.role,
        fields=tuple(sorted(role.fields)),
        abilities=tuple(sorted(role.abilities)),
        profiles=role.profiles,
        requirements=selection.requirements,
        plan=corpus.plan,
        **corpus.made_from,
    )


def _entry(manifest: RunManifest, declaration: Declaration, finished: RunFinished) -> RunEntry:
    # The id is the run's, not the moment's: a run that is resumed writes its entries again, not others besides.
    made_from = blake2b(json.dumps(msgspec.to_builtins(manifest), sort_keys=True).encode(), digest_size=4).hexdigest()
    return RunEntry(
        run=f"{manifest.started.replace(':', '')}-{made_from}",
        started=manifest.started,
        kit=__version__,
        spec=manifest.spec,
        implementation=declaration.name,
        version=declaration.version,
        cases=finished.tally.cases,
        events=finished.tally.events,
        conforming=finished.conforming,
    )
