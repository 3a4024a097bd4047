package org.weft.metadata.serving.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.metadata.grant.CapabilityMint;
import org.weft.metadata.grant.WorkingKeys;
import org.weft.metadata.journal.JournalContents;
import org.weft.metadata.journal.LiveEffect;
import org.weft.metadata.journal.LiveEffect.CounterKind;
import org.weft.metadata.objects.cache.CacheLimits;
import org.weft.metadata.objects.cache.MetadataCache;
import org.weft.metadata.objects.cache.TailReplay;
import org.weft.metadata.objects.flush.Flusher;
import org.weft.metadata.placement.OsdCandidate;
import org.weft.metadata.placement.OsdPool;
import org.weft.metadata.volume.Caller;
import org.weft.metadata.volume.VolumeMachine;
import org.weft.metadata.volume.execution.ClusterKnown;
import org.weft.metadata.volume.execution.Now;
import org.weft.metadata.volume.execution.Operation;
import org.weft.metadata.volume.execution.VolumeContext;
import org.weft.metadata.volume.operation.attributes.GetAttributes;
import org.weft.metadata.volume.operation.length.PublishLength;
import org.weft.metadata.volume.operation.name.CreateFile;
import org.weft.metadata.volume.operation.name.MakeDirectory;
import org.weft.metadata.volume.operation.session.OpenSession;
import org.weft.metadata.volume.operation.session.SeeAll;
import org.weft.metadata.volume.operation.volume.AddLiveEffects;
import org.weft.metadata.volume.operation.volume.FormatVolume;
import org.weft.metadata.volume.path.NodePath;
import org.weft.metadata.volume.state.VolumeSettings;
import org.weft.protocol.capability.FileHandle;
import org.weft.protocol.error.ErrorCode;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.Lsn;
import org.weft.protocol.id.ObjectId;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.id.PartitionId;
import org.weft.protocol.id.SessionId;
import org.weft.protocol.seam.Environment;
import org.weft.protocol.seam.Scheduler.OwnedExecutor;
import org.weft.protocol.wire.AttributesReply;
import org.weft.protocol.wire.CreateReply;
import org.weft.protocol.wire.OpenSessionReply;
import org.weft.testkit.sim.VirtualTime;
import org.weft.testkit.sim.VirtualWire;

/** What may leave when, and what waits where (P 6.1, 6.2). */
class VolumeServiceTest {
  private static final PartitionId VOLUME = new PartitionId(1);

  private final VirtualTime time = new VirtualTime(1);
  private final HeldJournal journal = new HeldJournal();
  private final ServingLease lease = new ServingLease();
  private VolumeService service;
  private VolumeMachine machine;
  private MetadataCache cache;
  private SessionId session;
  private int nextSlot;
  private Error loaderError;

  /** An answer, if there is one. */
  private static final class Answer implements AnswerSink {
    private MessageLite reply;
    private WeftException refusal;
    private boolean abandoned;

    @Override
    public void reply(MessageLite body, Lsn seen) {
      assertTrue(reply == null && refusal == null, "answered twice");
      reply = body;
    }

    @Override
    public void refuse(WeftException why) {
      assertTrue(reply == null && refusal == null, "answered twice");
      refusal = why;
    }

    @Override
    public boolean abandoned() {
      return abandoned;
    }

    ErrorCode code() {
      assertNotNull(refusal, "it was not refused");
      return refusal.code();
    }

    void assertWaits() {
      assertNull(reply, "it was answered");
      assertNull(refusal, "it was refused");
    }
  }

  /** Flushes nothing. */
  private static final class NoFlusher implements Flusher {
    @Override
    public void begin() {}

    @Override
    public void recordDurable(Lsn lsn) {}

