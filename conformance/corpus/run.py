"""A run: one implementation on one corpus, from the manifest to the conclusion."""

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
from conformance.corpus.case_source import CaseSource, PlannedCases, StoredCases
from conformance.corpus.clusters import Clusters
from conformance.corpus.giving_up import has_given_up, is_asked
from conformance.corpus.history import History, RunEntry, entries_of, shrunk_before
from conformance.corpus.kit_archive import digest
from conformance.corpus.manifest import CORPUS_SCHEMA, CorpusManifest, RunManifest, origin
from conformance.corpus.output import NotUsable, Output, Wave
from conformance.corpus.pace import Pace
from conformance.corpus.plan import Plan, Size
from conformance.corpus.planned_variants import planned_variants
from conformance.corpus.results import Results, read_results
from conformance.corpus.waves import Watch, WaveFailed, Waves, verified_corpus, verified_results
from conformance.corpus.worker import Job, Report, Stretch
from conformance.engine.baseline import Baseline
from conformance.engine.events import Event, Listener, RunFinished, RunStarted
from conformance.engine.patience import Patience
from conformance.engine.selection import NothingToRun, Selection
from conformance.engine.shrinking import Shrinker
from conformance.implementations import registry
from conformance.implementations.process.limits import DEFAULT_LIMITS, Limits
from conformance.implementations.registry import Implementation
from conformance.oracles.judge import Judge
from conformance.protocol.observation import Declaration


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run.

    Attributes:
        limits: The limits of the implementation, on each worker.
        window: How many questions of one task may wait for an answer.
        cores: How many tasks the work is divided for; as many as run at once when None.
        resume: Whether a run in the folder is continued.
        baseline: The known failures.
        history: The table of earlier runs.
        shrink: Whether failures are shrunk.
        listeners: Take the events of the run.
        watch: Takes snapshots of how far the run is.
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
        source: Their source.
        plan: Their pairs and seed.
        made_from: The entries of the manifest about them.
        examples: How many there are of each pair, if that is known.
        seconds: How long they may take, if that is their limit.
    """

    source: CaseSource
    plan: Plan
    made_from: Mapping[str, Any]
    examples: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class CorpusRun:
    """One implementation and one corpus.

    Attributes:
        spark: The session.
        output: The run's folder.
        spec: The implementation as the user named it.
        options: The options of the run.
    """

    spark: SparkSession
    output: Output
    spec: str
    options: Options = field(default_factory=Options)

    def run(self, selection: Selection, *, size: Size, seed: int = 0) -> tuple[RunFinished, Results]:
        """Generate, ask and judge in one pass.

        Args:
            selection: The requirements, profiles and families to cover.
            size: How many cases.
            seed: The seed of the cases.

        Raises:
            CannotStart: The implementation does not start, here or on a worker.
            NothingToRun: The selection is empty.
            NotUsable: The folder holds something else.
            StorageError: The folder cannot be reached.
            WaveFailed: Spark gave up, or cases were lost; the run can be resumed.
            ValueError: There is no such implementation.
        """
        implementation = registry.implementation(self.spec, limits=self.options.limits)
        declaration = implementation.start()
        try:
            plan = Plan(tuple(selection.pairs(declaration)), seed, selection.role)
            corpus = _Corpus(
                source=PlannedCases(plan, size),
                plan=plan,
                made_from={"size": size},
                examples=ceil(size.cases / len(plan.pairs)) if size.cases is not None else None,
                seconds=size.seconds,
            )
            return self._judge(implementation, selection, corpus)
        finally:
            implementation.stop()

    def check(self, corpus: Output, selection: Selection) -> tuple[RunFinished, Results]:
        """Ask and judge a stored corpus.

        Args:
            corpus: The corpus.
            selection: The requirements to judge; all cases of the corpus are asked, in its role.

        Raises:
            CannotStart, NotUsable, StorageError, WaveFailed, ValueError: See `run`.
        """
        manifest = corpus.manifest(CorpusManifest)
        if not manifest.complete:
            raise NotUsable(f"{corpus.storage.uri} is not finished: run generate with --resume")
        implementation = registry.implementation(self.spec, limits=self.options.limits)
        declaration = implementation.start()
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
            return self._judge(implementation, selection, stored)
        finally:
            implementation.stop()

    def _judge(
        self, implementation: Implementation, selection: Selection, corpus: "_Corpus"
    ) -> tuple[RunFinished, Results]:
        declaration = implementation.declaration
        role = declaration.roles[selection.role]
        manifest = self.output.begin(_manifest(self.spec, declaration, selection, corpus), resume=self.options.resume)
        plan, requirements = corpus.plan, selection.requirements
        self._notify(
            RunStarted(
                self.spec,
                declaration,
                (selection.role,),
                plan.pairs,
                requirements,
                plan.seed,
                corpus.examples,
                corpus.seconds,
                self.options.limits,
            )
        )
        job = Job(self.spec, self.options.limits, selection.role, role, requirements, self.options.window)
        done = self._run_waves(corpus.source, job, corpus.seconds)
        results = read_results(self.spark, self.output)
        patience = Patience.of_run(job.limits, corpus.seconds)
        if has_given_up(done, job.limits):
            patience.end()
        history = self.options.history
        clusters = Clusters(
            Shrinker(implementation, Judge(role), requirements, patience=patience),
            corpus.source,
            self.options.baseline,
            shrunk_before(history.read(), declaration.name) if history else {},
            self.options.shrink,
            self._notify,
        )
        tally = results.tally()
        tally.variants = planned_variants(plan, tally.cases)
        finished = self.options.baseline.concluded(tally, clusters.failures(results.clusters))
        if history is not None:
            entry = _entry(manifest, self.output.storage.uri, declaration, finished)
            history.write(entries_of(entry, finished.failures))
        self._notify(finished)
        return finished, results

    def _run_waves(self, source: CaseSource, job: Job, seconds: float | None) -> list[Wave]:
        pace = Pace(self.options.cores or self.spark.sparkContext.defaultParallelism)
        deadline = None if seconds is None else time.monotonic() + seconds

        def next_stretch(done: Sequence[Wave], first: int) -> Stretch | None:
            return source.next(done, first, pace, None if deadline is None else deadline - time.monotonic())

        def frame(stretch: Stretch, is_asked: bool, report: Report) -> DataFrame:
            return source.results(self.spark, stretch, replace(job, asks=is_asked), report)

        done = Waves(
            self.spark,
            self.output,
            next_stretch=next_stretch,
            frame=frame,
            verify=lambda stretch: verified_results(self.spark, self.output, stretch),
            goal=source.goal,
            pace=pace,
            watch=self.options.watch,
            is_asked=lambda done, first: is_asked(done, first, job.limits),
        ).run()
        goal = source.goal(done)
        reached = done[-1].end if done else 0
        if goal is not None and (reached != goal or sum(wave.cases for wave in done) != goal):
            raise WaveFailed(f"{goal} cases were to be judged, {sum(wave.cases for wave in done)} were")
        return done

    def _notify(self, event: Event) -> None:
        for listener in self.options.listeners:
            listener(event)


def generate(spark: SparkSession, output: Output, plan: Plan, *, size: Size, options: Options) -> list[Wave]:
    """Write a corpus, and return its waves.

    Args:
        spark: The session.
        output: The corpus' folder.
        plan: The sequence of cases.
        size: How much of it is written.
        options: `resume`, `cores` and `watch` are used.

    Raises:
        NotUsable: The folder holds something else.
        StorageError: The folder cannot be reached.
        WaveFailed: Spark gave up; the run can be resumed.
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
        frame=lambda stretch, is_asked, report: source.corpus(spark, stretch, report),
        verify=lambda stretch: verified_corpus(spark, output, stretch),
        goal=source.goal,
        pace=pace,
        watch=options.watch,
        is_asked=lambda done, first: True,
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
        fields=tuple(sorted(role.every_field)),
        abilities=tuple(sorted(role.abilities)),
        profiles=tuple(role.profiles),
        requirements=selection.requirements,
        plan=corpus.plan,
        **corpus.made_from,
    )


def _entry(manifest: RunManifest, uri: str, declaration: Declaration, finished: RunFinished) -> RunEntry:
    # The id belongs to the run, not to the time: a resumed run replaces its entries instead of adding others. Runs in
    # different folders may add theirs at the same time, so each folder has other ids.
    contents = json.dumps([uri, msgspec.to_builtins(manifest)], sort_keys=True)
    made_from = blake2b(contents.encode(), digest_size=4).hexdigest()
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