    @Override
    public CompletionStage<Void> flushed() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void statesChanged() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void aVolumeThatIsServed() throws InvalidProtocolBufferException {
    OwnedExecutor home = time.newSerialExecutor("volume");
    VolumeSettings settings = new VolumeSettings(VOLUME, 2, 0, 1, "default", "weft");
    cache = new MetadataCache(settings.metaCopies(), CacheLimits.DEFAULT);
    VolumeContext context =
        new VolumeContext(
            settings,
            new CapabilityMint(VOLUME, new WorkingKeys(1, new byte[32])),
            new SplittableRandom(1));
    context.clusterChanged(new ClusterKnown(1, pool(), 0, 0, 0));
    machine = new VolumeMachine(context, cache);
    machine.recover(journal.contents(), 1, new Now(time.nowMillis(), time.nowNanos()));
    JournalContents nothing = journal.contents();
    assertTrue(new TailReplay(cache, nothing).run().value());
    Environment environment =
        new Environment(
            time, time, time, new SplittableRandom(2), new VirtualWire(time, 1), () -> "boot");
    service =
        new VolumeService(
            environment,
            home,
            machine,
            cache,
            journal,
            missing -> {
              if (loaderError != null) {
                throw loaderError;
              }
              return CompletableFuture.failedFuture(
                  new WeftException(ErrorCode.UNAVAILABLE, "OSD 7 cannot be reached"));
            },
            lease);
    renewLease();
    home.execute(
        () -> {
          service.begin(new NoFlusher(), Lsn.ZERO);
          var unused = service.runOwn(new FormatVolume());
        });
    settle();
    journal.sync();
    settle();
    home.execute(service::serve);
    Answer opened = submit(null, new OpenSession("weft", List.of("supergroup"), "test", 1, 64));
    journal.sync();
    settle();
    ByteString bytes = opened.reply.toByteString();
    session = new SessionId(OpenSessionReply.parseFrom(bytes).getSessionId());
  }

  private static OsdPool pool() {
    return new OsdPool(
        IntStream.rangeClosed(1, 4)
            .mapToObj(id -> new OsdCandidate(new OsdId(id), "host-" + id, true, 1L << 40))
            .toList());
  }

  private void renewLease() {
    lease.renewed(time.nowNanos(), 2_000);
  }

  private void settle() {
    time.pass(TimeUnit.MILLISECONDS.toNanos(5));
  }

  private Answer submit(Caller caller, Operation operation) {
    Answer answer = new Answer();
    service.submit(caller, operation, answer);
    settle();
    return answer;
  }

  private Answer ask(Operation operation) {
    return submit(new Caller(session, nextSlot++, 1), operation);
  }

  private static Operation mkdir(String name) {
    return new MakeDirectory(path(name), 0755, 0, false);
  }

  private static NodePath path(String name) {
    return new NodePath(List.of(name));
  }

  @Test
  void changesWaitWhileTheJournalTailIsFull() {
    journal.bytes(CacheLimits.DEFAULT.journalBytes() + 1);
    long before = journal.records();
    Answer made = ask(mkdir("a"));
    journal.sync();
    passTicks();
    made.assertWaits();
    assertEquals(before, journal.records());
    Answer opened = submit(null, new OpenSession("weft", List.of("supergroup"), "test", 2, 64));
    journal.sync();
    settle();
    assertNotNull(opened.reply, "what only the journal holds needs no way to the OSDs");
    made.assertWaits();
    journal.bytes(0);
    passTicks();
    journal.sync();
    settle();
    assertNotNull(made.reply);
    assertEquals(before + 2, journal.records());
  }

  /** Redo suspects copies that it may take back. */
  @Test
  void noSnapshotIsWrittenDuringRedo() {
    TailReplay redo = new TailReplay(cache, new JournalContents(List.of(), List.of(), Lsn.ZERO));
    assertTrue(cache.isReplaying());
    journal.wantSnapshot();
    passTicks();
    assertEquals(0, journal.snapshots());
    assertTrue(redo.run().value());
    passTicks();
    assertEquals(1, journal.snapshots());
  }

  private void passTicks() {
    renewLease();
    time.pass(TimeUnit.MILLISECONDS.toNanos(300));
    renewLease();
  }

  @Test
  void aChangeIsAnsweredOnceItIsDurable() {
    Answer made = ask(mkdir("a"));
    made.assertWaits();
    journal.sync();
    settle();
    assertNotNull(made.reply);
  }

  /** A file whose writer keeps its length, and a request that waits for it (P 6.5). */
  private Answer wantALength(Consumer<Operation> writer) throws InvalidProtocolBufferException {
    Answer made = ask(new CreateFile(path("f"), 0644, 0, false, false, Optional.empty()));
    journal.sync();
    settle();
    CreateReply created = CreateReply.parseFrom(made.reply.toByteString());
    ObjectId object = new ObjectId(created.getAttributes().getObjectId());
    Lsn grant = new Lsn(created.getGrant().getNumber());
    writer.accept(new PublishLength(object, grant, 100, 1, true));
    journal.sync();
    settle();
    writer.accept(new PublishLength(object, grant, 200, 1, true));
    return ask(new GetAttributes(path("f")));
  }

  @Test
  void requestForALengthWaitsForItsWriter() throws InvalidProtocolBufferException {
    List<PublishLength> published = new ArrayList<>();
    AtomicInteger pushes = new AtomicInteger();
    service.onBusy(pushes::incrementAndGet);
    Answer stat =
        wantALength(
            operation -> {
              published.add((PublishLength) operation);
              ask(operation);
            });
    stat.assertWaits();
    assertTrue(pushes.get() > 0, "the writer is asked at once");
    time.pass(TimeUnit.MILLISECONDS.toNanos(500));
    stat.assertWaits();
    PublishLength last = published.get(1);
    ask(new PublishLength(last.object(), last.number(), 300, 1, true));
    AttributesReply reply = AttributesReply.parseFrom(stat.reply.toByteString());
    assertEquals(300, reply.getAttributes().getSize());
  }

  @Test
  void clientGetsARetryWhileTheWriterIsSilent() throws InvalidProtocolBufferException {
    Answer stat = wantALength(this::ask);
    for (int second = 0; second < 3; second++) {
      renewLease();
      time.pass(TimeUnit.SECONDS.toNanos(1));
    }
    assertEquals(ErrorCode.UNAVAILABLE, stat.code());
  }

  @Test
  void clientThatWaitsForAWriterHearsThatTheServiceEnds() throws InvalidProtocolBufferException {
    Answer stat = wantALength(this::ask);
    service.end("it is over");
    assertEquals(ErrorCode.NOT_SERVING, stat.code());
  }

  @Test
  void aReadWaitsForWhatItHasSeen() {
    Answer before = ask(new GetAttributes(new NodePath(List.of())));
    assertNotNull(before.reply, "nothing that it saw is new");
    Answer made = ask(mkdir("a"));
    Answer read = ask(new GetAttributes(path("a")));
    read.assertWaits();
    journal.sync();
    settle();
    assertNotNull(made.reply);
    assertNotNull(read.reply);
  }

  @Test
  void aRefusalWaitsForWhatItHasSeen() {
    Answer made = ask(mkdir("a"));
    Answer again = ask(mkdir("a"));
    Answer missing = ask(new GetAttributes(path("b")));
    made.assertWaits();
    again.assertWaits();
    missing.assertWaits();
    journal.sync();
    settle();
    assertEquals(ErrorCode.EXISTS, again.code());
    assertEquals(ErrorCode.NOT_FOUND, missing.code());
  }

  @Test
  void aRetryOfAnUndecidedRequestWaitsForTheSameRecord() {
    Caller caller = new Caller(session, 40, 1);
    Answer first = submit(caller, mkdir("a"));
    Answer retry = submit(caller, mkdir("a"));
    retry.assertWaits();
    long records = journal.records();
    journal.sync();
    settle();
    assertEquals(first.reply.toByteString(), retry.reply.toByteString());
    assertEquals(records, journal.records());
  }

  @Test
  void manyChangesShareOneSync() {
    List<Answer> answers = new ArrayList<>();
    for (int index = 0; index < 60; index++) {
      answers.add(ask(mkdir("d" + index)));
    }
    answers.forEach(Answer::assertWaits);
    journal.sync();
    settle();
    answers.forEach(answer -> assertNotNull(answer.reply));
  }

  @Test
  void noReplyLeavesAfterTheLease() {
    Answer decided = ask(mkdir("a"));
    time.pass(TimeUnit.SECONDS.toNanos(3));
    journal.sync();
    settle();
    // Not NOT_SERVING, which would say that it was not carried out.
    assertEquals(ErrorCode.CANCELLED, decided.code());
    assertEquals(ErrorCode.NOT_SERVING, ask(mkdir("b")).code());
    assertEquals(ErrorCode.NOT_SERVING, ask(new GetAttributes(path("a"))).code());
    renewLease();
    assertNotNull(ask(new GetAttributes(path("a"))).reply);
  }

  @Test
  void aFailedJournalEndsTheService() {
    Answer decided = ask(mkdir("a"));
    journal.fail();
    settle();
    assertEquals(ErrorCode.CANCELLED, decided.code());
    Answer later = ask(mkdir("b"));
    assertEquals(ErrorCode.NOT_SERVING, later.code());
    assertTrue(later.refusal.getMessage().contains("disk is full"), later.refusal.getMessage());
  }

  /** What was decided is in memory alone: no client may see it. */
  @Test
  void anErrorInTheMidstOfAChangeEndsTheService() {
    journal.throwAtTheNextRecord(new StackOverflowError());
    assertEquals(ErrorCode.CANCELLED, ask(mkdir("a")).code());
    Answer later = ask(new GetAttributes(path("a")));
    assertEquals(ErrorCode.NOT_SERVING, later.code());
    assertTrue(later.refusal.getMessage().contains("StackOverflow"), later.refusal.getMessage());
  }

  @Test
  void errorInAManagersOwnChangeEndsTheService() {
    journal.throwAtTheNextRecord(new AssertionError("a bug"));
    CompletableFuture<Lsn> own =
        service.runOwn(new AddLiveEffects(List.of(new LiveEffect.Counter(CounterKind.OBJECT, 9))));
    assertTrue(own.isCompletedExceptionally());
    assertEquals(ErrorCode.NOT_SERVING, ask(mkdir("a")).code());
  }

  /** As SeeAll, after which SysMgr is told that an OSD was compared. */
  @Test
  void errorBeforeAnOwnOperationIsReported() {
    journal.throwWhenNextAskedForRoom(new InternalError("no memory is left"));
    CompletableFuture<Lsn> own = service.runOwn(new SeeAll());
    assertTrue(own.isCompletedExceptionally(), "it is left waiting");
    assertEquals(ErrorCode.NOT_SERVING, ask(mkdir("a")).code());
  }

  @Test
  void requestsThatWaitForTheJournalSeeAParallelError() {
    ask(mkdir("a")).assertWaits();
    CompletableFuture<Lsn> own = service.runOwn(new SeeAll());
    assertFalse(own.isDone(), "what was decided before is not durable");
    journal.throwWhenNextAskedForRoom(new StackOverflowError());
    assertEquals(ErrorCode.CANCELLED, ask(mkdir("b")).code());
    assertTrue(own.isCompletedExceptionally(), "it is left waiting");
  }

  @Test
  void requestsWaitWhileTheJournalIsFull() {
    journal.room(false);
    long before = journal.records();
    Answer made = ask(mkdir("a"));
    made.assertWaits();
    assertEquals(before, journal.records());
    journal.room(true);
    time.pass(TimeUnit.MILLISECONDS.toNanos(200));
    assertEquals(before + 1, journal.records());
    journal.sync();
    settle();
    assertNotNull(made.reply);
  }

  @Test
  void tooManyRequestsAreRefusedAtOnce() {
    journal.room(false);
    List<Answer> answers = new ArrayList<>();
    for (int index = 0; index < VolumeService.MAX_REQUESTS; index++) {
      Answer answer = new Answer();
      service.submit(new Caller(session, 1, index + 1), mkdir("x"), answer);
      answers.add(answer);
    }
    Answer oneMore = new Answer();
    service.submit(new Caller(session, 2, 1), mkdir("y"), oneMore);
    assertEquals(ErrorCode.OVERLOADED, oneMore.code());
    journal.room(true);
    renewLease();
    time.pass(TimeUnit.MILLISECONDS.toNanos(200));
    journal.sync();
    settle();
    assertTrue(answers.stream().allMatch(answer -> answer.reply != null || answer.refusal != null));
    renewLease();
    Answer after = ask(mkdir("z"));
    journal.sync();
    settle();
    assertNotNull(after.reply);
  }

  @Test
  void abandonedRequestIsNotExecuted() {
    journal.room(false);
    Answer abandoned = ask(mkdir("a"));
    abandoned.abandoned = true;
    long before = journal.records();
    journal.room(true);
    time.pass(TimeUnit.MILLISECONDS.toNanos(200));
    assertEquals(before, journal.records());
  }

  private FileHandle handle(long objectId) {
    return machine.snapshot().stream()
        .filter(LiveEffect.VolumeCreated.class::isInstance)
        .map(LiveEffect.VolumeCreated.class::cast)
        .map(created -> created.handleKey().orElseThrow())
        .map(key -> key.handle(VOLUME, new ObjectId(objectId)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aFailedLoadRefusesTheRequestThatNeededIt() {
    NodePath unknown = new NodePath(Optional.of(handle(99_999)), List.of());
    Answer answer = ask(new GetAttributes(unknown));
    assertEquals(ErrorCode.UNAVAILABLE, answer.code());
    assertTrue(answer.refusal.getMessage().contains("OSD 7"));
  }

  @Test
  void loadErrorIsReported() {
    loaderError = new InternalError("no memory is left");
    NodePath unknown = new NodePath(Optional.of(handle(99_999)), List.of());
    assertEquals(ErrorCode.CANCELLED, ask(new GetAttributes(unknown)).code());
  }
}
